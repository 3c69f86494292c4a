// The programs that the recorder's tests record: program MODE [ROUNDS]. Each prints a line that
// depends on everything it did.

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

const char* self;

int compare(const void* a, const void* b) {
  int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  return (x > y) - (x < y);
}

unsigned long work(unsigned seed, int rounds) {
  unsigned long hash = 0;
  std::vector<int> list(5000);
  for (int r = 0; r < rounds; ++r) {
    for (auto& one : list) one = static_cast<int>((seed = seed * 1664525 + 1013904223) >> 3);
    if (r % 2)
      std::qsort(list.data(), list.size(), sizeof list[0], compare);
    else
      std::sort(list.begin(), list.end());
    for (int one : list) hash = hash * 31 + static_cast<unsigned>(one);
  }
  return hash;
}

void threads(int rounds) {
  std::vector<std::thread> list;
  std::vector<unsigned long> results(8);
  for (unsigned i = 0; i < 8; ++i) list.emplace_back([&, i] { results[i] = work(i, rounds); });
  for (auto& one : list) one.join();
  unsigned long sum = 0;
  for (auto one : results) sum = sum * 7 + one;
  std::printf("threads %lx\n", sum);
}

void processes(int rounds) {
  int status[3] = {};
  std::fflush(stdout);
  pid_t forked = fork();
  if (forked == 0) _exit(static_cast<int>(work(3, rounds) & 63));
  pid_t executed = fork();
  if (executed == 0) {
    execl(self, self, "sort", std::to_string(rounds).c_str(), nullptr);
    _exit(99);
  }
  pid_t spawned = 0;
  std::string count = std::to_string(rounds);
  char* arguments[] = {const_cast<char*>(self), const_cast<char*>("goto"), count.data(), nullptr};
  posix_spawn(&spawned, self, nullptr, nullptr, arguments, environ);
  work(1, rounds);
  waitpid(forked, &status[0], 0);
  waitpid(executed, &status[1], 0);
  waitpid(spawned, &status[2], 0);
  std::printf("processes %x %x %x\n", static_cast<unsigned>(status[0]),
              static_cast<unsigned>(status[1]), static_cast<unsigned>(status[2]));
}

std::atomic<int> traps, profs, strange;

void on_trap(int) { ++traps; }

void sigtrap(int rounds) {
  struct sigaction action{};
  action.sa_handler = on_trap;
  sigaction(SIGTRAP, &action, nullptr);
  unsigned long hash = 0;
  for (int i = 0; i < rounds; ++i) {
    __asm__ volatile("int3");
    hash = hash * 3 + work(static_cast<unsigned>(i), 1);
  }
  std::printf("sigtrap %d %lx\n", traps.load(), hash);
}

// The context of a handler has to be one of the program: code of the program or of a library.
void on_prof(int, siginfo_t* info, void* context) {
  ++profs;
  auto* ip = reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  Dl_info where;
  if (info->si_code != SI_KERNEL && info->si_code != SI_TIMER && info->si_code != SI_USER)
    ++strange;
  if (dladdr(ip, &where) == 0) ++strange;
}

void sigprof(int rounds) {
  struct sigaction action{};
  action.sa_sigaction = on_prof;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  itimerval timer{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  auto hash = work(5, rounds);
  // A tick may be longer than all that. Calls are counted, so the wait has none.
  for (long i = 0; i < 10'000'000'000 && profs == 0; ++i) continue;
  timer = {};
  setitimer(ITIMER_PROF, &timer, nullptr);
  std::printf("sigprof %s %d %lx\n", profs > 0 ? "some" : "none", strange.load(), hash);
}

__attribute__((noinline)) int thrower(int n) {
  if (n % 5 == 0) throw std::string("five");
  if (n % 7 == 0) throw n;
  return n;
}
__attribute__((noinline)) int middle(int n) {
  std::string kept(static_cast<size_t>(n % 40), 'x');
  return thrower(n) + static_cast<int>(kept.size());
}

void exceptions(int rounds) {
  unsigned long sum = 0;
  for (int i = 0; i < rounds * 2000; ++i) {
    try {
      sum += static_cast<unsigned>(middle(i));
    } catch (const std::string& text) {
      sum = sum * 3 + text.size();
    } catch (int n) {
      sum = sum * 5 + static_cast<unsigned>(n);
    }
  }
  std::printf("exceptions %lx\n", sum);
}

jmp_buf back;
__attribute__((noinline)) void jump(int n) {
  if (n % 3 == 0) longjmp(back, n + 1);
}

void longjumps(int rounds) {
  static unsigned long sum = 0;  // not on the stack: it has to survive longjmp()
  static int i = 0;
  for (; i < rounds * 20000; ++i) {
    if (setjmp(back) == 0) {
      jump(i);
      sum += 1;
    } else {
      sum *= 3;
    }
  }
  std::printf("longjumps %lx\n", sum);
}

sigjmp_buf after_fault;
volatile int wrong_faults;
void* expected_address;

void on_fault(int signal, siginfo_t* info, void* context) {
  auto* ip = reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  Dl_info where;
  if (dladdr(ip, &where) == 0) wrong_faults = wrong_faults + 1;
  if (signal == SIGSEGV && info->si_addr != expected_address) wrong_faults = wrong_faults + 1;
  if (signal == SIGFPE && info->si_addr != ip) wrong_faults = wrong_faults + 1;
  siglongjmp(after_fault, 1);
}

__attribute__((noinline)) int divide(int a, int b) {
  __asm__ volatile("cltd\n idivl %1" : "+a"(a) : "r"(b) : "edx");
  return a;
}

using Function = int(int);

// A function of a library that is no longer there.
Function* unloaded() {
  void* library = dlopen("libz.so.1", RTLD_NOW);
  if (!library) return nullptr;
  auto* version = reinterpret_cast<const char* (*)()>(dlsym(library, "zlibVersion"));
  if (version) version();
  dlclose(library);
  return reinterpret_cast<Function*>(version);
}

void faults(int rounds) {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGFPE, &action, nullptr);
  static unsigned long sum = 0;
  static int i = 0;
  for (; i < rounds * 500; ++i) {
    if (sigsetjmp(after_fault, 1) != 0) {
      sum = sum * 3 + 1;
      continue;
    }
    expected_address = reinterpret_cast<void*>(static_cast<uintptr_t>(i % 1000) * 8);
    if (i % 3 == 0) sum = sum + *static_cast<volatile unsigned char*>(expected_address);
    if (i % 3 == 1) (*static_cast<Function**>(expected_address))(i);
    if (i % 50 == 2) {
      Function* gone = unloaded();
      expected_address = reinterpret_cast<void*>(gone);
      gone(i);
    }
    sum = sum + static_cast<unsigned>(divide(i, i % 3 - 2));
  }
  std::printf("faults %lx wrong %d\n", sum, wrong_faults);
}

void libraries(int rounds) {
  double sum = 0;
  for (int i = 0; i < rounds * 20; ++i) {
    const char* name = i % 2 ? "libm.so.6" : "libz.so.1";
    void* library = dlopen(name, RTLD_NOW);
    if (!library) continue;
    if (auto* sine = reinterpret_cast<double (*)(double)>(dlsym(library, "sin")))
      for (int k = 0; k < 2000; ++k) sum += sine(k);
    if (auto* crc = reinterpret_cast<unsigned long (*)(unsigned long, const void*, unsigned)>(
            dlsym(library, "crc32")))
      for (unsigned k = 0; k < 200; ++k) sum += static_cast<double>(crc(k, "some bytes", 10) & 7);
    dlclose(library);
  }
  std::printf("libraries %.6f\n", sum);
}

// An interpreter with computed gotos.
void gotos(int rounds) {
  static const void* const labels[] = {&&add, &&twice, &&mix, &&back, &&end};
  unsigned char code[] = {0, 1, 2, 0, 0, 2, 1, 3, 4};
  unsigned long value = 1, turns = static_cast<unsigned long>(rounds) * 100000;
  const unsigned char* at = code;
  goto* labels[*at];
add:
  value += 7;
  goto* labels[*++at];
twice:
  value *= 2;
  goto* labels[*++at];
mix:
  value ^= value >> 7;
  goto* labels[*++at];
back:
  if (--turns) at = code - 1;
  goto* labels[*++at];
end:
  std::printf("goto %lx\n", value);
}

void copies(int rounds) {
  std::vector<char> a(9000), b(9000);
  unsigned long sum = 0;
  for (int i = 0; i < rounds * 3000; ++i) {
    size_t n = static_cast<size_t>(i * 37 % 8000);
    std::memset(a.data(), i & 127, n + 1);
    std::memcpy(b.data(), a.data(), n);
    std::memmove(b.data() + 3, b.data(), n);
    b[n + 4] = 0;
    sum += std::strlen(b.data()) + static_cast<unsigned>(std::memcmp(a.data(), b.data(), n) == 0);
  }
  double f = 0;
  for (int i = 1; i < rounds * 20000; ++i) f += std::sqrt(i) / std::log(i + 1.0);
  std::printf("copies %lx %.3f\n", sum, f);
}

// System calls, short sleeps and pipes between pieces of work.
void calls(int rounds) {
  int ends[2];
  if (pipe(ends) != 0) return;
  unsigned long sum = 0;
  char byte = 0;
  for (int i = 0; i < rounds * 4; ++i) {
    sum += work(static_cast<unsigned>(i), 1) & 15;
    for (int k = 0; k < 20; ++k) {
      byte = static_cast<char>(byte + 1);
      sum += static_cast<unsigned long>(write(ends[1], &byte, 1) + read(ends[0], &byte, 1));
    }
    if (i % 50 == 0) usleep(100);
  }
  std::printf("calls %lx\n", sum);
}

// A thread waits in a call that fails with EINTR after any stop, even one without a signal.
void waits(int rounds) {
  int ends[2];
  if (pipe(ends) != 0) return;
  int interrupted = 0;
  std::thread waiter([&] {
    int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
    while (epoll_wait(epoll, &event, 1, -1) < 0) ++interrupted;
  });
  auto hash = work(9, rounds);
  if (write(ends[1], "x", 1) != 1) return;
  waiter.join();
  std::printf("waits %d %lx\n", interrupted, hash);
}

// Recursion: by one call, of two functions by each other, and by two calls.
__attribute__((noinline)) unsigned step(unsigned n) { return n * 1664525 + 1013904223; }
__attribute__((noinline)) unsigned down(unsigned n) { return n ? down(n - 1) + step(n) : step(7); }
unsigned odd(unsigned n);
__attribute__((noinline)) unsigned even(unsigned n) { return n ? odd(n - 1) ^ step(n) : 1; }
__attribute__((noinline)) unsigned odd(unsigned n) { return n ? even(n - 1) + step(n) : 0; }
__attribute__((noinline)) unsigned fib(unsigned n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2) + (n == 5 ? down(3) : 0);
}

void recursion(int rounds) {
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    auto n = static_cast<unsigned>(i % 9);
    sum += down(n) + even(n) + odd(n + 3) + fib(n + 6);
  }
  std::printf("recursion %x\n", sum);
}

// More threads than there is room for, all but one of which wait for their turn in a system call.
void crowd(int rounds) {
  constexpr size_t threads = 200;
  std::vector<std::array<int, 2>> ends(threads);
  std::vector<unsigned long> sums(threads);
  for (auto& one : ends)
    if (pipe(one.data()) != 0) return;
  std::vector<std::thread> all;
  for (size_t i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      char turn = 0;
      for (int k = 0; k < rounds && read(ends[i][0], &turn, 1) == 1; ++k) {
        sums[i] += work(static_cast<unsigned>(i), 1);
        if (write(ends[(i + 1) % threads][1], &turn, 1) != 1) return;
      }
    });
  if (write(ends[0][1], "x", 1) != 1) return;
  unsigned long sum = 0;
  for (size_t i = 0; i < threads; ++i) all[i].join(), sum += sums[i];
  std::printf("crowd %lx\n", sum);
}

// One thread makes others all the time, and works meanwhile. It has a use of its own for the signal
// that threads are stopped with.
void makes(int rounds) {
  signal(SIGURG, [](int) {});
  unsigned long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    std::thread([] {}).join();
    sum = sum * 7 + work(static_cast<unsigned>(i % 5), 1);
  }
  std::printf("makes %lx\n", sum);
}

// What a process that was recorded has: its copies may be in a file, which it must not hold open.
void maps(int rounds) {
  std::printf("maps %lx", work(1, rounds));
  std::ifstream lines("/proc/self/maps");
  bool of_copies = false;
  for (std::string line; std::getline(lines, line);)
    of_copies |= line.find("/memfd:pgokit") != line.npos;
  lines.close();
  int files = 0;
  for (int fd = 0; fd < 1024; ++fd) files += fcntl(fd, F_GETFD) >= 0;
  std::printf(" %d files\n%s", files, of_copies ? "copies\n" : "");
}

// One after the other.
void starts(int rounds) {
  std::string number = std::to_string(rounds);
  const char* arguments[] = {self, "maps", number.c_str(), nullptr};
  for (int n = 0; n < 8; ++n) {
    pid_t pid = 0;
    if (posix_spawn(&pid, self, nullptr, nullptr, const_cast<char**>(arguments), environ) == 0)
      waitpid(pid, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  self = argv[0];
  std::string mode = argc > 1 ? argv[1] : "sort";
  int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  if (mode == "sort") std::printf("sort %lx\n", work(1, rounds));
  if (mode == "threads") threads(rounds);
  if (mode == "processes") processes(rounds);
  if (mode == "sigtrap") sigtrap(rounds);
  if (mode == "sigprof") sigprof(rounds);
  if (mode == "exceptions") exceptions(rounds);
  if (mode == "longjumps") longjumps(rounds);
  if (mode == "faults") faults(rounds);
  if (mode == "libraries") libraries(rounds);
  if (mode == "goto") gotos(rounds);
  if (mode == "copies") copies(rounds);
  if (mode == "calls") calls(rounds);
  if (mode == "recursion") recursion(rounds);
  if (mode == "waits") waits(rounds);
  if (mode == "crowd") crowd(rounds);
  if (mode == "makes") makes(rounds);
  if (mode == "maps") maps(rounds);
  if (mode == "starts") starts(rounds);
  if (mode == "forever") {
    std::printf("ready\n");
    std::fflush(stdout);
    while (true) work(1, 100);
  }
  if (mode == "killed") {
    work(1, rounds);
    std::printf("killed\n");
    std::fflush(stdout);
    kill(getpid(), SIGKILL);
  }
  return static_cast<int>(mode.size());
}

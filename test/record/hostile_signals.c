// Signals: continued and stopped, real-time ones in order, timers on an alternate stack, handlers
// that step.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "hostile.h"

static void on_signal(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  sigaction(signal, &action, NULL);
}

static volatile int continued;
static void on_continue(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info, (void)context;
  continued = continued + 1;
}

// SIGCONT again and again, as shells and job schedulers send it; with a handler and without.
static int continues(int n, int handled) {
  if (handled) on_signal(SIGCONT, on_continue, SA_RESTART);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 20; ++i) {
      kill(getppid(), SIGCONT);
      usleep(7000);
    }
    _exit(0);
  }
  uint64_t hash = work_for(1, n);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  printf("continued %s %lx\n", handled && continued > 0 ? "noticed" : "-", hash);
  return 21;
}
static int continues_unhandled(int n) { return continues(n, 0); }
static int continues_handled(int n) { return continues(n, 1); }

static volatile int next_value, misplaced;
static void on_queued(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  if (info->si_value.sival_int != next_value || info->si_code != SI_QUEUE)
    misplaced = misplaced + 1;
  next_value = info->si_value.sival_int + 1;
}

// Each real-time signal arrives once, in order, with its value.
static int realtime(int n) {
  on_signal(SIGRTMIN + 1, on_queued, SA_RESTART);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < n; ++i) {
      union sigval value = {.sival_int = i};
      while (sigqueue(getppid(), SIGRTMIN + 1, value) != 0) usleep(100);
      if (i % 64 == 0) usleep(500);
    }
    _exit(0);
  }
  uint64_t hash = 1;
  int status;
  while (waitpid(child, &status, WNOHANG) != child) hash = work(hash);
  work_for(1, 3);
  printf("realtime %d misplaced %d\n", next_value, misplaced);
  return hash == 0 ? 1 : 22;
}

static volatile uint64_t* counters;  // shared with the child
static void* count_up(void* counter) {
  uint64_t hash = 1;
  while (counters[63] == 0) {
    for (int i = 0; i < 1000; ++i) hash = hash * 31 + (hash >> 7);
    ++*(volatile uint64_t*)counter;
  }
  return (void*)hash;
}

static int stands_still(void) {
  uint64_t before[4];
  for (int attempt = 0; attempt < 300; ++attempt) {
    for (int i = 0; i < 4; ++i) before[i] = counters[i];
    usleep(30000);
    int same = 1;
    for (int i = 0; i < 4; ++i) same &= before[i] == counters[i];
    if (same) return 1;
  }
  return 0;
}

// SIGSTOP stops all threads, SIGCONT lets all of them go on.
static int stops(int n) {
  counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    int moving = 0, still = 0;
    for (int i = 0; i < n; ++i) {
      usleep(20000);
      kill(getppid(), SIGSTOP);
      still += stands_still();
      uint64_t before = counters[0] + counters[1] + counters[2] + counters[3];
      kill(getppid(), SIGCONT);
      for (int k = 0; k < 3000; ++k) {
        if (counters[0] + counters[1] + counters[2] + counters[3] != before) {
          ++moving;
          break;
        }
        usleep(10000);
      }
    }
    counters[62] = (uint64_t)still, counters[61] = (uint64_t)moving;
    counters[63] = 1;
    _exit(0);
  }
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, count_up, (void*)&counters[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  printf("stopped %d times, went on %d times\n", (int)counters[62], (int)counters[61]);
  return 5;
}

static char* alternate;
static volatile int timer_signals, off_stack;
static void on_timer(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info, (void)context;
  char here;
  timer_signals = timer_signals + 1;
  if (&here < alternate || &here > alternate + (1 << 16)) off_stack = off_stack + 1;
}

static int timers(int n) {
  alternate = malloc(1 << 16);
  stack_t stack = {.ss_sp = alternate, .ss_size = 1 << 16};
  sigaltstack(&stack, NULL);
  on_signal(SIGPROF, on_timer, SA_RESTART | SA_ONSTACK);
  on_signal(SIGALRM, on_timer, SA_RESTART | SA_ONSTACK);
  struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &every, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  uint64_t hash = work_for(3, n);
  setitimer(ITIMER_PROF, &never, NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  printf("timers %s off the stack %d %lx\n", timer_signals > 0 ? "some" : "none", off_stack, hash);
  return 6;
}

// Slow calls that no signal of the program's interrupts never fail with EINTR.
static void* wait_slowly(void* interrupted) {
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  for (int i = 0; i < 20; ++i) {
    struct timespec rest = {0, 3000000};
    if (nanosleep(&rest, NULL) != 0) ++*(int*)interrupted;
    if (epoll_wait(epoll, &event, 1, 3) < 0) ++*(int*)interrupted;
    if (sigtimedwait(&(sigset_t){{0}}, NULL, &rest) < 0 && errno == EINTR) ++*(int*)interrupted;
    work(2);
  }
  return NULL;
}

static int slow_calls(int n) {
  pthread_t threads[4];
  int interrupted[4] = {0};
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, wait_slowly, &interrupted[i]);
  uint64_t hash = work_for(4, n);
  int sum = 0;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL), sum += interrupted[i];
  printf("slow calls %lx interrupted %d\n", hash, sum);
  return 7;
}

static volatile int steps;
static void on_step(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  ucontext_t* at = context;
  steps = steps + 1;
  if (steps % 1000 == 0) at->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
}

// The trap flag, set and cleared by the program itself.
static int trap_flag(int n) {
  on_signal(SIGTRAP, on_step, 0);
  uint64_t hash = 5;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("sub $128, %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n add $128, %%rsp" ::
                         : "memory", "cc");
    for (int k = 0; k < 3000; ++k) hash = hash * 31 + (hash >> 7);
    hash = work(hash);
  }
  printf("trap flag %d %lx\n", steps, hash);
  return 8;
}

static ucontext_t scheduler, coroutines[4];
static uint64_t coroutine_hash[4];
static void coroutine(int number) {
  for (int i = 0; i < 50; ++i) {
    coroutine_hash[number] = work(coroutine_hash[number] + (uint64_t)number);
    swapcontext(&coroutines[number], &scheduler);
  }
}

static int coroutines_mode(int n) {
  uint64_t hash = 0;
  for (int round = 0; round < n; ++round) {
    for (int i = 0; i < 4; ++i) {
      getcontext(&coroutines[i]);
      coroutines[i].uc_stack.ss_sp = malloc(1 << 16);
      coroutines[i].uc_stack.ss_size = 1 << 16;
      coroutines[i].uc_link = &scheduler;
      makecontext(&coroutines[i], (void (*)(void))coroutine, 1, i);
    }
    for (int turn = 0; turn < 50; ++turn)
      for (int i = 0; i < 4; ++i) swapcontext(&scheduler, &coroutines[i]);
    for (int i = 0; i < 4; ++i) hash = hash * 31 + coroutine_hash[i];
  }
  printf("coroutines %lx\n", hash);
  return 9;
}

// SIGSEGV as just-in-time compilers use it: the handler looks where the fault was, mends and goes
// on.
static char* guarded;
static volatile int mended, elsewhere;
extern char fault_here[];
static void on_guard(int signal, siginfo_t* info, void* context) {
  (void)signal;
  ucontext_t* at = context;
  if (info->si_addr != guarded || at->uc_mcontext.gregs[REG_RIP] != (greg_t)fault_here ||
      at->uc_mcontext.gregs[REG_RCX] != 0x1234567)
    elsewhere = elsewhere + 1;
  mended = mended + 1;
  mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static int guards(int n) {
  guarded = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  on_signal(SIGSEGV, on_guard, 0);
  uint64_t hash = 1;
  for (int i = 0; i < n; ++i) {
    mprotect(guarded, 4096, PROT_NONE);
    for (int k = 0; k < 300; ++k) hash = hash * 31 + (hash >> 7);
    __asm__ volatile("fault_here: movb $1, (%0)" ::"r"(guarded), "c"(0x1234567L) : "memory");
  }
  printf("guards %d elsewhere %d %lx\n", mended, elsewhere, hash);
  return 10;
}

// Goroutines are preempted by a signal whose handler turns the thread to another function, which
// returns to where the thread was: 128 bytes further down, as there may be a red zone.
static volatile int turned, all_done;
uint64_t times_preempted;
void be_preempted(void);
__asm__(
    ".text\n.type be_preempted,@function\nbe_preempted:\n pushfq\n lock incq "
    "times_preempted(%rip)\n"
    " popfq\n ret $128\n.size be_preempted,.-be_preempted\n");

static void on_preemption(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  uint64_t* top = (uint64_t*)(registers[REG_RSP] - 128) - 1;
  *top = (uint64_t)registers[REG_RIP];
  registers[REG_RSP] = (greg_t)top;
  registers[REG_RIP] = (greg_t)be_preempted;
  __atomic_fetch_add(&turned, 1, __ATOMIC_RELAXED);
}

static void* compute(void* hash) {
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&stack, NULL);
  *(uint64_t*)hash = work_for(*(uint64_t*)hash, 200);
  __atomic_fetch_add(&all_done, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&all_done, __ATOMIC_ACQUIRE) < 5) usleep(1000);
  return NULL;
}

static int preempted(int n) {
  on_signal(SIGURG, on_preemption, SA_RESTART | SA_ONSTACK);
  pthread_t threads[4];
  uint64_t hashes[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, compute, &hashes[i]);
  // Not for ever: where a signal takes longer than the pause, the threads would not get on.
  for (int left = 500; __atomic_load_n(&all_done, __ATOMIC_ACQUIRE) < 4; --left) {
    for (int i = 0; i < 4 && left > 0; ++i) pthread_kill(threads[i], SIGURG);
    usleep((unsigned)n);
  }
  __atomic_fetch_add(&all_done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("preempted %s, lost %ld, %lx\n", turned > 100 ? "often" : "seldom",
         turned - (long)times_preempted, hashes[0] ^ hashes[1] * 3 ^ hashes[2] * 5 ^ hashes[3] * 7);
  return 11;
}

static volatile int sizes, urgencies;
static void on_size(int signal, siginfo_t* info, void* context) {
  (void)info, (void)context;
  if (signal == SIGWINCH) sizes = sizes + 1;
  if (signal == SIGURG) urgencies = urgencies + 1;
}

// Both signals by which a recorder stops threads, sent by the program itself too, blocked for a
// while or not.
static int window_size(int n) {
  on_signal(SIGWINCH, on_size, SA_RESTART);
  on_signal(SIGURG, on_size, SA_RESTART);
  sigset_t both, before;
  sigemptyset(&both), sigaddset(&both, SIGWINCH), sigaddset(&both, SIGURG);
  uint64_t hash = 6;
  for (int i = 0; i < n; ++i) {
    if (i % 2) sigprocmask(SIG_BLOCK, &both, &before);
    kill(getpid(), i % 3 ? SIGURG : SIGWINCH);
    hash = work(hash);
    if (i % 2) sigprocmask(SIG_SETMASK, &before, NULL);
  }
  printf("window size %d urgent %d %lx\n", sizes, urgencies, hash);
  return 23;
}

// A handler that is called only if somebody means it, until standard input ends; each byte of that
// sets it up.
static int window_size_kept(int n) {
  (void)n;
  fcntl(0, F_SETFL, O_NONBLOCK);
  puts("ready"), fflush(stdout);
  uint64_t hash = 7;
  ssize_t got;
  for (char byte; (got = read(0, &byte, 1)) != 0; hash = work(hash))
    if (got > 0) on_signal(SIGWINCH, on_size, SA_RESTART), puts("handled"), fflush(stdout);
  return hash && sizes == 0 ? 69 : 1;
}

const struct Mode signal_modes[] = {{"continues", continues_unhandled, 150},
                                    {"continues-handled", continues_handled, 150},
                                    {"realtime", realtime, 20000},
                                    {"stops", stops, 6},
                                    {"timers", timers, 200},
                                    {"slow-calls", slow_calls, 100},
                                    {"trap-flag", trap_flag, 25},
                                    {"coroutines", coroutines_mode, 1},
                                    {"guards", guards, 50000},
                                    {"preempted", preempted, 500},
                                    {"window-size", window_size, 400},
                                    {"window-size-kept", window_size_kept, 0},
                                    {NULL, NULL, 0}};

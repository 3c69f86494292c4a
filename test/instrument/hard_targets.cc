// What may go wrong where targets are recorded. The first argument says what to do; what was called
// how often is printed.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using Function = int (*)(int);

__attribute__((noinline)) int one(int x) { return x + 1; }
__attribute__((noinline)) int two(int x) { return x + 2; }
Function table[] = {one, two};

__attribute__((noinline)) int site(Function f, int x) { return f(x) + 1; }

// Recursion through the call that is recorded.
__attribute__((noinline)) int deep(int x) { return x ? site(deep, x - 1) + site(one, x) : 0; }

static volatile sig_atomic_t signals;
static void handler(int) {
  signals = signals + 1;
  site(table[signals % 2], 1);
}

static void interrupted() {
  signal(SIGALRM, handler);
  itimerval every{{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &every, nullptr);
  long calls = 0;
  while (signals < 500) {
    for (int i = 0; i < 1000; ++i) site(table[i % 3 == 0], i), ++calls;
  }
  itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  printf("%ld\n", calls + signals);
}

static void* thread(void*) {
  for (int i = 0; i < 200000; ++i) site(table[i % 5 == 0], i);
  return nullptr;
}

static void threads() {
  pthread_t each[4];
  for (auto& one_thread : each) pthread_create(&one_thread, nullptr, thread, nullptr);
  for (auto& one_thread : each) pthread_join(one_thread, nullptr);
  puts("800000");
}

// Code made at run time: functions that return, 16 bytes apart; the first is called half of the
// time.
static void many(int count) {
  auto* code =
      static_cast<unsigned char*>(mmap(nullptr, 16u * count, PROT_READ | PROT_WRITE | PROT_EXEC,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < count; ++i) {
#if defined(__x86_64__)
    code[16 * i] = 0xc3;
#elif defined(__arm__)
    const uint32_t ret = 0xe12fff1e;
    memcpy(code + 16 * i, &ret, 4);
#else
    const uint32_t ret = 0xd65f03c0;
    memcpy(code + 16 * i, &ret, 4);
#endif
  }
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code + 16 * count));
  for (int i = 0; i < 2 * count; ++i)
    site(reinterpret_cast<Function>(code + (i % 2 ? 16 * (i / 2) : 0)), i);
  printf("%d\n", 2 * count);
}

static void unloaded(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (!library) exit(2);
  auto* function = reinterpret_cast<Function>(dlsym(library, "in_library"));
  for (int i = 0; i < 100; ++i) site(function, i);
  dlclose(library);
  for (int i = 0; i < 10; ++i) site(one, i);
  puts("110");
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  if (!strcmp(argv[1], "recursion")) printf("%d\n", (deep(200), 400));
  if (!strcmp(argv[1], "interrupted")) interrupted();
  if (!strcmp(argv[1], "threads")) threads();
  if (!strcmp(argv[1], "many")) many(10000);
  if (!strcmp(argv[1], "unloaded")) unloaded(argv[2]);
}

// Code that changes: just-in-time compilers, and text that a program patches.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "hostile.h"

typedef uint64_t Function(uint64_t);

// A loop with branches, whose result depends on `constant`: (x + constant) ten times, less or more.
static void emit(unsigned char* to, uint32_t constant) {
  static const unsigned char code[] = {0x48, 0x89, 0xf8,           // mov rax, rdi
                                       0xb9, 10,   0,    0, 0,     // mov ecx, 10
                                       0x48, 0x05, 0,    0, 0, 0,  // add rax, constant
                                       0xff, 0xc9,                 // dec ecx
                                       0x75, 0xf6,                 // jne add
                                       0xc3};
  memcpy(to, code, sizeof code);
  memcpy(to + 10, &constant, 4);
}

static int wrong_calls(Function* function, uint64_t constant) {
  int wrong = 0;
  for (uint64_t x = 0; x < 200; ++x) wrong += function(x) != x + 10 * constant;
  return wrong;
}

// Code is written through one mapping of a memory file and run through another.
static int two_mappings(int n, int flags) {
  int file = memfd_create("code", 0);
  if (ftruncate(file, 4096) != 0) return 1;
  unsigned char* write_to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, flags, file, 0);
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    emit(write_to, (uint32_t)i & 0xffff);
    wrong += wrong_calls((Function*)run, (uint32_t)i & 0xffff);
  }
  printf("two mappings, wrong %ld\n", wrong);
  return 31;
}
static int memory_file(int n) { return two_mappings(n, MAP_SHARED); }
static int memory_file_private(int n) { return two_mappings(n, MAP_PRIVATE); }

// A page of text of its own, to be patched.
__attribute__((noinline, section(".text.patched"), aligned(4096))) uint64_t patched(uint64_t x) {
  __asm__ volatile(".fill 64, 1, 0x90");
  return x;
}
__attribute__((noinline, section(".text.patched"), aligned(4096))) uint64_t after_patched(void) {
  return 1;
}

static int patched_by_mprotect(int n) {
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    mprotect((void*)patched, 4096, PROT_READ | PROT_WRITE);
    emit((unsigned char*)patched, (uint32_t)i & 0xffff);
    mprotect((void*)patched, 4096, PROT_READ | PROT_EXEC);
    for (int k = 0; k < 10; ++k) wrong += wrong_calls(patched, (uint32_t)i & 0xffff);
  }
  printf("patched by mprotect, wrong %ld\n", wrong);
  return 32;
}

static int patched_by_file(int n) {
  int memory = open("/proc/self/mem", O_RDWR);
  long wrong = 0;
  unsigned char code[32];
  for (int i = 0; i < n; ++i) {
    emit(code, (uint32_t)i & 0xffff);
    if (pwrite(memory, code, sizeof code, (off_t)(uintptr_t)patched) != sizeof code) return 1;
    for (int k = 0; k < 10; ++k) wrong += wrong_calls(patched, (uint32_t)i & 0xffff);
  }
  printf("patched by its memory file, wrong %ld\n", wrong);
  return 33;
}

// Another thread patches, and says so.
static atomic_uint version, acknowledged;
static void* patch(void* count) {
  for (unsigned i = 1; i <= *(unsigned*)count; ++i) {
    mprotect((void*)patched, 4096, PROT_READ | PROT_WRITE);
    emit((unsigned char*)patched, i);
    mprotect((void*)patched, 4096, PROT_READ | PROT_EXEC);
    atomic_store(&version, i);
    while (atomic_load(&acknowledged) != i) work(1);
  }
  return NULL;
}

static int patched_by_thread(int n) {
  long wrong = 0;
  unsigned count = (unsigned)n;
  pthread_t thread;
  pthread_create(&thread, NULL, patch, &count);
  for (unsigned seen = 0; seen < count;) {
    unsigned now = atomic_load(&version);
    if (now == seen) continue;
    for (int k = 0; k < 50; ++k) wrong += wrong_calls(patched, now);
    atomic_store(&acknowledged, seen = now);
  }
  pthread_join(thread, NULL);
  printf("patched by a thread, wrong %ld\n", wrong);
  return 34;
}

// Code in anonymous memory that is never writable and executable at once.
static int anonymous(int n) {
  unsigned char* code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    mprotect(code, 4096, PROT_READ | PROT_WRITE);
    emit(code, (uint32_t)i & 0xffff);
    mprotect(code, 4096, PROT_READ | PROT_EXEC);
    for (int k = 0; k < 10; ++k) wrong += wrong_calls((Function*)(void*)code, (uint32_t)i & 0xffff);
  }
  printf("anonymous, wrong %ld\n", wrong);
  return 35;
}

// Two files take turns at one address.
static int replaced(int n) {
  int files[2];
  for (int i = 0; i < 2; ++i) {
    char path[] = "/tmp/pgokit-hostile-XXXXXX";
    unsigned char page[4096] = {0};
    files[i] = mkstemp(path);
    emit(page, (uint32_t)i + 7);
    if (write(files[i], page, sizeof page) != sizeof page) return 1;
    unlink(path);
  }
  void* place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, files[0], 0);
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, files[i % 2], 0);
    for (int k = 0; k < 10; ++k) wrong += wrong_calls((Function*)place, (uint64_t)(i % 2) + 7);
  }
  printf("replaced, wrong %ld\n", wrong);
  return 36;
}

// Code is mapped from a file "x (deleted)" would be the name of, where a named pipe lies.
static int named_pipe(int n) {
  char path[] = "/tmp/pgokit-hostile-XXXXXX", other[64];
  unsigned char page[4096] = {0};
  int file = mkstemp(path);
  emit(page, 3);
  if (write(file, page, sizeof page) != sizeof page) return 1;
  void* code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  unlink(path);
  snprintf(other, sizeof other, "%s (deleted)", path);
  if (syscall(SYS_mknod, other, 0010600, 0) != 0) return 1;
  long wrong = 0;
  for (int i = 0; i < n; ++i) wrong += wrong_calls((Function*)code, 3);
  unlink(other);
  printf("named pipe, wrong %ld\n", wrong);
  return 37;
}

const struct Mode code_modes[] = {{"memory-file", memory_file, 60000},
                                  {"memory-file-private", memory_file_private, 60000},
                                  {"patched-by-mprotect", patched_by_mprotect, 20000},
                                  {"patched-by-file", patched_by_file, 20000},
                                  {"patched-by-thread", patched_by_thread, 300},
                                  {"anonymous", anonymous, 20000},
                                  {"replaced", replaced, 20000},
                                  {"named-pipe", named_pipe, 60000},
                                  {NULL, NULL, 0}};

// What a process can do to its profile, by the words of its command line.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/pgokit.h"

__attribute__((noinline)) int work(int n) {
  __asm__ volatile("");  // or calls would be removed
  return n > 0 ? n * 3 : 1;
}
__attribute__((noinline)) int child_only(int n) {
  __asm__ volatile("");  // or calls would be removed
  return n + 1;
}
__attribute__((noinline)) int late(int n) {
  __asm__ volatile("");  // or calls would be removed
  return n - 1;
}

static void* thread(void* unused) {
  (void)unused;
  for (int i = 0; i < 100000; ++i) work(i);
  return NULL;
}

static void* ends(void* how) {
  if (!strcmp(how, "exit")) exit(0);
  raise(SIGUSR1);
  return NULL;
}

// On the smallest stack that a thread can have.
static int in_small_thread(const char* how) {
  pthread_t id;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, 16384)) return 9;
  return pthread_create(&id, &attributes, ends, (void*)how) || pthread_join(id, NULL);
}

static void forbid(int how) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_newfstatat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getrlimit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | how),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int in_buffer(void) {
  const size_t size = pgokit_size() + 4096;
  char* buffer = malloc(size);
  const int small = pgokit_write_to_buffer(buffer, 16),
            enough = pgokit_write_to_buffer(buffer, size);
  if (memcmp(buffer, "\rpgomip\n", 8)) return 3;
  free(buffer);
  return small == ENOSPC && !enough ? 0 : 4;
}

static int do_one(const char* word) {
  if (!strcmp(word, "work")) return work(1), 0;
  if (!strcmp(word, "late")) return late(1), 0;
  if (!strcmp(word, "mark")) return pgokit_mark(7), 0;
  if (!strcmp(word, "dump")) return pgokit_dump();
  if (!strncmp(word, "to=", 3)) return pgokit_dump_to(word + 3);
  if (!strcmp(word, "reset")) return pgokit_reset();
  if (!strcmp(word, "buffer")) return in_buffer();
  if (!strcmp(word, "usr1")) return raise(SIGUSR1);
  if (!strcmp(word, "_exit")) _exit(0);
  if (!strcmp(word, "quick")) quick_exit(0);
  if (!strncmp(word, "small_thread=", 13)) return in_small_thread(word + 13);
  if (!strcmp(word, "kill")) return raise(SIGKILL);
  if (!strcmp(word, "seccomp")) return forbid(EPERM), 0;
  if (!strcmp(word, "small")) return setrlimit(RLIMIT_FSIZE, &(struct rlimit){8, 8});
  if (!strcmp(word, "noenv")) return clearenv();
  if (!strncmp(word, "cd=", 3)) return chdir(word + 3);
  if (!strncmp(word, "load=", 5)) {
    void* library = dlopen(word + 5, RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 5;
    int (*function)(int) = (int (*)(int))dlsym(library, "in_library");
    return function(3) != 10 || dlclose(library);
  }
  if (!strcmp(word, "threads")) {
    pthread_t ids[4];
    for (int i = 0; i < 4; ++i) pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(ids[i], NULL);
    return 0;
  }
  return 6;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "fork")) {
      const pid_t child = fork();
      if (!child) {
        child_only(1);
        continue;
      }
      int status = 0;
      waitpid(child, &status, 0);
      return status ? 7 : 0;
    }
    if (!strcmp(argv[i], "exec")) {
      execv(argv[0], (char*[]){argv[0], "late", NULL});
      return 8;
    }
    const int result = do_one(argv[i]);
    if (result) return fprintf(stderr, "%s: %d\n", argv[i], result), result;
  }
  return 0;
}

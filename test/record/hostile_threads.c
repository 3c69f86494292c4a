// Many, short and odd threads and processes.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

#include "hostile.h"

extern char** environ;

static void* some_work(void* result) {
  *(uint64_t*)result = work_for(*(uint64_t*)result, 8);
  return NULL;
}

// One after the other, none of which uses more than some 10 ms.
static int short_threads(int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    pthread_t thread;
    uint64_t hash = (uint64_t)i;
    pthread_create(&thread, NULL, some_work, &hash);
    pthread_join(thread, NULL);
    sum = sum * 31 + hash;
  }
  printf("short threads %lx\n", sum);
  return 61;
}

static int short_processes(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    pid_t child = fork();
    if (child == 0) _exit((int)(work_for((uint64_t)i, 8) & 63));
    int status;
    while (waitpid(child, &status, 0) < 0) continue;
    sum += status;
  }
  printf("short processes %x\n", (unsigned)sum);
  return 62;
}

static void* no_work(void* result) { return result; }
static int many_threads(int n) {
  uint64_t hash = 1;
  for (int i = 0; i < n; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, no_work, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    if (i % 16 == 0) hash = work(hash);
  }
  printf("many threads %lx\n", hash);
  return 63;
}

static int together(int n) {
  pthread_t threads[200];
  uint64_t hashes[200], sum = 0;
  for (int i = 0; i < 200; ++i)
    hashes[i] = (uint64_t)(i + n), pthread_create(&threads[i], NULL, some_work, &hashes[i]);
  for (int i = 0; i < 200; ++i) pthread_join(threads[i], NULL), sum = sum * 31 + hashes[i];
  printf("together %lx\n", sum);
  return 64;
}

static void* work_on(void* unused) {
  (void)unused;
  for (uint64_t hash = 1; hash; hash = work(hash)) continue;
  return NULL;
}
static void* execute(void* count) {
  usleep(30000);
  execl("/proc/self/exe", self_path, "executed", (char*)count, NULL);
  return NULL;
}

// exec() by another than the main thread, while others run.
static int exec_of_thread(int n) {
  static char text[16];
  snprintf(text, sizeof text, "%d", n);
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, work_on, NULL);
  pthread_create(&thread, NULL, execute, text);
  work_on(NULL);
  return 1;
}
static int executed(int n) {
  printf("executed %lx\n", work_for(1, n));
  return 65;
}

static void* print_later(void* n) {
  printf("main is gone %lx\n", work_for(1, *(int*)n));
  fflush(stdout);
  exit(66);
}
// The main thread ends, another one does the work.
static int main_ends(int n) {
  static int kept;
  kept = n;
  pthread_t thread;
  pthread_create(&thread, NULL, print_later, &kept);
  pthread_exit(NULL);
}

static int spawns(int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    char* arguments[] = {(char*)self_path, "executed", "3", NULL};
    pid_t child;
    int status = 1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ) != 0) return 1;
    while (waitpid(child, &status, 0) < 0) continue;
    sum += (unsigned)status;
  }
  printf("spawns %x\n", sum);
  return 67;
}

// A child made by vfork() that waits until standard input ends, its parent in the call all the
// time.
static int waiting_vfork(int n) {
  static uint64_t hash;
  printf("ready\n");
  fflush(stdout);
  hash = work_for(1, n);
  pid_t child = vfork();
  if (child == 0) {
    char byte;
    while (read(0, &byte, 1) < 0) continue;
    _exit(0);
  }
  printf("vfork is over %lx\n", hash);
  return 68;
}

// Says so when it begins to work, which it does until standard input ends.
static void* end_with_input(void* unused) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  printf("%s\n", "input has ended");
  fflush(stdout);
  _exit(69);
  return unused;
}
static int until_end(int n) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_with_input, NULL);
  printf("ready\n");
  fflush(stdout);
  for (uint64_t hash = (uint64_t)n; hash; hash = work(hash)) continue;
  return 1;
}
static void* until_end_elsewhere(void* unused) {
  until_end(1);
  return unused;
}
static int until_end_without_main(int n) {
  pthread_t thread;
  (void)n;
  pthread_create(&thread, NULL, until_end_elsewhere, NULL);
  pthread_exit(NULL);
}

static int plain(int n) {
  printf("plain %lx\n", work_for(1, n));
  return 70;
}

const struct Mode thread_modes[] = {{"short-threads", short_threads, 100},
                                    {"short-processes", short_processes, 100},
                                    {"many-threads", many_threads, 2000},
                                    {"together", together, 1},
                                    {"exec-of-thread", exec_of_thread, 100},
                                    {"executed", executed, 100},
                                    {"main-ends", main_ends, 300},
                                    {"spawns", spawns, 60},
                                    {"waiting-vfork", waiting_vfork, 20},
                                    {"until-end", until_end, 1},
                                    {"until-end-without-main", until_end_without_main, 1},
                                    {"plain", plain, 200},
                                    {NULL, NULL, 0}};

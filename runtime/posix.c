/* Processes: when dumps are made, and what they are of. Files are file.c, continuous mode is
 * continuous.c. */
#define _GNU_SOURCE
#include "posix.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Instrumented objects refer to it, which brings this library into the link. */
char __pgokit_runtime;

static char module_path[PGOKIT_PATH_SIZE];
static int enabled;
static struct sigaction before;
static int handled_signal;
static int is_program; /* else a library */

/* ---- the module ---- */

static int remember_path(struct dl_phdr_info* info, size_t size, void* context) {
  (void)size;
  const uintptr_t address = (uintptr_t)pgokit_raw_begin();
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* each = &info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + each->p_vaddr;
    if (each->p_type != PT_LOAD || address < start || address - start >= each->p_memsz) continue;
    *(int*)context = !info->dlpi_name || !*info->dlpi_name;
    if (info->dlpi_name && *info->dlpi_name) {
      pgokit_copy_path(module_path, info->dlpi_name);
    } else {
      const ssize_t count = readlink("/proc/self/exe", module_path, sizeof module_path - 1);
      module_path[count > 0 ? count : 0] = 0;
    }
    return 1;
  }
  return 0;
}

/* Where bytes and counters are mixed, their first values are those in the file of the module. */
static int reload(void) {
  const uint64_t address = (uint64_t)(uintptr_t)pgokit_raw_begin() - pgokit_load_bias();
  return pgokit_read_section(module_path, address, pgokit_raw_begin(), pgokit_raw_size());
}

int pgokit_reset(void) {
  if (!pgokit_raw_size()) return 0;
  const int saved = errno;
  const int result = pgokit_refill() ? reload() : 0;
  errno = saved;
  if (result) return result;
  pgokit_forget_runs();
  pgokit_forget_records();
  pgokit_start_counting(pgokit_self.parent);
  return 0;
}

/* ---- dumps ---- */

int pgokit_dump(void) { return enabled && !pgokit_continuous ? pgokit_save(NULL) : 0; }

int pgokit_dump_to(const char* path) { return path ? pgokit_save(path) : EFAULT; }

/* Several modules of a process may want the signal: each hands it on. */
static void on_signal(int signal, siginfo_t* info, void* context) {
  pgokit_dump();
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
}

int pgokit_dump_on_signal(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (sigaction(signal, &action, &before)) return errno;
  handled_signal = signal;
  return 0;
}

/* A library that is unloaded takes its handler away, if no other has come over it. */
static void restore_signal(void) {
  struct sigaction now;
  if (is_program || !handled_signal || sigaction(handled_signal, NULL, &now)) return;
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal)
    sigaction(handled_signal, &before, NULL);
}

static void dump_on_named_signal(const char* name) {
  static const struct {
    const char* name;
    int signal;
  } names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP},
               {"QUIT", SIGQUIT}, {"TERM", SIGTERM}, {"INT", SIGINT}};
  int number = atoi(name);
  if (!strncmp(name, "SIG", 3)) name += 3;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (!strcmp(name, names[i].name)) number = names[i].signal;
  }
  if (number > 0) pgokit_dump_on_signal(number);
}

static void in_child(void) {
  const uint32_t parent = pgokit_self.pid;
  const int saved = errno;
  pgokit_release(); /* a dump that the parent was making is not the child's */
  if (pgokit_continuous) pgokit_leave_continuous();
  pgokit_self.flags |= MIP_DUMP_FORKED;
  pgokit_self.parent = parent;
  if (pgokit_reset()) pgokit_start_counting(parent);
  pgokit_new_file();
  if (pgokit_wants_continuous()) pgokit_enter_continuous();
  errno = saved;
}

static void at_quick_exit_of_process(void) { pgokit_dump(); }

__attribute__((constructor(101))) static void start(void) {
  if (!pgokit_raw_size()) return;
  const int saved = errno;
  dl_iterate_phdr(remember_path, &is_program);
  pgokit_self.path = module_path;
  const uint64_t first = pgokit_self.start_clock;
  pgokit_start_counting(0);
  if (first) pgokit_self.start_clock = first; /* functions that ran before this one */
  const char* name = getenv("PGOKIT_PROFILE_FILE");
  /* Programs with more rights than their user write no files that the user names. */
  enabled = !getauxval(AT_SECURE) && !(name && !*name);
  if (enabled) {
    pgokit_keep_pattern(name);
    pthread_atfork(NULL, NULL, in_child);
    /* Not for libraries: what is registered stays when they are unloaded. */
    if (is_program) at_quick_exit(at_quick_exit_of_process);
    const char* signal = getenv("PGOKIT_DUMP_SIGNAL");
    if (signal && *signal) dump_on_named_signal(signal);
    if (pgokit_wants_continuous()) pgokit_enter_continuous();
  }
  errno = saved;
}

/* Also when a library is unloaded. The number makes it run behind the program's own. */
__attribute__((destructor(101))) static void finish(void) {
  pgokit_dump();
  restore_signal();
}

// What programs arrange with the kernel: seccomp, restartable sequences, segment bases, limits.
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "hostile.h"

static int finish_strictly(uint64_t hash, int code) {
  char line[64];
  int size = snprintf(line, sizeof line, "sandboxed %lx\n", hash);
  if (syscall(SYS_write, 1, line, size) != size) code = 1;
  syscall(SYS_exit, code);
  return code;
}

static int strict(int n) {
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  return finish_strictly(work_for(1, n), 41);
}

static int strict_later(int n) {
  uint64_t hash = work_for(1, n);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  return finish_strictly(work_for(hash, n), 42);
}

// Permits write and exit.
static void filter(uint32_t otherwise) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, otherwise),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filter_kills(int n) {
  filter(SECCOMP_RET_KILL_PROCESS);
  return finish_strictly(work_for(1, n), 43);
}
static int filter_traps(int n) {
  filter(SECCOMP_RET_TRAP);
  return finish_strictly(work_for(1, n), 44);
}
static int filter_later(int n) {
  uint64_t hash = work_for(1, n);
  filter(SECCOMP_RET_KILL_PROCESS);
  return finish_strictly(work_for(hash, n), 45);
}

// The time stamp counter cannot be read.
static volatile int counter_faults;
static void on_counter(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;
  counter_faults = counter_faults + 1;
}
static int no_counter(int n) {
  struct sigaction action = {.sa_sigaction = on_counter, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  uint64_t hash = 1;
  for (int i = 0; i < n; ++i) {
    hash = work(hash);
    __asm__ volatile("rdtsc" ::: "rax", "rdx");
  }
  printf("no counter %d %lx\n", counter_faults, hash);
  return 46;
}

// Counters of each processor, counted up in restartable sequences that lie in a section of a name
// of their own.
struct Rseq {
  uint32_t cpu_id_start, cpu_id;
  uint64_t rseq_cs;
  uint32_t flags, node_id, mm_cid, padding;
} __attribute__((aligned(32)));
static __thread struct Rseq own_area;
static uint64_t per_cpu[1024][8];
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static struct Rseq* rseq_area(void) {
  if (&__rseq_size && __rseq_size)
    return (struct Rseq*)((char*)__builtin_thread_pointer() + __rseq_offset);
  if (syscall(SYS_rseq, &own_area, sizeof own_area, 0, 0x53053053) != 0) return NULL;
  return &own_area;
}

static void count_here(struct Rseq* area) {
  __asm__ volatile(
      ".pushsection __my_sequences, \"aw\"\n.balign 32\n"
      "3: .long 0, 0\n.quad 1f, 2f - 1f, 4f\n.popsection\n"
      "5: leaq 3b(%%rip), %%rax\n movq %%rax, 8(%[area])\n"
      "1: movl 4(%[area]), %%eax\n shlq $6, %%rax\n addq %[counters], %%rax\n"
      " movq (%%rax), %%rcx\n jmp 7f\n7: testq %%rcx, %%rcx\n js 6f\n6:\n"
      " addq $1, %%rcx\n movq %%rcx, (%%rax)\n2:\n"
      ".pushsection __my_aborts, \"ax\"\n.byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n4: jmp 5b\n"
      ".popsection\n" ::[area] "r"(area),
      [counters] "r"(per_cpu)
      : "rax", "rcx", "memory", "cc");
}

static void* count_many(void* n) {
  struct Rseq* area = rseq_area();
  if (!area) return (void*)1;
  for (int i = 0; i < *(int*)n; ++i) count_here(area);
  return NULL;
}

static int sequences(int n) {
  pthread_t threads[4];
  void* failed;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, count_many, &n);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], &failed);
    if (failed) return printf("no restartable sequences here\n"), 47;
  }
  uint64_t sum = 0;
  for (int i = 0; i < 1024; ++i) sum += per_cpu[i][0];
  printf("sequences %ld missing\n", (long)(4L * n - (long)sum));
  return 47;
}

// The same with an area of the program's own: without that of the C library.
static int own_sequences(int n) {
  char text[16];
  snprintf(text, sizeof text, "%d", n);
  setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
  execl("/proc/self/exe", self_path, "sequences", text, NULL);
  return 1;
}

static int segment_base(int n) {
  static uint64_t words[8] = {11, 22, 33};
  syscall(SYS_arch_prctl, ARCH_SET_GS, words);
  uint64_t hash = 1, wrong = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t value;
    __asm__ volatile("movq %%gs:8, %0" : "=r"(value));
    wrong += value != 22;
    hash = work(hash);
    unsigned long base = 0;
    syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
    wrong += base != (unsigned long)words;
  }
  printf("segment base, wrong %ld %lx\n", (long)wrong, hash);
  return 48;
}

// A selector in gs, as old threads libraries have: base 0.
static int segment_selector(int n) {
  uint64_t hash = 1, wrong = 0;
  for (int i = 0; i < n; ++i) {
    unsigned short selector = 0, now;
    __asm__ volatile("movw %0, %%gs" ::"r"(selector));
    hash = work(hash);
    __asm__ volatile("movw %%gs, %0" : "=r"(now));
    wrong += now != selector;
    unsigned long base = 1;
    syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
    wrong += base != 0;
  }
  printf("segment selector, wrong %ld %lx\n", (long)wrong, hash);
  return 49;
}

static long old_getpid(void) {
  long got = 20;  // of 32-bit programs
  __asm__ volatile("int $0x80" : "+a"(got)::"memory", "r8", "r9", "r10", "r11");
  return got;
}

static int old_system_calls(int n) {
  pid_t child = fork();
  if (child == 0) old_getpid(), _exit(0);
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) {
    printf("no old system calls here\n");
    return 50;
  }
  uint64_t hash = 1, wrong = 0;
  for (int i = 0; i < n; ++i) {
    long got = old_getpid();
    wrong += got != getpid() && got != -ENOSYS;
    hash = work(hash);
  }
  printf("old system calls, wrong %ld %lx\n", (long)wrong, hash);
  return 50;
}

static int locked(int n) {
  mlockall(MCL_CURRENT | MCL_FUTURE);
  printf("locked %lx\n", work_for(1, n));
  return 51;
}

static int little_room(int n) {
  struct rlimit limit = {300 << 20, 300 << 20};
  setrlimit(RLIMIT_AS, &limit);
  uint64_t hash = 1;
  for (int i = 0; i < n; ++i) {
    char* piece = malloc(1 << 20);
    memset(piece, i, 1 << 20);
    hash = work(hash + (uint64_t)piece[i]);
    free(piece);
  }
  printf("little room %lx\n", hash);
  return 52;
}

static int no_descriptors(int n) {
  int kept = dup2(1, 900);
  for (int i = 0; i < 900; ++i) close(i);
  uint64_t hash = work_for(1, n);
  dup2(kept, 1);
  printf("no descriptors %lx\n", hash);
  return 53;
}

static int reads_its_maps(int n) {
  uint64_t hash = 1;
  long found = 0;
  for (int i = 0; i < n; ++i) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512];
    while (fgets(line, sizeof line, maps)) {
      unsigned long begin, end;
      if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= (unsigned long)&strict &&
          end > (unsigned long)&strict)
        ++found;
    }
    fclose(maps);
    hash = work(hash);
  }
  printf("reads its maps %ld %lx\n", found, hash);
  return 54;
}

// The recorder traces it already: what it does without a tracer of its own has the same result.
static int traces_itself(int n) {
  uint64_t hash = work_for(1, n / 2);
  errno = 0;
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 && errno != EPERM) return 1;
  printf("traces itself %lx\n", work_for(hash, n / 2));
  return 57;
}

static int reads_its_tracer(int n) {
  uint64_t hash = 1;
  int seen = 0;
  for (int i = 0; i < n; ++i) {
    char text[4096] = "";
    int file = open("/proc/self/status", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) return 1;
    close(file);
    const char* line = strstr(text, "\nTracerPid:\t");
    seen += line && atoi(line + sizeof "\nTracerPid:") >= 0;
    hash = work(hash);
  }
  printf("reads its tracer %d %lx\n", seen, hash);
  return 58;
}

const struct Mode kernel_modes[] = {{"strict", strict, 200},
                                    {"strict-later", strict_later, 150},
                                    {"filter-kills", filter_kills, 200},
                                    {"filter-traps", filter_traps, 200},
                                    {"filter-later", filter_later, 150},
                                    {"no-counter", no_counter, 200},
                                    {"sequences", sequences, 10000000},
                                    {"own-sequences", own_sequences, 10000000},
                                    {"segment-base", segment_base, 150},
                                    {"segment-selector", segment_selector, 150},
                                    {"old-system-calls", old_system_calls, 150},
                                    {"locked", locked, 150},
                                    {"little-room", little_room, 150},
                                    {"no-descriptors", no_descriptors, 150},
                                    {"reads-its-maps", reads_its_maps, 150},
                                    {"traces-itself", traces_itself, 200},
                                    {"reads-its-tracer", reads_its_tracer, 150},
                                    {NULL, NULL, 0}};

// The cost of following a thread from branch to branch by ptrace and one debug register: it runs to
// the end of each block, and one single step more goes over the branch.
//
//   breakpoints PID BRANCHES        prints {"branches":..., "stops":..., "seconds":...}
//
// Where blocks end is found by single-stepping each block once, which is not in the time.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

enum { table_size = 1 << 20 };
struct Known {
  uint64_t begin, branch;
};
static struct Known known[table_size];
static pid_t pid;
static long stops;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void wait_for_stop(void) {
  int status;
  if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) exit(1);
  ++stops;
}

static uint64_t rip(void) {
  return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rip), 0);
}

static uint64_t step(void) {
  ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
  wait_for_stop();
  return rip();
}

static struct Known* entry_of(uint64_t address) {
  struct Known* one = &known[(address ^ address >> 20) % table_size];
  if (one->begin != address) *one = (struct Known){address, 0};
  return one;
}

static void run_to(uint64_t address) {
  ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), address);
  ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 1);
  ptrace(PTRACE_CONT, pid, 0, 0);
  wait_for_stop();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  pid = atoi(argv[1]);
  long wanted = atol(argv[2]), branches = 0;
  double seconds = 0;
  if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0) return 1;
  ptrace(PTRACE_INTERRUPT, pid, 0, 0);
  wait_for_stop();
  stops = 0;
  for (uint64_t at = rip(); branches < wanted;) {
    struct Known* one = entry_of(at);
    long before = stops;
    double begun = now();
    uint64_t last = at, next = at;
    if (one->branch) {
      if (one->branch != at) run_to(one->branch);
      last = one->branch;
      next = step();
      seconds += now() - begun;
      ++branches;
    } else {
      // an instruction is at most 15 bytes long: what goes further or back was a branch
      do {
        last = next;
        next = step();
      } while (next > last && next - last <= 15);
      one->branch = last;
      stops = before;
    }
    at = next;
  }
  printf("{\"branches\": %ld, \"stops\": %ld, \"seconds\": %f}\n", branches, stops, seconds);
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return 0;
}

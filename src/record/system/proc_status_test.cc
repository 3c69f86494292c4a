#include "record/system/proc_status.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pgokit::record {
namespace {

TEST(ProcStatus, TellsStoppedFromRunningAndEnded) {
  pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(is_stopped(child));
  EXPECT_FALSE(has_ended(child));
  kill(child, SIGCONT);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_stopped(child));
  EXPECT_TRUE(has_ended(child));
  EXPECT_FALSE(is_of_kernel(child)) << "it has no memory any more";
  waitpid(child, &status, 0);
  EXPECT_FALSE(has_ended(child)) << "there is none";
}

TEST(ProcStatus, ProgramsAreNotTheKernels) {
  EXPECT_FALSE(is_of_kernel(getpid()));
  EXPECT_FALSE(is_stopped(getpid()));
}

TEST(ProcStatus, TellsTheProcessorOfAThread) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(static_cast<unsigned>(processor), &before)) continue;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(processor), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(ThreadStatus().processor_of(gettid()), processor);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(ThreadStatus().processor_of(-1), -1);
}

}  // namespace
}  // namespace pgokit::record

#include "record/system/proc_status.h"

#include <gmock/gmock.h>
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

}  // namespace
}  // namespace pgokit::record

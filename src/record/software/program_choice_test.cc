#include "record/software/program_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace pgokit::record {
namespace {

namespace fs = std::filesystem;

std::string own_path() { return fs::read_symlink("/proc/self/exe"); }

TEST(ProgramChoice, TakesAllWhereNoneIsNamed) {
  ProgramChoice choice;
  EXPECT_TRUE(choice.takes_all());
  EXPECT_TRUE(choice.takes(getpid()));
  EXPECT_TRUE(choice.takes(1 << 23));
}

TEST(ProgramChoice, TakesByNameOrByPath) {
  auto path = fs::path(own_path());
  EXPECT_TRUE(ProgramChoice({path.filename()}).takes(getpid()));
  EXPECT_TRUE(ProgramChoice({"other", path.filename()}).takes(getpid()));
  EXPECT_TRUE(ProgramChoice({path}).takes(getpid()));
  EXPECT_TRUE(ProgramChoice({"./" + fs::proximate(path).string()}).takes(getpid()));
  EXPECT_FALSE(ProgramChoice({path.filename().string() + "2"}).takes(getpid()));
  EXPECT_FALSE(ProgramChoice({"/no/such/" + path.filename().string()}).takes(getpid()));
}

TEST(ProgramChoice, NamesWhatItHasSeenOnce) {
  ProgramChoice choice({"other"});
  EXPECT_FALSE(choice.takes(getpid()));
  EXPECT_FALSE(choice.takes(getpid()));
  EXPECT_FALSE(choice.takes(1 << 23));
  EXPECT_EQ(choice.seen().size(), 1U);
}

TEST(ProgramChoice, TakesByWhatAProgramWasCalledBy) {
  struct Name {
    std::string before;
    explicit Name(const char* now) : before(16, '\0') {
      prctl(PR_GET_NAME, before.data());
      prctl(PR_SET_NAME, now);
    }
    ~Name() { prctl(PR_SET_NAME, before.c_str()); }
  };
  Name name("make_everything.sh");
  EXPECT_TRUE(ProgramChoice({"make_everything.sh"}).takes(getpid()));
  EXPECT_TRUE(ProgramChoice({"make_everything"}).takes(getpid()));
  EXPECT_FALSE(ProgramChoice({"make_every"}).takes(getpid()));
}

TEST(ProgramChoice, TellsLongNamesApart) {
  auto path = fs::path(testing::TempDir()) / fmt::format("pgokit-choice-{}", getpid()) /
              "a_program_of_this_name";
  fs::create_directory(path.parent_path());
  fs::copy_file("/usr/bin/sleep", path);
  std::string program = path, seconds = "60";
  char* arguments[] = {program.data(), seconds.data(), nullptr};
  pid_t pid = 0;
  ASSERT_EQ(posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  EXPECT_TRUE(ProgramChoice({"a_program_of_this_name"}).takes(pid));
  EXPECT_FALSE(ProgramChoice({"a_program_of_that_name"}).takes(pid));
  ProgramChoice choice;
  EXPECT_TRUE(choice.takes(pid));
  EXPECT_EQ(choice.seen(), std::vector<std::string>{"a_program_of_this_name"});
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  fs::remove_all(path.parent_path());
}

}  // namespace
}  // namespace pgokit::record

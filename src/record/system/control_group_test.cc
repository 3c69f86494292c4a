#include "record/system/control_group.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pgokit::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

// A folder that looks like a group.
struct ControlGroups : ::testing::Test {
  fs::path folder = fs::path(::testing::TempDir()) / fmt::format("pgokit-group-{}", getpid());
  ControlGroups() { fs::create_directories(folder / "inside" / "further"); }
  ~ControlGroups() override { fs::remove_all(folder); }
  void put(const std::string& text, const fs::path& where = "") {
    std::ofstream(folder / where / "cgroup.procs") << text;
  }
};

TEST_F(ControlGroups, ProcessesOfAllGroupsInIt) {
  put("12\n7\n");
  put("9\n", "inside");
  put("7\n8\n", "inside/further");
  EXPECT_THAT(ControlGroup(folder).processes(), ElementsAre(7, 8, 9, 12));
}

TEST_F(ControlGroups, WithoutTheCallerAndThoseWithoutANumberHere) {
  put(fmt::format("0\n{}\n5\nx\n-3\n\n99999999999\n6", getpid()));
  EXPECT_THAT(ControlGroup(folder).processes(), ElementsAre(5, 6));
}

TEST_F(ControlGroups, LinksAreNotFollowed) {
  put("5\n");
  fs::create_directory_symlink(folder, folder / "loop");
  EXPECT_THAT(ControlGroup(folder).processes(), ElementsAre(5));
}

TEST_F(ControlGroups, AFolderIsFoundIfItIsAGroup) {
  auto none = ControlGroup::find(folder.string());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr(folder.string()));
  put("");
  auto group = ControlGroup::find(folder.string());
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->folder(), folder);
}

TEST_F(ControlGroups, EmptyOnesAndThoseThatAreGone) {
  put("");
  auto processes = ControlGroup(folder).some_processes();
  ASSERT_FALSE(processes);
  EXPECT_THAT(processes.error().message, HasSubstr("start what is to be recorded first"));
  EXPECT_THAT(ControlGroup(folder / "gone").processes(), IsEmpty());
}

}  // namespace
}  // namespace pgokit::record

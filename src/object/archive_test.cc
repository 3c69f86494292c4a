#include "object/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string member(std::string_view name, std::string_view contents, bool thin = false) {
  std::string text =
      fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, contents.size());
  if (!thin) text += contents;
  if (text.size() & 1) text += '\n';
  return text;
}

struct Members {
  std::vector<std::string> list;
  Status status;
  explicit Members(const std::string& archive) {
    status = each_member(as_bytes(archive), [&](const ArchiveMember& member) -> Status {
      list.push_back(fmt::format("{}={}", member.name, as_text(member.contents)));
      return {};
    });
  }
};

TEST(Archive, NamesOfAllKinds) {
  Members got("!<arch>\n" + member("/", "index") +
              member("//", "a_long_name_of_an_object.o/\nb.o/\n") + member("a.o/", "A") +
              member("/0", "BB") + member("#1/8", std::string("bsd.o\0\0\0CC", 10)) +
              member("#1/12", std::string("__.SYMDEF\0\0\0", 12)));
  ASSERT_TRUE(got.status) << got.status.error().message;
  EXPECT_THAT(got.list, ElementsAre("a.o=A", "a_long_name_of_an_object.o=BB", "bsd.o=CC"));
}

TEST(Archive, ThinOnesHaveNoContents) {
  Members got("!<thin>\n" + member("//", "dir/a.o/\n../b.o/\n") + member("/0", "123", true) +
              member("/9", "4567", true));
  ASSERT_TRUE(got.status) << got.status.error().message;
  EXPECT_THAT(got.list, ElementsAre("dir/a.o=", "../b.o="));
}

TEST(Archive, BrokenOnesFail) {
  auto error = [](const std::string& archive) {
    Members got(archive);
    return got.status ? "" : got.status.error().message;
  };
  std::string magic = "!<arch>\n";
  EXPECT_EQ(error(magic), "");
  EXPECT_THAT(error(magic + "short"), HasSubstr("no member at offset 0x8"));
  EXPECT_THAT(error(magic + member("a.o/", "contents").substr(0, 63)), HasSubstr("past its end"));
  EXPECT_THAT(error(magic + member("/7", "x")), HasSubstr("has no name"));
  EXPECT_THAT(error(magic + member("#1/7", "x")), HasSubstr("has no name"));
  auto number = member("a.o/", "x");
  number[48] = '-';
  EXPECT_THAT(error(magic + number), HasSubstr("is no number"));
}

}  // namespace
}  // namespace pgokit::object

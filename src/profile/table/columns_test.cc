#include "profile/table/columns.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/table/reader.h"
#include "test/support/columns_text.h"
#include "test/support/profile_builder.h"

namespace pgokit::profile {
namespace {

struct Form {
  Format format;
  WriteOptions options;
};

std::vector<std::string> files_of(const Profile& profile) {
  std::vector<std::string> files;
  for (const Form& form :
       {Form{Format::text, {}}, Form{Format::binary, {}}, Form{Format::extbinary, {}},
        Form{Format::extbinary, {.compress = true}}, Form{Format::extbinary, {.md5_names = true}},
        Form{Format::extbinary, {.split_layout = true}},
        Form{Format::extbinary, {.vtables = true}}})
    if (auto bytes = write_profile(profile, form.format, form.options)) files.push_back(*bytes);
  return files;
}

// The quick way reads nothing that the general one does not, and the same.
void expect_same(const std::string& file) {
  auto quick = read_plain_columns(as_bytes(file));
  if (!quick) return;
  auto read = read_profile(as_bytes(file));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(test::columns_text(*quick), test::columns_text(columns_of(*read)));
}

test::RandomProfile kind(u32 number) {
  return {.seed = 1 + number,
          .functions = 14,
          .probes = number % 4 > 0,
          .contexts = number % 4 == 2,
          .vtables = number % 4 == 3,
          .guids = number % 8 == 5};
}

TEST(Columns, QuickAndGeneralReadersAgree) {
  for (u32 number = 0; number < 24; ++number)
    for (const auto& file : files_of(test::random_profile(kind(number)))) expect_same(file);
}

TEST(Columns, FilesOfTheToolsAreReadQuickly) {
  auto profile = test::random_profile({.seed = 5, .functions = 14});
  for (auto format : {Format::text, Format::binary, Format::extbinary})
    EXPECT_TRUE(read_plain_columns(as_bytes(*write_profile(profile, format))))
        << format_name(format);
}

TEST(Columns, BrokenFilesAreNeverReadOtherwise) {
  for (u32 number = 0; number < 4; ++number) {
    auto options = kind(number);
    options.functions = 3;
    for (const auto& file : files_of(test::random_profile(options))) {
      size_t step = 1 + file.size() / 150;
      for (size_t at = 0; at < file.size(); at += step) {
        expect_same(file.substr(0, at));
        std::string flipped = file;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
        expect_same(flipped);
      }
    }
  }
}

TEST(Columns, OrderIsThatOfFiles) {
  auto columns = read_columns(as_bytes("b:5:1\n 1: 5\na:5:1\n 1: 5\nc:9:1\n 1: 9\n"));
  ASSERT_TRUE(columns);
  EXPECT_THAT(columns->by_total(), testing::ElementsAre(2, 1, 0));
  EXPECT_THAT(columns->by_context(), testing::ElementsAre(1, 0, 2));
}

TEST(Columns, SummariesAreThoseOfTheFile) {
  auto profile = test::random_profile({.seed = 9});
  auto bytes = *write_profile(profile, Format::extbinary);
  auto stored = stored_summary(as_bytes(bytes));
  ASSERT_TRUE(stored);
  auto computed = summarize(profile);
  EXPECT_EQ(stored->total, computed.total);
  EXPECT_EQ(stored->num_counts, computed.num_counts);
  EXPECT_EQ(stored->count_at(hot_cutoff), computed.count_at(hot_cutoff));
  EXPECT_FALSE(stored_summary(as_bytes("a:1:1\n")));
}

TEST(Columns, AreAsDeepAsTheGeneralReaderGoes) {
  Profile profile;
  NameId name = profile.names.intern("f");
  FunctionSamples* at = &profile.function(name);
  for (u32 i = 1; i < max_inline_depth; ++i) at = &at->inlinee({i, 0}, name);
  at->add_body({1, 0}, 1);
  profile.sort();
  for (const auto& file : files_of(profile)) EXPECT_TRUE(read_columns(as_bytes(file)));
  at->inlinee({1, 0}, name).add_body({1, 0}, 1);
  profile.sort();
  for (const auto& file : files_of(profile)) {
    EXPECT_FALSE(read_plain_columns(as_bytes(file)));
    expect_same(file);
  }
}

}  // namespace
}  // namespace pgokit::profile

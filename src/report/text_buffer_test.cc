#include "report/text_buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace pgokit::report {
namespace {

TEST(TextBuffer, AppendsTextOfEveryLength) {
  TextBuffer out;
  std::string expected;
  for (size_t n = 0; n < 200; ++n) {
    std::string word(n, static_cast<char>('a' + n % 26));
    out.text(word), out.text(' '), out.spaces(n % 19), out.decimal(n * n * n);
    expected += word + ' ' + std::string(n % 19, ' ') + std::to_string(n * n * n);
  }
  EXPECT_EQ(out.view(), expected);
  out.clear();
  EXPECT_EQ(out.view(), "");
}

TEST(TextBuffer, HandsOnWhatIsMoreThanItKeeps) {
  std::string taken, expected;
  size_t longest = 0;
  TextBuffer out([&](std::string_view text) {
    taken += text;
    longest = std::max(longest, text.size());
  });
  for (u64 i = 0; i < 100'000; ++i) {
    out.decimal(i), out.text('\n');
    expected += std::to_string(i) + '\n';
  }
  EXPECT_LT(taken.size(), expected.size());
  out.flush();
  EXPECT_EQ(taken, expected);
  EXPECT_LT(longest, size_t{1} << 18);
}

}  // namespace
}  // namespace pgokit::report

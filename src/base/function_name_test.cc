#include "base/function_name.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(FunctionName, GuidIsTheStartOfTheMd5) {
  // as clang 22 writes it into .pseudo_probe_desc for this function
  EXPECT_EQ(function_guid("_Z4leafi"), 0xede35059da910bb0u);
}

TEST(FunctionName, CanonicalDropsWhatPassesAppended) {
  EXPECT_EQ(canonical_function_name("f"), "f");
  EXPECT_EQ(canonical_function_name("f.llvm.123"), "f");
  EXPECT_EQ(canonical_function_name("f.part.0.llvm.99"), "f");
  EXPECT_EQ(canonical_function_name("f.llvm.1.x"), "f.llvm.1.x");
  EXPECT_EQ(canonical_function_name("f.__uniq.12"), "f.__uniq.12");
  EXPECT_EQ(canonical_function_name("f.cold"), "f.cold");
}

TEST(FunctionName, SuffixesAreStrippedInTheirOrder) {
  constexpr std::string_view suffixes[] = {".cold", ".part."};
  EXPECT_EQ(strip_suffixes("f.part.1.cold", suffixes), "f");
  EXPECT_EQ(strip_suffixes("f.cold.part.1", suffixes), "f.cold");
}

}  // namespace
}  // namespace pgokit

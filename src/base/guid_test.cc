#include "base/guid.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

// From the .pseudo_probe_desc that clang 22 writes for this function.
TEST(Guid, IsTheStartOfTheMd5) { EXPECT_EQ(function_guid("_Z4leafi"), 0xede35059da910bb0u); }

}  // namespace
}  // namespace pgokit

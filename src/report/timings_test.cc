#include "report/timings.h"

#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

TEST(Timings, HaveTimeAndMemoryOfEachStage) {
  Timings timings(true);
  timings.begin("large");
  {
    std::vector<char> block(64 << 20);
    for (size_t i = 0; i < block.size(); i += 4096) *(volatile char*)&block[i] = 1;
  }
  timings.begin("small");
  timings.end();
  timings.end();  // nothing is running: nothing happens
  ASSERT_EQ(timings.stages().size(), 2u);
  EXPECT_EQ(timings.stages()[0].name, "large");
  EXPECT_GT(timings.stages()[0].peak_memory, 64u << 20);
  EXPECT_GE(timings.stages()[0].seconds, 0);
  EXPECT_NE(timings.text().find("small"), std::string::npos);
  EXPECT_NE(timings.json().text().find("\"stage\": \"small\""), std::string::npos);
}

TEST(Timings, AreEmptyWhereNobodyAsks) {
  Timings timings(false);
  timings.begin("stage");
  timings.end();
  EXPECT_TRUE(timings.stages().empty());
  EXPECT_EQ(timings.text(), "");
  EXPECT_EQ(timings.json().text(), "[]");
}

}  // namespace
}  // namespace pgokit::report

#include "dwarf/discriminator.h"

#include <gtest/gtest.h>

namespace pgokit::dwarf {
namespace {

TEST(Discriminator, NoneIsZeroAndOne) {
  EXPECT_EQ(base_discriminator(0, false), 0u);
  EXPECT_EQ(duplication_factor(0, false), 1u);
}

TEST(Discriminator, ShortAndLongComponents) {
  EXPECT_EQ(base_discriminator(2 << 1, false), 2u);
  EXPECT_EQ(base_discriminator(0x1f << 1, false), 31u);
  // 32 = 1 in the high seven bits, behind the mark in bit 6 of the packed form
  EXPECT_EQ(base_discriminator(0x40 | (1 << 7), false), 32u);
}

TEST(Discriminator, FactorIsTheSecondComponent) {
  EXPECT_EQ(duplication_factor((2 << 1) | (4 << 1) << 7, false), 4u);
  EXPECT_EQ(duplication_factor(1 | (4 << 1) << 1, false), 4u);  // base 0 takes one bit
  EXPECT_EQ(base_discriminator(1 | (4 << 1) << 1, false), 0u);
}

TEST(Discriminator, ProbeNumberStandsForTheBase) {
  EXPECT_EQ(base_discriminator(7 | 12 << 3, false), 12u);
  EXPECT_EQ(base_discriminator(7 | 12 << 3 | 5 << 16 | 1 << 28, false), 5u);
  EXPECT_EQ(duplication_factor(7 | 12 << 3, false), 1u);
}

TEST(Discriminator, FlowSensitiveIsTakenAsItIs) {
  EXPECT_EQ(base_discriminator(0x12345, true), 0x12345u);
  EXPECT_EQ(duplication_factor(0x12345, true), 1u);
}

TEST(Discriminator, HoldsProbesOfCalls) {
  EXPECT_EQ(probe_of_discriminator(0x1234 << 3 | 7), 0x1234);
  EXPECT_EQ(probe_of_discriminator(0xffffu << 3 | 7), 0xffff);
  constexpr u32 has_base = 1u << 28;
  EXPECT_EQ(probe_of_discriminator(has_base | 5 << 16 | 9 << 3 | 7), 9);
}

}  // namespace
}  // namespace pgokit::dwarf

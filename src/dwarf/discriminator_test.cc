#include "dwarf/discriminator.h"

#include <gtest/gtest.h>

namespace pgokit::dwarf {
namespace {

using enum Discriminators;

TEST(Discriminator, NoneIsZeroAndOne) {
  EXPECT_EQ(base_discriminator(0, llvm), 0u);
  EXPECT_EQ(duplication_factor(0, llvm), 1u);
}

TEST(Discriminator, ShortAndLongComponents) {
  EXPECT_EQ(base_discriminator(2 << 1, llvm), 2u);
  EXPECT_EQ(base_discriminator(0x1f << 1, llvm), 31u);
  // 32 = 1 in the high seven bits, behind the mark in bit 6 of the packed form
  EXPECT_EQ(base_discriminator(0x40 | (1 << 7), llvm), 32u);
}

TEST(Discriminator, FactorIsTheSecondComponent) {
  EXPECT_EQ(duplication_factor((2 << 1) | (4 << 1) << 7, llvm), 4u);
  EXPECT_EQ(duplication_factor(1 | (4 << 1) << 1, llvm), 4u);  // base 0 takes one bit
  EXPECT_EQ(base_discriminator(1 | (4 << 1) << 1, llvm), 0u);
}

TEST(Discriminator, ProbeNumberStandsForTheBase) {
  EXPECT_EQ(base_discriminator(7 | 12 << 3, llvm), 12u);
  EXPECT_EQ(base_discriminator(7 | 12 << 3 | 5 << 16 | 1 << 28, llvm), 5u);
  EXPECT_EQ(duplication_factor(7 | 12 << 3, llvm), 1u);
}

TEST(Discriminator, FlowSensitiveIsTakenAsItIs) {
  EXPECT_EQ(base_discriminator(0x12345, whole), 0x12345u);
  EXPECT_EQ(duplication_factor(0x12345, whole), 1u);
}

TEST(Discriminator, OfGccHasFixedFields) {
  EXPECT_EQ(base_discriminator(3 | 4 << 8 | 9 << 15, gcc), 3u);
  EXPECT_EQ(duplication_factor(3 | 4 << 8 | 9 << 15, gcc), 4u);
  EXPECT_EQ(duplication_factor(3, gcc), 1u);
  for (u32 plain : {1u, 2u, 3u, 7u, 300u}) EXPECT_EQ(base_discriminator(plain, whole), plain);
}

TEST(Discriminator, HoldsProbesOfCalls) {
  EXPECT_EQ(probe_of_discriminator(0x1234 << 3 | 7), 0x1234);
  EXPECT_EQ(probe_of_discriminator(0xffffu << 3 | 7), 0xffff);
  constexpr u32 has_base = 1u << 28;
  EXPECT_EQ(probe_of_discriminator(has_base | 5 << 16 | 9 << 3 | 7), 9);
}

}  // namespace
}  // namespace pgokit::dwarf

#pragma once

// Numbers of GCC's AutoFDO profiles (create_gcov, gcc -fauto-profile; llvm-profdata reads those of
// GCC 4.7). All words are little endian, 32 bits; counts are two words, the lower one first.
//
//   "adcg", version, 0
//   0xaa000000, words that follow, n, n names      each: length, text with NUL, padded
//   0xac000000, words that follow, n, n functions  each: head (2), then what inlinees have, too:
//      name, places, inlinees,
//      places:   line << 16 | discriminator, m, count (2), m times { 7, name (2), count (2) }
//      inlinees: line << 16 | discriminator, their name and so on
//   0xae000000, 0, 0                               no groups of modules
//
// The length of a name counts words; in version 2 bytes, and nothing is padded. Totals are not
// stored: they are the sums of the counts. Sources of truth: gcc/auto-profile.cc,
// llvm/lib/ProfileData/SampleProfReader.cpp.

#include "base/types.h"

namespace pgokit::profile {

inline constexpr u32 magic_of_gcov = 0x67636461;
inline constexpr u32 gcov_version_407 = 0x3430372a;  // what llvm-profdata reads
inline constexpr u32 gcov_names = 0xaa000000;
inline constexpr u32 gcov_functions = 0xac000000;
inline constexpr u32 gcov_modules = 0xae000000;
inline constexpr u32 gcov_call_targets = 7;

constexpr bool is_gcov_version(u32 version) {
  return version == 1 || version == 2 || version == gcov_version_407;
}

}  // namespace pgokit::profile

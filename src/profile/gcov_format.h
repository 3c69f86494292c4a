#pragma once

// Numbers of GCC's AutoFDO profiles (create_gcov, gcc -fauto-profile; llvm-profdata reads those of
// GCC 4.7). All words are little endian, 32 bits; counts are two words, the lower one first.
//
//   "adcg", version, 0
//   0xa8000000, total (2), largest count (2), largest head (2), counts (2), functions (2), n (2),
//      n times { cutoff, smallest count (2), counts (2) }                  version 3 only
//   0xaa000000, words that follow,
//      n, n names of source files                                          version 3 only
//      n, n names       each: length, text with NUL, padded; in version 3 then: its file, or ~0
//   0xac000000, words that follow, n, n functions  each: head (2), in version 3 the time of its
//                                                  first run (2), then what inlinees have, too:
//      name, places, inlinees,
//      places:   line << 16 | discriminator, m, count (2), m times { 7, name (2), count (2) }
//      inlinees: line << 16 | discriminator, their name and so on
//   0xae000000, 0, 0                               no groups of modules
//   0xaf000000, 384, 128 times { counts, smallest count (2) }
//
// The length of a name counts words; from version 2 on bytes, and nothing is padded. Totals are not
// stored: they are the sums of the counts. The last section is the working set: entry i of it has
// the largest counts that sum up to (i + 1) / 129 of all. GCC does not look at it, AutoFDO's tools
// want it. Sources of truth: gcc/auto-profile.cc, profile_writer.cc of google/autofdo,
// llvm/lib/ProfileData/SampleProfReader.cpp.

#include "base/types.h"

namespace pgokit::profile {

inline constexpr u32 magic_of_gcov = 0x67636461;
inline constexpr u32 gcov_version_407 = 0x3430372a;  // what llvm-profdata reads
inline constexpr u32 gcov_summary = 0xa8000000;
inline constexpr u32 gcov_names = 0xaa000000;
inline constexpr u32 gcov_functions = 0xac000000;
inline constexpr u32 gcov_modules = 0xae000000;
inline constexpr u32 gcov_working_set = 0xaf000000;
inline constexpr u32 gcov_working_sets = 128;
inline constexpr u32 gcov_call_targets = 7;
inline constexpr u32 gcov_no_file = ~u32{0};

constexpr bool is_gcov_version(u32 version) {
  return (version >= 1 && version <= 3) || version == gcov_version_407;
}

// Where the versions differ.
struct GcovVersion {
  u32 number = 0;

  constexpr bool lengths_are_bytes() const { return number == 2 || number == 3; }
  constexpr bool has_files() const { return number == 3; }  // and summary, and times
};

}  // namespace pgokit::profile

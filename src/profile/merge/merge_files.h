#pragma once

// Adds up profile files of any form: each is checked from end to end, then its functions go
// straight from its bytes into the sum, on all cores.
//
//   auto merged = TRY(merge_files({{"a.prof"}, {"b.prof", 3}}, {}));
//   for (const auto& input : merged.inputs) if (!input.error.empty()) ...     // left out
//   std::string bytes = TRY(write_profile(merged.profile, Format::extbinary));
//
// The sum is the same on any number of threads, and with ChecksumRule::largest in any order and
// grouping of the inputs. Memory follows the sum: no more than a few inputs are held at a time.

#include <string>
#include <vector>

#include "profile/extbinary/function_adder.h"
#include "profile/format.h"

namespace pgokit::profile {

struct MergeInput {
  std::string path;
  u64 weight = 1;
};

struct MergeOptions {
  ChecksumRule rule = ChecksumRule::largest;
  // Functions get into the sum in the order of llvm-profdata; in profiles without probes and
  // contexts too, where only flattening shows it.
  bool llvm_order = false, llvm_order_of_plain = false;
  bool strict = false;    // the first input that cannot be used ends it all
  bool distinct = false;  // of inputs with the same contents and weight one counts
  FileTables::Rename rename = {};
  ReadOptions reading = {};
  unsigned threads = 0;
};

// What became of an input.
struct MergedInput {
  std::string error;       // why it was left out; empty: it was not
  bool duplicate = false;  // left out: the same contents as an input before
  bool md5_names = false;  // it has hashes in place of names
  bool pre_inlined = false;
  Format format{};
  u64 bytes = 0;
  u64 samples = 0;  // by its summary, or of all its functions; without its weight
  size_t functions = 0;
};

struct MergedFiles {
  Profile profile;  // sorted
  std::vector<MergedInput> inputs;
  bool md5_names = false;       // some input has hashes in place of names
  u64 checksum_mismatches = 0;  // functions that were left out for their checksums, or replaced
  std::vector<std::string> mismatches;  // each as llvm-profdata tells it; with ChecksumRule::first
  size_t used() const;
};

// Fails where inputs that can be used do not go together (with and without probes, with and without
// contexts); with
// `strict` also where one cannot be used.
Result<MergedFiles> merge_files(const std::vector<MergeInput>& inputs, const MergeOptions& options);

}  // namespace pgokit::profile

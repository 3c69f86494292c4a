#pragma once

// Recordings with branch counts added up to one of the same kind: of whole runs, or of windows.
//
//   RecordingSum sum;
//   auto counts = TRY(decode_branch_counts(recording.features().branch_counts));
//   TRY(sum.add(recording, std::move(counts), 1));                // and others
//   TRY(sum.write("both.data"));
//
// Files are the same if path and build id are. The order of what is added does not matter, nor how
// it is grouped: a sum of sums is the sum, byte for byte. Sums saturate. Samples are left out: what
// is written has the counts, where each file was mapped, and what all recordings say of the machine
// and the command.

#include <map>
#include <string>
#include <vector>

#include "perf/branch_counts.h"
#include "perf/recording.h"
#include "perf/writer.h"

namespace pgokit::perf {

class RecordingSum {
 public:
  // The recording, whose counts these are, is counted `weight` times. An error says why it does not
  // go with those before it; the sum is what it was then.
  Status add(const Recording& recording, BranchCounts counts, u64 weight);
  bool empty() const { return recordings_ == 0; }
  // The file is there whole or not at all. At least one recording has been added.
  Status write(const std::string& path) const;
  // What was, or would be, written: branches, each once, and files.
  BranchCounts sums() const;

 private:
  struct FileId {
    std::string path, build_id;
    auto operator<=>(const FileId&) const = default;
  };
  struct MappedPart {
    u64 file_offset = 0, size = 0;
    auto operator<=>(const MappedPart&) const = default;
  };
  struct File {
    u32 number = 0;                   // in the order in which they came
    std::map<MappedPart, u64> parts;  // → the lowest address of it
  };

  Status check(const BranchCounts& counts) const;
  Status bring_to_scale(BranchCounts& counts);
  void take(BranchCounts counts, u64 weight);
  void take_mappings(const Recording& recording);
  void take_facts(const Features& features);

  std::map<FileId, File> files_;
  BranchCounts all_;        // places have the files' own numbers
  size_t summed_ = 0;       // branches that were the sums when they were last sorted
  Writer::Features facts_;  // empty where recordings differ
  u64 recordings_ = 0;
};

}  // namespace pgokit::perf

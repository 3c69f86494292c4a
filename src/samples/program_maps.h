#pragma once

// Where in memory the program lay: per process, and over time.
//
//   ProgramMaps maps(program_file);
//   maps.map(pid, time, {start, size, file_offset}, true);     // events ascending by time
//   maps.fork(child, parent, time);
//   ProgramMaps::Lookup lookup(maps);                          // one per thread
//   if (lookup.enter(pid, time)) BinaryAddr a = lookup.translate({ip});
//
// Mappings of other files only take away what they cover. A fork inherits its parent's mappings, an
// exec drops them.

#include <tsl/robin_map.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "base/types.h"
#include "object/file.h"
#include "samples/counts.h"

namespace pgokit::samples {

// A piece of the program's code in a process.
struct MappedCode {
  u64 start = 0, size = 0;
  u64 target = 0;  // the BinaryAddr of its first byte
};

class ProgramMaps {
 public:
  explicit ProgramMaps(const object::File& program);

  struct Mapping {
    u64 start = 0, size = 0, file_offset = 0;
  };
  // False for a mapping that is the program's but holds none of its code.
  bool map(u32 pid, u64 time, const Mapping& mapping, bool of_program);
  void fork(u32 child, u32 parent, u64 time);
  void exec(u32 pid, u64 time);
  // The program is the kernel: its first text segment lies there, in all processes and always.
  void map_kernel(u64 start);

  bool empty() const { return processes_.empty() && kernel_.empty(); }
  // Where the linker put that byte of the file, if it is code.
  BinaryAddr address_at(FileOffset offset) const;

  // Processes that the program's code was ever mapped in.
  std::vector<u32> pids() const;

  class Lookup {
   public:
    explicit Lookup(const ProgramMaps& maps) : maps_(maps) {}
    // False when the program is not mapped there at that time.
    bool enter(u32 pid, u64 time) {
      if (pid != pid_ || time < from_ || time >= until_) [[unlikely]]
        find(pid, time);
      return layout_ != nullptr;
    }
    // external for what is not the program's code.
    BinaryAddr translate(RuntimeAddr address) const {
      for (const auto& piece : *layout_)
        if (address.value - piece.start < piece.size)
          return {address.value - piece.start + piece.target};
      return external;
    }

    // The other way round; nothing where that code is not mapped.
    std::optional<RuntimeAddr> runtime(BinaryAddr address) const {
      for (const auto& piece : *layout_)
        if (address.value - piece.target < piece.size)
          return RuntimeAddr{address.value - piece.target + piece.start};
      return std::nullopt;
    }

   private:
    void find(u32 pid, u64 time);

    const ProgramMaps& maps_;
    const std::vector<MappedCode>* layout_ = nullptr;
    u32 pid_ = 0;
    u64 from_ = 1, until_ = 0;  // the time for which layout_ holds
  };

 private:
  using Layout = std::vector<MappedCode>;
  struct Version {
    u64 from = 0;
    std::shared_ptr<const Layout> layout;  // shared by forks
  };
  using History = std::vector<Version>;

  std::optional<u64> linked_address(const Mapping& mapping, const Layout* before) const;
  const Layout* current(u32 pid) const;
  void set(u32 pid, u64 time, std::shared_ptr<const Layout> layout);

  std::vector<object::Segment> code_;
  bool fixed_;  // runs where it was linked
  tsl::robin_map<u32, History, IntHash> processes_;
  Layout kernel_;  // empty: the program is none
};

}  // namespace pgokit::samples

#pragma once

// What each process of a recording had mapped at a time, over forks, execs and new mappings.
//
//   ProcessMaps maps(recording, ProcessMaps::Kinds::code);
//   const auto* mapped = maps.find(sample.pid, sample.ip, sample.time);
//   if (mapped) use(maps.path(mapped->name), mapped->file_offset + sample.ip - mapped->start);
//
// Found without replaying the recording, so samples may come in any order. Does not look into
// files.

#include <tsl/robin_map.h>

#include <string_view>
#include <vector>

#include "base/names.h"
#include "perf/build_ids.h"
#include "perf/recording.h"

namespace pgokit::perf {

class ProcessMaps {
 public:
  enum class Kinds : u8 { code, all };  // all: data too, where the recorder has noted its mappings
  static constexpr u32 kernel_pid = ~u32(0);

  struct Mapped {
    u64 start, end, time;
    u64 order;  // in the recording
    u64 file_offset;
    NameId name;  // path and build id
    bool executable;
    u64 reach = 0;  // the farthest end of this one and those in front of it
  };

  ProcessMaps(const Recording& recording, Kinds kinds);

  // The youngest one at that address and time; null: none.
  const Mapped* find(u32 pid, u64 address, u64 time) const;

  // The code that lies nearest to an address then, before and after it; null: there is none. What a
  // file has besides code lies around that.
  struct Around {
    const Mapped *before = nullptr, *after = nullptr;
  };
  Around code_around(u32 pid, u64 address, u64 time) const;

  const Names& names() const { return names_; }
  std::string_view path(NameId name) const;
  std::string_view build_id(NameId name) const;  // hexadecimal; empty where the recording has none

 private:
  struct Start {
    u64 time, order;
    bool has_parent;
    u32 parent;
  };
  // The mappings with the time they were made, and the times at which it began anew: by exec (with
  // nothing) or by fork (with what the parent had then).
  struct Process {
    std::vector<Mapped> mapped;
    std::vector<Start> starts;
    std::vector<u32> code;  // places in `mapped`
  };

  void add(const Recording& recording, const Record& record);
  void add_mapping(const Mapping& mapping);
  // Gives the process and each of its ancestors, with the time for which its mappings count, to
  // `each`, up to the first that says yes.
  template <class Each>
  void for_each_generation(u32 pid, u64 time, Each each) const;
  static const Mapped* find(const Process& process, u64 address, u64 since, u64 until);
  static Around code_around(const Process& process, u64 address, u64 since, u64 until);

  Kinds kinds_;
  Names names_;
  tsl::robin_map<u32, Process> processes_;
  BuildIds build_ids_;  // where mappings have none
  ReadCounts ignored_;
  u64 order_ = 0;
};

}  // namespace pgokit::perf

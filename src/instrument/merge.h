#pragma once

// Maps, dumps and profiles put together.
//
//   instrument::Merger merger;
//   merger.add_map(std::move(map.module));                 // any number, in any order
//   merger.add_profile(profile, weight);
//   merger.see_dumps(i, file.bytes(), weight);             // first all, then again:
//   merger.add_dumps(i, file.bytes());
//   instrument::Profile sum = merger.finish();
//
// Dumps go to the map of their build id. Dumps are cumulative, so of those of one process only
// the last one counts; which it is is known when all have been seen. The result does not depend on
// the order of what is merged.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "instrument/add_dump.h"
#include "instrument/dump.h"
#include "instrument/module.h"
#include "instrument/values.h"

namespace pgokit::instrument {

// What was merged, and what was left out for which cause.
struct MergeFacts {
  u64 dumps = 0;                  // records added
  u64 superseded = 0;             // a later record of the same process holds all of it
  u64 without_map = 0;            // records of programs whose map was not given
  std::string first_without_map;  // "app (build id ...)"
  u64 misfits = 0;                // the map's counters are elsewhere than the dump's: other build
  u64 without_build_id = 0;       // matched by address only
  u64 forked = 0, continuous = 0;
  u64 implausible = 0;    // functions of dumps with values that no run gives
  u64 unknown_order = 0;  // entries of order logs that are of no function of the map
  u64 mismatched = 0;     // functions of one program that two maps describe differently: refused
  std::string first_mismatch, first_mismatch_in;  // its name and that of the program
  u64 unknown_values = 0;                         // recorded values of no site of the map
  u64 implausible_sites = 0;                      // sites whose counts no run gives
  u64 edges_elsewhere = 0;                        // sampled calls in programs that are not known
};

class Merger {
 public:
  // A profile, dumps, a map, or a program that has one.
  static bool recognizes(Bytes bytes);

  void add_map(Module module);
  void add_profile(const Profile& profile, u64 weight);

  // `file` is the caller's number of the file. Both give what the reader found.
  DumpFacts see_dumps(u32 file, Bytes bytes, u64 weight);
  // `each` is told of the dumps that are added, for what sums do not keep.
  using EachDump = std::function<void(const Module& module, const Dump& dump, u64 weight)>;
  void add_dumps(u32 file, Bytes bytes, const EachDump& each = {});

  const MergeFacts& facts() const { return facts_; }
  bool has_maps() const;
  Profile finish();

 private:
  // A dump holds all that earlier ones of the same key hold.
  struct ProcessKey {
    std::string build_id;
    u64 raw_address = 0, start_time = 0;
    u32 pid = 0;
    auto operator<=>(const ProcessKey&) const = default;
  };
  struct Chosen {
    u32 sequence = 0;
    u32 file = 0;
    u64 offset = 0, weight = 0;
  };

  static ProcessKey key_of(const Dump& dump);
  u32 module_index(std::string_view build_id);
  u32 take_map(Module module, u64 weight);
  Module* module_for(const Dump& dump);
  void refuse(const Module& into, const Module& from, const Function& function);
  void add_edges(const Module& module, const Dump& dump, u64 weight);
  u64 function_at(u32 module, u64 address) const;
  struct Place {
    u32 module = 0;
    u64 address = 0;
  };
  bool knows_or_has_room(std::string_view build_id, std::string_view name) const;
  u32 other_module(std::string_view build_id, std::string_view name);
  Place place_of_value(u32 own, const Dump& dump, const DumpedValue& value);
  void add_values(u32 own, const Dump& dump, u64 weight);
  void sort_modules();

  Profile profile_;
  size_t folded_ = 0;         // edges when they were last folded
  size_t values_folded_ = 0;  // likewise
  std::map<ProcessKey, Chosen> chosen_;
  MergeFacts facts_;
};

// Adds equal edges up, sorted.
void fold_edges(std::vector<Edge>& edges);

}  // namespace pgokit::instrument

#pragma once

// An instrumentation profile in memory, laid out for adding up: names are interned, and the counters
// of all functions are one array.
//
//   Profile profile;
//   u32 at = profile.find_or_add(profile.names.intern("main"), hash, 3).index;
//   profile.counters_of(at)[0] += 1;
//   Record record = profile.record(at);
//
// Functions are in the order in which they came; those of one name are a list in that order.

#include <tsl/robin_map.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/names.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

inline constexpr u32 nothing = ~u32{0};

struct Function {
  u64 hash;
  u64 first_counter;
  u64 first_bitmap_byte = 0;
  NameId name;
  u32 counters;
  u32 bitmap_bytes = 0;
  u32 values = nothing;        // in Profile::values
  u32 next_of_name = nothing;  // with another hash
};

class Profile {
 public:
  u64 kind = 0;
  Names names;
  std::vector<Function> functions;
  std::vector<u64> counters;
  std::vector<u8> bitmap;
  std::vector<SiteValues> values;
  std::vector<Trace> traces;
  u64 traces_seen = 0;
  std::vector<std::string> binary_ids;
  struct Memory {
    std::string bytes;
    u64 begin = 0;  // in the file that it is from
    bool is_empty = true;
  } memory;  // of one of the files

  // A function that is new has counters of zero, and nothing else.
  struct Found {
    u32 index;
    bool added;
  };
  Found find_or_add(NameId name, u64 hash, size_t counters);
  u32 find(NameId name, u64 hash) const;  // or `nothing`
  u32 first_of_name(NameId name) const;

  std::span<u64> counters_of(u32 function);
  std::span<u8> bitmap_of(u32 function);
  Record record(u32 function) const;

  // Only the functions of names that `keep` wants. How many names there were, and are.
  struct Kept {
    size_t before, after;
  };
  Kept keep_names(const std::function<bool(std::string_view)>& keep);

  // Whether there is anything but zeros in it.
  bool ran(u32 function) const;

 private:
  struct List {
    u32 first = nothing, last = nothing, size = 0;
  };
  struct Key {
    NameId name;
    u64 hash;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return IntHash()(key.hash + static_cast<u32>(key.name) * 0x9e3779b97f4a7c15u);
    }
  };
  void append_to_list(u32 function);

  std::vector<List> by_name_;  // by NameId
  // The functions of names that have many, as hostile input has; others have one or two.
  tsl::robin_map<Key, u32, KeyHash> of_long_lists_;
};

}  // namespace pgokit::instr_profile

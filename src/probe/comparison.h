#pragma once

// What two builds made of the same probes: where each copy of a probe is in the code of either, by
// function and inline context.
//
//   Comparison comparison;
//   for (Side side : {Side::first, Side::second}) {
//     auto collect = comparison.collector(side);
//     walk_section(section, address_of, collect);
//   }
//   for (const auto& function : comparison.functions())      // by GUID
//     for (const auto& row : comparison.rows(function))      // in preorder of the inline tree
//       use(row.context, row.index, row.first, row.second);     // offsets, ascending
//
// A probe is the same in both if it has the same index, in the same function, inlined by the same
// calls into the same function with code. Keeps 32 bytes for each probe.

#include <tsl/robin_map.h>

#include <array>
#include <span>
#include <vector>

#include "base/hash.h"
#include "probe/walk.h"

namespace pgokit::probe {

enum class Side : u8 { first, second };

class Comparison {
 public:
  // A function, or the copy of one that was inlined, of either side.
  struct Context {
    u64 function = 0;
    u32 parent = none;
    u32 call_site = 0;
    u32 depth = 0;
    u32 root = 0;  // the function with code that it is in
  };
  // Of a probe: from the symbol of the code that it is in. That is another one than the function's
  // own for parts that were split off.
  struct Copy {
    u64 symbol = 0;
    u64 offset = 0;
    auto operator<=>(const Copy&) const = default;
  };
  struct Row {
    u32 context = 0;  // into contexts()
    u32 index = 0;
    u8 type = 0;
    std::span<const Copy> first, second;
  };
  struct Function {
    u64 guid = 0;
    u32 begin = 0, end = 0;              // rows
    std::array<u64, 2> probes = {};      // copies of probes
    std::array<u64, 2> inlined = {};     // copies of functions
    u64 gone = 0, added = 0, moved = 0;  // rows of one side only, and with another number of copies

    bool is_in(Side side) const { return probes[static_cast<size_t>(side)] > 0; }
    u64 differences() const { return gone + added + moved; }
  };

  class Collector {
   public:
    Collector(Comparison& comparison, Side side) : comparison_(comparison), side_(side) {}
    void begin(const RecordHead& head) { head_ = head; }
    void enter(const RawNode& node);
    void probe(const RawProbe& raw, u64 address);
    void leave() { current_ = comparison_.contexts_[current_].parent; }

   private:
    Comparison& comparison_;
    Side side_;
    RecordHead head_;
    u32 current_ = none;
  };
  Collector collector(Side side) { return {*this, side}; }

  // When all is collected.
  void finish();
  std::span<const Function> functions() const { return functions_; }
  std::span<const Row> rows(const Function& function) const;
  const std::vector<Context>& contexts() const { return contexts_; }

 private:
  struct Edge {
    u64 function;
    u32 parent, call_site;
    bool operator==(const Edge&) const = default;
  };
  struct EdgeHash {
    size_t operator()(const Edge& edge) const {
      return IntHash{}(edge.function ^ (u64{edge.parent} << 32 | edge.call_site));
    }
  };
  struct Found {
    u32 context, index;
    u8 type;
    Side side;
    Copy copy;
  };

  std::vector<u32> preorder() const;
  void add_row(std::span<const Found> found);
  void sum(Function& function) const;

  std::vector<Context> contexts_;
  tsl::robin_map<Edge, u32, EdgeHash> numbers_;  // of contexts
  std::vector<std::array<u64, 2>> entered_;      // copies of each context
  std::vector<Found> found_;
  std::vector<Copy> copies_;
  std::vector<Row> rows_;
  std::vector<Function> functions_;
};

}  // namespace pgokit::probe

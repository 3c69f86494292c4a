#pragma once

// A profile as columns, for those who read all of it: a profile of 50 MB is a few arrays here, and
// millions of small objects as FunctionSamples.
//
//   Columns columns = TRY(read_columns(file.bytes()));
//   for (const Columns::Top& top : columns.functions)
//     for (const auto& place : columns.part(top).places_within(top.node))    // inlinees included
//       sum += place.samples;
//
// Nothing can be added. Names are integers in the order of names in files (ids by value, then
// texts), places of a node ascend, inlinees ascend by (call site, name).

#include <deque>
#include <string>
#include <vector>

#include "profile/format.h"
#include "profile/model/summary.h"

namespace pgokit::profile {

struct Columns {
  struct Name {
    std::string_view text;  // of an id: what to show for it, if anything
    u64 guid = 0;           // of an id only
    bool is_guid = false;
    auto operator<=>(const Name& other) const {
      if (is_guid != other.is_guid) return other.is_guid <=> is_guid;
      return is_guid ? guid <=> other.guid : text <=> other.text;
    }
    bool operator==(const Name& other) const { return (*this <=> other) == 0; }
  };
  struct Place {
    LineLocation location;
    u64 samples = 0;
  };
  struct Target {
    u32 place = 0, name = 0;
    u64 count = 0;
  };
  struct Vtable {
    u32 node = 0;
    LineLocation location;
    u32 name = 0;
    u64 count = 0;
  };
  // A function, or an inlined copy of one; those inlined in it follow it.
  struct Node {
    u32 name = 0;
    u32 end = 0;  // one past the last node inlined in it, at any depth
    u32 first_place = 0, first_target = 0;
    LineLocation call_site;
    u32 own_places = 0;
    u32 attributes = 0;
    u64 total = 0, head = 0, checksum = 0;
  };
  struct Frame {
    u32 function = 0;
    LineLocation location;  // {} in the last
    auto operator<=>(const Frame&) const = default;
  };
  // What was read by one thread; a function is in one part.
  struct Part {
    std::vector<Node> nodes;
    std::vector<Place> places;
    std::vector<Target> targets;  // by place
    std::vector<Vtable> vtables;  // by node, location, name

    std::span<const Place> places_of(u32 node) const {
      return std::span(places).subspan(nodes[node].first_place, nodes[node].own_places);
    }
    std::span<const Place> places_within(u32 node) const {
      u32 first = nodes[node].first_place, end = nodes[node].end;
      u32 last = end < nodes.size() ? nodes[end].first_place : static_cast<u32>(places.size());
      return std::span(places).subspan(first, last - first);
    }
    std::span<const Target> targets_of(u32 node) const {
      u32 first = nodes[node].first_target;
      u32 end =
          node + 1 < nodes.size() ? nodes[node + 1].first_target : static_cast<u32>(targets.size());
      return std::span(targets).subspan(first, end - first);
    }
    std::span<const Vtable> vtables_of(u32 node) const;
  };
  struct Top {
    u32 part = 0, node = 0;
    u32 first_frame = 0, frames = 0;  // 0: no context is known
  };

  Format format{};
  Flags flags;
  bool md5_names = false;
  std::vector<SectionInfo> sections;
  Summary summary;  // as the file has it, where it has one
  std::vector<Name> names;
  std::vector<Top> functions;  // in the order of the file
  std::vector<Part> parts;
  std::vector<Frame> frames;
  std::vector<std::string> symbols;
  std::deque<std::string> texts;  // what names point to, unless it is the file

  const Part& part(const Top& top) const { return parts[top.part]; }
  const Node& node(const Top& top) const { return parts[top.part].nodes[top.node]; }
  std::span<const Frame> context(const Top& top) const {
    return std::span(frames).subspan(top.first_frame, top.frames);
  }
  std::string_view text(u32 name, std::string& scratch) const;
  // "main:3.1 @ foo"; the name where no context is known.
  std::string context_text(const Top& top) const;
  u64 guid(u32 name) const;
  u64 entry_estimate(const Top& top) const;

  // The places of `functions` by total downwards, then by context: the order of files.
  std::vector<u32> by_total() const;
  std::vector<u32> by_context() const;
};

// Any form of file; names may point into `file`.
Result<Columns> read_columns(Bytes file, const ReadOptions& options = {});
Columns columns_of(const ReadProfile& read, bool contexts_apart = false);

}  // namespace pgokit::profile

#pragma once

// The section .pseudo_probe: where the probes of which function are, and how they got inlined.
//
//   auto table = probe::Table::index(descriptor_section, probe_section);       // one cheap pass
//   probe::Decoded some = table.decode(wanted_guid, address_of_guid);          // chosen functions
//   for (const probe::Probe& one : some.in(range.start, range.last)) ...
//   if (const probe::Probe* call = some.call_probe(address)) ...
//   some.append_context(probe, true, frames);                                  // outermost first
//
// The index keeps 16 bytes per function with code; only what decode() is asked for becomes objects.
// docs/formats/pseudo-probe.md draws the layout. Addresses are those of the linker. Broken input:
// what follows a truncated record is lost and truncated() says so; a function without descriptor
// keeps its place in the tree with no name, and is counted.
//
// Source of truth: llvm/lib/MC/MCPseudoProbe.cpp (LLVM 22), quirks included where they show in
// profiles. Both decode() and the results may be used by several threads.

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "probe/damage.h"
#include "probe/descriptors.h"

namespace pgokit::probe {

enum class Type : u8 { block = 0, indirect_call = 1, direct_call = 2 };  // others are kept as read

constexpr u8 reserved_attribute = 1, sentinel_attribute = 2, discriminator_attribute = 4;
constexpr u32 none = ~u32{0};
// That profiles have room for. Probes beyond it, in damaged sections, are left out; calls of
// inlined functions there are 0, not known.
constexpr u32 largest_index = 0xffff;

struct Probe {
  u64 address = 0;
  u32 node = 0;   // into Decoded::nodes()
  u32 index = 0;  // within its source function, from 1; 1 is the entry
  u32 discriminator = 0;
  Type type = Type::block;
  u8 attributes = 0;

  bool is_call() const { return type == Type::indirect_call || type == Type::direct_call; }
  bool is_block() const { return type == Type::block; }
  bool is_entry() const { return index == 1; }
};

// A function with code, or the copy of one inlined at a call site: a node of the inline forest.
// Nodes are in preorder: children follow their parent, [n, subtree_end) is all of n.
struct Node {
  u64 guid = 0;
  u32 parent = none;      // none: has code of its own
  u32 call_site = 0;      // id of the call's probe in the parent; 0: unknown
  u32 descriptor = none;  // into Table::descriptors().list()
  u32 first_probe = 0;    // in decode order: Decoded::probes_of()
  u32 probe_count = 0;
  u32 subtree_end = 0;

  bool is_inlined() const { return parent != none; }
};

struct Frame {
  std::string_view function;
  u32 id = 0;  // call-site probe, or the probe itself in the leaf
  bool operator==(const Frame&) const = default;
};

class Decoded {
 public:
  const std::vector<Node>& nodes() const { return nodes_; }
  // By address, then in the order of the section.
  const std::vector<Probe>& probes() const { return probes_; }

  std::span<const Probe> at(u64 address) const { return in(address, address); }
  // Those with first <= address <= last.
  std::span<const Probe> in(u64 first, u64 last) const;
  // The first call at an address.
  const Probe* call_probe(u64 address) const;
  // Of one node in the order of the section, as positions in probes().
  std::span<const u32> probes_of(const Node& node) const;

  // Adds the frames of a probe, outermost function first, to what is in `frames`; the leaf is the
  // probe's own function and index. Where a call site in between is unknown (0), all frames so far
  // go, including those that were there before: from there on the context is not known.
  void append_context(const Probe& probe, bool with_leaf, std::vector<Frame>& frames) const;

  // Of the node's function; empty where it has no descriptor.
  std::string_view name_of(const Node& node) const;

  // More probes of the nodes; behind those of the section where they are at the same address.
  void add(std::vector<Probe> more);

  // Nodes whose function has no descriptor; their frames have an empty name.
  u64 unknown_functions() const { return unknown_functions_; }
  // Of the whole table, and of the functions that were decoded.
  const Damage& damage() const { return damage_; }

 private:
  friend class Table;

  std::vector<Node> nodes_;
  std::vector<Probe> probes_;
  std::vector<u32> by_node_;  // decode order -> position in probes_
  const Descriptors* descriptors_ = nullptr;
  u64 unknown_functions_ = 0;
  Damage damage_;
};

class Table {
 public:
  // Which functions; asked with the GUID of every function with code.
  using Wanted = std::function<bool(u64 guid)>;
  // The address of the symbol whose name has this GUID.
  using AddressOf = std::function<std::optional<u64>(u64 guid)>;

  // The sections must outlive the table.
  static Table index(Bytes descriptor_section, Bytes probe_section);

  // The table must outlive the result and not move meanwhile.
  Decoded decode(const Wanted& wanted, const AddressOf& address_of) const;

  const Descriptors& descriptors() const { return descriptors_; }
  // Records of functions with code, parts split off included.
  size_t records() const { return records_.size(); }
  bool truncated() const { return truncated_; }

 private:
  struct Record {
    u64 guid, offset;
  };

  Descriptors descriptors_;
  Bytes section_;
  std::vector<Record> records_;
  size_t first_absolute_ = 0;  // the first record with an absolute address, records_.size() if none
  bool truncated_ = false;
};

}  // namespace pgokit::probe

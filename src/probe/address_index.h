#pragma once

// Which probes are at an address, for going through all of a program's code: 8 bytes per probe and
// 8 per function or inlined copy, which is less than three times the sections' size. What a probe
// says is read again from the section.
//
//   AddressIndex index = AddressIndex::build(parts, lowest_code_address);
//   for (AddressIndex::Entry entry : index.from(address)) {    // and all behind them, ascending
//     RawProbe probe = index.probe(entry);
//     frames.clear();
//     index.append_context(entry, frames);         // outermost first; the leaf is the probe itself
//   }
//
// Order is that of table.h. Probes further than 4 GB from the lowest address, and
// sections behind 4 GB of others, are left out and counted. May be read by several threads.

#include <span>
#include <vector>

#include "probe/record.h"

namespace pgokit::probe {

class AddressIndex {
 public:
  // The distance from the lowest address above, the place in the sections below: sorts as listed.
  using Entry = u64;
  struct Part {
    Bytes section;
    Table::AddressOf address_of;
  };
  struct Frame {
    u64 guid = 0;
    u32 id = 0;  // call-site probe, or the probe itself in the leaf
  };

  // The sections must outlive the index.
  static AddressIndex build(std::span<const Part> parts, u64 lowest);

  std::span<const Entry> entries() const { return entries_; }
  // Those from `first` on, for going on from there in ascending order.
  std::span<const Entry> from(u64 first) const;
  u64 address(Entry entry) const { return lowest_ + (entry >> 32); }

  RawProbe probe(Entry entry) const;
  // With the leaf. Unlike in Decoded::append_context() nothing is dropped at unknown call sites.
  void append_context(Entry entry, std::vector<Frame>& frames) const;

  u64 outside() const { return outside_; }
  size_t memory() const;

 private:
  struct Section {
    Bytes bytes;
    u64 start = 0;  // place of its first byte, all sections counted in one row
  };
  struct Node {
    u32 place = 0;
    u32 parent = none;
  };
  class Fill;

  const Section& section_of(u32 place) const;
  RawNode read_node(const Node& node) const;

  u64 lowest_ = 0, outside_ = 0;
  std::vector<Section> sections_;
  std::vector<Entry> entries_;
  std::vector<Node> nodes_;
};

}  // namespace pgokit::probe

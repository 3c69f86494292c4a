#pragma once

// All of a .pseudo_probe section in its own order, nothing kept: for listings and sums.
//
//   struct Count {
//     u64 probes = 0;
//     void begin(const probe::RecordHead& head);          // a function with code, or a part of it
//     void enter(const probe::RawNode& node);             // it, then what was inlined into it
//     void probe(const probe::RawProbe& raw, u64 address) { probes += !raw.is_sentinel(); }
//     void leave();
//   } count;
//   if (auto broken = probe::walk_section(bytes, address_of, count)) complain_about(*broken);
//
// Addresses follow the rules of table.h. Where the record's symbol is not known they mean nothing
// but their distances from head.base.

#include "probe/running_address.h"

namespace pgokit::probe {

struct RecordHead {
  u64 offset = 0;         // in the section
  u64 guid = 0;           // of the source function
  u64 symbol = 0;         // GUID of the symbol at its code: the function's own but for split parts
  u64 base = 0;           // what the first delta is relative to; if `absolute`, of its symbol
  bool located = false;   // base is the address of the symbol
  bool absolute = false;  // its probes carry addresses

  bool is_part() const { return symbol != guid; }
};

inline RecordHead read_head(Bytes section, size_t offset) {
  Cursor in(section.subspan(offset));
  RecordHead head{.offset = offset, .guid = in.get<u64>()};
  head.symbol = head.guid;
  u64 probes = in.uleb128();
  in.uleb128();
  if (probes == 0) return head;
  RawProbe first = read_probe(in);
  if (!in.ok() || first.is_delta) return head;
  first.is_sentinel() ? void(head.symbol = first.value) : void(head.absolute = true);
  return head;
}

// The offset of the record that is cut off, where there is one.
template <class Visit>
std::optional<u64> walk_section(Bytes section, const Table::AddressOf& address_of, Visit& visit) {
  struct Follow {
    RunningAddress& address;
    Visit& visit;
    void enter(const RawNode& node) { visit.enter(node); }
    void probe(const RawProbe& raw) { visit.probe(raw, address.advance(raw)); }
    void leave() { visit.leave(); }
  };
  Cursor in(section);
  std::vector<u64> open;
  RunningAddress address(address_of);
  while (!in.at_end()) {
    RecordHead head = read_head(section, in.position());
    bool known = address.begin_function(head.guid);
    if (address.is_absolute()) head.absolute = true;
    if (head.is_part()) {
      std::optional<u64> start = address_of(head.symbol);
      known = start.has_value();
      head.base = start.value_or(head.symbol);
    } else {
      head.base = address.at();
      // Deltas go on from the last probe there, which says nothing of where this function is.
      if (head.absolute) head.base = address_of(head.symbol).value_or(head.base);
    }
    head.located = known || head.absolute;
    visit.begin(head);
    Follow follow{address, visit};
    if (!walk_record(in, open, follow)) return head.offset;
  }
  return std::nullopt;
}

}  // namespace pgokit::probe

#pragma once

// One top-level record of .pseudo_probe, walked without recursion: what the index and the decoder
// have in common.

#include <vector>

#include "base/cursor.h"
#include "probe/table.h"

namespace pgokit::probe {

// A probe as it stands in the file.
struct RawProbe {
  u32 index = 0;
  u8 type = 0, attributes = 0;
  bool is_delta = false;  // `value` is relative to the previous probe
  u64 value = 0;          // else an address, or the GUID of a symbol in a sentinel
  u32 discriminator = 0;
  u64 offset = 0;  // of its first byte, counted as the cursor does

  bool is_sentinel() const { return attributes & sentinel_attribute; }
};

inline RawProbe read_probe(Cursor& in) {
  RawProbe out;
  out.offset = in.position();
  out.index = static_cast<u32>(in.uleb128());
  u8 kind = in.get<u8>();
  out.type = kind & 0xf;
  out.attributes = kind >> 4 & 7;
  out.is_delta = kind & 0x80;
  out.value = out.is_delta ? static_cast<u64>(in.sleb128()) : in.get<u64>();
  if (out.attributes & discriminator_attribute) out.discriminator = static_cast<u32>(in.uleb128());
  return out;
}

// A function with code, or an inlined one, before its probes.
struct RawNode {
  u64 guid = 0;
  u32 call_site = 0;
  u64 offset = 0;  // of its first byte: the call site's of an inlined one, else the GUID's
};

// Calls visit.enter(RawNode), visit.probe(RawProbe) and visit.leave() in the order of the
// file. `open` is scratch: inlinees still to come, per level. False: the record is cut off.
template <class Visit>
bool walk_record(Cursor& in, std::vector<u64>& open, Visit& visit) {
  open.clear();
  RawNode node{.offset = in.position()};
  for (;;) {
    node.guid = in.get<u64>();
    u64 probes = in.uleb128();
    u64 inlinees = in.uleb128();
    if (!in.ok()) return false;
    visit.enter(node);
    for (; probes > 0; --probes) {
      RawProbe probe = read_probe(in);
      if (!in.ok()) return false;
      visit.probe(probe);
    }
    open.push_back(inlinees);
    while (open.back() == 0) {
      open.pop_back();
      visit.leave();
      if (open.empty()) return true;
    }
    --open.back();
    node.offset = in.position();
    node.call_site = static_cast<u32>(in.uleb128());
  }
}

}  // namespace pgokit::probe

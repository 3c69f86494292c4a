#pragma once

// Writes the probe sections: the counterpart of table.h.
//
//   FunctionProbes foo("_Z3foov", start);                    // a symbol with code, and its place
//   foo.add(guid, {}, {.index = 1, .place = start});         // a probe of its own
//   const CallSite call = {guid, 2};                         // foo's call 2 inlined
//   foo.add(callee, {&call, 1}, {.index = 1, .place = there});
//   ByteSink section;
//   foo.encode(section);                                        // one record
//
//   write_descriptor({guid, hash, "_Z3foov"}, section);         // of .pseudo_probe_desc
//
// A place is a number that only the sink understands: an address, or the number of a label whose
// distances an assembler finds out. The sink gets constants and distances in the order of the
// section.
//
// In which ELF section what belongs is the caller's to say: each descriptor in a COMDAT group of
// its own, descriptor_group(name); the records of all functions of a text section in one
// .pseudo_probe section that is in its group and linked to it (SHF_LINK_ORDER).
// docs/formats/pseudo-probe.md draws the layout and tells the order; source of truth:
// llvm/lib/MC/MCPseudoProbe.cpp (LLVM 22).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "probe/descriptors.h"
#include "probe/table.h"

namespace pgokit::probe {

using Place = u64;

// A call that was inlined: probe `call_site` of `function`.
struct CallSite {
  u64 function = 0;
  u32 call_site = 0;
  auto operator<=>(const CallSite&) const = default;
};

struct NewProbe {
  u32 index = 0;
  Type type = Type::block;
  u8 attributes = 0;
  u32 discriminator = 0;  // written if attributes has discriminator_attribute
  Place place = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void byte(u8 value) = 0;
  virtual void u64le(u64 value) = 0;
  // to - from, as SLEB128.
  virtual void distance(Place from, Place to) = 0;

  void uleb128(u64 value);
};

// Places are addresses.
class ByteSink : public Sink {
 public:
  void byte(u8 value) override { bytes_.push_back(value); }
  void u64le(u64 value) override;
  void distance(Place from, Place to) override;

  Bytes bytes() const { return bytes_; }

 private:
  std::vector<u8> bytes_;
};

// The probes of one symbol with code: a function, or a part of one that was split off. A source
// function that is not the symbol's own gets a record that begins with a sentinel.
class FunctionProbes {
 public:
  FunctionProbes(std::string_view symbol, Place start);

  // `function` is where the source has the probe; `inlined_by` the calls that brought it here, the
  // outermost first. Probes of one place in the inline tree keep the order in which they come.
  void add(u64 function, std::span<const CallSite> inlined_by, const NewProbe& probe);

  // The records of all source functions with code of their own, by GUID.
  void encode(Sink& sink) const;

  size_t size() const { return probes_.size(); }

 private:
  // The way from one node of the inline tree to the next: the call of the parent, then the callee.
  struct Edge {
    u64 function = 0;
    u32 call_site = 0;
    auto operator<=>(const Edge&) const = default;
  };
  struct Path {
    u32 first = 0, count = 0;  // in edges_
  };
  struct Node {
    Edge edge;
    u32 probes = 0, children = 0, depth = 0;
  };
  // The inline tree in preorder, and the probes in the order of its nodes.
  struct Tree {
    std::vector<Node> nodes;
    std::vector<u32> probes;
  };

  std::span<const Edge> edges(u32 path) const;
  bool is_last_path(u64 function, std::span<const CallSite> inlined_by) const;
  Tree build_tree() const;
  void add_nodes(std::span<const Edge> path, std::span<const Edge> before, Tree& tree,
                 std::vector<u32>& open) const;
  void encode_probe(const NewProbe& probe, Place& last, Sink& sink) const;

  u64 symbol_guid_;
  Place start_;
  std::vector<Edge> edges_;
  std::vector<Path> paths_;
  std::vector<NewProbe> probes_;
  std::vector<u32> path_of_;  // per probe
};

void write_descriptor(const Descriptor& descriptor, Sink& sink);

// The COMDAT group of a function's descriptor.
std::string descriptor_group(std::string_view function);

}  // namespace pgokit::probe

#pragma once

// The section .pseudo_probe_desc: one entry per source function that has probes.
//
//   Descriptors known = Descriptors::read(section);
//   if (const Descriptor* one = known.find(guid)) use(one->name, one->hash);
//
// Layout of an entry, packed, until the section ends:
//
//   u64      GUID     id of the source function: base/function_name.h of its name
//   u64      hash     checksum of the control-flow graph when the probes were put in; opaque
//   ULEB128  n        length of the name
//   n bytes  name     linkage name, without a NUL
//
// The linker keeps one entry per function (COMDAT), but entries of one GUID with different hashes
// are seen, many of them in programs of clang 14 to 16. llvm-profgen sorts all by GUID with
// std::sort() and takes the first of equals: that of libstdc++ leaves up to 16 entries in their
// order and moves equal ones of larger sections, and so does it here. An object file has a section
// per function. Source of truth: llvm/lib/MC/MCPseudoProbe.cpp.

#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::probe {

struct Descriptor {
  u64 guid = 0;
  u64 hash = 0;
  std::string_view name;  // in the section's bytes
};

class Descriptors {
 public:
  Descriptors() = default;
  // The sections must outlive the names. What follows a broken entry is lost: truncated(). An entry
  // without a name, or with a zero or a line end in it, is left out.
  static Descriptors read(Bytes section) { return read(std::span(&section, 1)); }
  static Descriptors read(std::span<const Bytes> sections);

  const Descriptor* find(u64 guid) const;
  // By GUID ascending, each once.
  const std::vector<Descriptor>& list() const { return list_; }
  bool truncated() const { return truncated_; }
  // Entries left out for their name.
  u64 unnamed() const { return unnamed_; }
  // The entries that did not count, by GUID.
  const std::vector<Descriptor>& duplicates() const { return duplicates_; }

 private:
  std::vector<Descriptor> list_;
  std::vector<Descriptor> duplicates_;
  u64 unnamed_ = 0;
  bool truncated_ = false;
};

}  // namespace pgokit::probe

#pragma once

// The lines that tell which probes an instruction has, as llvm-profgen prints them:
//
//    [Probe]:	FUNC: leaf Index: 1  Type: Block  Inlined: @ main:3 @ mid:2

#include <string>
#include <vector>

#include "probe/address_index.h"
#include "program/probe_file.h"

namespace pgokit::cli {

class ProbeLines {
 public:
  ProbeLines(const program::ProbeFile& file, const probe::AddressIndex& index)
      : file_(file), index_(index) {}

  void append(probe::AddressIndex::Entry entry, std::string& text);

 private:
  const std::string& name(u64 guid);

  const program::ProbeFile& file_;
  const probe::AddressIndex& index_;
  std::vector<probe::AddressIndex::Frame> frames_;
  tsl::robin_map<u64, std::string, IntHash> names_;
};

// The index of all probes of a file, from its lowest code address on.
probe::AddressIndex index_probes(const program::ProbeFile& file);

}  // namespace pgokit::cli

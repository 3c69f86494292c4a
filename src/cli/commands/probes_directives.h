#pragma once

// `pgokit probes dump --directives`: assembly that makes the probe sections of a file, and code of
// nothing but gaps for the probes to be in.
//
//   DirectiveDump dump(file, filter, out, true);
//   dump.descriptors();
//   probe::walk_section(section.bytes, file.address_of(section), dump);
//   dump.finish();
//
// A function is a label, .skip up to where its next probes are, and their directives. `probes lower`
// and an assembler make the records of it, clang's the same.

#include <tsl/robin_set.h>

#include "base/hash.h"
#include "cli/function_filter.h"
#include "cli/views/list_output.h"
#include "probe/directive.h"
#include "probe/walk.h"
#include "program/probe_file.h"

namespace pgokit::cli {

class DirectiveDump {
 public:
  // Names are always those of the file.
  DirectiveDump(const program::ProbeFile& file, const FunctionFilter& filter, ListOutput& out,
                bool mangled);

  void descriptors();
  // For probe::walk_section().
  void begin(const probe::RecordHead& head);
  void enter(const probe::RawNode& node);
  void probe(const probe::RawProbe& raw, u64 address);
  void leave() { path_.pop_back(); }

  void finish();
  bool any() const { return any_; }  // function was shown

 private:
  struct Placed {
    u64 address = 0;
    u32 calls = 0, call_count = 0;  // in calls_
    u64 function = 0;
    probe::NewProbe probe;
  };

  std::string symbol_of(u64 guid) const;
  void write_function();

  const program::ProbeFile& file_;
  const FunctionFilter& filter_;
  ListOutput& out_;
  bool any_ = false, shown_ = false;
  probe::RecordHead head_;                // of the records that are collected
  std::vector<probe::CallSite> path_;     // to the node: {function, call in its parent}
  std::vector<probe::CallSite> calls_;    // of all of `placed_`
  std::vector<Placed> placed_;            // of one symbol
  tsl::robin_set<u64, IntHash> written_;  // symbols
  u64 unnamed_ = 0;                       // descriptors that are left out
  u64 before_ = 0, again_ = 0;            // probes that are
};

}  // namespace pgokit::cli

#pragma once

// Options of LLVM's libraries, which every command of llvm-profdata takes; those that change what
// it does with sample profiles.

#include "analysis/overlap.h"
#include "cli/options.h"
#include "profile/format.h"

namespace pgokit::cli {

struct LibraryOptions {
  bool flow_sensitive = false, contextless_summary = true, merged_base_profiles = false;
  std::string flow_sensitive_pass = "PassLast";
  i64 hot_cutoff = profile::hot_cutoff, cold_cutoff = profile::cold_cutoff;  // per million
  i64 hot_count = -1, cold_count = -1;  // in place of those at the cutoffs, unless negative
  bool ignored = false;
  std::string ignored_value;

  profile::ReadOptions reading() const;
  analysis::HotRule hot_rule() const;
  u64 cold_threshold(const profile::Summary& summary) const;
};

void add_library_options(OptionTable& table, LibraryOptions& options);
Status check_library_options(const LibraryOptions& options);

// Of --instr and --sample the last one counts.
void choose_profile_kind(std::span<char* const> arguments, bool& sample);

}  // namespace pgokit::cli

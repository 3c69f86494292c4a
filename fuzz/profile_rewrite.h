#pragma once

#include "base/cursor.h"
#include "profile/format.h"

// What was read can be written and loads, and from the second time on reads and writes as the same
// bytes. (The first time may lose what the file form has no place for, and hash names.)
inline void check_rewrite(const pgokit::profile::ReadProfile& read) {
  using namespace pgokit;
  (void)profile::write_text(read.profile, {.notes = true});
  if (!read.far_line.empty()) return;  // only text can hold it: not written again
  profile::WriteOptions options{.md5_names = read.md5_names, .vtables = true, .notes = true};
  auto rewrite = [&](const profile::Profile& profile) {
    auto bytes = profile::write_extbinary(profile, options);
    if (!bytes) __builtin_trap();
    return *bytes;
  };
  auto reread = [](const std::string& bytes) {
    auto again = profile::read_profile(as_bytes(bytes));
    if (!again) __builtin_trap();
    return std::move(again->profile);
  };
  auto settled = rewrite(reread(rewrite(read.profile)));
  if (rewrite(reread(settled)) != settled) __builtin_trap();
}

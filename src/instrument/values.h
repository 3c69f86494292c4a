#pragma once

// What sites recorded: targets of indirect calls, tables of functions, sizes of copies.
//
//   auto read = instrument::read_values(module, dump);
//   for (const auto& value : read.values) use(module.sites[value.site], value.value, value.count);
//
// Everything that was recorded is in it, as a value or as dropped, whatever the dump holds.

#include <functional>
#include <span>
#include <vector>

#include "instrument/dump.h"
#include "instrument/module.h"

namespace pgokit::instrument {

struct DumpedValue {
  u32 site = 0;
  u32 module = 0;  // number in the dump's modules, from 1; 0: the dump's own, or not known
  u64 value = 0;   // addresses are the process's
  u64 count = 0;
};

struct DumpedValues {
  std::vector<DumpedValue> values;  // a value may be there more than once
  std::vector<u64> dropped;         // by site
  u64 unknown = 0;                  // rows of no site of the map
  u64 implausible = 0;              // sites with counts over 2^56: left out
};

DumpedValues read_values(const Module& module, const Dump& dump);

// Adds equal values up, sorted.
void fold_values(std::vector<SiteValue>& values);

// The values of one site, the most frequent first. They are views into the profile's.
struct SiteSummary {
  u32 module = 0, site = 0;
  u64 total = 0;  // with what was dropped
  u64 dropped = 0;
  std::vector<SiteValue> values;
};

// Sites that were reached, those most often first.
std::vector<SiteSummary> summaries_of(const Profile& profile, u32 kind);

// Of all that was recorded in these sites, what their `most` most frequent values make up.
u64 covered(std::span<const SiteSummary> sites, size_t most);

// That a value of MIP_TABLES is in; null: it is of another kind, or in none that a map tells.
const Table* table_of(const Profile& profile, const SiteValue& value);

// "_Z3addii", "_ZTV5Shape+16", "malloc in libc.so.6", "0x7f0012" of no module.
std::string value_name(const Profile& profile, const SiteValue& value);
// With the function's name as `shown` gives it.
std::string value_name(const Profile& profile, const SiteValue& value,
                       const std::function<std::string(std::string_view)>& shown);

}  // namespace pgokit::instrument

#pragma once

// Which build id a recording's own list has for a mapped file.
//
//   BuildIds ids(recording.features().build_ids);
//   Bytes id = ids.of(mapping.path);                  // empty: not in the list
//
// Programs and libraries are listed under the path that they were mapped from. The kernel and its
// modules have several names: the kernel is mapped as "[kernel.kallsyms]_text" and listed as
// "[kernel.kallsyms]" or under the path of a vmlinux, a module is "[snd_hda_intel]" here and
// ".../snd-hda-intel.ko.xz" there.

#include <tsl/robin_map.h>

#include <string>
#include <string_view>
#include <vector>

#include "perf/records.h"

namespace pgokit::perf {

// The kernel's own mapping; perf names the symbol behind the brackets that its addresses are
// relative to.
bool is_kernel(std::string_view path);

// "3c5cc98c..."
std::string hex(Bytes id);

class BuildIds {
 public:
  // The list must outlive this.
  explicit BuildIds(const std::vector<BuildId>& list);

  Bytes of(std::string_view path) const;

 private:
  tsl::robin_map<std::string_view, Bytes> by_path_;
  tsl::robin_map<std::string, Bytes> modules_;
  Bytes kernel_;
};

}  // namespace pgokit::perf

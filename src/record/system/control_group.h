#pragma once

// A control group (cgroup), whose processes are recorded together: those of a service, of a
// container.
//
//   auto group = TRY(ControlGroup::find("system.slice/nginx.service"));
//   for (pid_t pid : group.processes()) ...
//
// Format: cgroups(7), cgroup.procs.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pgokit::record {

class ControlGroup {
 public:
  // By its folder, or by its name in one of the hierarchies that are mounted, the unified one (v2)
  // first.
  static Result<ControlGroup> find(std::string_view name);
  // Without a look whether it is there.
  explicit ControlGroup(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  // Of it and of the groups in it, without the caller and without those of other PID namespaces.
  // Empty also where the group has been removed.
  std::vector<pid_t> processes() const;
  // The same; an error where there are none.
  Result<std::vector<pid_t>> some_processes() const;

 private:
  std::string folder_;
};

}  // namespace pgokit::record

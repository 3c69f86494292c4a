#pragma once

// What this process may do, and what it is confined to: a container, for instance.
//
//   auto own = own_privileges();
//   if (!own.sys_ptrace) ...
//
// Sources of truth: status in proc(5); the numbers that the kernel gives to the first namespaces
// (include/linux/proc_ns.h).

#include <sys/types.h>

#include <string>

namespace pgokit::record {

struct Privileges {
  bool pid_namespace = false, user_namespace = false;  // not the first ones
  bool seccomp = false;                                // its system calls are filtered
  bool sys_ptrace = false;                             // CAP_SYS_PTRACE, in its user namespace
};

Privileges own_privileges();

// Why /proc does not tell of the processes that this one knows; empty where it does.
std::string process_files_obstacle();
// Why this process may not trace that one, and who may; empty where its credentials permit it, as far
// as /proc tells.
std::string tracing_obstacle(pid_t pid);

}  // namespace pgokit::record

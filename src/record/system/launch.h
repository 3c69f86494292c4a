#pragma once

// Starts a program in two steps, so that it can be seized before it runs.
//
//   auto program = TRY(Launch::prepare({"./app", "x"}, signals));
//   ... ptrace(PTRACE_SEIZE, program.pid(), ...)
//   TRY(program.go([] {}));             // fails if it cannot be executed
//
// One that is not let go never runs.

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace pgokit::record {

class Launch {
 public:
  // `signals` will be blocked in the program: what was blocked in the recorder at first.
  // `same_addresses`: its code and data lie where they lie in each run.
  static Result<Launch> prepare(const std::vector<std::string>& command, const sigset_t& signals,
                                bool same_addresses = false);
  Launch(Launch&& other) noexcept;
  ~Launch();

  pid_t pid() const { return pid_; }
  // Waits for the attempt to exec(). `meanwhile` is called now and then: a signal that comes before it
  // stops the process, for its tracer to let it go on or end.
  Status go(const std::function<void()>& meanwhile);

 private:
  Launch() = default;

  pid_t pid_ = 0;
  int start_ = -1;    // closed to let it go
  int failure_ = -1;  // carries errno if exec() fails
  std::string name_;
};

}  // namespace pgokit::record

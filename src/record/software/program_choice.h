#pragma once

// Which of the programs that the followed processes execute are recorded.
//
//   ProgramChoice choice({"bison"});           // what `--only bison` names
//   if (choice.takes(pid)) ...                 // at each exec()
//   for (const auto& name : choice.seen()) ...
//
// A name is that of the file which a process executes (python3.11), or what it was called by (python3,
// or the name of a script). One with a slash is a path, and names the very file.

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace pgokit::record {

class ProgramChoice {
 public:
  // None: all programs are recorded.
  explicit ProgramChoice(std::vector<std::string> only = {}) : only_(std::move(only)) {}

  bool takes_all() const { return only_.empty(); }
  // By what a process runs that lives.
  bool takes(pid_t pid);
  // The names of the first few programs that it was asked about, each once.
  const std::vector<std::string>& seen() const { return seen_; }

 private:
  std::vector<std::string> only_, seen_;
};

}  // namespace pgokit::record

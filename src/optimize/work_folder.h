#pragma once

// The folder of a command that builds and runs programs: what is kept of each step, and its
// commands, which are shown as a person can type them.
//
//   auto work = TRY(WorkFolder::open(".pgokit", say));
//   TRY(work.run({.text = "make", .log = "plain/log"}));         // "$ make"; what it prints is logged
//   TRY(work.keep("src/app", "plain/app"));
//
// One command at a time works in a folder: a second one is refused.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "measure/run.h"

namespace pgokit::optimize {

using Say = std::function<void(const std::string& line)>;

struct ShellCommand {
  std::string text;        // for a shell
  std::string log;         // the file in the folder that its output goes to
  std::string shown = {};  // instead of the text
  measure::Environment environment = {};
};

class WorkFolder {
 public:
  static Result<WorkFolder> open(const std::string& path, Say say);
  WorkFolder(WorkFolder&& other) noexcept;
  ~WorkFolder();

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }
  std::string absolute(std::string_view name) const;
  // `file` of another folder inside of this one: `name` and all folders above it are made.
  Status make_folder(const std::string& name) const;
  Status write(const std::string& name, std::string_view text, bool executable = false) const;
  // A copy that appears whole or not at all, and is executable as the original is.
  Status keep(const std::string& from, const std::string& name) const;
  Status put_back(const std::string& name, const std::string& to) const;

  // An error where it fails, with the last line that it printed.
  Status run(const ShellCommand& command) const;
  // The same where its end decides what is next.
  Result<measure::Run> try_to_run(const ShellCommand& command) const;
  Error failure(const ShellCommand& command, const measure::Run& run) const;
  // This program: "pgokit", and what follows it.
  ShellCommand pgokit(const std::string& arguments, const std::string& log) const;

  void say(const std::string& line) const { say_(line); }

 private:
  WorkFolder(std::string path, Say say) : path_(std::move(path)), say_(std::move(say)) {}

  std::string path_;
  Say say_;
  int lock_ = -1;
};

}  // namespace pgokit::optimize

#pragma once

// What has been done, so that an interrupted command goes on where it stopped.
//
//   auto journal = TRY(Journal::read(path));               // empty where there is none
//   if (auto result = journal.done("build", "make")) return *result;
//   TRY(journal.add("build", "make", "src/app"));
//
// Steps are asked for in their order. One that was done with other words, and all after it, are to
// be done again. The file has a line for each: name, words and result, separated by tabs.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::optimize {

class Journal {
 public:
  static Result<Journal> read(const std::string& path);
  static Result<Journal> parse(std::string_view text);

  // The result of the step that is next, where it was done in the same words.
  std::optional<std::string> done(std::string_view step, std::string_view words);
  // A step that was done is left, which the next one may or may not be.
  bool has_next() const { return next_ < entries_.size(); }
  // The file has only the steps up to here from now on: what is done next changes what all others
  // have left.
  Status write() const;
  // The file has it when this returns.
  Status add(std::string_view step, std::string_view words, std::string_view result);
  // Everything is done again.
  void clear() { entries_.clear(), next_ = 0; }
  bool has(std::string_view step) const;
  bool empty() const { return entries_.empty(); }

  std::string text() const;

 private:
  struct Entry {
    std::string step, words, result;
  };
  std::string path_;
  std::vector<Entry> entries_;
  size_t next_ = 0;
};

// Of a command that keeps a journal: one that was interrupted says how it goes on.
Error to_go_on(Error error);

}  // namespace pgokit::optimize

#pragma once

// Where a profile comes from: a note of each recording that it was made of. Compilers pass over
// them; docs/formats/sample-profile.md says how files hold them.
//
//   Notes notes;
//   notes.add(Note{.date = 1700000000, .program = "app", .build_id = "2bf972f0"});
//   std::string lines = notes.text("# ");                // a line each, printable ASCII
//   Notes again;
//   for (std::string_view line : lines_of(lines)) again.read_line(line);
//
// The newest are kept and the rest are counted, so that sums of sums stay small: notes add up in
// any order and grouping, and a file cannot make them grow.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::profile {

// What is not known is empty, or 0.
struct Note {
  u64 date = 0;          // of the recording: seconds since 1970, UTC
  std::string program;   // the name of its file
  std::string build_id;  // in hexadecimal
  std::string kind;      // how it was recorded ("whole run")
  std::string command;   // what was run: the workload
  std::string machine;
  std::string recorder;  // the tool, with its version
  std::string made_by;   // that made the profile
  u64 samples = 0;       // of the profile
  auto operator<=>(const Note&) const = default;
};

class Notes {
 public:
  static constexpr size_t most_kept = 16;
  static constexpr size_t longest_text =
      1000;  // of a part of a note, in bytes; the rest is cut off

  void add(Note note);
  void add(const Notes& more);

  bool empty() const { return kept_.empty() && older_ == 0; }
  std::span<const Note> newest() const { return kept_; }               // from the newest on
  u64 older() const { return older_; }                                 // that were not kept
  u64 date() const { return kept_.empty() ? 0 : kept_.front().date; }  // of the newest

  // Lines "date=2023-11-14T22:13:20Z program=app ..." with `prefix` in front of each. Bytes that
  // are not visible ASCII, and %, are %XX.
  std::string text(std::string_view prefix) const;
  // One of these lines without its prefix. Parts that are not known are passed over.
  void read_line(std::string_view line);

  bool operator==(const Notes&) const = default;

 private:
  std::vector<Note> kept_;  // descending
  u64 older_ = 0;
};

}  // namespace pgokit::profile

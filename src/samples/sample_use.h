#pragma once

// What becomes of samples: each is used, or dropped for one cause. They are only counted by what
// became of them, so that samples in = samples used + samples dropped by construction.
//
//   SampleUse use;
//   use.count(Fate::elsewhere);
//   for (const auto& cause : drop_causes) print(use[cause.fate], cause.text);

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "base/types.h"

namespace pgokit::samples {

enum class Fate : u8 {
  used,
  without_branches,  // its branch stack is empty, or its event has none
  other_event,       // of an event that is not counted
  elsewhere,         // of a process, or a time, in which the program was not mapped
  not_in_program,    // nothing of it touches the program
  bad_call_chain,    // its call chain is broken, or begins where there is no frame yet
  unreadable,
};

struct DropCause {
  Fate fate;
  std::string_view key;   // of JSON
  std::string_view text;  // "3 samples ..."
};

inline constexpr DropCause drop_causes[] = {
    {Fate::without_branches, "without_branches", "without branch stack"},
    {Fate::other_event, "other_events", "of other events"},
    {Fate::elsewhere, "elsewhere", "of other processes"},
    {Fate::not_in_program, "not_in_program", "outside of the program"},
    {Fate::bad_call_chain, "bad_call_chain", "with a broken call chain or in a prologue"},
    {Fate::unreadable, "unreadable", "unreadable"}};

class SampleUse {
 public:
  void count(Fate fate, u64 weight = 1) { of_[static_cast<size_t>(fate)] += weight; }
  // The branch stack of a sample, or its call chain where it has none.
  void note_stack(Fate fate, u64 stack_entries, u64 outside, u64 weight = 1) {
    deepest = std::max(deepest, stack_entries);
    if (fate != Fate::used) return;
    entries += stack_entries * weight;
    entries_elsewhere += outside * weight;
  }

  u64 operator[](Fate fate) const { return of_[static_cast<size_t>(fate)]; }
  u64 used() const { return (*this)[Fate::used]; }
  u64 samples() const { return std::accumulate(of_.begin(), of_.end(), u64{0}); }

  u64 entries = 0;            // of the stacks of samples used
  u64 entries_elsewhere = 0;  // of these: both ends outside of the program
  u64 entries_wrong_path = 0;
  u64 deepest = 0;  // entries of the largest stack that was looked through

  void add(const SampleUse& other) {
    for (size_t i = 0; i < of_.size(); ++i) of_[i] += other.of_[i];
    entries += other.entries;
    entries_elsewhere += other.entries_elsewhere;
    entries_wrong_path += other.entries_wrong_path;
    deepest = std::max(deepest, other.deepest);
  }

 private:
  std::array<u64, std::size(drop_causes) + 1> of_{};
};

}  // namespace pgokit::samples

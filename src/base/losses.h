#pragma once

// What was lost on the way, counted and told once.
//
//   Losses losses;
//   losses.add("branch entries with an address outside the program", 12, 400);
//   losses.print(stderr, "pgokit generate");
//
// A reader that skips a broken record adds to a field of its own counts struct (plain integers, no
// look-ups per record); whoever prints puts the sentence to the number.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit {

struct Loss {
  std::string what;  // a noun phrase: "samples of other programs"
  u64 count = 0;
  u64 of = 0;  // out of how many; 0 where that makes no sense
};

class Losses {
 public:
  // Nothing is kept for a count of zero; equal sentences are summed.
  void add(std::string_view what, u64 count, u64 of = 0);
  const std::vector<Loss>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  void print(std::FILE* out, std::string_view prefix) const;

 private:
  std::vector<Loss> list_;
};

}  // namespace pgokit

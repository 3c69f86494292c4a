#pragma once

// What the frames of stacks are called in folded stacks: shorter than in the program, and without
// what the form uses itself.

#include <vector>

#include "stacks/write/folded.h"

namespace pgokit::stacks {

class FoldedNames {
 public:
  FoldedNames(const Stacks& stacks, const FoldedOptions& options, Names& names)
      : stacks_(stacks), options_(options), names_(names) {}

  NameId root(const Track& track);

  // Names of a location's frames, outermost first, valid until the next call. Functions of Java
  // have names of their own.
  std::span<const NameId> of(u32 location, bool is_java);

 private:
  void add_frame(const Frame& frame, const Location& at, bool is_inlined, bool is_java);
  void add_name(std::string name, const Location& at, bool is_inlined);
  std::string nameless(const Location& at) const;

  struct Part {
    u32 first = 0, size = 0;  // of list_
  };
  const Stacks& stacks_;
  const FoldedOptions& options_;
  Names& names_;
  std::vector<Part> made_[2];  // by location; [1]: of Java
  std::vector<NameId> list_;
};

}  // namespace pgokit::stacks

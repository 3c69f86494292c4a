#pragma once

// The functions of stacks as viewers list them: by name, source file and module.
//
//   FunctionList functions(stacks);
//   for (u32 function : functions.of(location)) use(functions.list()[function].name);

#include "stacks/model/stacks.h"

namespace pgokit::stacks {

class FunctionList {
 public:
  struct Function {
    std::string name;              // demangled; "[libc.so.6]" where only the module is known
    std::string_view linked_name;  // as in the program; empty: not known
    std::string_view file;         // of the source; empty: not known
    u32 start_line = 0;
    u32 module = 0;
  };

  explicit FunctionList(const Stacks& stacks);

  const std::vector<Function>& list() const { return list_; }
  // Those of the location's frames, outermost first.
  std::span<const u32> of(u32 location) const {
    const auto& at = stacks_.locations[location];
    return std::span(numbers_).subspan(at.first_frame, at.frames);
  }

 private:
  const Stacks& stacks_;
  std::vector<Function> list_;
  std::vector<u32> numbers_;  // by frame
};

// "app 12/13 cycles"; without the event where there is only one.
std::string track_name(const Stacks& stacks, const Track& track);

}  // namespace pgokit::stacks

#pragma once

// Which function of a program an address is in, by its symbols: the names that linkers know. Asked
// for both ends of every branch of a recording, so a table of stretches of code comes before the
// search.
//
//   order::CodeFunctions functions(symbols, model);
//   auto at = functions.at(address);          // .function, .is_start; nullopt: in none

#include <optional>

#include "order/model.h"
#include "order/symbols.h"

namespace pgokit::order {

class CodeFunctions {
 public:
  // Functions are added to the model when they are first hit.
  CodeFunctions(const LinkSymbols& symbols, Model& model);

  struct At {
    u32 symbol = 0;
    bool is_start = false;
  };
  std::optional<At> at(u64 address) const;
  // The function of the model; not for two threads at a time.
  u32 function(u32 symbol);

 private:
  struct Function {
    u64 address = 0, size = 0;
    u32 symbol = 0;
  };

  void divide();
  u64 stretch_of(u64 address) const { return (address - by_address_.front().address) >> shift_; }

  const LinkSymbols& symbols_;
  Model& model_;
  std::vector<Function> by_address_;  // one per address
  // Stretches of code of 2^shift_ bytes, from the first function on: the first function that begins
  // in each; at the end, all of them.
  std::vector<u32> begins_;
  unsigned shift_ = 4;
};

}  // namespace pgokit::order

#pragma once

// What llvm-profgen looks at in a call chain, to tell whether a sample can be used.

#include "program/program.h"

namespace pgokit::samples {

// The first two instructions of a function and the last two before it returns: a sample there has a
// chain without its caller.
bool in_prologue_or_epilogue(const program::Program& program, program::CodeIndex at);

// The call that returns to an instruction; no_code where none stands before it.
inline program::CodeIndex call_before(const program::CodeMap& code, program::CodeIndex at) {
  auto before = code.before(at);
  return before != program::no_code && code.is_call(before) ? before : program::no_code;
}

}  // namespace pgokit::samples

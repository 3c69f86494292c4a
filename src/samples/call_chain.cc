#include "samples/call_chain.h"

namespace pgokit::samples {
namespace {

using program::CodeIndex;

bool starts_function(const program::Program& program, CodeIndex at) {
  return program.functions().starting_at(program.code().address_of(at).value) != nullptr;
}

}  // namespace

bool in_prologue_or_epilogue(const program::Program& program, CodeIndex at) {
  const auto& code = program.code();
  if (code.is_return(at) || starts_function(program, at)) return true;
  CodeIndex next = code.at_or_after(CodeIndex(static_cast<u32>(at) + code.length(at)));
  if (next != program::no_code && code.is_return(next)) return true;
  CodeIndex before = code.before(at);
  return before != program::no_code && starts_function(program, before);
}

}  // namespace pgokit::samples

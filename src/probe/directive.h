#pragma once

// The operands of a .pseudoprobe directive, as clang -S writes them:
//
//   GUID INDEX TYPE [ATTRIBUTES] [DISCRIMINATOR] [@ GUID:CALL-SITE]... [SYMBOL]
//
//   Directive one;
//   TRY(parse_directive("5 2 0 0 @ 7:3 f", one));
//   std::string line;
//   print_directive(one, line);                    // "\t.pseudoprobe\t5 2 0 0 @ 7:3 f"
//
// Numbers are unsigned, in decimal, hexadecimal, octal or binary. The discriminator is there
// exactly if the attributes have its bit. The calls are the inline stack, the outermost first;
// SYMBOL is the function with the code. The first compilers with probes left the symbol out, and
// attributes that are 0: the function is then the one that the directive stands in.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/encoder.h"

namespace pgokit::probe {

struct Directive {
  u64 function = 0;
  NewProbe probe;  // without a place
  std::vector<CallSite> inlined_by;
  std::string_view symbol;  // as written, with its quotes; empty if it is not there
};

// `out` may be used again and again. The error has no place in it.
Status parse_directive(std::string_view operands, Directive& out);

// As clang prints it, without an end of the line. What is parsed from it is `one` again.
void print_directive(const Directive& one, std::string& out);

// An integer as assemblers write it, a sign included; the whole of `text`.
bool parse_integer(std::string_view text, u64& value);

}  // namespace pgokit::probe

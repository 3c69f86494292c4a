#pragma once

// The source of functions that were inlined, with counts: in the code of one function, or in all
// code that ran.
//
//   for (const InlinedLines& one : inlined_lines(code)) use(one.function, one.lines);
//
//   InlinedNames names(program, counts);                  // of all code that ran
//   for (const auto& [name, hosts] : names.hosts())
//     InlinedFunction all = inlined_function(name, hosts, reader);
//
// A copy is what was inlined by one chain of calls, told apart by their lines. In a copy a line
// counts as often as its most frequent instruction, and copies add up.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "annotate/function_code.h"

namespace pgokit::annotate {

struct InlinedLines {
  std::string_view function;
  u32 file = 0;                   // of FunctionCode::files
  u64 instructions = 0;           // executed, without those of what was inlined in it
  std::vector<SourceLine> lines;  // ascending
};

// Those with most instructions first; none that did not run.
std::vector<InlinedLines> inlined_lines(const FunctionCode& code);

// By the linkage name of each function that was inlined in code that ran: the functions that this
// code is of.
class InlinedNames {
 public:
  InlinedNames() = default;
  InlinedNames(const program::Program& program, const CodeCounts& counts);
  const std::map<std::string, std::set<u32>, std::less<>>& hosts() const { return hosts_; }

 private:
  std::map<std::string, std::set<u32>, std::less<>> hosts_;
};

// One function in all its copies.
struct InlinedFunction {
  struct Host {
    u32 function = 0;
    u64 instructions = 0;  // executed there
  };
  struct Source {
    std::string file;
    std::vector<SourceLine> lines;  // ascending
  };
  std::string name;
  u64 instructions = 0;
  std::vector<Host> hosts;      // the most instructions first
  std::vector<Source> sources;  // several where functions of several files have the name
};

InlinedFunction inlined_function(std::string_view name, const std::set<u32>& hosts,
                                 CodeReader& reader);

}  // namespace pgokit::annotate

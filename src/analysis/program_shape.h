#pragma once

// What a program's functions look like to a profile: places, call sites and checksums, from debug
// information or probes. It is what a profile of another build is held against.
//
//   auto shape = TRY(read_shape(program, true, threads));
//   if (const FunctionShape* f = shape.find("main")) use(f->checksum, f->anchors);
//
// Of a program with its libraries, which one profile is for, a ShapeReader makes one shape.
//
// All code of the program is looked at, on all threads.

#include <tsl/robin_map.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "probe/damage.h"
#include "profile/model/function_samples.h"
#include "program/program.h"

namespace pgokit::analysis {

// A call site: where, and which functions are called or inlined there.
struct Anchor {
  profile::LineLocation at;
  std::vector<NameId> callees;  // ascending; of the table of names that goes with it
  bool indirect = false;        // the callee is not known before it runs
  bool jump = false;            // an indirect jump: a tail call, or one to a case of a switch
  bool chain = false;           // of a profile: known from chains of calls, which lack tail calls
};

struct FunctionShape {
  std::vector<Anchor> anchors;                // by place
  std::vector<profile::LineLocation> places;  // ascending
  u64 checksum = 0;                           // of programs with probes
  u64 code_bytes = 0;                         // 0: inlined everywhere
  u32 line_zero = 0;                          // of lines: the place of code that has no line
  std::vector<NameId> tail_callees;           // of lines: whom its code, inlinees too, jumps to
  bool jumps = false;                         // ... or it jumps to whom the code does not tell
  bool known = false;                         // there is code or a descriptor of it
  // The function whose code it shares: equal code is kept once by linkers (--icf) and compilers
  // (Rust's), under all names. Calls go to that one.
  std::optional<NameId> folded_into;
};

class ProgramShape {
 public:
  // By its canonical name; null if the program has no such function.
  const FunctionShape* find(std::string_view name) const;
  const FunctionShape* find_guid(u64 guid) const;
  // The name under which the program has it; empty if it has not.
  std::string_view name_of_guid(u64 guid) const;

  Names names;
  std::vector<FunctionShape> functions;  // by NameId
  bool has_probes = false;
  probe::Damage probe_damage;
  u64 code_bytes = 0;  // of all functions

  FunctionShape& function(NameId name);
  void index_guids();

 private:
  tsl::robin_map<u64, u32> by_guid_;
};

// With `probes` by probes, else by debug information; it is an error if a program lacks that.
class ShapeReader {
 public:
  ShapeReader(bool probes, unsigned threads);

  Status add(const program::Program& program);
  ProgramShape shape() &&;

 private:
  ProgramShape shape_;
  unsigned threads_;
};

Result<ProgramShape> read_shape(const program::Program& program, bool probes, unsigned threads);

}  // namespace pgokit::analysis

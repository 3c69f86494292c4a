#pragma once

// What can be said of a program at a glance: can it be profiled, and what would help.
//
//   ProgramFacts facts = TRY(read_facts(path, file));
//   if (!facts.debug) say("compile with -g");

#include <optional>
#include <string>

#include "base/result.h"
#include "dwarf/debug_info.h"
#include "object/file.h"

namespace pgokit::program {

struct ProbeFacts {
  u64 functions = 0;  // with a descriptor
  u64 records = 0;    // bodies with probes: functions with code, and parts split off
  u64 section_bytes = 0;
  bool damaged = false;
};

struct ProgramFacts {
  std::string kind;     // "program", "position-independent program", "shared object", ...
  std::string machine;  // "x86-64", "AArch64", or a number
  std::string build_id;
  u64 code_bytes = 0;
  bool position_independent = false;
  bool is_static = false;     // needs no dynamic loader
  bool symbols = false;       // .symtab
  bool block_map = false;     // .llvm_bb_addr_map
  bool instrumented = false;  // counts for clang's instrumented PGO
  std::string producer;       // the compiler, as producer_of() tells
  std::string debug_link;     // file with the debug information split off
  std::optional<dwarf::Facts> debug;
  std::string debug_error;  // why the debug information that is there cannot be read
  std::optional<ProbeFacts> probes;
};

Result<ProgramFacts> read_facts(const std::string& path, const object::File& file);

}  // namespace pgokit::program

#pragma once

// Counters joined with debug information: where functions and blocks are in source files, and how
// often each line ran.
//
//   instrument::Places places(debug);
//   places.of(function.address, function.address + 1).text();  // "src/app.c:12"
//   for (const auto& file : instrument::source_lines(module, debug)) use(file.name, file.lines);

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dwarf/debug_info.h"
#include "instrument/module.h"

namespace pgokit::instrument {

struct Place {
  std::string file;  // empty: not known
  u32 line = 0;
  std::string text() const;  // without folders; empty where nothing is known
};

class Places {
 public:
  explicit Places(const dwarf::DebugInfo& debug) : debug_(debug), cursor_(debug) {}
  // Of the first instruction from `begin` on whose line is known.
  Place of(u64 begin, u64 end);
  // Where the function is declared.
  Place of_function(const Function& function);

 private:
  // The first part that tells a line; null: none does. Valid until the next call.
  const dwarf::FramePart* first_known(u64 begin, u64 end);

  const dwarf::DebugInfo& debug_;
  dwarf::FrameCursor cursor_;
};

struct SourceFunction {
  u32 line = 0;  // 0: not known
  std::string_view name;
  u64 calls = 0;
};

struct SourceFile {
  std::string name;
  std::map<u32, u64> lines;               // line → executions: those of its most frequent block
  std::vector<SourceFunction> functions;  // by line, then name
};

// Of all functions of the module whose blocks were counted or covered, by name. Where blocks were
// only covered, the counts are of dumps. Functions whose blocks are not known come without lines.
// Lines of inlined code count where they stand in the source.
std::vector<SourceFile> source_lines(const Module& module, const dwarf::DebugInfo& debug);

// The same as .info of lcov: what genhtml and editors read.
struct LcovInfo {
  std::string text;
  u64 left_out = 0;  // files and functions whose names fit in no line
};
LcovInfo lcov_info(const std::vector<SourceFile>& files, std::string_view test_name);

// The text of a source file with executions in front of each line; `#####` never ran.
std::string annotate(const SourceFile& file, std::string_view text);

}  // namespace pgokit::instrument

#pragma once

// The machine code of one function with counts, places in the source, probes, branches and callers.
//
//   CodeReader reader = TRY(CodeReader::of(program, counts, isa::Syntax::att));
//   FunctionCode code = reader.read(function);
//   for (const Instruction& one : code.instructions) use(one.count, one.text);
//   for (const SourceLine& line : own_lines(code).lines) use(line.line, line.count);
//
// A reader is for one thread.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "annotate/code_counts.h"
#include "isa/formatter.h"
#include "probe/table.h"

namespace pgokit::annotate {

inline constexpr u32 nowhere = ~u32{0};

// Where an instruction comes from: the line in the function itself, and in what was inlined there.
struct Place {
  struct Frame {
    u32 file = nowhere;  // of FunctionCode::files
    u32 line = 0;        // 0: not known
    std::string_view function;
    bool operator==(const Frame&) const = default;
  };
  std::vector<Frame> frames;  // outermost first; empty: nothing is known
};

struct Instruction {
  u64 address = 0;
  u64 count = 0;
  u32 bytes = 0;
  u32 place = 0;        // of FunctionCode::places
  bool leaves = false;  // a jump or return: what follows is another block
  std::string text;     // "movq\t%rsp, %rbp"; of bytes that are none ".byte"
};

// A pseudo probe at an instruction.
struct CodeProbe {
  u32 instruction = 0;  // of FunctionCode::instructions
  u32 discriminator = 0;
  probe::Type type{};
  // Outermost first, with the probes of the calls; the last is the probe itself. Names are the
  // program's; empty: not known.
  std::vector<probe::Frame> frames;
};

// A conditional branch, or a jump or call that was seen to go somewhere.
struct Branch {
  enum class Kind : u8 { conditional, jump, call, ret };
  struct Target {
    u64 address = 0;                // samples::external: out of the program
    std::optional<u32> function{};  // in which it lies
    u64 count = 0;
  };
  u32 instruction = 0;  // of FunctionCode::instructions
  Kind kind{};
  std::vector<Target> targets;  // the most frequent first
  u64 taken = 0;                // of them all

  // Of a conditional branch; nullopt where it did not run.
  std::optional<double> probability(u64 ran) const;
};

struct Caller {
  u64 address = 0;                // of the call; samples::external: out of the program
  std::optional<u32> function{};  // in which it lies
  u64 count = 0;
};

struct FunctionCode {
  u32 function = 0;
  std::vector<std::string> files;
  std::vector<Place> places;
  std::vector<Instruction> instructions;  // by address
  std::vector<CodeProbe> probes;          // by instruction
  std::vector<Branch> branches;           // by instruction
  std::vector<Caller> callers;            // the most frequent first
  u64 left_out = 0;                       // bytes of code beyond what is read of one function
};

class CodeReader {
 public:
  // An error where the program's machine has no disassembler. `program` and `counts` stay.
  static Result<CodeReader> of(const program::Program& program, const CodeCounts& counts,
                               isa::Syntax syntax);
  // At most `most_bytes` of its code.
  FunctionCode read(u32 function, u64 most_bytes = u64{1} << 20);

 private:
  CodeReader(const program::Program& program, const CodeCounts& counts, isa::Formatter formatter);
  probe::Decoded probes_in(u32 function) const;
  void read_range(const program::FunctionRange& range, const probe::Decoded& probes,
                  FunctionCode& code);
  void add_probes(const probe::Decoded& probes, u64 address, FunctionCode& code) const;
  u32 place_at(u64 address, FunctionCode& code);
  void add_branch(u64 address, const isa::Instruction& decoded, FunctionCode& code);
  void add_callers(FunctionCode& code) const;
  std::optional<u32> function_at(u64 address) const;
  void name_target(u64 address, std::string& text) const;
  Bytes code_at(u64 begin, u64 end) const;

  const program::Program* program_;
  const CodeCounts* counts_;
  isa::Formatter formatter_;
  std::unique_ptr<dwarf::FrameCursor> frames_;
  std::unique_ptr<probe::Table> probes_;  // null: the program has none
};

// A line of the source with the counts of its code.
struct SourceLine {
  u32 line = 0;
  u64 count = 0;         // of its block's probe; without one of its most frequent instruction
  bool inlined = false;  // some of its code is that of a function that was inlined
};

// Lines of the file that the function itself is in, ascending: code that was inlined counts at the
// call. `file`: which one, of FunctionCode::files; nowhere: its source is not known.
struct SourceLines {
  u32 file = nowhere;
  std::vector<SourceLine> lines;
};
SourceLines own_lines(const FunctionCode& code);

}  // namespace pgokit::annotate

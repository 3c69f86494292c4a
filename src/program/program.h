#pragma once

// The profiled program: its code, functions, inline frames and probes, each read when first needed.
//
//   auto program = TRY(Program::open("./app", {}));
//   TRY(program.load_functions(threads));
//   const auto* range = program.functions().find(address);
//
// Addresses are those that the linker gave (BinaryAddr). Bases are page-rounded, as the kernel
// maps.

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "dwarf/debug_info.h"
#include "dwarf/discriminator.h"
#include "object/file.h"
#include "probe/table.h"
#include "program/code_map.h"
#include "program/functions.h"
#include "program/symbols.h"

namespace pgokit::program {

struct ProgramOptions {
  std::string debug_path;              // file with the debug information; empty: the program itself
  std::string dwp_path;                // package of split debug information; empty: <program>.dwp
  bool use_dwarf = false;              // even when the program has probes
  bool functions_from_symbols = true;  // in programs with probes: code without debug information
  isa::Extensions extensions = isa::Extensions::all;  // AArch64: words that are instructions
  bool as_of_llvm = false;  // GCC's debug information is understood as if LLVM had written it
};

// A mapped piece of code. It begins at a page of 4 KiB, as llvm-profgen has it; a kernel with
// larger pages maps what lies in front of it too. Of COFF: the image, and its first code section as
// an offset in memory.
struct TextSegment {
  u64 address = 0, file_offset = 0;
  u64 file_end = 0;  // behind its last byte, not rounded
};

class Program {
 public:
  static Result<Program> open(const std::string& path, const ProgramOptions& options);

  const std::string& path() const { return path_; }
  const ProgramOptions& options() const { return options_; }
  // Without the folders: what mappings in recordings are compared with.
  std::string_view name() const;
  const object::File& file() const { return *file_; }
  const CodeMap& code() const { return *code_; }
  const CodeSymbols& symbols() const { return *symbols_; }

  // Never empty; the first is where addresses of samples are counted from.
  const std::vector<TextSegment>& text_segments() const { return text_segments_; }
  BinaryAddr text_base() const { return {text_segments_.front().address}; }
  BinaryAddr first_load_base() const { return first_load_base_; }

  // Both probe sections are there and use_dwarf was not asked for.
  bool has_probes() const { return has_probes_; }
  // Of a program that has probes.
  Result<probe::Table> probe_table() const;
  // Discriminators are those of flow-sensitive AutoFDO.
  bool has_fs_discriminators() const { return has_fs_discriminators_; }
  // How they are packed; of a program built by GCC after load_functions().
  dwarf::Discriminators discriminators() const { return discriminators_; }

  // Reads the list of functions; before functions() and debug() are used.
  Status load_functions(unsigned threads);
  const FunctionTable& functions() const { return functions_; }
  // Null where there is none.
  const dwarf::DebugInfo* debug() const { return debug_.get(); }

 private:
  Program() = default;
  Status read_segments();
  Status read_image();
  void detect_fs_discriminators();
  void fit_gcc(unsigned version);

  std::string path_;
  ProgramOptions options_;
  std::unique_ptr<MappedFile> image_, debug_image_;
  std::unique_ptr<object::File> file_, debug_file_;
  std::unique_ptr<CodeSymbols> symbols_;
  std::unique_ptr<CodeMap> code_;
  std::unique_ptr<dwarf::DebugInfo> debug_;
  FunctionTable functions_;
  std::vector<TextSegment> text_segments_;
  BinaryAddr first_load_base_;
  bool has_probes_ = false, has_fs_discriminators_ = false;
  dwarf::Discriminators discriminators_ = dwarf::Discriminators::llvm;
};

}  // namespace pgokit::program

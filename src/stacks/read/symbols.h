#pragma once

// A module's file: which functions are at an address, and those that were inlined there. Of a
// stripped file, names are those of its debug file, where the distribution puts these.
//
//   auto file = ModuleFile::find(module, options);       // null: it is not here
//   u64 address = file->linked_address(file_offset).value_or(0);
//   file->add_frames(address, stacks);                   // to the end of stacks.frames

#include <memory>
#include <optional>

#include "dwarf/debug_info.h"
#include "object/code_symbols.h"
#include "samples/build_file.h"
#include "stacks/read/read.h"

namespace pgokit::stacks {

class ModuleFile {
 public:
  static std::unique_ptr<ModuleFile> find(const Module& module, const ReadOptions& options);

  const object::File& file() const { return *own_.file; }
  const dwarf::DebugInfo* debug() const { return debug_.get(); }

  // Nothing for what is not code.
  std::optional<u64> linked_address(u64 file_offset) const;
  const object::Segment* segment_at(u64 file_offset) const;

  // Outermost first; at least one. Faster for ascending addresses.
  void add_frames(u64 address, Stacks& stacks);
  bool has_names() const { return !symbols_->empty() || debug_; }

 private:
  static std::unique_ptr<ModuleFile> open(const std::string& path, const std::string& build_id,
                                          bool name_is_enough);
  const object::File& names_file() const { return names_ ? *names_->file : *own_.file; }

  samples::BuildFile own_;
  std::optional<samples::BuildFile> names_;  // of a stripped one
  std::unique_ptr<dwarf::DebugInfo> debug_;
  std::unique_ptr<dwarf::FrameCursor> cursor_;
  std::optional<object::CodeSymbols> symbols_;
};

}  // namespace pgokit::stacks

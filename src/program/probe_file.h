#pragma once

// Where the pseudo probes of a file are, and the code that they speak of: programs, shared objects,
// relocatable objects (a section per function), and programs whose symbols or probes are in a
// separate debug file.
//
//   auto file = TRY(ProbeFile::open("a.o", {}));
//   for (const ProbeSection& section : file.sections())
//     probe::walk_section(section.bytes, file.address_of(section), visitor);
//   file.layout().place_of(address);             // section and offset, for objects
//
// Addresses are those of the linker; in a relocatable object those of object::Layout, and
// relocations have been carried out.

#include <tsl/robin_map.h>

#include <memory>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "object/file.h"
#include "object/relocations.h"
#include "probe/table.h"

namespace pgokit::program {

struct ProbeSection {
  Bytes bytes;          // decompressed and relocated
  u32 index = 0;        // of the section, in probes_file()
  u32 code = 0;         // index of the code section it belongs to, where it says so
  u64 file_offset = 0;  // of its first byte; of no use where it is compressed
};

struct ProbeFileOptions {
  std::string debug_path;  // separate debug file; empty: what .gnu_debuglink names, if need be
};

class ProbeFile {
 public:
  // Fails where no file has probes.
  static Result<ProbeFile> open(const std::string& path, const ProbeFileOptions& options);

  const std::string& path() const { return main_->path; }
  // Empty where no debug file was needed.
  std::string debug_path() const { return debug_ ? debug_->path : std::string(); }

  const object::File& main() const { return main_->file; }
  const object::File& probes_file() const { return *probes_file_; }
  const object::File& symbols_file() const { return *symbols_file_; }
  // Null where neither file has the machine code.
  const object::File* code_file() const { return code_file_; }

  const std::vector<ProbeSection>& sections() const { return sections_; }
  const probe::Descriptors& descriptors() const { return descriptors_; }
  u64 descriptor_bytes() const { return descriptor_bytes_; }
  u64 probe_bytes() const;

  const object::Layout& layout() const { return *layout_; }
  const std::vector<object::Symbol>& symbols() const { return symbols_; }
  // By GUIDs of symbol names. In an object those of the section's own code come first; others count
  // too, because GNU ld -r makes one section of the probes of several. Where several symbols have
  // one name the last one counts, as in llvm-profgen.
  probe::Table::AddressOf address_of(const ProbeSection& section) const;
  // The symbol with this GUID; empty where there is none.
  std::string_view symbol_name(u64 guid) const;

 private:
  struct Loaded {
    std::string path;
    MappedFile image;
    object::File file;
  };
  ProbeFile() = default;
  static Result<std::unique_ptr<Loaded>> load(const std::string& path);
  Status find_debug_file(const ProbeFileOptions& options);
  Status read_sections();
  void read_symbols();

  std::unique_ptr<Loaded> main_, debug_;
  const object::File *probes_file_ = nullptr, *symbols_file_ = nullptr, *code_file_ = nullptr;
  std::unique_ptr<object::Layout> layout_;
  std::vector<ProbeSection> sections_;
  std::vector<std::vector<u8>> relocated_;
  probe::Descriptors descriptors_;
  u64 descriptor_bytes_ = 0;
  std::vector<object::Symbol> symbols_;
  tsl::robin_map<u64, u32, IntHash> by_guid_;  // positions in symbols_
  // In objects, where names need not be unique: by section and GUID mixed.
  tsl::robin_map<u64, u32, IntHash> by_section_;
};

}  // namespace pgokit::program

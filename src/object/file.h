#pragma once

// One 64-bit little-endian ELF file: programs, shared objects, relocatable objects, separate debug
// files. Views point into the image, which must outlive the File.
//
//   auto file = TRY(object::File::parse(image));
//   if (const auto *text = file.section(".text")) decode(text->contents, text->address);
//   Bytes info = TRY(file.contents(*file.section(".debug_info")));   // decompressed if need be
//
// Symbols are read only when asked for. Nothing is allocated by a count taken from the file.
// Source of truth: <elf.h> and the System V gABI; SHF_COMPRESSED and .gnu_debuglink as binutils
// write them.

#include <elf.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object {

struct Section {
  std::string_view name;
  u32 index = 0;
  u32 type = 0;
  u64 flags = 0;
  u64 address = 0;
  u64 size = 0;  // of SHT_NOBITS too
  u32 link = 0, info = 0;
  Bytes contents;  // as in the file; empty for SHT_NOBITS

  bool is_code() const { return (flags & SHF_EXECINSTR) && type == SHT_PROGBITS; }
};

struct Segment {
  u32 type = 0, flags = 0;
  u64 offset = 0, address = 0, file_size = 0, memory_size = 0;
  bool is_load() const { return type == PT_LOAD; }
  bool is_code() const { return is_load() && (flags & PF_X); }
};

struct Symbol {
  std::string_view name;
  u64 address = 0;
  u64 size = 0;
  u16 section = 0;  // SHN_UNDEF, SHN_ABS ... or an index
  u8 type = 0;      // STT_FUNC ...
  u8 binding = 0;   // STB_LOCAL ...
};

class File {
 public:
  static Result<File> parse(Bytes image);
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  u16 machine() const { return machine_; }  // EM_X86_64, EM_AARCH64
  u16 type() const { return type_; }        // ET_EXEC, ET_DYN, ET_REL
  u64 entry() const { return entry_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Segment>& segments() const { return segments_; }

  // The first section of that name.
  const Section* section(std::string_view name) const;
  // Its bytes, decompressed once and kept (zlib, zstd, and the old .zdebug_* form). Not for two
  // threads at a time.
  Result<Bytes> contents(const Section& section) const;

  // In file order: of .symtab, or where there is none of .dynsym and of the file that is compressed
  // in .gnu_debugdata: what distributions leave of the symbols of stripped programs, functions
  // only.
  std::vector<Symbol> symbols() const;
  bool has_symtab() const;
  // .symtab or .gnu_debugdata: static functions have names.
  bool has_symbols() const { return has_symtab() || embedded_; }

  // The GNU build id, empty where there is none (8 to 20 bytes are seen in the wild).
  Bytes build_id() const;
  // The file name in .gnu_debuglink, empty where there is none.
  std::string_view debug_link() const;

  Bytes image() const { return image_; }

 private:
  struct Inflated;
  struct Embedded;
  File() = default;
  static Result<File> parse_alone(Bytes image);
  void read_embedded();
  void add_symbols_of(const File& file, u32 table, std::vector<Symbol>& found) const;

  Bytes image_;
  u16 machine_ = 0, type_ = 0;
  u64 entry_ = 0;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
  std::unique_ptr<Inflated> inflated_;
  std::unique_ptr<Embedded> embedded_;
};

// "3c5cc98c..." for messages.
std::string hex(Bytes bytes);

}  // namespace pgokit::object

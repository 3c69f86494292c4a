#pragma once

// What all object file formats have in common: the view that a reader of each fills, so that
// nobody else knows which format a file has.
//
//   const object::Section& text = view.sections[symbol.section];
//   if (text.is_code()) decode(text.contents, text.address);
//
// Views point into the image of the file. Section 0 is none in every format: symbols of it are
// undefined. Addresses are those of the linker, with the image base where a format has one; in
// relocatable objects they are offsets in the section. Machines have their ELF numbers (EM_X86_64)
// in every format.

#include <elf.h>

#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::object {

enum class Format : u8 { elf, coff, mach_o };

enum class Kind : u8 {
  object,     // relocatable
  program,    // linked, and loaded where it is linked to
  movable,    // linked, and loaded anywhere: shared objects, position-independent programs
  core_dump,  // of a process
  other,
};

enum class Holds : u8 {
  bytes,
  zeros,   // no bytes in the file
  tables,  // what linkers and loaders read: symbols, relocations, notes
};

struct Section {
  std::string_view name;
  u32 index = 0;
  u64 address = 0;
  u64 size = 0;    // of zeros too
  Bytes contents;  // as in the file; empty for zeros
  u32 code = 0;    // the section that it belongs to, where the file says so; 0: none
  Holds holds = Holds::bytes;
  bool executable = false;
  bool loaded = false;  // in memory when the program runs
  bool thread_local_data = false;
  bool compressed = false;

  bool is_code() const { return executable && holds == Holds::bytes; }
};

// A part of the file that is mapped or copied into memory.
struct Segment {
  u64 offset = 0, address = 0, file_size = 0, memory_size = 0;
  bool executable = false;
};

enum class SymbolKind : u8 {
  none,
  data,
  function,
  indirect_function,
  section,
  file,
  thread_local_data,
  other
};

struct Symbol {
  std::string_view name;
  u64 address = 0;
  u64 size = 0;
  u32 section = 0;  // 0: undefined; reserved_section; or an index
  SymbolKind kind = SymbolKind::none;
  bool is_local = false;
  bool is_thumb = false;  // a function of Arm: Thumb code; its address is without the bit for it
};
// Absolute, common, or of no section that is known.
constexpr u32 reserved_section = ~u32{0};

struct Relocation {
  enum class Value : u8 {
    other,
    absolute,  // symbol + addend
    relative,  // ... counted from its own place
  };
  u64 offset = 0;  // in the section
  u32 type = 0;    // the format's number
  u32 symbol = 0;  // position in the list of symbols
  i64 addend = 0;
  Value value = Value::other;
  u8 size = 0;  // bytes that get the value; 0 where it is not absolute
};

struct View {
  Format format = Format::elf;
  Kind kind = Kind::other;
  u16 machine = EM_NONE;
  u8 address_size = 8;
  u64 entry = 0;
  u64 image_base = 0;            // COFF: what a loader replaces; 0 elsewhere
  bool needs_loader = false;     // of dynamic libraries
  bool is_program = false;       // ELF that can be loaded anywhere: the linker says so
  bool has_symtab = false;       // static functions have names
  bool has_symbols = false;      // has_symtab, or a list of the same that is compressed
  bool has_symbol_sizes = true;  // else a symbol reaches to the next one
  std::string_view debug_link;   // name of the file with the debug information
  Bytes build_id;
  std::vector<Section> sections;
  std::vector<Segment> segments;
};

// A reader of one format: has filled the view, and reads on demand what takes longer. It points
// into the image, which must outlive it.
class Reader {
 public:
  virtual ~Reader() = default;
  const View& view() const { return view_; }

  // In file order.
  virtual std::vector<Symbol> symbols() const = 0;
  virtual bool has_relocations(const Section& section) const = 0;
  // In file order.
  virtual std::vector<Relocation> relocations(const Section& section) const = 0;

 protected:
  View view_;
};

}  // namespace pgokit::object

#pragma once

// One object file: a program, shared object, relocatable object or separate debug file of ELF
// (little-endian, 32 and 64 bits), COFF (PE images too) or Mach-O. Views point into the image, which
// must outlive the File.
//
//   auto file = TRY(object::File::parse(image));
//   if (const auto *text = file.section(".text")) decode(text->contents, text->address);
//   Bytes info = TRY(file.contents(*file.section(".debug_info")));   // decompressed if need be
//
// Which format it is shows in no member but format(). Symbols are read only when asked for. Nothing
// is allocated by a count taken from the file.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "object/model/view.h"

namespace pgokit::object {

class File {
 public:
  // By the first bytes: whether parse() is going to read it, or say why not.
  static bool recognizes(Bytes image);
  static Result<File> parse(Bytes image);
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  Format format() const { return view().format; }
  Kind kind() const { return view().kind; }
  bool is_relocatable() const { return kind() == Kind::object; }
  u16 machine() const { return view().machine; }  // EM_X86_64, EM_386, EM_AARCH64 ...
  u8 address_size() const { return view().address_size; }
  u64 entry() const { return view().entry; }
  u64 image_base() const { return view().image_base; }
  bool needs_loader() const { return view().needs_loader; }
  bool is_program() const { return view().is_program; }
  const std::vector<Section>& sections() const { return view().sections; }
  const std::vector<Segment>& segments() const { return view().segments; }

  // The first section of that name.
  const Section* section(std::string_view name) const;
  // Its bytes, decompressed once and kept (zlib, zstd, and the old .zdebug_* form). Not for two
  // threads at a time.
  Result<Bytes> contents(const Section& section) const;

  // In file order.
  std::vector<Symbol> symbols() const { return reader_->symbols(); }
  bool has_symtab() const { return view().has_symtab; }
  bool has_symbols() const { return view().has_symbols; }  // static functions have names
  bool has_symbol_sizes() const { return view().has_symbol_sizes; }

  // The build id of GNU, or the UUID of Mach-O; empty where there is none.
  Bytes build_id() const { return view().build_id; }
  // The file name in .gnu_debuglink, empty where there is none.
  std::string_view debug_link() const { return view().debug_link; }

  Bytes image() const { return image_; }
  const Reader& reader() const { return *reader_; }

 private:
  struct Inflated;
  File(Bytes image, std::unique_ptr<Reader> reader);
  const View& view() const { return reader_->view(); }

  Bytes image_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Inflated> inflated_;
};

// "3c5cc98c..." for messages.
std::string hex(Bytes bytes);

// "x86-64", "i386", "AArch64" ...; a number where it has no name here.
std::string machine_name(u16 machine);

}  // namespace pgokit::object

#include "object/macho/reader.h"

#include <deque>
#include <string>

#include "object/macho/layout.h"
#include "object/model/tables.h"

namespace pgokit::object::macho {
namespace {

struct Class32 {
  using Segment = Segment32;
  using Section = Section32;
  using Symbol = Symbol32;
  static constexpr u64 header_size = sizeof(Header);
  static constexpr u32 segment_command = segment_32;
};
struct Class64 {
  using Segment = Segment64;
  using Section = Section64;
  using Symbol = Symbol64;
  static constexpr u64 header_size = sizeof(Header) + 4;
  static constexpr u32 segment_command = segment_64;
};

u16 elf_machine(u32 cpu) {
  switch (cpu) {
    case i386:
      return EM_386;
    case x86_64:
      return EM_X86_64;
    case arm:
      return EM_ARM;
    case arm64:
      return EM_AARCH64;
    default:
      return EM_NONE;
  }
}

Kind kind_of(const Header& header) {
  switch (header.file_type) {
    case object:
      return Kind::object;
    case execute:
      return header.flags & position_independent ? Kind::movable : Kind::program;
    case dylib:
    case bundle:
    case debug_file:
      return Kind::movable;
    case core:
      return Kind::core_dump;
    default:
      return Kind::other;
  }
}

template <class Class>
class MachOReader final : public Reader {
 public:
  explicit MachOReader(Bytes image) : image_(image) {}

  Status read() {
    Cursor in(image_);
    auto header = in.get<Header>();
    if (!in.ok()) return fail("cut short: its Mach-O header is not whole");
    view_.format = Format::mach_o;
    view_.kind = kind_of(header);
    view_.machine = elf_machine(header.cpu);
    view_.address_size = sizeof(typename Class::Symbol{}.value);
    view_.needs_loader = header.file_type == execute;
    view_.has_symbol_sizes = false;
    view_.sections.push_back({.name = {}, .contents = {}, .holds = Holds::tables});
    TRY(read_commands(header));
    view_.has_symtab = view_.has_symbols = !symbol_bytes_.empty();
    return {};
  }

  std::vector<Symbol> symbols() const override {
    std::vector<Symbol> found;
    found.reserve(symbol_bytes_.size() / sizeof(typename Class::Symbol));
    Cursor in(symbol_bytes_);
    while (in.left() >= sizeof(typename Class::Symbol)) {
      auto one = in.get<typename Class::Symbol>();
      if (!(one.type & debug_symbol)) found.push_back(symbol(one));
    }
    fill_sizes(found, view_.sections, view_.kind == Kind::object);
    return found;
  }

  bool has_relocations(const Section&) const override { return false; }
  std::vector<Relocation> relocations(const Section&) const override { return {}; }

 private:
  Status read_commands(const Header& header) {
    Bytes commands = slice(image_, Class::header_size, header.commands_size);
    if (commands.size() < header.commands_size)
      return fail("cut short: its load commands are not whole");
    Cursor in(commands);
    for (u32 i = 0; i < header.commands; ++i) {
      Cursor begin = in;
      auto command = in.get<Command>();
      if (!in.ok() || command.size < sizeof(Command) || command.size > begin.left())
        return fail("load command {} is past the end of all", i);
      Cursor body(in.bytes(command.size - sizeof(Command)));
      if (command.type == Class::segment_command)
        read_segment(body);
      else if (command.type == symbol_table)
        find_symbols(body.get<SymbolTable>());
      else if (command.type == uuid)
        view_.build_id = body.bytes(16);
      else if (command.type == main_entry)
        entry_offset_ = body.get<u64>();
    }
    for (const auto& segment : view_.segments)
      if (entry_offset_ && segment.offset == 0 && segment.file_size > 0)
        view_.entry = segment.address + entry_offset_;
    return {};
  }

  void read_segment(Cursor& in) {
    auto segment = in.get<typename Class::Segment>();
    if (!in.ok()) return;
    constexpr u32 execute_bit = 4;
    if (segment.memory_size > 0 && view_.kind != Kind::object && segment.protection != 0)
      view_.segments.push_back({segment.offset, segment.address, segment.file_size,
                                segment.memory_size, (segment.protection & execute_bit) != 0});
    for (u32 i = 0; i < segment.sections && in.left() >= sizeof(typename Class::Section); ++i)
      view_.sections.push_back(section(in.get<typename Class::Section>()));
  }

  Section section(const Class::Section& h) {
    bool is_object = view_.kind == Kind::object;
    Section s{.name = keep(h.name),
              .index = static_cast<u32>(view_.sections.size()),
              .address = is_object ? 0 : u64{h.address},
              .size = h.size,
              .contents = {}};
    starts_.resize(view_.sections.size());
    starts_.push_back(h.address);
    u32 type = h.flags & type_mask;
    bool empty = type == zeros || type == large_zeros || type == thread_zeros;
    s.holds = empty ? Holds::zeros : Holds::bytes;
    s.executable = h.flags & (pure_instructions | some_instructions);
    s.thread_local_data = type == thread_zeros || type == thread_data;
    bool debug = padded_string(h.segment) == "__DWARF";
    s.loaded = !debug;
    if (debug) s.name = common_name(s.name);
    if (!empty) s.contents = slice(image_, h.offset, h.size);
    return s;
  }

  std::string_view keep(const u8 (&name)[16]) { return names_.emplace_back(padded_string(name)); }

  // "__debug_str_offs" -> ".debug_str_offsets"
  std::string_view common_name(std::string_view name) {
    if (!name.starts_with("__debug_")) return name;
    std::string text = "." + std::string(name.substr(2));
    if (text == ".debug_str_offs") text += "ets";
    return names_.emplace_back(std::move(text));
  }

  void find_symbols(const SymbolTable& table) {
    u64 size = u64{table.symbols} * sizeof(typename Class::Symbol);
    if (table.symbols_offset > image_.size()) return;
    Bytes rest = image_.subspan(table.symbols_offset);
    symbol_bytes_ = rest.first(std::min<u64>(size, rest.size()));
    strings_ = slice(image_, table.strings_offset, table.strings_size);
  }

  Symbol symbol(const Class::Symbol& one) const {
    Symbol s{.name = string_at(strings_, one.name), .address = one.value};
    s.is_local = !(one.type & external);
    bool has_section =
        (one.type & kind_of_symbol) == in_section && one.section < view_.sections.size();
    bool undefined = (one.type & kind_of_symbol) == 0;
    s.section = has_section ? one.section : undefined ? 0 : reserved_section;
    if (s.section == 0 || s.section == reserved_section) return s;
    const Section& section = view_.sections[s.section];
    if (view_.kind == Kind::object) s.address -= starts_[s.section];
    s.kind = section.executable          ? SymbolKind::function
             : section.thread_local_data ? SymbolKind::thread_local_data
                                         : SymbolKind::data;
    return s;
  }

  Bytes image_;
  u64 entry_offset_ = 0;
  std::vector<u64> starts_;  // of sections, as the file has them
  std::deque<std::string> names_;
  Bytes symbol_bytes_, strings_;
};

template <class Class>
Result<std::unique_ptr<Reader>> read_class(Bytes image) {
  auto reader = std::make_unique<MachOReader<Class>>(image);
  TRY(reader->read());
  return reader;
}

u32 magic_of(Bytes image) { return Cursor(image).get<u32>(); }

}  // namespace

bool recognizes(Bytes image) {
  u32 magic = magic_of(image);
  // Java classes begin like universal files, with a version where those have a small number.
  bool is_universal = magic == universal || magic == universal_64;
  if (is_universal) return image.size() > 7 && image[4] == 0 && image[5] == 0 && image[7] < 32;
  return magic == magic_32 || magic == magic_64;
}

Result<std::unique_ptr<Reader>> read(Bytes image) {
  u32 magic = magic_of(image);
  if (magic == universal || magic == universal_64)
    return fail("a universal file of several machines: take one out of it (llvm-lipo -thin ARCH)");
  return magic == magic_64 ? read_class<Class64>(image) : read_class<Class32>(image);
}

}  // namespace pgokit::object::macho

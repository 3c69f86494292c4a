#include "object/coff/reader.h"

#include <cstring>

#include "base/parse_number.h"
#include "object/coff/layout.h"
#include "object/coff/relocation_types.h"
#include "object/model/tables.h"

namespace pgokit::object::coff {
namespace {

u16 elf_machine(u16 machine) {
  switch (machine) {
    case i386:
      return EM_386;
    case amd64:
      return EM_X86_64;
    case arm:
      return EM_ARM;
    case arm64:
      return EM_AARCH64;
    default:
      return EM_NONE;
  }
}

// What the headers of objects, big objects and images say alike.
struct Tables {
  u16 machine = 0, characteristics = 0;
  u64 sections_offset = 0, sections = 0;
  u64 symbols_offset = 0, symbols = 0;
  u64 optional_header = 0;  // 0: an object
  bool is_big = false;
};

template <class Record>
Record record_at(Bytes image, u64 offset) {
  return Cursor(slice(image, offset, sizeof(Record))).get<Record>();
}

Tables tables_of(const Header& header, u64 offset) {
  Tables tables;
  tables.machine = header.machine;
  tables.characteristics = header.characteristics;
  tables.sections = header.sections;
  tables.sections_offset = offset + sizeof(Header) + header.optional_header_size;
  tables.symbols_offset = header.symbols_offset;
  tables.symbols = header.symbols_offset ? u64{header.symbols} : 0;
  if (header.optional_header_size) tables.optional_header = offset + sizeof(Header);
  return tables;
}

bool is_big(Bytes image) {
  auto header = record_at<BigHeader>(image, 0);
  return header.zero == 0 && header.ones == 0xffff && header.version >= 2 &&
         std::memcmp(header.class_id, big_class_id, sizeof big_class_id) == 0;
}

bool is_dos(Bytes image) { return image.size() >= 2 && image[0] == 'M' && image[1] == 'Z'; }

bool is_object(Bytes image) {
  auto header = record_at<Header>(image, 0);
  Tables tables = tables_of(header, 0);
  return elf_machine(tables.machine) != EM_NONE && !tables.optional_header && tables.sections > 0 &&
         tables.sections_offset + tables.sections * sizeof(SectionHeader) <= image.size() &&
         tables.symbols_offset + tables.symbols * sizeof(SymbolRecord) <= image.size();
}

Result<Tables> find_tables(Bytes image) {
  if (is_dos(image)) {
    u64 offset = Cursor(slice(image, 0x3c, sizeof(u32))).get<u32>();
    Cursor in(offset <= image.size() ? image.subspan(offset) : Bytes{});
    Bytes magic = in.bytes(4);
    auto header = in.get<Header>();
    if (!in.ok()) return fail("cut short: its PE header is not whole");
    if (std::memcmp(magic.data(), "PE\0\0", 4) != 0)
      return fail("a DOS program: it has no PE header");
    return tables_of(header, offset + 4);
  }
  if (!is_big(image)) return tables_of(record_at<Header>(image, 0), 0);
  auto header = record_at<BigHeader>(image, 0);
  Tables tables;
  tables.is_big = true;
  tables.machine = header.machine;
  tables.sections = header.sections;
  tables.sections_offset = sizeof(BigHeader);
  tables.symbols_offset = header.symbols_offset;
  tables.symbols = header.symbols;
  return tables;
}

class CoffReader final : public Reader {
 public:
  explicit CoffReader(Bytes image) : image_(image) {}

  Status read() {
    tables_ = TRY(find_tables(image_));
    view_.format = Format::coff;
    view_.machine = elf_machine(tables_.machine);
    view_.address_size = tables_.machine == i386 || tables_.machine == arm ? 4 : 8;
    view_.kind = Kind::object;
    view_.has_symbol_sizes = false;
    if (tables_.optional_header) TRY(read_optional_header());
    find_symbols();
    TRY(read_sections());
    if (view_.kind == Kind::object) link_sections();
    return {};
  }

  std::vector<Symbol> symbols() const override {
    std::vector<Symbol> found;
    found.reserve(symbol_bytes_.size() / record_size_);
    for_each_symbol([&](u64 at, const BigSymbolRecord& one) { found.push_back(symbol(at, one)); });
    fill_sizes(found, view_.sections, view_.kind == Kind::object);
    return found;
  }

  bool has_relocations(const Section& section) const override {
    return section.index > 0 && headers_[section.index - 1].relocations > 0;
  }

  std::vector<Relocation> relocations(const Section& section) const override {
    std::vector<Relocation> found;
    if (!has_relocations(section)) return found;
    const auto& header = headers_[section.index - 1];
    u64 offset = header.relocations_offset, count = header.relocations;
    bool many = header.characteristics & many_relocations && count == 0xffff;
    if (many) count = record_at<RelocationRecord>(image_, offset).address;
    number_symbols();
    auto records = read_table<RelocationRecord>(image_, offset, count);
    found.reserve(records.size());
    for (size_t i = many; i < records.size(); ++i) found.push_back(relocation(section, records[i]));
    return found;
  }

 private:
  Status read_optional_header() {
    Cursor in(slice(image_, tables_.optional_header, image_.size() - tables_.optional_header));
    auto header = in.get<OptionalHeader>();
    if (header.magic == pe32) {
      in.skip(4);  // where data begins
      view_.image_base = in.get<u32>();
    } else {
      view_.image_base = in.get<u64>();
    }
    if (!in.ok()) return fail("cut short: its PE header is not whole");
    if (header.magic != pe32 && header.magic != pe32_plus)
      return fail("its optional header is of type {:#x}, which is not known", u16{header.magic});
    view_.entry = view_.image_base + header.entry;
    constexpr u16 dynamic_library = 0x2000;
    view_.kind = tables_.characteristics & relocs_stripped ? Kind::program : Kind::movable;
    view_.needs_loader = !(tables_.characteristics & dynamic_library);
    return {};
  }

  // The string table follows the symbols.
  void find_symbols() {
    record_size_ = tables_.is_big ? sizeof(BigSymbolRecord) : sizeof(SymbolRecord);
    if (tables_.symbols_offset > image_.size()) return;
    Bytes rest = image_.subspan(tables_.symbols_offset);
    symbol_bytes_ =
        rest.first(std::min<u64>(tables_.symbols, rest.size() / record_size_) * record_size_);
    strings_ = rest.subspan(symbol_bytes_.size());
    view_.has_symtab = view_.has_symbols = !symbol_bytes_.empty();
  }

  Status read_sections() {
    headers_ = read_table<SectionHeader>(image_, tables_.sections_offset, tables_.sections);
    if (headers_.size() < tables_.sections)
      return fail("cut short: its section headers (offset {:#x}) are not whole",
                  tables_.sections_offset);
    view_.sections.reserve(headers_.size() + 1);
    if (view_.kind != Kind::object) view_.segments.reserve(headers_.size());
    view_.sections.push_back({.name = {}, .contents = {}, .holds = Holds::tables});
    for (const auto& header : headers_) {
      const Section& added = view_.sections.emplace_back(section(header));
      if (view_.kind == Kind::object) continue;
      view_.segments.push_back({header.offset, added.address, added.contents.size(),
                                std::max<u64>(header.virtual_size, added.contents.size()),
                                added.executable});
    }
    return {};
  }

  Section section(const SectionHeader& h) const {
    u32 flags = h.characteristics;
    bool is_image = view_.kind != Kind::object;
    // Contents of images are filled up to whole pages of the file.
    u64 size = h.size;
    if (is_image && h.virtual_size) size = std::min<u64>(size, h.virtual_size);
    Section s{.name = section_name(h),
              .index = static_cast<u32>(view_.sections.size()),
              .address = is_image ? view_.image_base + h.virtual_address : 0,
              .size = size,
              .contents = {}};
    s.holds = flags & has_zeros || size == 0 ? Holds::zeros : Holds::bytes;
    s.executable = flags & has_code;
    s.loaded = !(flags & is_info);
    if (s.holds == Holds::bytes)
      s.contents = slice(image_, h.offset, size);
    else
      s.size = is_image ? u64{h.virtual_size} : size;
    return s;
  }

  // Eight characters; "/123": at that place of the string table; "//AAAAAA": in base 64.
  std::string_view section_name(const SectionHeader& h) const {
    std::string_view name = padded_string(h.name);
    if (!name.starts_with('/')) return name;
    name.remove_prefix(1);
    u64 offset = 0;
    if (name.starts_with('/')) {
      constexpr std::string_view digits =
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      for (char digit : name.substr(1)) offset = offset * 64 + (digits.find(digit) & 63);
    } else if (!parse_number(name, offset)) {
      return {};
    }
    return string_at(strings_, offset);
  }

  // COMDAT sections that go with another one.
  void link_sections() {
    auto& sections = view_.sections;
    for_each_symbol([&](u64 at, const BigSymbolRecord& one) {
      if (one.storage_class != local || one.auxiliary == 0 || one.section >= sections.size())
        return;
      u64 next = (at + 1) * record_size_;
      if (symbol_bytes_.size() < next + sizeof(SectionDefinition)) return;
      auto definition = record_at<SectionDefinition>(symbol_bytes_, next);
      u32 number = definition.number;
      if (tables_.is_big) number |= u32{definition.number_high} << 16;
      bool known = definition.selection == select_associative && number < sections.size();
      if (known && sections[number].is_code()) sections[one.section].code = number;
    });
  }

  template <class Visit>
  void for_each_symbol(Visit visit) const {
    u64 count = symbol_bytes_.size() / record_size_;
    for (u64 at = 0; at < count; ++at) {
      BigSymbolRecord one;
      if (tables_.is_big) {
        one = record_at<BigSymbolRecord>(symbol_bytes_, at * record_size_);
      } else {
        auto narrow = record_at<SymbolRecord>(symbol_bytes_, at * record_size_);
        std::memcpy(one.name, narrow.name, sizeof one.name);
        one.value = narrow.value;
        // -1: absolute, -2: for debuggers.
        one.section = narrow.section >= 0xff00 ? reserved_section : u32{narrow.section};
        one.type = narrow.type;
        one.storage_class = narrow.storage_class;
        one.auxiliary = narrow.auxiliary;
      }
      visit(at, one);
      at += one.auxiliary;
    }
  }

  Symbol symbol(u64 at, const BigSymbolRecord& one) const {
    // The record that the name is in outlives the copy.
    Bytes name = slice(symbol_bytes_, at * record_size_, sizeof one.name);
    Symbol s{.name = padded_string(name)};
    if (Cursor(name).get<u32>() == 0)
      s.name = string_at(strings_, Cursor(name.subspan(4)).get<u32>());
    s.section = one.section;
    s.address = one.value;
    bool in_section = s.section > 0 && s.section < view_.sections.size();
    if (in_section) s.address += view_.sections[s.section].address;
    if (!in_section && s.section != 0) s.section = reserved_section;
    s.is_local = one.storage_class == local || one.storage_class == label;
    bool defines_section = one.storage_class == local && one.auxiliary > 0 && one.value == 0;
    s.kind = one.storage_class == source_file                      ? SymbolKind::file
             : one.type == function_type                           ? SymbolKind::function
             : defines_section                                     ? SymbolKind::section
             : !in_section || view_.sections[s.section].executable ? SymbolKind::none
                                                                   : SymbolKind::data;
    if (s.kind == SymbolKind::file)
      s.name = padded_string(
          slice(symbol_bytes_, (at + 1) * record_size_, one.auxiliary * record_size_));
    return s;
  }

  // Relocations count auxiliary records of the symbol table too; the list of symbols does not.
  void number_symbols() const {
    if (!numbers_.empty()) return;
    numbers_.assign(symbol_bytes_.size() / record_size_ + 1, ~u32{0});
    u32 count = 0;
    for_each_symbol([&](u64 at, const BigSymbolRecord&) { numbers_[at] = count++; });
  }

  Relocation relocation(const Section& section, const RelocationRecord& record) const {
    Relocation one{.offset = record.address,
                   .type = record.type,
                   .symbol = record.symbol < numbers_.size() ? numbers_[record.symbol] : ~u32{0}};
    one.size = absolute_size(tables_.machine, one.type);
    if (one.size)
      one.value = Relocation::Value::absolute;
    else if (is_relative(tables_.machine, one.type))
      one.value = Relocation::Value::relative;
    // The addend is what the bytes hold; of relative ones from their own end on.
    Bytes field = slice(section.contents, one.offset, one.size == 8 ? 8 : 4);
    if (one.value == Relocation::Value::other || field.empty()) return one;
    one.addend = one.size == 8 ? Cursor(field).get<i64>() : i64{Cursor(field).get<i32>()};
    if (one.value == Relocation::Value::relative) one.addend -= 4;
    return one;
  }

  Bytes image_;
  Tables tables_;
  std::vector<SectionHeader> headers_;
  u64 record_size_ = sizeof(SymbolRecord);
  Bytes symbol_bytes_, strings_;
  mutable std::vector<u32> numbers_;  // by record: position in the list of symbols
};

}  // namespace

bool recognizes(Bytes image) { return is_dos(image) || is_big(image) || is_object(image); }

Result<std::unique_ptr<Reader>> read(Bytes image) {
  auto reader = std::make_unique<CoffReader>(image);
  TRY(reader->read());
  return reader;
}

}  // namespace pgokit::object::coff

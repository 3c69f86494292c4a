#include "object/elf/reader.h"

#include <cstring>
#include <map>
#include <string>

#include "base/unpack.h"
#include "object/elf/relocation_types.h"
#include "object/model/tables.h"

namespace pgokit::object::elf {
namespace {

// What the view leaves out of a section header.
struct Header {
  u32 type = 0, link = 0, info = 0;
};

// The structures of both classes have members of the same names.
struct Class32 {
  using File = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
  using Rel = Elf32_Rel;
  using Rela = Elf32_Rela;
  static u32 type_of(u64 info) { return ELF32_R_TYPE(info); }
  static u32 symbol_of(u64 info) { return static_cast<u32>(ELF32_R_SYM(info)); }
};
struct Class64 {
  using File = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
  using Rel = Elf64_Rel;
  using Rela = Elf64_Rela;
  static u32 type_of(u64 info) { return static_cast<u32>(ELF64_R_TYPE(info)); }
  static u32 symbol_of(u64 info) { return static_cast<u32>(ELF64_R_SYM(info)); }
};

SymbolKind kind_of(u8 info) {
  switch (ELF64_ST_TYPE(info)) {
    case STT_NOTYPE:
      return SymbolKind::none;
    case STT_OBJECT:
      return SymbolKind::data;
    case STT_FUNC:
      return SymbolKind::function;
    case STT_GNU_IFUNC:
      return SymbolKind::indirect_function;
    case STT_SECTION:
      return SymbolKind::section;
    case STT_FILE:
      return SymbolKind::file;
    case STT_TLS:
      return SymbolKind::thread_local_data;
    default:
      return SymbolKind::other;
  }
}

Kind kind_of_file(u16 type) {
  switch (type) {
    case ET_REL:
      return Kind::object;
    case ET_EXEC:
      return Kind::program;
    case ET_DYN:
      return Kind::movable;
    case ET_CORE:
      return Kind::core_dump;
    default:
      return Kind::other;
  }
}

u32 section_of(u16 index) { return index >= SHN_LORESERVE ? reserved_section : index; }

template <class Class>
class ElfReader final : public Reader {
 public:
  explicit ElfReader(Bytes image) : image_(image) {}

  Status read() {
    Cursor in(image_);
    auto header = in.get<typename Class::File>();
    if (!in.ok()) return fail("cut short: its ELF header is not whole");
    view_.kind = kind_of_file(header.e_type);
    view_.machine = header.e_machine;
    view_.address_size = sizeof header.e_entry;
    view_.entry = header.e_entry;
    read_segments(header);
    TRY(read_sections(header));
    view_.has_symtab = view_.has_symbols = has_table(SHT_SYMTAB);
    view_.build_id = find_build_id();
    for (const auto& section : view_.sections)
      if (section.name == ".gnu_debuglink" && view_.debug_link.empty())
        view_.debug_link = Cursor(section.contents).cstring();
    tables_.resize(view_.sections.size());
    for (u32 i = 0; i < headers_.size(); ++i) {
      bool relocates = headers_[i].type == SHT_RELA || headers_[i].type == SHT_REL;
      if (relocates && headers_[i].info < tables_.size()) tables_[headers_[i].info].push_back(i);
    }
    return {};
  }

  // A file that cannot be read leaves its program as it is without: stripped.
  void read_embedded() {
    if (view_.has_symtab) return;
    for (const auto& section : view_.sections)
      if (section.name == ".gnu_debugdata" && !section.contents.empty()) {
        auto status =
            unpack(section.contents, Packing::xz, section_limits.allowed(section.contents.size()),
                   [&](Bytes piece) -> Status {
                     embedded_image_ += as_text(piece);
                     return {};
                   });
        auto file = std::make_unique<ElfReader>(as_bytes(embedded_image_));
        bool same_class = recognizes(as_bytes(embedded_image_)) &&
                          embedded_image_[EI_CLASS] == static_cast<char>(image_[EI_CLASS]);
        if (!status || !same_class || !file->read() || !file->view_.has_symtab) return;
        embedded_ = std::move(file);
        view_.has_symbols = true;
        return;
      }
  }

  std::vector<Symbol> symbols() const override {
    std::vector<Symbol> found;
    add_symbols_of(*this, view_.has_symtab ? SHT_SYMTAB : SHT_DYNSYM, found);
    if (embedded_) add_symbols_of(*embedded_, SHT_SYMTAB, found);
    return found;
  }

  bool has_relocations(const Section& section) const override {
    return !tables_[section.index].empty();
  }

  std::vector<Relocation> relocations(const Section& section) const override {
    std::vector<Relocation> found;
    for (u32 table : tables_[section.index]) {
      Cursor in(view_.sections[table].contents);
      bool has_addends = headers_[table].type == SHT_RELA;
      found.reserve(found.size() + in.left() / (has_addends ? sizeof(typename Class::Rela)
                                                            : sizeof(typename Class::Rel)));
      if (has_addends)
        while (in.left() >= sizeof(typename Class::Rela)) {
          auto one = in.get<typename Class::Rela>();
          found.push_back(relocation(one.r_offset, one.r_info, one.r_addend));
        }
      else
        while (in.left() >= sizeof(typename Class::Rel)) {
          auto one = in.get<typename Class::Rel>();
          found.push_back(relocation(one.r_offset, one.r_info, 0));
          found.back().addend = addend_in(section, found.back());
        }
    }
    return found;
  }

 private:
  bool has_table(u32 type) const {
    return std::ranges::find(headers_, type, &Header::type) != headers_.end();
  }

  void read_segments(const Class::File& header) {
    for (const auto& h :
         read_table<typename Class::Segment>(image_, header.e_phoff, header.e_phnum)) {
      view_.needs_loader |= h.p_type == PT_INTERP;
      if (h.p_type == PT_DYNAMIC) view_.is_program |= is_program(h);
      if (h.p_type == PT_LOAD)
        view_.segments.push_back(
            {h.p_offset, h.p_vaddr, h.p_filesz, h.p_memsz, (h.p_flags & PF_X) != 0});
    }
  }

  // The linker's word for it, as a program without a loader looks like a library otherwise.
  bool is_program(const Class::Segment& dynamic) const {
    auto of_flags = [](const auto& entry) { return entry.d_tag == DT_FLAGS_1; };
    auto entries = read_table<typename Class::Dynamic>(
        image_, dynamic.p_offset, dynamic.p_filesz / sizeof(typename Class::Dynamic));
    auto flags = std::ranges::find_if(entries, of_flags);
    return flags != entries.end() && flags->d_un.d_val & DF_1_PIE;
  }

  Status read_sections(const Class::File& header) {
    using Shdr = Class::Section;
    // Over 0xff00 sections: the true numbers stand in the first section header.
    u64 count = header.e_shnum, names_index = header.e_shstrndx;
    if (auto first = read_table<Shdr>(image_, header.e_shoff, header.e_shoff ? 1 : 0);
        !first.empty()) {
      if (count == 0) count = first[0].sh_size;
      if (names_index == SHN_XINDEX) names_index = first[0].sh_link;
    }
    auto headers = read_table<Shdr>(image_, header.e_shoff, count);
    if (headers.size() < count)
      return fail("cut short: its section headers (offset {:#x}) are not whole", header.e_shoff);
    Bytes names;
    if (names_index < headers.size())
      names = slice(image_, headers[names_index].sh_offset, headers[names_index].sh_size);
    view_.sections.reserve(headers.size());
    headers_.reserve(headers.size());
    for (const auto& h : headers) {
      if (h.sh_type == SHT_SYMTAB_SHNDX && h.sh_link < headers.size()) {
        large_numbers_.resize(headers.size());
        large_numbers_[h.sh_link] = static_cast<u32>(headers_.size());
      }
      headers_.push_back({h.sh_type, h.sh_link, h.sh_info});
      view_.sections.push_back(section(h, names));
    }
    for (auto& s : view_.sections)
      if (s.code >= view_.sections.size() || !view_.sections[s.code].is_code()) s.code = 0;
    return {};
  }

  Section section(const Class::Section& h, Bytes names) const {
    Section s{.name = string_at(names, h.sh_name),
              .index = static_cast<u32>(view_.sections.size()),
              .address = h.sh_addr,
              .size = h.sh_size,
              .contents = {},
              .code = h.sh_flags & SHF_LINK_ORDER ? h.sh_link : 0};
    s.holds = h.sh_type == SHT_PROGBITS ? Holds::bytes
              : h.sh_type == SHT_NOBITS ? Holds::zeros
                                        : Holds::tables;
    s.executable = h.sh_flags & SHF_EXECINSTR;
    s.loaded = h.sh_flags & SHF_ALLOC;
    s.thread_local_data = h.sh_flags & SHF_TLS;
    s.compressed = h.sh_flags & SHF_COMPRESSED;
    if (h.sh_type != SHT_NOBITS) s.contents = slice(image_, h.sh_offset, h.sh_size);
    return s;
  }

  // Sections of an embedded file have numbers of its own.
  void add_symbols_of(const ElfReader& file, u32 table, std::vector<Symbol>& found) const {
    std::vector<u32> numbers;
    if (&file != this) {
      std::map<std::pair<std::string_view, u64>, u32> own;
      for (const auto& s : view_.sections) own.emplace(std::pair(s.name, s.address), s.index);
      for (const auto& s : file.view_.sections) {
        auto same = own.find({s.name, s.address});
        numbers.push_back(same == own.end() ? 0 : same->second);
      }
    }
    const auto& sections = file.view_.sections;
    for (const auto& section : sections) {
      const Header& header = file.headers_[section.index];
      if (header.type != table) continue;
      Bytes strings = header.link < sections.size() ? sections[header.link].contents : Bytes{};
      Cursor in(section.contents), large(file.large_numbers_of(section.index));
      found.reserve(found.size() + in.left() / sizeof(typename Class::Symbol));
      while (in.left() >= sizeof(typename Class::Symbol)) {
        auto s = in.get<typename Class::Symbol>();
        auto large_number = large.get<u32>();  // 0 where there is no table
        u32 in_file = s.st_shndx == SHN_XINDEX ? large_number : section_of(s.st_shndx);
        u32 number = in_file < numbers.size() ? numbers[in_file] : in_file;
        found.push_back({string_at(strings, s.st_name), s.st_value, s.st_size, number,
                         kind_of(s.st_info), ELF64_ST_BIND(s.st_info) == STB_LOCAL});
        if (view_.machine == EM_ARM) take_thumb_bit(found.back());
      }
    }
  }

  static void take_thumb_bit(Symbol& symbol) {
    if (symbol.kind != SymbolKind::function && symbol.kind != SymbolKind::indirect_function) return;
    symbol.is_thumb = symbol.address & 1;
    symbol.address &= ~u64{1};
  }

  // Of the symbols of a table whose section numbers do not fit into 16 bits.
  Bytes large_numbers_of(u32 table) const {
    return table < large_numbers_.size() && large_numbers_[table]
               ? view_.sections[large_numbers_[table]].contents
               : Bytes{};
  }

  Relocation relocation(u64 offset, u64 info, i64 addend) const {
    Relocation one{.offset = offset,
                   .type = Class::type_of(info),
                   .symbol = Class::symbol_of(info),
                   .addend = addend};
    one.size = absolute_size(view_.machine, one.type);
    if (one.size)
      one.value = Relocation::Value::absolute;
    else if (is_relative(view_.machine, one.type))
      one.value = Relocation::Value::relative;
    return one;
  }

  // Where there is no field for it, the bytes to be relocated hold it: four, all that i386 has.
  static i64 addend_in(const Section& section, const Relocation& one) {
    if (one.value == Relocation::Value::other) return 0;
    Bytes field = slice(section.contents, one.offset, sizeof(i32));
    return field.empty() ? 0 : i64{Cursor(field).get<i32>()};
  }

  // 8 to 20 bytes are seen in the wild.
  Bytes find_build_id() const {
    for (const auto& section : view_.sections) {
      if (headers_[section.index].type != SHT_NOTE) continue;
      Cursor in(section.contents);
      while (in.left() >= sizeof(Elf64_Nhdr)) {  // of both classes
        auto note = in.get<Elf64_Nhdr>();
        auto padded = [](u64 n) { return (n + 3) & ~u64{3}; };
        Bytes name = in.bytes(padded(note.n_namesz));
        Bytes id = in.bytes(note.n_descsz);
        in.skip(std::min<u64>(padded(note.n_descsz) - note.n_descsz, in.left()));
        bool gnu =
            note.n_namesz == 4 && name.size() >= 4 && std::memcmp(name.data(), "GNU", 4) == 0;
        if (in.ok() && gnu && note.n_type == NT_GNU_BUILD_ID) return id;
      }
    }
    return {};
  }

  Bytes image_;
  std::vector<Header> headers_;           // by section
  std::vector<u32> large_numbers_;        // by symbol table: the section that has them, or 0
  std::vector<std::vector<u32>> tables_;  // of relocations, by the section they are for
  std::string embedded_image_;
  std::unique_ptr<ElfReader> embedded_;  // views into that
};

template <class Class>
Result<std::unique_ptr<Reader>> read_class(Bytes image) {
  auto reader = std::make_unique<ElfReader<Class>>(image);
  TRY(reader->read());
  reader->read_embedded();
  return reader;
}

}  // namespace

bool recognizes(Bytes image) {
  return image.size() >= SELFMAG && std::memcmp(image.data(), ELFMAG, SELFMAG) == 0;
}

Result<std::unique_ptr<Reader>> read(Bytes image) {
  if (image.size() < EI_NIDENT) return fail("cut short: its ELF header is not whole");
  if (image[EI_DATA] == ELFDATA2MSB) return fail("big-endian ELF is not supported");
  if (image[EI_CLASS] == ELFCLASS32) return read_class<Class32>(image);
  if (image[EI_CLASS] == ELFCLASS64) return read_class<Class64>(image);
  return fail("ELF of class {} is not supported: there are 32 and 64 bits", image[EI_CLASS]);
}

}  // namespace pgokit::object::elf

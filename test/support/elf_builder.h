#pragma once

// Small ELF images for tests.
//
//   std::string image = test::ElfBuilder()
//                           .segment(PF_R | PF_X, 0x1000, 0x401000, 0x2000)
//                           .section(".text", code, {.flags = SHF_ALLOC | SHF_EXECINSTR, .address =
//                           0x401000}) .symbol("main", 0x401000, 16, 1) .image();

#include <elf.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::test {

struct SectionFields {
  u32 type = SHT_PROGBITS;
  u64 flags = 0, address = 0;
  u32 link = 0, info = 0;
};

class ElfBuilder {
 public:
  ElfBuilder() { sections_.push_back({"", "", {SHT_NULL}}); }

  ElfBuilder& machine(u16 machine) { return machine_ = machine, *this; }
  ElfBuilder& type(u16 type) { return type_ = type, *this; }
  ElfBuilder& segment(u32 flags, u64 offset, u64 address, u64 size, u64 zeros = 0) {
    Elf64_Phdr header{};
    header.p_type = PT_LOAD;
    header.p_flags = flags;
    header.p_offset = offset;
    header.p_vaddr = header.p_paddr = address;
    header.p_filesz = size, header.p_memsz = size + zeros;
    segments_.push_back(header);
    return *this;
  }
  // The first one added has index 1.
  ElfBuilder& section(std::string name, std::string contents, SectionFields fields = {}) {
    sections_.push_back({std::move(name), std::move(contents), fields});
    return *this;
  }
  ElfBuilder& symbol(std::string name, u64 address, u64 size, u16 section, u8 type = STT_FUNC) {
    symbols_.push_back({std::move(name), address, size, section, type});
    return *this;
  }
  ElfBuilder& build_id(std::string_view id) {
    Elf64_Nhdr note{4, static_cast<Elf64_Word>(id.size()), NT_GNU_BUILD_ID};
    std::string contents = bytes_of(note) + std::string("GNU\0", 4) + std::string(id);
    contents.resize((contents.size() + 3) & ~size_t{3});
    return section(".note.gnu.build-id", contents, {SHT_NOTE, SHF_ALLOC});
  }

  std::string image() const {
    auto sections = sections_;
    if (!symbols_.empty()) add_symbols(sections);
    std::string names(1, '\0');
    sections.push_back({".shstrtab", "", {SHT_STRTAB}});
    std::vector<u32> name_at;
    for (const auto& s : sections) {
      name_at.push_back(static_cast<u32>(names.size()));
      names += s.name + '\0';
    }
    sections.back().contents = names;

    Elf64_Ehdr header{};
    std::string_view ident(
        "\x7f"
        "ELF\x02\x01\x01",
        7);
    ident.copy(reinterpret_cast<char*>(header.e_ident), ident.size());
    header.e_type = type_;
    header.e_machine = machine_;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<u16>(segments_.size());
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<u16>(sections.size());
    header.e_shstrndx = static_cast<u16>(sections.size() - 1);

    std::string body, table;
    u64 start = sizeof header + segments_.size() * sizeof(Elf64_Phdr);
    for (size_t i = 0; i < sections.size(); ++i) {
      const auto& s = sections[i];
      Elf64_Shdr h{};
      h.sh_name = name_at[i];
      h.sh_type = s.fields.type;
      h.sh_flags = s.fields.flags;
      h.sh_addr = s.fields.address;
      h.sh_offset = start + body.size();
      h.sh_size = s.contents.size();
      h.sh_link = s.fields.link;
      h.sh_info = s.fields.info;
      table += bytes_of(h);
      body += s.contents;
    }
    header.e_shoff = start + body.size();
    std::string out = bytes_of(header);
    for (const auto& segment : segments_) out += bytes_of(segment);
    return out + body + table;
  }

 private:
  struct Section {
    std::string name, contents;
    SectionFields fields;
  };
  struct Symbol {
    std::string name;
    u64 address, size;
    u16 section;
    u8 type;
  };

  template <class T>
  static std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  void add_symbols(std::vector<Section>& sections) const {
    std::string names(1, '\0'), table = bytes_of(Elf64_Sym{});
    for (const auto& symbol : symbols_) {
      Elf64_Sym entry{};
      entry.st_name = static_cast<u32>(names.size());
      entry.st_info = static_cast<u8>(ELF64_ST_INFO(STB_GLOBAL, symbol.type));
      entry.st_shndx = symbol.section;
      entry.st_value = symbol.address;
      entry.st_size = symbol.size;
      table += bytes_of(entry);
      names += symbol.name + '\0';
    }
    auto strings = static_cast<u32>(sections.size() + 1);
    sections.push_back({".symtab", table, {SHT_SYMTAB, 0, 0, strings}});
    sections.push_back({".strtab", names, {SHT_STRTAB}});
  }

  u16 machine_ = EM_X86_64, type_ = ET_EXEC;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
};

}  // namespace pgokit::test

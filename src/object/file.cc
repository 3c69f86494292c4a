#include "object/file.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/cursor.h"
#include "base/unpack.h"
#include "object/inflate.h"

namespace pgokit::object {
namespace {

Bytes slice(Bytes image, u64 offset, u64 size) {
  if (offset > image.size() || size > image.size() - offset) return {};
  return image.subspan(offset, size);
}

std::string_view string_at(Bytes table, u64 offset) {
  if (offset >= table.size()) return {};
  return Cursor(table.subspan(offset)).cstring();
}

// Entries of a table that the header describes; none past the end of the file are invented.
template <class Entry>
std::vector<Entry> read_table(Bytes image, u64 offset, u64 count) {
  if (offset > image.size()) return {};
  Cursor in(image.subspan(offset));
  std::vector<Entry> table(std::min<u64>(count, in.left() / sizeof(Entry)));
  for (auto& entry : table) entry = in.get<Entry>();
  return table;
}

}  // namespace

struct File::Inflated {
  std::map<u32, std::string> by_section;
};

struct File::Embedded {
  std::string image;
  std::unique_ptr<File> file;  // views into the image
};

File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

Result<File> File::parse(Bytes image) {
  auto file = TRY(parse_alone(image));
  if (!file.has_symtab()) file.read_embedded();
  return file;
}

Result<File> File::parse_alone(Bytes image) {
  Cursor in(image);
  auto header = in.get<Elf64_Ehdr>();
  if (image.size() < SELFMAG || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0)
    return fail("not an ELF file");
  if (!in.ok()) return fail("cut short: its ELF header is not whole");
  if (header.e_ident[EI_DATA] == ELFDATA2MSB) return fail("big-endian ELF is not supported");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return fail("32-bit ELF is not supported");

  File file;
  file.image_ = image;
  file.machine_ = header.e_machine;
  file.type_ = header.e_type;
  file.entry_ = header.e_entry;
  file.inflated_ = std::make_unique<Inflated>();

  for (const auto& h : read_table<Elf64_Phdr>(image, header.e_phoff, header.e_phnum))
    file.segments_.push_back({h.p_type, h.p_flags, h.p_offset, h.p_vaddr, h.p_filesz, h.p_memsz});

  // Over 0xff00 sections: the true numbers stand in the first section header.
  u64 count = header.e_shnum, names_index = header.e_shstrndx;
  if (auto first = read_table<Elf64_Shdr>(image, header.e_shoff, header.e_shoff ? 1 : 0);
      !first.empty()) {
    if (count == 0) count = first[0].sh_size;
    if (names_index == SHN_XINDEX) names_index = first[0].sh_link;
  }
  auto headers = read_table<Elf64_Shdr>(image, header.e_shoff, count);
  if (headers.size() < count)
    return fail("cut short: its section headers (offset {:#x}) are not whole", header.e_shoff);
  Bytes names;
  if (names_index < headers.size())
    names = slice(image, headers[names_index].sh_offset, headers[names_index].sh_size);
  file.sections_.reserve(headers.size());
  for (const auto& h : headers) {
    Section s{string_at(names, h.sh_name),
              static_cast<u32>(file.sections_.size()),
              h.sh_type,
              h.sh_flags,
              h.sh_addr,
              h.sh_size,
              h.sh_link,
              h.sh_info,
              {}};
    if (h.sh_type != SHT_NOBITS) s.contents = slice(image, h.sh_offset, h.sh_size);
    file.sections_.push_back(s);
  }
  return file;
}

const Section* File::section(std::string_view name) const {
  auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

Result<Bytes> File::contents(const Section& section) const {
  bool old_form = section.name.starts_with(".zdebug_");
  if (!old_form && !(section.flags & SHF_COMPRESSED)) return section.contents;
  auto known = inflated_->by_section.find(section.index);
  if (known == inflated_->by_section.end()) {
    auto text =
        TRY_IN(fmt::format("section {}", section.name),
               old_form ? inflate_zdebug(section.contents) : inflate_section(section.contents));
    known = inflated_->by_section.emplace(section.index, std::move(text)).first;
  }
  return as_bytes(known->second);
}

bool File::has_symtab() const {
  return std::ranges::find(sections_, u32{SHT_SYMTAB}, &Section::type) != sections_.end();
}

// A file that cannot be read leaves its program as it is without: stripped.
void File::read_embedded() {
  const auto* packed = section(".gnu_debugdata");
  if (!packed || packed->contents.empty()) return;
  auto embedded = std::make_unique<Embedded>();
  auto status = unpack(packed->contents, Packing::xz,
                       section_limits.allowed(packed->contents.size()), [&](Bytes piece) -> Status {
                         embedded->image += as_text(piece);
                         return {};
                       });
  auto file = status ? parse_alone(as_bytes(embedded->image)) : fail("");
  if (!file || !file->has_symtab()) return;
  embedded->file = std::make_unique<File>(*std::move(file));
  embedded_ = std::move(embedded);
}

std::vector<Symbol> File::symbols() const {
  std::vector<Symbol> found;
  add_symbols_of(*this, has_symtab() ? SHT_SYMTAB : SHT_DYNSYM, found);
  if (embedded_) add_symbols_of(*embedded_->file, SHT_SYMTAB, found);
  return found;
}

// Sections of an embedded file have numbers of its own.
void File::add_symbols_of(const File& file, u32 table, std::vector<Symbol>& found) const {
  std::vector<u16> numbers;
  if (&file != this) {
    std::map<std::pair<std::string_view, u64>, u16> own;
    for (const auto& s : sections_)
      own.emplace(std::pair(s.name, s.address), static_cast<u16>(s.index));
    for (const auto& s : file.sections_) {
      auto same = own.find({s.name, s.address});
      numbers.push_back(same == own.end() ? u16{SHN_UNDEF} : same->second);
    }
  }
  for (const auto& section : file.sections_) {
    if (section.type != table) continue;
    Bytes strings =
        section.link < file.sections_.size() ? file.sections_[section.link].contents : Bytes{};
    Cursor in(section.contents);
    found.reserve(found.size() + in.left() / sizeof(Elf64_Sym));
    while (in.left() >= sizeof(Elf64_Sym)) {
      auto s = in.get<Elf64_Sym>();
      u16 number = s.st_shndx < numbers.size() ? numbers[s.st_shndx] : s.st_shndx;
      found.push_back({string_at(strings, s.st_name), s.st_value, s.st_size, number,
                       static_cast<u8>(ELF64_ST_TYPE(s.st_info)),
                       static_cast<u8>(ELF64_ST_BIND(s.st_info))});
    }
  }
}

Bytes File::build_id() const {
  for (const auto& section : sections_) {
    if (section.type != SHT_NOTE) continue;
    Cursor in(section.contents);
    while (in.left() >= sizeof(Elf64_Nhdr)) {
      auto note = in.get<Elf64_Nhdr>();
      auto padded = [](u64 n) { return (n + 3) & ~u64{3}; };
      Bytes name = in.bytes(padded(note.n_namesz));
      Bytes id = in.bytes(note.n_descsz);
      in.skip(std::min<u64>(padded(note.n_descsz) - note.n_descsz, in.left()));
      bool gnu = note.n_namesz == 4 && name.size() >= 4 && std::memcmp(name.data(), "GNU", 4) == 0;
      if (in.ok() && gnu && note.n_type == NT_GNU_BUILD_ID) return id;
    }
  }
  return {};
}

std::string_view File::debug_link() const {
  const auto* link = section(".gnu_debuglink");
  return link ? Cursor(link->contents).cstring() : std::string_view{};
}

std::string hex(Bytes bytes) {
  std::string text;
  for (u8 byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace pgokit::object

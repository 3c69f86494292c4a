#include "object/strip.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/cursor.h"
#include "object/macho/reader.h"

namespace pgokit::object {
namespace {

constexpr u32 none = ~u32{0};
constexpr u32 most_segments = 256;  // programs have a dozen
constexpr size_t longest_name = 4096;

struct PlacedSegment {
  Elf64_Phdr header{};
  u64 offset = 0;     // in the new file
  u32 parent = none;  // that it lies in
};

struct PlacedSection {
  Elf64_Shdr header{};
  std::string_view name;
  u64 offset = 0;
  u32 segment = none;  // the first that it lies in
  u32 index = 0;       // in the new file; 0: it is left out
};

u64 align_to(u64 value, u64 alignment, u64 skew = 0) {
  alignment = std::max<u64>(alignment, 1);
  skew %= alignment;
  const u64 over = (value + alignment - skew) % alignment;
  return over ? value + alignment - over : value;
}

// A string table in which names share their ends: longest first, from the back.
class NameSection {
 public:
  explicit NameSection(std::vector<std::string_view> names) {
    std::ranges::sort(names, [](std::string_view a, std::string_view b) {
      return std::ranges::lexicographical_compare(b.rbegin(), b.rend(), a.rbegin(), a.rend());
    });
    std::string_view last;
    for (auto name : names) {
      if (last.ends_with(name) && !bytes_.empty()) {
        offsets_[name] = static_cast<u32>(bytes_.size() - 1 - name.size());
        continue;
      }
      if (bytes_.empty()) bytes_ += '\0';
      offsets_[name] = static_cast<u32>(bytes_.size());
      bytes_ += name;
      bytes_ += '\0';
      last = name;
    }
  }

  u32 offset(std::string_view name) const { return name.empty() ? 0 : offsets_.at(name); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::map<std::string_view, u32> offsets_;
};

class Stripper {
 public:
  explicit Stripper(Bytes image) : image_(image) {}

  Result<std::string> strip() {
    TRY(read_headers());
    TRY(read_sections());
    find_parents();
    choose();
    NameSection names(kept_names());
    sections_[names_index_].header.sh_size = names.bytes().size();
    place_segments();
    place_sections();
    TRY(check_places());
    return write(names);
  }

 private:
  template <class T>
  bool read(u64 offset, T& into) const {
    if (offset > image_.size() || image_.size() - offset < sizeof into) return false;
    std::memcpy(&into, image_.data() + offset, sizeof into);
    return true;
  }
  bool holds(u64 offset, u64 size) const {
    return offset <= image_.size() && size <= image_.size() - offset;
  }
  Bytes part(u64 offset, u64 size) const { return image_.subspan(offset, size); }

  Status read_headers() {
    if (macho::recognizes(image_))
      return fail(
          "it is Mach-O: 'llvm-objcopy --remove-section=__LLVM_MIP,__llvm_mipmap' takes its map "
          "out");
    if (!read(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0)
      return fail("it is not a program");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
      return fail("it is not a 64-bit little-endian program");
    if (header_.e_type != ET_EXEC && header_.e_type != ET_DYN)
      return fail("it is not a linked program");
    if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_shentsize != sizeof(Elf64_Shdr))
      return fail("it has no sections, or headers of another size");
    if (header_.e_phnum > most_segments) return fail("it has {} segments", header_.e_phnum);
    segments_.resize(header_.e_phnum);
    for (u32 i = 0; i < segments_.size(); ++i) {
      auto& segment = segments_[i].header;
      if (!read(header_.e_phoff + i * sizeof segment, segment) ||
          !holds(segment.p_offset, segment.p_filesz))
        return fail("segment {} is not in the file", i);
    }
    return {};
  }

  // Numbers that do not fit into the file's header are in the first section's.
  Status read_section_count() {
    Elf64_Shdr first{};
    u64 count = header_.e_shnum;
    names_index_ = header_.e_shstrndx;
    if (header_.e_shoff && read(header_.e_shoff, first)) {
      if (count == 0) count = first.sh_size;
      if (names_index_ == SHN_XINDEX) names_index_ = first.sh_link;
    }
    if (names_index_ == 0 || names_index_ >= count) return fail("it has no sections");
    if (count > image_.size() / sizeof first)
      return fail("it is cut off: it has {} sections, whose headers are not in the file", count);
    sections_.resize(count);
    return {};
  }

  Status read_sections() {
    TRY(read_section_count());
    for (u32 i = 0; i < sections_.size(); ++i) {
      auto& section = sections_[i].header;
      if (!read(header_.e_shoff + i * sizeof section, section) ||
          (section.sh_type != SHT_NOBITS && !holds(section.sh_offset, section.sh_size)))
        return fail("section {} is not in the file", i);
    }
    const auto& table = sections_[names_index_].header;
    if (table.sh_type != SHT_STRTAB) return fail("it has no names of sections");
    u64 all_names = 0;
    for (auto& section : sections_) {
      Cursor in(part(table.sh_offset, table.sh_size));
      in.skip(section.header.sh_name);
      section.name = in.cstring();
      if (!in.ok() || section.name.size() > longest_name)
        return fail("the name of a section is not in the file, or no name");
      all_names += section.name.size();
    }
    // They may share their bytes, as they do in damaged files; sorting takes as long as they are.
    if (all_names > image_.size())
      return fail("the names of its sections are longer than the file");
    return {};
  }

  bool starts_before(u32 a, u32 b) const {
    return std::pair(segments_[a].header.p_offset, a) < std::pair(segments_[b].header.p_offset, b);
  }

  void find_parents() {
    for (u32 child = 0; child < segments_.size(); ++child)
      for (u32 parent = 0; parent < segments_.size(); ++parent) {
        const auto& around = segments_[parent].header;
        const u64 offset = segments_[child].header.p_offset;
        if (around.p_offset > offset || around.p_offset + around.p_filesz <= offset ||
            !starts_before(parent, child))
          continue;
        auto& known = segments_[child].parent;
        if (known == none || starts_before(parent, known)) known = parent;
      }
    for (auto& section : sections_)
      for (u32 i = 0; i < segments_.size(); ++i)
        if (lies_in(section.header, segments_[i].header) &&
            (section.segment == none ||
             segments_[section.segment].header.p_offset > segments_[i].header.p_offset))
          section.segment = i;
  }

  // One that is empty belongs to the segment that begins where it lies.
  static bool lies_in(const Elf64_Shdr& section, const Elf64_Phdr& segment) {
    const u64 size = std::max<u64>(section.sh_size, 1);
    if (section.sh_type != SHT_NOBITS)
      return segment.p_offset <= section.sh_offset &&
             segment.p_offset + segment.p_filesz >= section.sh_offset + size;
    const bool thread_local_section = section.sh_flags & SHF_TLS;
    return (section.sh_flags & SHF_ALLOC) && thread_local_section == (segment.p_type == PT_TLS) &&
           segment.p_vaddr <= section.sh_addr &&
           segment.p_vaddr + segment.p_memsz >= section.sh_addr + size;
  }

  void choose() {
    u32 index = 0;
    for (u32 i = 1; i < sections_.size(); ++i) {
      auto& section = sections_[i];
      const bool stays =
          i == names_index_ || section.segment != none || (section.header.sh_flags & SHF_ALLOC) ||
          section.name.starts_with(".gnu.warning") || section.name == ".gnu_debuglink";
      if (stays) section.index = ++index;
    }
    count_ = index + 1;
  }

  std::vector<std::string_view> kept_names() const {
    std::vector<std::string_view> names;
    for (const auto& section : sections_)
      if (section.index) names.push_back(section.name);
    return names;
  }

  void place_segments() {
    end_ = sizeof header_;
    if (header_.e_phnum)
      end_ = std::max(end_, header_.e_phoff + header_.e_phnum * sizeof(Elf64_Phdr));
    std::vector<u32> order(segments_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](u32 a, u32 b) { return starts_before(a, b); });
    u64 at = 0;
    for (u32 i : order) {
      auto& [header, offset, parent] = segments_[i];
      offset = parent == none
                   ? align_to(at, header.p_align, header.p_vaddr)
                   : segments_[parent].offset + header.p_offset - segments_[parent].header.p_offset;
      at = std::max(at, offset + header.p_filesz);
    }
    end_ = std::max(end_, at);
  }

  void place_sections() {
    std::vector<u32> loose;
    for (u32 i = 1; i < sections_.size(); ++i) {
      auto& section = sections_[i];
      if (!section.index) continue;
      if (section.segment == none) {
        loose.push_back(i);
        continue;
      }
      const auto& segment = segments_[section.segment];
      section.offset = segment.offset + (section.header.sh_offset - segment.header.p_offset);
    }
    std::ranges::stable_sort(loose, {}, [&](u32 i) { return sections_[i].header.sh_offset; });
    for (u32 i : loose) {
      auto& section = sections_[i];
      end_ = section.offset = align_to(end_, section.header.sh_addralign);
      if (section.header.sh_type != SHT_NOBITS) end_ += section.header.sh_size;
    }
    end_ = align_to(end_, sizeof(u64));
  }

  // Of a damaged program parts may overlap, or be wherever their alignment says.
  Status check_places() const {
    auto fits = [&](u64 offset, u64 size) { return offset <= end_ && size <= end_ - offset; };
    bool good = end_ <= 2 * u64{image_.size()} && sections_[names_index_].segment == none;
    for (const auto& segment : segments_)
      good = good && fits(segment.offset, segment.header.p_filesz);
    for (const auto& section : sections_)
      if (section.index && section.segment == none && section.header.sh_type != SHT_NOBITS)
        good = good && fits(section.offset, section.header.sh_size);
    if (good) return {};
    return fail("its segments and sections do not lie in the file as those of a program do");
  }

  u32 renumbered(u32 index) const { return index < sections_.size() ? sections_[index].index : 0; }

  std::string write(const NameSection& names) const {
    std::string out(end_ + count_ * sizeof(Elf64_Shdr), '\0');
    auto put = [&](u64 offset, const void* bytes, u64 size) {
      std::memcpy(out.data() + offset, bytes, size);
    };
    for (const auto& segment : segments_)
      put(segment.offset, image_.data() + segment.header.p_offset, segment.header.p_filesz);
    u64 at = end_ + sizeof(Elf64_Shdr);
    for (u32 i = 1; i < sections_.size(); ++i) {
      const auto& section = sections_[i];
      if (!section.index) continue;
      auto header = section.header;
      const bool is_names = i == names_index_;
      const void* bytes = is_names ? names.bytes().data()
                                   : static_cast<const void*>(image_.data() + header.sh_offset);
      if (section.segment == none && header.sh_type != SHT_NOBITS)
        put(section.offset, bytes, header.sh_size);
      header.sh_name = names.offset(section.name);
      header.sh_offset = section.offset;
      header.sh_link = renumbered(header.sh_link);
      const bool info_is_section = header.sh_type == SHT_REL || header.sh_type == SHT_RELA ||
                                   (header.sh_flags & SHF_INFO_LINK);
      if (info_is_section) header.sh_info = renumbered(header.sh_info);
      put(at, &header, sizeof header);
      at += sizeof header;
    }
    const u32 names_index = renumbered(names_index_);
    Elf64_Shdr first{};
    auto header = header_;
    header.e_shoff = end_;
    header.e_shnum = static_cast<u16>(count_);
    if (count_ >= SHN_LORESERVE) header.e_shnum = 0, first.sh_size = count_;
    header.e_shstrndx = static_cast<u16>(names_index);
    if (names_index >= SHN_LORESERVE) header.e_shstrndx = SHN_XINDEX, first.sh_link = names_index;
    put(0, &header, sizeof header);
    put(end_, &first, sizeof first);
    for (u32 i = 0; i < segments_.size(); ++i) {
      auto segment = segments_[i].header;
      segment.p_offset = segments_[i].offset;
      put(header_.e_phoff + i * sizeof segment, &segment, sizeof segment);
    }
    return out;
  }

  Bytes image_;
  Elf64_Ehdr header_{};
  std::vector<PlacedSegment> segments_;
  std::vector<PlacedSection> sections_;
  u32 names_index_ = 0;  // of the section with the names
  u32 count_ = 0;        // of sections in the new file, with the first, which is none
  u64 end_ = 0;          // of what has been placed
};

}  // namespace

Result<std::string> strip(Bytes image) { return Stripper(image).strip(); }

}  // namespace pgokit::object

#include "object/file.h"

#include <algorithm>
#include <map>

#include "base/cursor.h"
#include "object/coff/reader.h"
#include "object/elf/inflate.h"
#include "object/elf/reader.h"
#include "object/macho/reader.h"

namespace pgokit::object {
namespace {

Result<std::unique_ptr<Reader>> read(Bytes image) {
  if (elf::recognizes(image)) return elf::read(image);
  if (macho::recognizes(image)) return macho::read(image);
  if (coff::recognizes(image)) return coff::read(image);
  return fail("not an ELF, COFF or Mach-O file");
}

}  // namespace

struct File::Inflated {
  std::map<u32, std::string> by_section;
};

File::File(Bytes image, std::unique_ptr<Reader> reader)
    : image_(image), reader_(std::move(reader)), inflated_(std::make_unique<Inflated>()) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

bool File::recognizes(Bytes image) {
  return elf::recognizes(image) || macho::recognizes(image) || coff::recognizes(image);
}

Result<File> File::parse(Bytes image) { return File(image, TRY(read(image))); }

const Section* File::section(std::string_view name) const {
  auto found = std::ranges::find(sections(), name, &Section::name);
  return found == sections().end() ? nullptr : &*found;
}

Result<Bytes> File::contents(const Section& section) const {
  bool old_form = section.name.starts_with(".zdebug_");
  if (!old_form && !section.compressed) return section.contents;
  auto known = inflated_->by_section.find(section.index);
  if (known == inflated_->by_section.end()) {
    auto text = TRY_IN(fmt::format("section {}", section.name),
                       old_form ? elf::inflate_zdebug(section.contents)
                                : elf::inflate_section(section.contents, address_size()));
    known = inflated_->by_section.emplace(section.index, std::move(text)).first;
  }
  return as_bytes(known->second);
}

std::string hex(Bytes bytes) {
  std::string text;
  for (u8 byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string machine_name(u16 machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "i386";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "Arm";
    case EM_RISCV:
      return "RISC-V";
    default:
      return fmt::format("machine {}", machine);
  }
}

}  // namespace pgokit::object

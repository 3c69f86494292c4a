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

// libtool leaves scripts in a build where one looks for programs. Empty: it is no script.
std::string error_of_script(std::string_view text) {
  constexpr size_t most_looked_at = 512;
  constexpr std::string_view of_libtool = " - temporary wrapper script for ";
  text = text.substr(0, most_looked_at);
  if (!text.starts_with("#!")) return "";
  auto at = text.find(of_libtool);
  if (at == text.npos) return "a script, not an ELF, COFF or Mach-O file";
  auto program = text.substr(at + of_libtool.size());
  return fmt::format("a script of libtool: the program is {} beside it, or a library there",
                     program.substr(0, program.find('\n')));
}

Result<std::unique_ptr<Reader>> read(Bytes image) {
  if (elf::recognizes(image)) return elf::read(image);
  if (macho::recognizes(image)) return macho::read(image);
  if (coff::recognizes(image)) return coff::read(image);
  if (auto error = error_of_script(as_text(image)); !error.empty()) return fail("{}", error);
  if (image.empty()) return fail("it is empty, not an ELF, COFF or Mach-O file");
  if (as_text(image).starts_with("PERFILE2"))
    return fail("a recording (perf.data), not an ELF, COFF or Mach-O file");
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

#include "cli/views/llvm_listing.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/function_name.h"
#include "cli/views/code_listing.h"
#include "cli/views/probe_lines.h"
#include "dwarf/debug_info.h"
#include "isa/formatter.h"
#include "program/probe_file.h"
#include "report/append.h"

namespace pgokit::cli {
namespace {

constexpr size_t location_column = 40;

struct Listing {
  const LlvmListing& options;
  const dwarf::DebugInfo* debug = nullptr;
  std::optional<program::ProbeFile> file;
  probe::AddressIndex index;
  bool targets_from_end = false;
  program::CodeModes modes = {};

  bool is_shown(std::string_view symbol) const {
    return options.functions.empty() ||
           std::ranges::find(options.functions, symbol) != options.functions.end();
  }
};

// A call's probe as compilers put it into the discriminator of its line.
u32 probe_of(u32 discriminator) {
  return discriminator & 0x10000000 ? discriminator >> 3 & 0x1fff : discriminator >> 3 & 0xffff;
}

class Printer : public RegionPrinter {
 public:
  Printer(const Listing& listing, isa::Formatter formatter)
      : listing_(listing), formatter_(std::move(formatter)) {
    if (listing.debug && listing.options.locations) frames_.emplace(*listing.debug);
    if (listing.file) probes_.emplace(*listing.file, listing.index);
  }

  void print(const program::CodeRegion& region, ListingSink& sink) override {
    std::string& text = sink.text();
    std::string_view name = region.symbol;
    if (listing_.options.canonical_names) name = canonical_function_name(name);
    if (!listing_.is_shown(name)) return;
    text.append("<").append(name).append(">:\n");
    std::span<const probe::AddressIndex::Entry> probes;
    if (probes_) probes = listing_.index.from(region.address);
    for (size_t at = 0; at < region.code.size();) {
      u64 address = region.address + at;
      print_probes(address, probes, text);
      report::append_hex(text, address, 8);
      text += ":\t";
      size_t start = text.size() - 1;
      // An instruction may run on into the next region.
      Bytes code = region.section->contents.subspan(address - region.section->address);
      auto piece = listing_.modes.at(address);
      isa::Printed one = formatter_.append(piece.of(code, address),
                                           origin_of_targets(code, address), text, piece.mode);
      if (!one.instruction.ok()) text += "<unknown>";
      if (listing_.options.locations) print_location(address, text.size() - start, text);
      text += '\n';
      at += std::min(one.step(), region.code.size() - at);
      sink.flush_some();
    }
    text += '\n';
  }

 private:
  // Those within the instruction before have no line.
  void print_probes(u64 address, std::span<const probe::AddressIndex::Entry>& probes,
                    std::string& text) {
    const auto& index = listing_.index;
    while (!probes.empty() && index.address(probes.front()) < address) probes = probes.subspan(1);
    for (; !probes.empty() && index.address(probes.front()) == address; probes = probes.subspan(1))
      probes_->append(probes.front(), text);
  }

  // llvm-profgen hands the end of an instruction to LLVM's printer, which for RISC-V is where targets
  // count from.
  u64 origin_of_targets(Bytes code, u64 address) const {
    if (!listing_.targets_from_end || code.empty()) return address;
    return address + ((code[0] & 3) == 3 ? 4 : 2);
  }

  void print_location(u64 address, size_t width, std::string& text) {
    if (width < location_column) text.append(location_column - width, ' ');
    if (!frames_) return;
    const auto& frames = frames_->at(address).frames;
    for (size_t i = frames.size(); i-- > 0;) {
      const auto& frame = frames[i];
      std::string_view name = frame.function;
      if (listing_.options.canonical_names) name = canonical_function_name(name);
      u32 line = (frame.line - frame.start_line) & 0xffff, discriminator = frame.discriminator;
      if (listing_.options.probes) line = probe_of(std::exchange(discriminator, 0));
      fmt::format_to(std::back_inserter(text), "{}{}:{}", i + 1 < frames.size() ? " @ " : "", name,
                     line);
      if (discriminator) fmt::format_to(std::back_inserter(text), ".{}", discriminator);
    }
  }

  const Listing& listing_;
  isa::Formatter formatter_;
  std::optional<dwarf::FrameCursor> frames_;
  std::optional<ProbeLines> probes_;
};

void print_descriptors(const probe::Descriptors& known, OutputFile& output) {
  std::string text = "Pseudo Probe Desc:\n";
  std::vector<probe::Descriptor> all;
  std::ranges::merge(known.list(), known.duplicates(), std::back_inserter(all), {},
                     &probe::Descriptor::guid, &probe::Descriptor::guid);
  for (const auto& one : all)
    fmt::format_to(std::back_inserter(text), "GUID: {} Name: {}\nHash: {}\n", one.guid, one.name,
                   one.hash);
  output.write(text);
}

}  // namespace

Status check_format(const program::Program& program) {
  if (program.file().format() != object::Format::mach_o) return {};
  return fail("{}: not a valid ELF/COFF image ('pgokit generate' reads Mach-O)", program.path());
}

Status print_llvm_listing(const std::string& path, const program::ProgramOptions& program_options,
                          const LlvmListing& options) {
  auto program = TRY(program::Program::open(path, program_options));
  TRY(check_format(program));
  if (options.locations) TRY(program.load_functions(0));
  const object::File& file = program.file();
  Listing listing{.options = options,
                  .debug = program.debug(),
                  .file = {},
                  .index = {},
                  .targets_from_end = file.machine() == EM_RISCV,
                  .modes = program::CodeModes(file)};
  if (options.probes && program.has_probes()) {
    listing.file = TRY(program::ProbeFile::open(path, {}));
    listing.index = index_probes(*listing.file);
  }
  auto output = TRY(OutputFile::create("-"));
  if (listing.file) print_descriptors(listing.file->descriptors(), output);
  output.write(fmt::format("\nDisassembly of {}:\n", path));
  object::Layout layout(file);
  auto symbols = file.symbols();
  auto regions = program::code_regions({file, layout, symbols}, program::RegionRules::as_peer);
  auto make = [&] {
    auto formatter = isa::Formatter::for_machine({file.machine(), file.address_size()},
                                                 options.syntax, isa::LockPrefix::alone);
    return std::make_unique<Printer>(listing, std::move(*formatter));
  };
  std::span rest(regions);
  for (const auto& section : file.sections()) {
    if (!section.executable || section.size == 0) continue;
    output.write(fmt::format("\nDisassembly of section {} [{:#x}, {:#x}]:\n\n", section.name,
                             section.address, section.address + section.size));
    size_t count = 0;
    while (count < rest.size() && rest[count].section == &section) ++count;
    print_regions(rest.first(count), 0, make, output);
    rest = rest.subspan(count);
  }
  return output.commit();
}

}  // namespace pgokit::cli

// `pgokit probes disassemble`: machine code with the probes between its instructions.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>

#include "base/printable.h"
#include "cli/commands/probes_commands.h"
#include "cli/function_filter.h"
#include "cli/options.h"
#include "cli/views/code_listing.h"
#include "cli/views/code_names.h"
#include "cli/views/probe_lines.h"
#include "dwarf/debug_info.h"
#include "isa/formatter.h"
#include "program/code_modes.h"
#include "report/append.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string file, function, syntax = "att";
  program::ProbeFileOptions options;
  bool source_lines = false, bytes = false;
  u64 threads = 0;
};

// What all printers read.
struct Code {
  const object::Layout& layout;
  const probe::AddressIndex& index;
  const program::ProbeFile& file;
  const CodeNames& names;
  const program::CodeModes& modes;
  const dwarf::DebugInfo* debug;
  isa::Syntax syntax;
  bool bytes;                      // are shown
  std::atomic<u64> misplaced = 0;  // probes inside of instructions
};

class Printer : public RegionPrinter {
 public:
  Printer(Code& code, isa::Formatter formatter)
      : code_(code), formatter_(std::move(formatter)), lines_(code.file, code.index) {
    if (code.debug) frames_.emplace(*code.debug);
  }

  void print(const program::CodeRegion& region, ListingSink& sink) override {
    std::string& text = sink.text();
    if (!region.symbol.empty())
      text.append("\n<").append(printable_line(region.symbol)).append(">:\n");
    else if (!region.code.empty())
      text.append("\nsection ").append(printable_line(region.section->name)).append(":\n");
    u64 base = code_.layout.is_relocatable() ? code_.layout.address_of(*region.section) : 0;
    auto probes = code_.index.from(region.address);
    source_.clear();
    for (size_t at = 0; at < region.code.size();) {
      u64 address = region.address + at;
      print_source(address, text);
      print_probes(probes, address, text);
      report::append_hex(text, address - base, 8);
      text += ":\t";
      size_t column = text.size();
      size_t size = print_instruction(region, at, text);
      if (code_.bytes) text.insert(column, bytes_column(region.code.subspan(at, size)));
      at += size;
      text += '\n';
      sink.flush_some();
    }
    skip_probes(probes, region.address + region.code.size());
  }

 private:
  using Entries = std::span<const probe::AddressIndex::Entry>;

  size_t print_instruction(const program::CodeRegion& region, size_t at, std::string& text) {
    u64 address = region.address + at;
    auto piece = code_.modes.at(address);
    isa::Printed one =
        formatter_.append(piece.of(region.code.subspan(at), address), address, text, piece.mode);
    if (!one.instruction.ok()) {
      size_t size = std::min(one.step(), region.code.size() - at);
      text += ".byte\t";
      for (size_t i = 0; i < size; ++i)
        fmt::format_to(std::back_inserter(text), "{}{:#04x}", i ? ", " : "", region.code[at + i]);
      return size;
    }
    if (code_.names.append_relocations(region, address, one.step(), text)) return one.step();
    if (one.instruction.has_target) {
      code_.names.append_name(one.instruction.target, text);
    } else if (one.reference) {
      std::string name;
      if (code_.names.append_name(*one.reference, name))
        fmt::format_to(std::back_inserter(text), "\t# {:#x}{}", *one.reference, name);
    }
    return one.step();
  }

  // As wide as most instructions of x86-64 are long at most; longer ones push theirs to the right.
  static std::string bytes_column(Bytes bytes) {
    constexpr size_t usual = 8;
    std::string column;
    for (u8 one : bytes) fmt::format_to(std::back_inserter(column), "{:02x} ", one);
    column.resize(std::max(column.size(), 3 * usual), ' ');
    return column += '\t';
  }

  void print_probes(Entries& probes, u64 address, std::string& text) {
    skip_probes(probes, address);
    while (!probes.empty() && code_.index.address(probes.front()) == address) {
      lines_.append(probes.front(), text);
      probes = probes.subspan(1);
    }
  }

  void skip_probes(Entries& probes, u64 until) {
    while (!probes.empty() && code_.index.address(probes.front()) < until) {
      ++code_.misplaced;
      probes = probes.subspan(1);
    }
  }

  // A line where the place in the source changes.
  void print_source(u64 address, std::string& text) {
    if (!frames_) return;
    const auto& part = frames_->at(address);
    std::string line;
    for (size_t i = part.frames.size(); i-- > 0;) {
      const auto& frame = part.frames[i];
      std::filesystem::path file = code_.debug->file_name(part, frame);
      fmt::format_to(std::back_inserter(line), "{}{}:{} {}", line.empty() ? "; " : " @ ",
                     file.lexically_normal().string(), frame.line, frame.function);
    }
    if (line == source_ || line.empty()) return;
    source_ = line;
    text.append(printable_line(line)).append("\n");
  }

  Code& code_;
  isa::Formatter formatter_;
  ProbeLines lines_;
  std::optional<dwarf::FrameCursor> frames_;
  std::string source_;
};

// Regions of which a name matches; of several names of one place, all are shown.
std::vector<program::CodeRegion> chosen(const std::vector<program::CodeRegion>& all,
                                        const FunctionFilter& filter) {
  std::vector<program::CodeRegion> shown;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    auto same_place = [&](const program::CodeRegion& one) {
      return one.section == all[begin].section && one.address == all[begin].address;
    };
    while (end < all.size() && same_place(all[end])) ++end;
    bool any = !filter.is_set();
    for (size_t i = begin; i < end && !any; ++i) any = filter.matches(all[i].symbol);
    if (any) shown.insert(shown.end(), all.begin() + begin, all.begin() + end);
    begin = end;
  }
  return shown;
}

Result<std::unique_ptr<dwarf::DebugInfo>> load_lines(const program::ProbeFile& file) {
  if (file.layout().is_relocatable())
    return fail("{}: source lines are not known in an object before it is linked", file.path());
  for (const object::File* one : {&file.main(), &file.symbols_file(), &file.probes_file()}) {
    if (!one->section(".debug_info") && !one->section(".zdebug_info")) continue;
    dwarf::Options options{.path = file.path()};
    return std::make_unique<dwarf::DebugInfo>(
        TRY_IN(file.path(), dwarf::DebugInfo::load(*one, options)));
  }
  return fail("{}: it has no debug information: compile with -g to see source lines", file.path());
}

Status disassemble(const Settings& settings) {
  auto filter = TRY(FunctionFilter::compile(settings.function));
  if (settings.syntax != "att" && settings.syntax != "intel")
    return usage_error("--syntax '{}': it is att or intel", settings.syntax);
  auto syntax = settings.syntax == "att" ? isa::Syntax::att : isa::Syntax::intel;
  auto file = TRY(program::ProbeFile::open(settings.file, settings.options));
  const object::File* image = file.code_file();
  if (!image)
    return fail("{}: it has no machine code: name the program, and this file by --debug-file",
                file.path());
  isa::Machine machine(image->machine(), image->address_size());
  TRY_IN(file.path(),
         isa::Formatter::for_machine(machine, syntax, isa::LockPrefix::with_instruction));
  std::unique_ptr<dwarf::DebugInfo> debug;
  if (settings.source_lines) debug = TRY(load_lines(file));

  object::Layout layout(*image);
  bool own_symbols = image == &file.symbols_file();
  auto regions = program::code_regions({*image, layout, file.symbols(), own_symbols},
                                       program::RegionRules::all);
  auto shown = chosen(regions, filter);
  if (shown.empty()) {
    std::vector<FunctionNamed> names;
    for (const auto& region : regions) names.push_back({region.symbol});
    return nothing_matches(file.path(), settings.function, names);
  }
  auto index = index_probes(file);
  CodeNames names(file, layout, regions);
  program::CodeModes modes(*image, layout, file.symbols());
  Code code{layout, index, file, names, modes, debug.get(), syntax, settings.bytes};
  auto output = TRY(OutputFile::create("-"));
  output.escape();
  auto make = [&] {
    auto formatter =
        isa::Formatter::for_machine(machine, code.syntax, isa::LockPrefix::with_instruction);
    return std::make_unique<Printer>(code, std::move(*formatter));
  };
  print_regions(shown, static_cast<unsigned>(settings.threads), make, output);
  TRY(output.commit());
  if (code.misplaced)
    report::print(stderr, "pgokit probes disassemble: {} not at the start of an instruction\n",
                  report::counted(code.misplaced.load(), "probe is", "probes are"));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit probes disassemble",
      "Print machine code with the pseudo probes between its instructions.",
      {{"FILE", "", "program, shared object or object file", &settings.file, true},
       {"--function", "RE", "functions whose names match this regular expression",
        &settings.function},
       one_of({"--syntax", "SYNTAX", "of x86-64: {}", &settings.syntax}, {"att", "intel"}),
       {"--bytes", "", "print the bytes of each instruction", &settings.bytes},
       {"--source-lines", "", "print where in the source the code comes from",
        &settings.source_lines},
       {"--debug-file", "FILE", "where its symbols or probes are, if not in FILE",
        &settings.options.debug_path},
       {"--threads", "N", "that many threads; 0 is all cores", &settings.threads}},
      ""};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = disassemble(settings);
  return status ? 0 : report_failure("probes disassemble", status.error());
}

}  // namespace

constexpr Command probes_disassemble_command{"disassemble", "print machine code with its probes",
                                             run};

}  // namespace pgokit::cli

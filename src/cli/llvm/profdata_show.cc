// llvm-profdata show: the same options, the same text.
#include <algorithm>

#include "base/file.h"
#include "base/parse_number.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "cli/llvm/profdata_options.h"
#include "cli/views/instr_dump.h"
#include "cli/views/llvm_dump.h"
#include "cli/views/memory_dump.h"
#include "instr_profile/format.h"
#include "instr_profile/memory/memory_program.h"
#include "instr_profile/memory/read_indexed_memory.h"
#include "pipeline/inputs.h"
#include "profile/extbinary/section_table.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

constexpr u32 largest_cutoff = 999999;  // per million

struct Settings {
  std::string input, output = "-", function, show_format = "text", memory_program;
  bool sample = false, json = false, all_functions = false;
  bool detailed_summary = false, hot_functions = false, symbols = false, sections = false;
  bool instr = false, memory = false, ignored = false;
  std::string cutoffs;
  u64 top = 0;
  InstrDump instr_dump;
  LibraryOptions library;
};

OptionTable options_of(Settings& s) {
  auto& i = s.instr_dump;
  OptionTable table{
      "llvm-profdata show",
      "Show an instrumentation profile, or a sample profile, with the options of llvm-profdata 22.",
      {{"FILE", "", "the profile", &s.input},
       {"--output,-o", "FILE", "output file", &s.output},
       {"--instr", "", "an instrumentation profile (default)", &s.instr},
       {"--sample", "", "a sample profile", &s.sample},
       {"--memory", "", "a memory profile", &s.memory},
       {"--function", "NAME", "this function only", &s.function},
       {"--all-functions", "", "every function", &s.all_functions},
       {"--json", "", "the same as --show-format=json", &s.json},
       one_of({"--show-format", "FORMAT", "{}", &s.show_format}, {"text", "json"}),
       {"--detailed-summary", "", "the summary too", &s.detailed_summary},
       {"--hot-func-list", "", "the hot functions too", &s.hot_functions},
       {"--topn", "N", "the hottest N functions too", &s.top},
       {"--show-prof-sym-list", "", "the profile symbol list too", &s.symbols},
       {"--show-sec-info-only", "", "the sections of an extbinary file, nothing else", &s.sections},
       {"--counts", "", "instrumentation: counters of the functions shown", &i.counts},
       {"--showcs", "", "... functions that were instrumented after inlining",
        &i.context_sensitive},
       {"--ic-targets", "", "... targets of their indirect calls", &i.call_targets},
       {"--memop-sizes", "", "... sizes of their memory operations", &i.memop_sizes},
       {"--show-vtables", "", "... their virtual tables", &i.vtables},
       {"--text", "", "... as text that can be read again", &i.text},
       {"--covered", "", "... names of functions that ran, nothing else", &i.covered},
       {"--value-cutoff", "N", "... functions with a count of N at least", &i.value_cutoff},
       {"--list-below-cutoff", "", "... names of the others", &i.only_below},
       {"--detailed-summary-cutoffs", "N,N", "... shares of the detailed summary, per million",
        &s.cutoffs},
       {"--binary-ids", "", "... build ids of the programs", &i.binary_ids},
       {"--profile-version", "", "... the version of the form", &i.version},
       {"--temporal-profile-traces", "", "... functions in the order of their first runs",
        &i.traces},
       {"--profiled-binary", "FILE", "memory: the program that a raw profile is of",
        &s.memory_program}},
      ""};
  add_library_options(table, s.library);
  return table;
}

Status show_sections(const Settings& s, const MappedFile& file, OutputFile& output) {
  auto format = profile::sniff(file.bytes());
  if (!format) return fail("{}: Unrecognized sample profile encoding format", s.input);
  if (*format != profile::Format::extbinary) {
    report::print(stderr,
                  "warning: -show-sec-info-only is only supported for sample profile in extbinary "
                  "format and is ignored for other formats.\n");
    return {};
  }
  auto sections = TRY_IN(s.input, profile::read_section_table(file.bytes()));
  output.write(dump_sections(sections, file.bytes().size()));
  return {};
}

Status show_content(const Settings& s, const MappedFile& file, OutputFile& output) {
  bool json = s.json || s.show_format == "json";
  bool one = !s.function.empty() && !s.all_functions;
  if (one && json)
    return fail("the JSON format is supported only when all functions are to be printed");
  auto columns = TRY_IN(s.input, profile::read_columns(file.bytes(), s.library.reading()));
  auto take = [&](std::string_view text) { output.write(text); };
  if (one)
    take(dump_function(columns, s.function));
  else
    (json ? dump_functions_json : dump_functions)(columns, take);
  if (s.symbols) take(dump_symbols(columns));
  if (s.detailed_summary) take(dump_summary(columns.summary));
  if (s.hot_functions || s.top) take(dump_hot_functions(columns, s.top));
  return {};
}

Result<std::vector<u32>> cutoffs_of(std::string_view list) {
  std::vector<u32> cutoffs;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    auto word = list.substr(0, comma);
    u32 cutoff = 0;
    if (!parse_number(word, cutoff))
      return fail(
          "for the --detailed-summary-cutoffs option: '{}' value invalid for uint argument!", word);
    if (cutoff > largest_cutoff)
      return fail("--detailed-summary-cutoffs: {} is more than {}", cutoff, largest_cutoff);
    cutoffs.push_back(cutoff);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return cutoffs;
}

Status show_instr(Settings& s) {
  if (s.json || s.show_format == "json")
    return fail("JSON output is not supported for instr profiles");
  if (s.show_format == "yaml") return fail("YAML output is not supported for instr profiles");
  auto& dump = s.instr_dump;
  dump.all_functions = s.all_functions;
  dump.function = s.function;
  dump.detailed_summary = s.detailed_summary;
  dump.top = s.top;
  dump.cutoffs = TRY(cutoffs_of(s.cutoffs));
  auto file = TRY(MappedFile::open(s.input));
  auto output = TRY(OutputFile::create(s.output));
  auto status = dump_instr(file.bytes(), dump, [&](std::string_view text) { output.write(text); });
  if (!status) {
    bool form = status.error().message.starts_with(instr_profile::problem::format) ||
                pipeline::identify(file.bytes()) == &pipeline::inputs::sample_profile;
    return fail("{}: {}{}", s.input, status.error().message,
                form ? "\nnote: Perhaps you forgot to use the --sample or --memory option?" : "");
  }
  return output.commit();
}

Status show_raw_memory(const Settings& s, Bytes bytes, const report::TakeText& take) {
  auto raw = TRY_IN(s.input, instr_profile::read_raw_memory(bytes));
  if (s.memory_program.empty())
    return fail("{}: {} {}", s.input, instr_profile::raw_memory_wants_program, build_ids_of(raw));
  auto program = TRY(instr_profile::MemoryProgram::open(s.memory_program));
  dump_raw_memory(raw, TRY_IN(s.input, program.profile_of(raw, true)), take);
  return {};
}

Status show_memory(const Settings& s) {
  auto file = TRY(MappedFile::open(s.input));
  auto output = TRY(OutputFile::create(s.output));
  auto take = [&](std::string_view text) { output.write(text); };
  if (instr_profile::is_raw_memory(file.bytes())) {
    TRY(show_raw_memory(s, file.bytes(), take));
    return output.commit();
  }
  instr_profile::Facts facts;
  if (instr_profile::form_of(file.bytes()) != instr_profile::Form::indexed)
    return fail("{}: neither a raw memory profile nor an indexed one", s.input);
  TRY_IN(s.input, instr_profile::read(file.bytes(), facts,
                                      [](const instr_profile::Record&) { return Status(); }));
  if (facts.memory.bytes.empty()) return fail("{}: it has no memory profile", s.input);
  auto profile = TRY_IN(s.input, instr_profile::read_indexed_memory(facts.memory));
  TRY_IN(s.input, dump_memory(profile, take));
  return output.commit();
}

Status show(Settings& s) {
  if (s.input.empty())
    return fail(
        "the positional argument '<profdata-file>' is required unless '--debug-info' is "
        "provided");
  if (s.show_format != "text" && s.show_format != "json" && s.show_format != "yaml")
    return fail("for the --show-format option: Cannot find option named '{}'!", s.show_format);
  TRY(check_library_options(s.library));
  if (s.all_functions && !s.function.empty())
    report::print(stderr, "warning: -function argument ignored: showing all functions\n");
  if (s.memory) return show_memory(s);
  if (!s.sample) return show_instr(s);
  if (s.show_format == "yaml") return fail("YAML output is not supported for sample profiles");
  auto file = TRY(MappedFile::open(s.input));
  auto output = TRY(OutputFile::create(s.output));
  TRY(s.sections ? show_sections(s, file, output) : show_content(s, file, output));
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings s;
  if (auto exit = parse_llvm_options(options_of(s), arguments)) return *exit;
  if (!s.input.empty() && s.input == s.output) {
    report::print(stderr,
                  "llvm-profdata show: Input file name cannot be the same as the output file "
                  "name!\n");
    return 1;
  }
  choose_profile_kind(arguments, s.sample);
  auto status = show(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

constexpr Command profdata_show_command{"show", "show what is in a profile", run};

}  // namespace pgokit::cli

// llvm-profdata show --sample: the same options, the same text.
#include "base/file.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "cli/llvm/profdata_options.h"
#include "cli/views/llvm_dump.h"
#include "profile/extbinary/section_table.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string input, output = "-", function, show_format = "text";
  bool sample = false, json = false, all_functions = false;
  bool detailed_summary = false, hot_functions = false, symbols = false, sections = false;
  bool ignored = false;
  std::string ignored_value;
  u64 top = 0;
  LibraryOptions library;
};

OptionTable options_of(Settings& s) {
  OptionTable table{
      "llvm-profdata show",
      "Show a sample profile, with the options of llvm-profdata 22.",
      {{"FILE", "", "the profile", &s.input},
       {"--output,-o", "FILE", "output file", &s.output},
       {"--sample", "", "a sample profile", &s.sample},
       {"--function", "NAME", "this function only", &s.function},
       {"--all-functions", "", "every function", &s.all_functions},
       {"--json", "", "the same as --show-format=json", &s.json},
       {"--show-format", "FORMAT", "text (default) or json", &s.show_format},
       {"--detailed-summary", "", "the summary too", &s.detailed_summary},
       {"--hot-func-list", "", "the hot functions too", &s.hot_functions},
       {"--topn", "N", "the hottest N functions too", &s.top},
       {"--show-prof-sym-list", "", "the profile symbol list too", &s.symbols},
       {"--show-sec-info-only", "", "the sections of an extbinary file, nothing else", &s.sections},
       {"--counts,--showcs,--ic-targets,--memop-sizes,--text,--covered,--binary-ids", "",
        "of other kinds of profiles", &s.ignored, false, true},
       {"--profile-version,--show-vtables,--list-below-cutoff,--temporal-profile-traces", "",
        "of other kinds of profiles", &s.ignored, false, true},
       {"--value-cutoff,--detailed-summary-cutoffs,--profiled-binary", "X",
        "of other kinds of profiles", &s.ignored_value, false, true}},
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

Status show_sample(const Settings& s) {
  if (s.input.empty())
    return fail(
        "the positional argument '<profdata-file>' is required unless '--debug-info' is "
        "provided");
  if (!s.sample) return fail("{}: only sample profiles are shown here: give --sample", s.input);
  if (s.show_format == "yaml") return fail("YAML output is not supported for sample profiles");
  if (s.show_format != "text" && s.show_format != "json")
    return fail("for the --show-format option: Cannot find option named '{}'!", s.show_format);
  TRY(check_library_options(s.library));
  if (s.all_functions && !s.function.empty())
    report::print(stderr, "warning: -function argument ignored: showing all functions\n");
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
  auto status = show_sample(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

constexpr Command profdata_show_command{"show", "show what is in a profile", run};

}  // namespace pgokit::cli

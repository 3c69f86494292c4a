#include <algorithm>

#include "annotate/function_list.h"
#include "base/function_name.h"
#include "base/named_function.h"
#include "cli/commands/commands.h"
#include "cli/commands/counted_program.h"
#include "cli/commands/remarks_files.h"
#include "cli/commands/report_page.h"
#include "cli/options.h"
#include "cli/views/annotated.h"
#include "cli/views/hot_functions.h"
#include "cli/views/profile_source.h"
#include "pipeline/input_checks.h"
#include "pipeline/inputs.h"
#include "profile/format.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::FunctionList;

struct Settings {
  std::vector<std::string> inputs, given;
  std::string binary, function, before, order, measurement, explanation, remarks, source, output,
      syntax = "att";
  bool text = false, json = false, mangled = false, ignore_build_id = false;
  u64 top = 20, max_size = usual_size, threads = 0;
};

std::unexpected<Error> nothing_given() {
  return usage_error(
      "there is nothing to report of: give a recording, 'pgokit report app.perf -b app -o "
      "report.html' (pgokit record makes one), or a profile");
}

// A page, unless text is asked for.
bool is_page(const Settings& s) { return !s.text && !s.json && s.function.empty(); }

Status check_settings(const Settings& s) {
  if (s.inputs.empty()) return nothing_given();
  if (s.syntax != "att" && s.syntax != "intel")
    return usage_error("--syntax '{}': it is att or intel", s.syntax);
  for (const auto& option : s.given) {
    bool of_page = option == "--before" || option == "--order" || option == "--measurement" ||
                   option == "--explanation" || option == "--output" || option == "--max-size";
    if (of_page && !is_page(s)) return usage_error("{} is for a page, not for text", option);
    if (option == "--source" && !is_page(s) && s.function.empty())
      return usage_error("--source is for source, which a page or --annotate shows");
    if (option == "--remarks" && !is_page(s) && s.function.empty())
      return usage_error("--remarks are of code, which a page or --annotate shows");
    if (option == "--syntax" && !is_page(s) && s.function.empty())
      return usage_error("--syntax is of machine code, which a page or --annotate shows");
    if (option == "--top" && (is_page(s) || !s.function.empty() || s.json))
      return usage_error("--top is for the table of --text");
  }
  constexpr u64 largest = 1000;
  if (s.max_size == 0 || s.max_size > largest)
    return usage_error("--max-size is from 1 to {}", largest);
  if (is_page(s) && s.output.empty())
    return usage_error("where shall the page go: -o report.html (or --text for the terminal)");
  return pipeline::check_threads(s.threads);
}

// Whether the inputs are profiles; they cannot be mixed with what profiles are made of.
Result<bool> are_profiles(const Settings& s) {
  size_t profiles = 0;
  for (const auto& path : s.inputs) {
    auto file = TRY(MappedFile::open(path));
    if (pipeline::identify(file.bytes()) == &pipeline::inputs::sample_profile) {
      ++profiles;
      continue;
    }
    [[maybe_unused]] const auto* kind = TRY_IN(path, pipeline::identify_counts(file.bytes(), true));
  }
  if (profiles == 0) return false;
  if (s.inputs.size() > 1)
    return usage_error("a report is of recordings or of one profile (--before compares two)");
  return true;
}

void print_list(const Settings& s, const FunctionList& list) {
  auto text = s.json ? hot_functions_json(list).text() + "\n"
                     : hot_functions_text(list, {.top = s.top, .mangled = s.mangled});
  report::print("{}", report::lines(text));
}

// The one function that is meant.
Result<const annotate::ListedFunction*> chosen(const Settings& s, const FunctionList& list) {
  std::vector<FunctionNamed> names;
  for (const auto& one : list.functions) names.push_back({one.name});
  auto found = TRY_IN(s.inputs[0], functions_meant(s.function, names));
  return &list.functions[found.front()];
}

Status annotate_profile(const Settings& s, const profile::Profile& profile,
                        const FunctionList& list) {
  const auto& path = s.inputs[0];
  if (s.source.empty())
    return usage_error(
        "--annotate: {} is a profile, which does not tell how often instructions ran: give the "
        "recording, or --source DIR, where its source is",
        path);
  TRY(check_has_lines(profile, path));
  auto folder = TRY(annotate::SourceFolder::open(s.source));
  const auto* listed = TRY(chosen(s, list));
  auto source = annotate::profiled_sources(profile, {listed->name}, folder).front();
  auto text =
      s.json ? profile_source_json(source).text() + "\n" : profile_source_text(source, s.mangled);
  report::print("{}", report::lines(text));
  return {};
}

Status report_profile(const Settings& s) {
  const auto& path = s.inputs[0];
  if (!s.binary.empty())
    return usage_error("-b {}: {} is a profile, which names its functions itself", s.binary, path);
  auto file = TRY(MappedFile::open(path));
  auto read = TRY_IN(path, profile::read_profile(file.bytes()));
  auto list = annotate::list_functions(read.profile);
  if (list.functions.empty())
    return fail("{}: there is no function in it; 'pgokit check' tells more", path);
  if (!s.function.empty()) return annotate_profile(s, read.profile, list);
  print_list(s, list);
  return {};
}

Status report_recording(const Settings& s) {
  CountedProgram counted({.inputs = s.inputs,
                          .binary = s.binary,
                          .ignore_build_id = s.ignore_build_id,
                          .threads = static_cast<unsigned>(s.threads)});
  TRY(counted.read());
  const auto& program = counted.program();
  auto list = annotate::list_functions(program, counted.counts(), counted.samples());
  if (s.function.empty()) {
    if (!s.json) report::print("program    {}\n\n", program.path());
    return print_list(s, list), Status{};
  }
  auto syntax = s.syntax == "att" ? isa::Syntax::att : isa::Syntax::intel;
  auto reader = TRY(annotate::CodeReader::of(program, counted.counts(), syntax));
  const auto* listed = TRY(chosen(s, list));
  auto code = reader.read(*listed->function);
  annotate::FunctionRemarks remarks({std::string(canonical_function_name(listed->name))});
  TRY(read_remarks(s.remarks, remarks));
  AnnotatedView view{.program = &program,
                     .list = &list,
                     .listed = listed,
                     .code = &code,
                     .remarks = s.remarks.empty() ? nullptr : &remarks,
                     .mangled = s.mangled};
  auto text = s.json ? annotated_json(view).text() + "\n" : annotated_text(view);
  report::print("{}", report::lines(text));
  return {};
}

Status report(const Settings& s) {
  TRY(check_settings(s));
  bool of_profile = TRY(are_profiles(s));
  if (of_profile && std::ranges::count(s.given, "--syntax") > 0)
    return usage_error("--syntax is of machine code, of which {} tells nothing", s.inputs[0]);
  if (!of_profile && !s.source.empty())
    return usage_error("--source is for a profile: a program tells where its source is");
  if (is_page(s))
    return write_page({.inputs = s.inputs,
                       .before = s.before,
                       .binary = s.binary,
                       .order = s.order,
                       .measurement = s.measurement,
                       .explanation = s.explanation,
                       .remarks = s.remarks,
                       .source = s.source,
                       .output = s.output,
                       .max_size = s.max_size,
                       .syntax = s.syntax == "att" ? isa::Syntax::att : isa::Syntax::intel,
                       .of_profile = of_profile,
                       .mangled = s.mangled,
                       .ignore_build_id = s.ignore_build_id,
                       .threads = static_cast<unsigned>(s.threads)});
  return of_profile ? report_profile(s) : report_recording(s);
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit report",
      "Show what a recording or a profile tells of a program: as a page for browsers, or as text.",
      {{"INPUT", "", "recordings of the program, counts, or a profile", &s.inputs},
       {"-o,--output", "FILE", "the page, one file of HTML; - is standard output", &s.output},
       {"-b,--binary", "PROGRAM", "the program (the one with most samples)", &s.binary},
       {"--before", "PROFILE", "... compared with this profile", &s.before},
       {"--order", "FILE", "... with the pages of code as they would be in this order", &s.order},
       {"--explanation", "FILE", "... with what 'pgokit explain --json' printed", &s.explanation},
       {"--remarks", "PATH",
        "... with optimization remarks (-fsave-optimization-record): a file, or a folder with them",
        &s.remarks},
       {"--source", "DIR", "... where the source of a profile is, if there is no recording",
        &s.source},
       {"--measurement", "FILE", "... with what 'pgokit measure --json' printed", &s.measurement},
       {"--max-size", "MB", "... of at most so many million bytes (2)", &s.max_size},
       {"--text", "", "print a table of the hottest functions", &s.text},
       {"--annotate", "FUNCTION", "print this function's code with counts", &s.function},
       {"--top", "N", "how many functions are listed; 0 is all", &s.top},
       one_of({"--syntax", "SYNTAX", "of x86 code: {}", &s.syntax}, {"att", "intel"}),
       {"--ignore-build-id", "", "take a recording of another build", &s.ignore_build_id},
       {"--threads", "N", "how many threads (all cores)", &s.threads},
       mangled_option(s.mangled),
       {"--json", "", "print JSON", &s.json}},
      "\nexample:\n"
      "  pgokit report app.perf -b app -o report.html\n"
      "  pgokit report app.perf -b app --text\n"
      "  pgokit report app.perf -b app --annotate 'Parser::next'\n"};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = report(s);
  return status ? 0 : report_failure("report", status.error());
}

}  // namespace

constexpr Command report_command{"report", "show hot functions and code as a page or as text", run};

}  // namespace pgokit::cli

#include <algorithm>
#include <optional>
#include <set>

#include "annotate/function_list.h"
#include "annotate/inlined_lines.h"
#include "base/function_name.h"
#include "base/named_function.h"
#include "cli/commands/commands.h"
#include "cli/commands/counted_program.h"
#include "cli/commands/profile_fit.h"
#include "cli/commands/remarks_files.h"
#include "cli/commands/report_page.h"
#include "cli/options.h"
#include "cli/views/annotated.h"
#include "cli/views/hot_functions.h"
#include "cli/views/inlined_function.h"
#include "cli/views/profile_source.h"
#include "pipeline/input_checks.h"
#include "pipeline/inputs.h"
#include "pipeline/several_programs.h"
#include "profile/format.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::FunctionList;

struct Settings {
  std::vector<std::string> inputs, given, programs;
  std::string function, before, order, measurement, explanation, remarks, source, output,
      syntax = "att";
  bool all_programs = false, text = false, json = false, mangled = false, ignore_build_id = false;
  u64 top = 20, max_size = usual_size, threads = 0;
};

std::unexpected<Error> nothing_given() {
  return usage_error(
      "there is nothing to report of: give a recording, 'pgokit report app.perf -b app -o "
      "report.html' (pgokit record makes one), or a profile");
}

isa::Syntax syntax_of(const Settings& s) {
  return s.syntax == "att" ? isa::Syntax::att : isa::Syntax::intel;
}

// A page, unless text is asked for.
bool is_page(const Settings& s) { return !s.text && !s.json && s.function.empty(); }

bool is_of_several(const Settings& s) { return s.all_programs || s.programs.size() > 1; }

Status check_settings(const Settings& s) {
  if (s.inputs.empty()) return nothing_given();
  if (s.syntax != "att" && s.syntax != "intel")
    return usage_error("--syntax '{}': it is att or intel", s.syntax);
  for (const auto& option : s.given) {
    bool of_page = option == "--before" || option == "--order" || option == "--measurement" ||
                   option == "--explanation" || option == "--output" || option == "--max-size";
    if (of_page && !is_page(s))
      return usage_error("{} is for a page, not for text{}", option,
                         option == "--output" ? ", which goes to standard output (> FILE)" : "");
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
  if (s.all_programs && !s.programs.empty())
    return usage_error("--all-programs and -b: the one names all, the other some of the programs");
  if (is_of_several(s) && !s.function.empty())
    return usage_error("--annotate is of one program: give that alone with -b");
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

std::string table_of(const Settings& s, const FunctionList& list) {
  return hot_functions_text(list, {.top = s.top, .mangled = s.mangled});
}

void print_list(const Settings& s, const FunctionList& list) {
  report::print("{}",
                report::lines(s.json ? hot_functions_json(list).text() + "\n" : table_of(s, list)));
}

// The one function that is meant.
Result<const annotate::ListedFunction*> chosen(const Settings& s, const FunctionList& list) {
  std::vector<FunctionNamed> names;
  for (const auto& one : list.functions) names.push_back({one.name});
  auto found = TRY_IN(s.inputs[0], functions_meant(s.function, names));
  return &list.functions[found.front()];
}

Result<annotate::ProfiledSource> source_of(const Settings& s, const profile::Profile& profile,
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
  return annotate::profiled_sources(profile, {listed->name}, folder).front();
}

// With the program, where it was given, and how far the profile fits it. Nothing is printed before
// everything is read.
Status report_profile(const Settings& s) {
  const auto& path = s.inputs[0];
  auto file = TRY(MappedFile::open(path));
  auto read = TRY_IN(path, profile::read_profile(file.bytes()));
  auto list = annotate::list_functions(read.profile);
  if (list.functions.empty())
    return fail("{}: there is no function in it; 'pgokit check' tells more", path);
  std::optional<annotate::ProfiledSource> source;
  if (!s.function.empty()) source = TRY(source_of(s, read.profile, list));
  std::optional<FittedProgram> fitted;
  if (!s.programs.empty())
    fitted.emplace(TRY(fit_with(read.profile, s.programs[0], static_cast<unsigned>(s.threads))));
  if (s.json) {
    auto json = source ? profile_source_json(*source) : hot_functions_json(list);
    if (fitted) json.set("program", s.programs[0]).set("stale_share", fitted->fit.stale_share());
    report::print("{}", report::lines(json.text() + "\n"));
    return {};
  }
  std::string text;
  if (fitted) {
    double stale = fitted->fit.stale_share();
    text = report::format("program    {}\n", s.programs[0]);
    text += report::format(
        "fit        {} of the samples are in functions that changed or vanished{}\n\n",
        report::as_percent(stale),
        stale > FittedProgram::noticeable ? ": pgokit match makes it fit" : "");
  }
  text += source ? profile_source_text(*source, s.mangled) : table_of(s, list);
  report::print("{}", report::lines(text));
  return {};
}

CountOptions count_options(const Settings& s, const std::string& program) {
  return {.inputs = s.inputs,
          .binary = program,
          .ignore_build_id = s.ignore_build_id,
          .threads = static_cast<unsigned>(s.threads)};
}

// Nothing is printed before everything is read.
Status report_several(const Settings& s, const std::vector<std::string>& programs) {
  auto list = report::Json::array();
  std::string text;
  for (const auto& name : programs) {
    CountedProgram counted(count_options(s, name));
    TRY(counted.read());
    const auto& program = counted.program();
    auto functions = annotate::list_functions(program, counted.counts(), counted.samples());
    if (s.json) {
      auto one = report::Json::object();
      one.set("program", program.path()).set("functions", hot_functions_json(functions));
      list.push(std::move(one));
      continue;
    }
    text += report::format("{}program    {}\n\n", text.empty() ? "" : "\n", program.path());
    text += table_of(s, functions);
  }
  report::print("{}", report::lines(s.json ? list.text() + "\n" : text));
  return {};
}

Status annotate_listed(const Settings& s, const CountedProgram& counted, const FunctionList& list,
                       const annotate::ListedFunction& listed) {
  const auto& program = counted.program();
  auto reader = TRY(annotate::CodeReader::of(program, counted.counts(), syntax_of(s)));
  auto code = reader.read(*listed.function);
  annotate::FunctionRemarks remarks({std::string(canonical_function_name(listed.name))});
  TRY(read_remarks(s.remarks, program, static_cast<unsigned>(s.threads), remarks));
  AnnotatedView view{.program = &program,
                     .list = &list,
                     .listed = &listed,
                     .code = &code,
                     .remarks = s.remarks.empty() ? nullptr : &remarks,
                     .mangled = s.mangled};
  auto text = s.json ? annotated_json(view).text() + "\n" : annotated_text(view);
  report::print("{}", report::lines(text));
  return {};
}

// Its source alone: each copy has code of its own, which stands at the functions it is in.
Status annotate_inlined(const Settings& s, const CountedProgram& counted,
                        const annotate::InlinedNames& inlined, const std::string& name) {
  const auto& program = counted.program();
  if (std::ranges::count(s.given, "--syntax") > 0)
    return usage_error("--syntax is of machine code, and {} was inlined everywhere", s.function);
  auto reader = TRY(annotate::CodeReader::of(program, counted.counts(), syntax_of(s)));
  auto one = annotate::inlined_function(name, inlined.hosts().find(name)->second, reader);
  std::set<std::string, std::less<>> remarked{std::string(canonical_function_name(name))};
  for (const auto& host : one.hosts)
    remarked.emplace(canonical_function_name(program.functions().name(host.function)));
  annotate::FunctionRemarks remarks(std::move(remarked));
  TRY(read_remarks(s.remarks, program, static_cast<unsigned>(s.threads), remarks));
  InlinedView view{.program = &program,
                   .inlined = &one,
                   .instructions = counted.counts().instructions(),
                   .remarks = s.remarks.empty() ? nullptr : &remarks,
                   .mangled = s.mangled};
  auto text = s.json ? inlined_json(view).text() + "\n" : inlined_text(view);
  report::print("{}", report::lines(text));
  return {};
}

// Functions with code of their own come first, then those that were inlined everywhere.
Status annotate_recording(const Settings& s, const CountedProgram& counted,
                          const FunctionList& list) {
  std::vector<FunctionNamed> known;
  for (const auto& one : list.functions) known.push_back({one.name});
  auto found = functions_meant(s.function, known);
  annotate::InlinedNames inlined;
  if (!found) {
    inlined = annotate::InlinedNames(counted.program(), counted.counts());
    for (const auto& [name, hosts] : inlined.hosts()) known.push_back({name});
    found = functions_meant(s.function, known);
  }
  auto where = fmt::format("{} of {}", s.inputs[0], counted.program().path());
  size_t at = TRY_IN(where, std::move(found)).front();
  if (at < list.functions.size()) return annotate_listed(s, counted, list, list.functions[at]);
  return annotate_inlined(s, counted, inlined, std::string(known[at].name));
}

Status report_recording(const Settings& s) {
  CountedProgram counted(count_options(s, s.programs.empty() ? "" : s.programs[0]));
  TRY(counted.read());
  const auto& program = counted.program();
  auto list = annotate::list_functions(program, counted.counts(), counted.samples());
  if (!s.function.empty()) return annotate_recording(s, counted, list);
  if (!s.json) report::print("program    {}\n\n", program.path());
  return print_list(s, list), Status{};
}

PageOptions page_options(const Settings& s, const std::string& program, const std::string& output,
                         bool of_profile) {
  return {.inputs = s.inputs,
          .before = s.before,
          .binary = program,
          .order = s.order,
          .measurement = s.measurement,
          .explanation = s.explanation,
          .remarks = s.remarks,
          .source = s.source,
          .output = output,
          .max_size = s.max_size,
          .syntax = syntax_of(s),
          .of_profile = of_profile,
          .mangled = s.mangled,
          .ignore_build_id = s.ignore_build_id,
          .threads = static_cast<unsigned>(s.threads)};
}

void say_written(const std::string& path, u64 size) {
  if (path != "-")
    report::print(stderr, "pgokit report: wrote {} ({})\n", path, report::file_size(size));
}

// All pages or none.
Status write_pages(const Settings& s, const std::vector<std::string>& programs) {
  std::vector<std::string> paths;
  for (const auto& program : programs)
    paths.push_back(TRY(pipeline::path_for(s.output, program, ".html")));
  TRY(pipeline::check_distinct(paths));
  auto folder = TRY(pipeline::folder_for(s.output));
  std::vector<pipeline::NamedOutput> pages;
  for (size_t i = 0; i < paths.size(); ++i)
    pages.push_back({paths[i], TRY(make_page(page_options(s, programs[i], paths[i], false)))});
  std::vector<pipeline::PendingOutput> outputs;
  for (auto& page : pages) outputs.push_back(page.pending());
  TRY(pipeline::commit_together(outputs));
  for (size_t i = 0; i < pages.size(); ++i) say_written(paths[i], pages[i].file.size());
  return {};
}

// Those that were asked for.
Result<std::vector<std::string>> programs_of(const Settings& s) {
  if (!s.all_programs) return s.programs;
  auto chosen = TRY(pipeline::all_programs(s.inputs, pipeline::outputs::extbinary,
                                           static_cast<unsigned>(s.threads)));
  for (const auto& reason : chosen.left_out) report::print(stderr, "warning   {}\n", reason);
  return std::move(chosen.files);
}

Status report(const Settings& s) {
  TRY(check_settings(s));
  bool of_profile = TRY(are_profiles(s));
  if (of_profile && std::ranges::count(s.given, "--syntax") > 0)
    return usage_error("--syntax is of machine code, of which {} tells nothing", s.inputs[0]);
  if (!of_profile && !s.source.empty())
    return usage_error("--source is for a profile: a program tells where its source is");
  if (is_of_several(s)) {
    if (of_profile) return usage_error("{} is one profile, of one program", s.inputs[0]);
    auto programs = TRY(programs_of(s));
    return is_page(s) ? write_pages(s, programs) : report_several(s, programs);
  }
  if (is_page(s)) {
    auto page = TRY(
        make_page(page_options(s, s.programs.empty() ? "" : s.programs[0], s.output, of_profile)));
    TRY(page.commit());
    say_written(s.output, page.size());
    return {};
  }
  return of_profile ? report_profile(s) : report_recording(s);
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit report",
      "Show what a recording or a profile tells of a program: as a page for browsers, or as text.",
      {{"INPUT", "", "recordings of the program, counts, or a profile", &s.inputs},
       {"-o,--output", "FILE",
        "the page, one file of HTML; - is standard output. Of several programs: FOLDER/, or a name "
        "in which %n is the program's",
        &s.output},
       {"-b,--binary", "PROGRAM",
        "the program (the one with most samples); of several each gets its page or table",
        &s.programs},
       {"--all-programs", "", "all programs and libraries with samples or counts, likewise",
        &s.all_programs},
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

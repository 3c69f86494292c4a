#include <algorithm>

#include "analysis/counted_columns.h"
#include "analysis/hashed_names.h"
#include "analysis/overlap.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/function_name.h"
#include "cli/commands/commands.h"
#include "cli/commands/profile_of.h"
#include "cli/llvm/profdata_overlap.h"
#include "cli/options.h"
#include "cli/views/comparison.h"
#include "instr_profile/format.h"
#include "instr_profile/merge/sum.h"
#include "pipeline/inputs.h"
#include "profile/model/coverage.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

constexpr int below_threshold = 3;

struct Settings {
  std::string base, test, function;
  std::vector<std::string> binaries;  // of recordings: of both, or of A and of B
  bool ignore_build_id = false, use_dwarf = false;
  bool json = false, markdown = false, mangled = false;
  u64 top = 10;
  std::vector<std::string> given;
  double min_overlap = -1, min_similarity = -1;  // per cent
};

Status check_thresholds(const Settings& s) {
  auto is_given = [&](std::string_view option) { return std::ranges::count(s.given, option) > 0; };
  if (is_given("--min-overlap")) TRY(check_percentage("--min-overlap", s.min_overlap));
  if (is_given("--min-similarity")) TRY(check_percentage("--min-similarity", s.min_similarity));
  if (s.json && s.markdown) return usage_error("--json and --markdown: one of them");
  if (!s.function.empty() && is_given("--top"))
    return usage_error("--top is for the lists that --function stands in place of");
  return {};
}

// The bytes of a profile, and what they are in.
struct Source {
  MappedFile file;
  std::string made = {};     // of a recording
  std::string program = {};  // that it was found to be of
  bool is_counted = false;   // an instrumentation profile
  Bytes bytes() const { return made.empty() ? file.bytes() : as_bytes(std::string_view(made)); }
};

Result<Source> open(const Settings& s, const std::string& path, size_t number) {
  Source source{TRY(MappedFile::open(path))};
  source.is_counted = pipeline::identify(source.file.bytes()) == &pipeline::inputs::instr_profile;
  if (source.is_counted) return source;
  if (!has_counts(source.file.bytes())) {
    TRY(pipeline::refuse_other_than_profile(path, source.file.bytes()));
    return source;
  }
  auto binary = s.binaries.empty() ? "" : s.binaries[std::min(number, s.binaries.size() - 1)];
  auto made = TRY(profile_of({.input = path,
                              .binary = binary,
                              .use_dwarf = s.use_dwarf,
                              .ignore_build_id = s.ignore_build_id}));
  source.made = std::move(made.bytes);
  if (binary.empty()) source.program = std::move(made.program);
  return source;
}

struct Counted {
  profile::Columns columns;
  bool ir = false;
};

Result<Counted> counted(Bytes bytes) {
  instr_profile::Facts facts;
  instr_profile::Sum sum(instr_profile::Rules::commutative);
  TRY(instr_profile::read(bytes, facts, [&](const instr_profile::Record& record) -> Status {
    sum.add(record, 1, [](instr_profile::Mismatch) {});
    return {};
  }));
  return Counted{analysis::counted_columns(sum.profile()),
                 (facts.kind & instr_profile::Kind::ir) != 0};
}

Result<BothProfiles> both_counted(const Settings& s, const Source& base, const Source& test) {
  auto first = TRY_IN(s.base, counted(base.bytes()));
  auto second = TRY_IN(s.test, counted(test.bytes()));
  auto kind = [](const Counted& one) {
    return one.ir ? "the optimizer (-fprofile-generate)"
                  : "the front end (-fprofile-instr-generate)";
  };
  if (first.ir != second.ir)
    return fail("{} has counters of {} and {} of {}: they cannot be compared", s.base, kind(first),
                s.test, kind(second));
  return BothProfiles{std::move(first.columns), std::move(second.columns)};
}

Result<BothProfiles> both_of(const Settings& s, const Source& base, const Source& test) {
  if (base.made.empty() && test.made.empty())
    for (const char* option : {"--binary", "--use-dwarf", "--ignore-build-id"})
      if (std::ranges::count(s.given, option) > 0)
        return usage_error("{} is for recordings, and both are profiles", option);
  if (base.is_counted && test.is_counted) return both_counted(s, base, test);
  for (auto [path, source] : {std::pair(&s.base, &base), {&s.test, &test}})
    if (source->is_counted)
      return fail("{}: {}, which is compared with others of its kind only", *path,
                  pipeline::inputs::instr_profile.name);
  if (base.made.empty() && test.made.empty()) return read_both(base.file, test.file);
  auto first = TRY_IN(s.base, profile::read_columns(base.bytes()));
  return BothProfiles{std::move(first), TRY_IN(s.test, profile::read_columns(test.bytes()))};
}

bool is_coverage(const profile::Columns& columns) {
  if (columns.functions.size() != 1) return false;
  const auto& name = columns.names[columns.node(columns.functions.front()).name];
  if (name.is_guid) return name.guid == function_guid(profile::coverage_marker);
  std::string scratch;
  return columns.text(columns.node(columns.functions.front()).name, scratch) ==
         profile::coverage_marker;
}

Status check_kinds(const Settings& s, const BothProfiles& both) {
  for (const auto& [path, columns] : {std::tie(s.base, both.base), std::tie(s.test, both.test)})
    if (is_coverage(columns))
      return fail("{}: it says which functions ran (coverage), and has no counts to compare", path);
  auto kind = [](const profile::Columns& columns) {
    return fmt::format("{}{}", columns.flags.probe_based ? "probes" : "lines",
                       columns.flags.context_sensitive ? " with contexts" : "");
  };
  if (analysis::comparable(both.base, both.test)) return {};
  return fail("{} is of {} and {} of {}: they cannot be compared", s.base, kind(both.base), s.test,
              kind(both.test));
}

// Names beside hashes: both as hashes, shown by the names that are known.
void make_names_alike(BothProfiles& both) {
  auto has_names = [](const profile::Columns& columns) {
    return !columns.names.empty() && !columns.names.back().is_guid;
  };
  if (has_names(both.base) == has_names(both.test)) return;
  auto& named = has_names(both.base) ? both.base : both.test;
  auto& hashed = has_names(both.base) ? both.test : both.base;
  auto renamed = analysis::with_hashed_names(named);
  analysis::show_names_of(renamed, named);
  analysis::show_names_of(hashed, named);
  named = std::move(renamed);
}

// Of all counts, those of each function, by number of its name: of its own code wherever that is
// inlined, or of the code that it has with what is inlined there.
std::vector<double> shares_of(const profile::Columns& columns, bool with_inlined) {
  std::vector<double> shares(columns.names.size());
  double all = 0;
  auto add = [&](u32 name, std::span<const profile::Columns::Place> places) {
    u64 sum = 0;
    for (const auto& place : places) sum += place.samples;
    shares[name] += static_cast<double>(sum);
    all += static_cast<double>(sum);
  };
  if (with_inlined) {
    for (const auto& top : columns.functions)
      add(columns.node(top).name, columns.part(top).places_within(top.node));
  } else {
    for (const auto& part : columns.parts)
      for (u32 node = 0; node < part.nodes.size(); ++node)
        add(part.nodes[node].name, part.places_of(node));
  }
  for (auto& share : shares) share /= std::max(all, 1.0);
  return shares;
}

// The part of the counts that two profiles have in common by function. Names ascend in both.
double alike_by_function(const BothProfiles& both, bool with_inlined) {
  auto base = shares_of(both.base, with_inlined), test = shares_of(both.test, with_inlined);
  double alike = 0;
  for (size_t a = 0, b = 0; a < base.size() && b < test.size();) {
    auto order = both.base.names[a] <=> both.test.names[b];
    if (order == 0) alike += std::min(base[a], test[b]);
    a += order <= 0, b += order >= 0;
  }
  return alike;
}

// A function that one build has inlined is another place than the function itself.
void tell_other_inlining(const BothProfiles& both) {
  constexpr double much = 0.15;
  double alike = alike_by_function(both, false);
  if (alike - alike_by_function(both, true) < much) return;
  report::print(
      stderr,
      "pgokit compare: note: the builds inline differently: by function, wherever its code "
      "is, A and B have {} of the counts in common. 'pgokit merge --layout flat FILE -o "
      "FLAT' of each leaves inlining out\n",
      report::as_percent(alike));
}

void tell_nothing_in_common(const Settings& s) {
  report::print(stderr,
                "pgokit compare: note: {} and {} have no function in common: are they of the same "
                "program?\n",
                s.base, s.test);
}

std::string as_markdown(const Settings& s, const Compared& c, bool good) {
  const auto& o = c.overlap;
  report::MarkdownPage page{.title = "Compared with",
                            .name = s.base,
                            .verdict = good ? "alike enough" : "**less alike than asked for**",
                            .columns = {"measure", "value", "asked for"},
                            .rows = {},
                            .details = compare_text(c)};
  if (s.min_overlap < 0 && s.min_similarity < 0)
    page.verdict = report::as_percent(o.similarity, 2) + " alike";
  auto add = [&](std::string name, double share, double bound) {
    page.rows.push_back({std::move(name), report::as_percent(share, 2),
                         bound < 0 ? "" : "at least " + report::as_percent(bound / 100, 2)});
  };
  add("similarity", o.similarity, s.min_similarity);
  add("shares in common", o.common, -1);
  add("overlap", o.sample_share(), s.min_overlap);
  page.rows.push_back(
      {"functions in both",
       fmt::format("{} of {} and {}", report::grouped(o.matched_functions),
                   report::grouped(o.base_functions), report::grouped(o.test_functions)),
       ""});
  return report::markdown(page);
}

Result<int> compare(const Settings& s) {
  TRY(check_thresholds(s));
  if (s.binaries.size() > 2)
    return usage_error("-b {}: one program for both is wanted, or two: that of A, that of B",
                       s.binaries[2]);
  auto base = TRY(open(s, s.base, 0)), test = TRY(open(s, s.test, 1));
  auto both = TRY(both_of(s, base, test));
  TRY(check_kinds(s, both));
  make_names_alike(both);
  auto overlap = analysis::compute_overlap(both.base, both.test);
  Compared compared{.base_path = s.base,
                    .test_path = s.test,
                    .base_program = base.program,
                    .test_program = test.program,
                    .base = both.base,
                    .test = both.test,
                    .overlap = overlap,
                    .top = s.top,
                    .function = s.function,
                    .mangled = s.mangled,
                    .counted = base.is_counted};
  TRY(check_function(compared));
  if (!base.is_counted) tell_other_inlining(both);
  if (overlap.matched_functions == 0) tell_nothing_in_common(s);
  bool good =
      100 * overlap.sample_share() >= s.min_overlap && 100 * overlap.similarity >= s.min_similarity;
  report::print("{}", report::lines(s.json       ? compare_json(compared)
                                    : s.markdown ? as_markdown(s, compared, good)
                                                 : compare_text(compared)));
  if (good) return 0;
  report::print(stderr, "pgokit compare: similarity {}, overlap {}: less than asked for\n",
                report::as_percent(overlap.similarity, 2),
                report::as_percent(overlap.sample_share(), 2));
  return below_threshold;
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit compare",
      "Tell how alike two profiles are and what moved between them.",
      {{"A", "", "the profile, or recording, to compare with", &s.base, true},
       {"B", "", "the other one", &s.test, true},
       {"-b,--binary", "PROGRAM",
        "recordings: the program that was recorded; if given twice, that of A and that of B",
        &s.binaries},
       {"--use-dwarf", "", "recordings: by lines although PROGRAM has probes", &s.use_dwarf},
       {"--ignore-build-id", "", "recordings: of other builds of PROGRAM", &s.ignore_build_id},
       {"--function", "NAME", "the places of this function, in all its contexts", &s.function},
       {"--top", "N", "lines of each list; 0 is all", &s.top},
       {"--min-overlap", "PERCENT", "exit with 3 if fewer samples overlap", &s.min_overlap},
       {"--min-similarity", "PERCENT", "exit with 3 if they are less alike", &s.min_similarity},
       mangled_option(s.mangled),
       {"--markdown", "", "print Markdown, for a comment of a code review", &s.markdown},
       {"--json", "", "print JSON", &s.json}},
      "Any forms of files may be mixed; recordings, raw counts and counters are compared as the\n"
      "profiles that pgokit generate makes of them. Measures are those of llvm-profdata\n"
      "overlap, and the shares in common.\n"
      "clang's instrumentation profiles (.profraw, .profdata) are compared with each other.\n"
      "Exit codes: 0, 1 a file is unusable, 2 wrong usage, 3 below a threshold."};
  table.given = &s.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = compare(s);
  return code ? *code : report_failure("compare", code.error());
}

}  // namespace

constexpr Command compare_command{"compare", "tell what changed between two profiles", run};

}  // namespace pgokit::cli

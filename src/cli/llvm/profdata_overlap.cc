// llvm-profdata overlap: the same options, the same text. Instrumentation profiles are in
// profdata_overlap_instr.cc.
#include "cli/llvm/profdata_overlap.h"

#include <algorithm>

#include "analysis/llvm_order.h"
#include "analysis/overlap.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/share.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "cli/llvm/profdata_options.h"
#include "cli/llvm/profdata_overlap_instr.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using analysis::FunctionOverlap;
using analysis::Overlap;
using profile::Columns;

struct Settings {
  std::vector<std::string> inputs;
  std::string output = "-", function;
  bool sample = false, instr = false, context_sensitive = false;
  u64 value_cutoff = ~u64{0}, similarity_cutoff = 0;
  LibraryOptions library;
};

void print_hot(std::string& text, std::string_view what, const analysis::HotOverlap& hot) {
  text += fmt::format(
      "  Hot-{0} overlap: {1:.3f}%\n    overlap hot {0}s: {2}\n"
      "    hot {0}s unique in base profile: {3}\n    hot {0}s unique in test profile: {4}\n",
      what, share(hot.both, hot.either) * 100, hot.both, hot.base - hot.both, hot.test - hot.both);
}

std::string program_text(const Settings& s, const Overlap& overlap) {
  std::string text = fmt::format(
      "Profile overlap information for base_profile: {} and test_profile: {}\nProgram level:\n"
      "  Whole program profile similarity: {:.3f}%\n  Whole program sample overlap: {:.3f}%\n"
      "    percentage of samples unique in base profile: {:.3f}%\n"
      "    percentage of samples unique in test profile: {:.3f}%\n"
      "    total samples in base profile: {}\n    total samples in test profile: {}\n",
      s.inputs[0], s.inputs[1], overlap.similarity * 100, overlap.sample_share() * 100,
      share(overlap.base_unique, overlap.base_samples) * 100,
      share(overlap.test_unique, overlap.test_samples) * 100, overlap.base_samples,
      overlap.test_samples);
  u64 base_only = overlap.base_functions - overlap.matched_functions;
  u64 test_only = overlap.test_functions - overlap.matched_functions;
  text += fmt::format(
      "  Function overlap: {:.3f}%\n    overlap functions: {}\n"
      "    functions unique in base profile: {}\n    functions unique in test profile: {}\n",
      share(overlap.matched_functions, overlap.matched_functions + base_only + test_only) * 100,
      overlap.matched_functions, base_only, test_only);
  print_hot(text, "function", overlap.hot_functions);
  print_hot(text, "block", overlap.hot_places);
  return text;
}

// Of functions in the test profile: by weight in the base profile downwards, equal ones in the
// order of the peer's table.
std::vector<const FunctionOverlap*> wanted_functions(const Settings& s, const Columns& test,
                                                     const Overlap& overlap) {
  std::vector<const FunctionOverlap*> of_test(test.functions.size());
  for (const auto& function : overlap.functions)
    if (function.test != FunctionOverlap::absent) of_test[function.test] = &function;
  double low_similarity = static_cast<double>(s.similarity_cutoff) / 1000000;
  auto is_wanted = [&](const FunctionOverlap& function) {
    if (function.test_max >= s.value_cutoff) return true;
    if (!function.matched()) return false;
    if (function.similarity < low_similarity) return true;
    return !s.function.empty() &&
           test.context_text(test.functions[function.test]).find(s.function) != std::string::npos;
  };
  std::vector<const FunctionOverlap*> wanted;
  for (const auto* function : of_test)
    if (is_wanted(*function)) wanted.push_back(function);
  if (wanted.empty()) return wanted;
  wanted.clear();
  for (u32 i : analysis::llvm_order(test))
    if (is_wanted(*of_test[i])) wanted.push_back(of_test[i]);
  std::ranges::stable_sort(wanted, std::greater<>(),
                           [](const auto* function) { return function->base_weight; });
  return wanted;
}

void pad_to(std::string& line, size_t column) {
  line.append(line.size() < column ? column - line.size() : 1, ' ');
}

std::string function_text(const Columns& test,
                          const std::vector<const FunctionOverlap*>& functions) {
  if (functions.empty()) return "";
  std::string text =
      "Function-level details:\n"
      "Base weight    Test weight    Similarity   Overlap   Base unique   Test unique   "
      "Base samples   Test samples   Function name\n";
  for (const auto* f : functions) {
    struct {
      size_t column;
      double share;
    } columns[] = {{15, f->base_weight},
                   {30, f->test_weight},
                   {43, f->similarity},
                   {53, share(f->overlap, f->matched() ? f->united : 0)},
                   {67, share(f->base_unique, f->base_samples)},
                   {81, share(f->test_unique, f->test_samples)}};
    std::string line;
    for (const auto& [column, part] : columns) {
      line += fmt::format("{:.2f}%", part * 100);
      pad_to(line, column);
    }
    line += fmt::format("{}", f->base_samples);
    pad_to(line, 96);
    line += fmt::format("{}", f->test_samples);
    pad_to(line, 111);
    text += line + test.context_text(test.functions[f->test]) + "\n";
  }
  return text;
}

void write_samples_overlap(const Settings& s, const BothProfiles& both, OutputFile& output) {
  const auto& [base, test] = both;
  auto overlap = analysis::compute_overlap(base, test, s.library.hot_rule());
  if (overlap.base_samples == 0)
    output.write(fmt::format("Sum of sample counts for profile {} is 0.\n", s.inputs[0]));
  if (overlap.test_samples == 0)
    output.write(fmt::format("Sum of sample counts for profile {} is 0.\n", s.inputs[1]));
  if (overlap.base_samples == 0 || overlap.test_samples == 0) return;
  output.write(program_text(s, overlap));
  output.write(function_text(test, wanted_functions(s, test, overlap)));
}

Status overlap(const Settings& s) {
  TRY(check_library_options(s.library));
  auto base = TRY(MappedFile::open(s.inputs[0]));
  auto test = TRY(MappedFile::open(s.inputs[1]));
  auto output = TRY(OutputFile::create(s.output));
  if (s.sample) {
    auto both = TRY(read_both(base, test, s.library.reading()));
    TRY(analysis::comparable(both.base, both.test));
    write_samples_overlap(s, both, output);
  } else {
    TRY(overlap_instr_as_llvm(base, test,
                              {.context_sensitive = s.context_sensitive,
                               .value_cutoff = s.value_cutoff,
                               .function = s.function},
                              output));
  }
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "llvm-profdata overlap",
      "Compare two instrumentation profiles, or sample profiles, with the options of llvm-profdata "
      "22.",
      {{"FILE", "", "the base profile and the test profile", &s.inputs},
       {"--output,-o", "FILE", "output file", &s.output},
       {"--instr", "", "instrumentation profiles (default)", &s.instr},
       {"--sample", "", "sample profiles", &s.sample},
       {"--cs", "", "instrumentation: sums of functions that were instrumented after inlining",
        &s.context_sensitive},
       {"--function", "NAME", "details of functions whose name or context has it", &s.function},
       {"--value-cutoff", "N", "details of functions with a count of at least N", &s.value_cutoff},
       {"--similarity-cutoff", "N", "samples: details of functions less similar than N millionths",
        &s.similarity_cutoff}},
      ""};
  add_library_options(table, s.library);
  if (auto exit = parse_llvm_options(table, arguments)) return *exit;
  if (s.inputs.size() != 2) {
    report::print(stderr,
                  "llvm-profdata: {} positional command line arguments specified!\n"
                  "Must specify {} 2 positional arguments: See: llvm-profdata --help\n",
                  s.inputs.size() < 2 ? "Not enough" : "Too many",
                  s.inputs.size() < 2 ? "at least" : "at most");
    return 1;
  }
  choose_profile_kind(arguments, s.sample);
  auto status = overlap(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

Result<BothProfiles> read_both(const MappedFile& base, const MappedFile& test,
                               const profile::ReadOptions& options) {
  std::optional<Result<Columns>> read[2];
  const MappedFile* files[] = {&base, &test};
  parallel_for(2, 0, [&](size_t i, unsigned) {
    read[i] = profile::read_columns(files[i]->bytes(), options);
  });
  auto first = TRY_IN(base.path(), std::move(*read[0]));
  auto second = TRY_IN(test.path(), std::move(*read[1]));
  return BothProfiles{std::move(first), std::move(second)};
}

constexpr Command profdata_overlap_command{"overlap", "tell how alike two profiles are", run};

}  // namespace pgokit::cli

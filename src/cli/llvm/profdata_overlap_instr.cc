#include "cli/llvm/profdata_overlap_instr.h"

#include "report/print.h"

namespace pgokit::cli {
namespace {

using instr_profile::Amounts;
using instr_profile::FunctionOverlap;
using instr_profile::ProfileOverlap;

constexpr std::string_view value_texts[instr_profile::value_kinds] = {"IndirectCall", "MemOP",
                                                                      "VTable"};

// A function, or the whole profile.
struct Level {
  std::string_view entries;
  const Amounts &base, &test, &both;
  const Amounts& mismatched;
  const Amounts& only_in_test;
};

std::string text_of(const Level& level) {
  std::string text;
  auto share = [&](std::string_view what, double part) {
    text += fmt::format("  {}: {:.3f}%\n", what, part * 100);
  };
  auto sums = [&](std::string_view what, double base, double test) {
    text += fmt::format(
        "  {0} profile base count sum: {1:.0f}\n  {0} profile test count sum: {2:.0f}\n", what,
        base, test);
  };
  bool mismatched = level.mismatched.entries, only = level.only_in_test.entries;
  text += fmt::format("  # of {} overlap: {}\n", level.entries, level.both.entries);
  if (mismatched)
    text += fmt::format("  # of {} mismatch: {}\n", level.entries, level.mismatched.entries);
  if (only)
    text += fmt::format("  # of {} only in test_profile: {}\n", level.entries,
                        level.only_in_test.entries);
  share("Edge profile overlap", level.both.counts);
  if (mismatched) share("Mismatched count percentage (Edge)", level.mismatched.counts);
  if (only) share("Percentage of Edge profile only in test_profile", level.only_in_test.counts);
  sums("Edge", level.base.counts, level.test.counts);
  for (size_t kind = 0; kind < instr_profile::value_kinds; ++kind) {
    if (level.base.values[kind] < 1 && level.test.values[kind] < 1) continue;
    auto name = value_texts[kind];
    share(fmt::format("{} profile overlap", name), level.both.values[kind]);
    if (mismatched)
      share(fmt::format("Mismatched count percentage ({})", name), level.mismatched.values[kind]);
    if (only)
      share(fmt::format("Percentage of {} profile only in test_profile", name),
            level.only_in_test.values[kind]);
    sums(name, level.base.values[kind], level.test.values[kind]);
  }
  return text;
}

std::string function_text(const FunctionOverlap& function) {
  static constexpr Amounts none;
  return fmt::format(
      "Function level:\n  Function: {} (Hash={})\n{}", function.name, function.hash,
      text_of({"edge counters", function.base, function.test, function.both, none, none}));
}

}  // namespace

Status overlap_instr_as_llvm(const MappedFile& base, const MappedFile& test,
                             const instr_profile::OverlapOptions& options, OutputFile& output) {
  auto overlap = TRY(instr_profile::compute_overlap(
      {base.bytes(), test.bytes(), base.path(), test.path()}, options,
      [&](const FunctionOverlap& function) { output.write(function_text(function)); }));
  for (auto [amounts, file] : {std::pair(&overlap.base, &base), {&overlap.test, &test}}) {
    if (amounts->counts >= 1) continue;
    // llvm-profdata loses this sentence, so that the output is empty.
    report::print(stderr, "Sum of edge counts for profile {} is 0.\n", file->path());
    return {};
  }
  output.write(fmt::format(
      "Profile overlap information for base_profile: {} and test_profile: {}\nProgram level:\n{}",
      base.path(), test.path(),
      text_of({"functions", overlap.base, overlap.test, overlap.both, overlap.mismatched,
               overlap.only_in_test})));
  return {};
}

}  // namespace pgokit::cli

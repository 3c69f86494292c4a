#include "cli/commands/show_options.h"

#include <algorithm>
#include <string_view>

namespace pgokit::cli {
namespace {

constexpr u32 bit(Shown kind) { return 1u << static_cast<u32>(kind); }

constexpr u32 recording = bit(Shown::recording), targets = bit(Shown::targets),
              profile = bit(Shown::profile), instrumented = bit(Shown::instrumented),
              instr = bit(Shown::instr_profile), ids = bit(Shown::order_ids);

struct Rule {
  std::string_view option;
  u32 kinds;
  // What it does not go together with: the one would make the other say nothing.
  std::string_view not_with{};
};

// What shows one thing in place of the whole.
constexpr std::string_view views =
    "--function --functions --uncovered --order --edges --targets --source";

constexpr Rule rules[] = {
    {"--function", profile | instrumented | instr,
     "--hot --summary --detailed-summary --sections --symbols --top"},
    {"--top", recording | targets | profile | instrumented | instr | ids,
     "--summary --hot --source"},
    {"--hot", profile, "--summary"},
    {"--summary", profile},
    {"--detailed-summary", profile},
    {"--sections", profile},
    {"--symbols", profile},
    {"--binary", recording | targets | instrumented | ids},
    {"--functions", instrumented},
    {"--uncovered", instrumented},
    {"--order", instrumented},
    {"--edges", instrumented},
    {"--targets", targets | instrumented},
    {"--per-site", targets | instrumented},
    {"--ids", ids},
    {"--source", instrumented, "--mangled --demangle --json"},
    {"--mangled", recording | targets | profile | instrumented | instr | ids, "--json --demangle"},
    {"--demangle", targets | profile | instrumented | ids},
    {"--json", ~0u},
};

std::string_view name_of(Shown kind) {
  switch (kind) {
    case Shown::recording:
      return "a recording";
    case Shown::script:
      return "text of perf script";
    case Shown::targets:
      return "a recording with --targets";
    case Shown::instr_profile:
      return "an instrumentation profile of clang";
    case Shown::counts:
      return "counts without names";
    case Shown::profile:
      return "a sample profile";
    case Shown::instrumented:
      return "an instrumented profile or a map";
    case Shown::dumps:
      return "a dump";
    case Shown::order_ids:
      return "a dump with --ids";
    case Shown::program:
      return "a program";
  }
  __builtin_unreachable();
}

bool is_in(std::string_view list, std::string_view option) {
  while (!list.empty()) {
    size_t blank = std::min(list.find(' '), list.size());
    if (list.substr(0, blank) == option) return true;
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return false;
}

// In JSON all functions and calls stand anyway.
bool clash(const Rule& rule, std::string_view other, Shown kind) {
  if (is_in(rule.not_with, other)) return true;
  if (kind == Shown::recording) return rule.option == "--top" && other == "--json";
  if (is_in(views, rule.option) && is_in(views, other)) return rule.option != other;
  return kind != Shown::profile && other == "--json" &&
         is_in("--top --per-site --functions --order --edges", rule.option);
}

}  // namespace

Status check_shown(std::span<const std::string> given, Shown kind, std::string_view path) {
  for (const auto& option : given) {
    const auto* rule = std::ranges::find(rules, option, &Rule::option);
    if (rule == std::end(rules)) continue;
    if (!(rule->kinds & bit(kind)))
      return usage_error("{} says nothing about {}, which {} is", option, name_of(kind), path);
    for (const auto& other : given)
      if (clash(*rule, other, kind))
        return usage_error("{} and {} do not go together: one of them would do nothing", option,
                           other);
  }
  if (std::ranges::count(given, "--per-site") > 0 && std::ranges::count(given, "--targets") == 0)
    return usage_error("--per-site is for --targets");
  return {};
}

}  // namespace pgokit::cli

#include "compilers/flags.h"

#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/commands/profile_flags.h"
#include "cli/options.h"
#include "cli/plugin_files.h"
#include "cli/suggest.h"
#include "cli/views/flag_styles.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> kinds;
  ProfileBuild profile;
  bool of_profile = false;  // the build is to be recorded, or uses what was recorded
  std::string consumer;
  std::string folder, clang, functions, style;
  u64 rate = 0, buffer = 0, minimum_size = 0, target_buffer = 0, per_site = 0;
  std::string group;
  std::vector<std::string> given;
  bool compile = false, link = false, lto = false, all_blocks = false, atomic = false, bare = false,
       small = false;
};

struct Kind {
  std::string_view name, collects;
};

constexpr Kind known_kinds[] = {
    {"coverage", "which functions ran (a byte each)"},
    {"block-coverage", "which blocks ran (a byte each)"},
    {"calls", "how often functions were called (64 bits)"},
    {"calls32", "the same in 32 bits, which wrap"},
    {"blocks", "how often blocks ran (64 bits): for profiles"},
    {"order", "the order in which functions first ran, and when (8 bytes each)"},
    {"order-log", "the order alone, as a ring of ids (a bit each)"},
    {"order-calls", "order and time, as a log of calls (a byte each)"},
    {"edges", "sampled calls: who calls whom"},
    {"targets", "which functions each indirect call goes to, and how often"},
    {"tables", "which tables of functions (classes) calls go through"},
    {"sizes", "how many bytes are copied and filled"},
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names{"profile", "use="};
  for (const auto& kind : known_kinds) names.emplace_back(kind.name);
  return names;
}

OptionTable options_of(Settings& s) {
  std::string footer =
      "\nof a profile:\n"
      "  profile         the build whose recordings become profiles\n"
      "  use=FILE        the build that uses FILE: a profile, an order of functions, a layout of\n"
      "                  blocks, targets or hotness for the plugin (its contents tell)\n"
      "\nkinds of counters (several go together):\n";
  for (const auto& kind : known_kinds)
    footer += fmt::format("  {:<16}{}\n", kind.name, kind.collects);
  footer +=
      "\nstyles:\n" + style_help() +
      "\nexamples:\n"
      "  clang-22 -O2 $(pgokit flags profile --compile) -c app.c\n"
      "  clang-22 -O2 $(pgokit flags use=app.prof --compile) -c app.c\n"
      "  pgokit flags use=app.prof --style cmake > pgokit.cmake\n"
      "  eval ./configure CC=clang-22 CXX=clang++-22 \\\n"
      "    \"$(pgokit flags use=app.prof --style autotools)\"\n"
      "  clang-22 -O2 $(pgokit flags coverage --compile) -c app.c\n"
      "  clang-22 -fuse-ld=lld-22 app.o $(pgokit flags coverage --link) -o app\n"
      "  ./configure CC=clang-22 CFLAGS=\"-O2 $(pgokit flags coverage --compile)\" \\\n"
      "    LIBS=\"$(pgokit flags coverage --link)\"\n"
      "  pgokit flags blocks --style cmake > pgokit.cmake\n"
      "  cmake -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_PROJECT_INCLUDE=$PWD/pgokit.cmake\n"
      "  pgokit flags blocks --style clang-config > pgokit.cfg\n"
      "  make CC=\"clang-22 --config=$PWD/pgokit.cfg\"\n"
      "\nThe program writes its counters when it ends to $PGOKIT_PROFILE_FILE, in which %p is the\n"
      "process, %h the host, %b the build id. Then: pgokit map, pgokit merge, pgokit show.\n";
  return {
      "pgokit flags",
      "Print the flags of a build: to be recorded, with a profile, or with counters by clang 22.",
      {one_of({"KIND", "", "profile, use=FILE or what to collect: see below", &s.kinds, true},
              kind_names()),
       {"--compile", "", "only the flags of the compiler, in one line", &s.compile},
       {"--link", "",
        "only those of the linker; of counters after the objects: in LIBS, not LDFLAGS", &s.link},
       {"--lto", "", "counters, --explain: the program is linked with -flto by lld", &s.lto},
       one_of({"--style", "STYLE", "the same as a file for a build system: see below", &s.style},
              style_list()),
       one_of(
           {"--by", "PLACES",
            "profile, use=: places are probes (the default of clang), lines, or blocks for layouts",
            &s.profile.by},
           {"probes", "lines", "blocks"}),
       one_of({"--for", "COMPILER", "profile, use=: clang (the default), gcc, or a version of one",
               &s.consumer},
              pipeline::consumer_names(pipeline::Consumers::of_profiles)),
       {"--if-there", "", "use=: as for 'profile' as long as there is no FILE",
        &s.profile.if_there},
       {"--explain", "", "use=: and the build says what it made of FILE, for 'pgokit explain'",
        &s.profile.explain},
       {"--root", "DIR", "profile, use=: the folder of the sources (the current one)",
        &s.profile.root},
       {"--functions", "FILE", "only functions that match a pattern of FILE; -pattern excludes",
        &s.functions},
       {"--min-size", "N", "only functions of at least N machine instructions", &s.minimum_size},
       {"--group", "I/N", "only group I (from 0) of N groups of functions", &s.group},
       {"--all-blocks", "", "a counter in every block, none inferred", &s.all_blocks},
       {"--atomic", "", "threads lose no counts; several times slower", &s.atomic},
       {"--rate", "N", "edges: sample one of N calls (1000)", &s.rate},
       {"--buffer", "N", "edges: different calls that are kept (4096); logs: first runs (65536)",
        &s.buffer},
       {"--per-site", "N", "targets: different targets of a call that are kept (16)", &s.per_site},
       {"--target-buffer", "N", "targets: those beyond the first, of all calls (8192)",
        &s.target_buffer},
       {"--small", "", "the smallest run time: dumps at exit, nothing else", &s.small},
       {"--bare", "", "a program without libc: it calls the run time itself", &s.bare},
       {"--clang", "PROGRAM", "counters: the clang that will compile, of another LLVM than 22",
        &s.clang},
       {"--lib-dir", "DIR", "where plugin and run time are (beside pgokit)", &s.folder}},
      footer};
}

Result<std::string> kinds_of(const Settings& s) {
  std::string text;
  for (std::string_view given : s.kinds)
    while (!given.empty()) {
      auto name = given.substr(0, given.find(','));
      given.remove_prefix(std::min(given.size(), name.size() + 1));
      bool known = false;
      for (const auto& kind : known_kinds) known |= kind.name == name;
      if (!known) {
        std::vector<std::string_view> all = {"profile", "use=FILE"};
        for (const auto& kind : known_kinds) all.push_back(kind.name);
        std::error_code error;
        auto meant = std::filesystem::is_regular_file(name, error)
                         ? fmt::format("use={}", name)
                         : std::string(nearest(name, all));
        return usage_error("there is no kind '{}'; {}", name,
                           meant.empty() ? fmt::format("there are {}", fmt::join(all, ", "))
                                         : fmt::format("did you mean '{}'?", meant));
      }
      text += (text.empty() ? "" : ",") + std::string(name);
    }
  return text;
}

// Each says something about some kinds only.
Status check_given(const Settings& s, std::string_view kinds) {
  struct Rule {
    std::string_view option;
    std::vector<std::string_view> kinds;
  };
  const Rule rules[] = {{"--rate", {"edges"}},
                        {"--buffer", {"edges", "order-log", "order-calls"}},
                        {"--per-site", {"targets", "tables", "sizes"}},
                        {"--target-buffer", {"targets", "tables", "sizes"}},
                        {"--all-blocks", {"blocks", "block-coverage"}},
                        {"--atomic", {"blocks", "calls"}}};
  const std::pair<std::string_view, u64> numbers[] = {{"--rate", s.rate},
                                                      {"--buffer", s.buffer},
                                                      {"--per-site", s.per_site},
                                                      {"--target-buffer", s.target_buffer}};
  for (const auto& rule : rules) {
    if (std::ranges::count(s.given, rule.option) == 0) continue;
    if (std::ranges::none_of(rule.kinds, [&](auto kind) { return kinds.contains(kind); }))
      return usage_error("{} is of {}, which {} does not collect", rule.option,
                         fmt::join(rule.kinds, ", "), kinds);
  }
  for (auto [option, number] : numbers)
    if (number == 0 && std::ranges::count(s.given, option) > 0)
      return usage_error("{} 0: at least 1", option);
  return {};
}

Result<std::vector<std::string>> plugin_options(const Settings& s) {
  std::vector<std::string> flags;
  auto add = [&](std::string_view option, const auto& value) {
    flags.push_back(fmt::format("-pgokit-{}={}", option, value));
  };
  const std::string kinds = TRY(kinds_of(s));
  TRY(check_given(s, kinds));
  add("kinds", kinds);
  if (s.all_blocks) flags.emplace_back("-pgokit-all-blocks");
  if (s.atomic) flags.emplace_back("-pgokit-atomic");
  if (s.functions.contains('\n'))
    return usage_error("--functions {}: no build system takes a name with a line end", s.functions);
  if (!s.functions.empty()) {
    std::error_code error;
    add("functions", fs::absolute(s.functions, error).string());
  }
  if (s.minimum_size) add("min-size", s.minimum_size);
  if (s.rate) add("edge-rate", s.rate);
  if (s.buffer && kinds.contains("edges")) add("edge-buffer", s.buffer);
  if (s.buffer && kinds.contains("order-")) add("order-buffer", s.buffer);
  if (s.per_site) add("targets-per-site", s.per_site);
  if (s.target_buffer) add("target-buffer", s.target_buffer);
  if (s.group.empty()) return flags;
  u64 group = 0, groups = 0;
  if (sscanf(s.group.c_str(), "%lu/%lu", &group, &groups) != 2 || groups == 0 || group >= groups)
    return usage_error("--group {}: give I/N with I from 0 to N - 1", s.group);
  add("groups", groups);
  add("group", group);
  return flags;
}

Status add_instrument_flags(const Settings& s, BuildFlags& flags) {
  auto files = TRY(find_plugin({.folder = s.folder, .clang = s.clang}));
  flags.plugin = files.plugin;
  flags.library = files.folder / (s.bare    ? "libpgokit_rt_bare.a"
                                  : s.small ? "libpgokit_rt_small.a"
                                            : "libpgokit_rt.a");
  flags.options = TRY(plugin_options(s));
  flags.link.emplace_back(compilers::build_id_option);
  return {};
}

// The words `profile` and `use=FILE` go out of the list of kinds.
Status take_profile_words(Settings& s) {
  constexpr std::string_view use = "use=";
  bool recorded = false;
  std::erase_if(s.kinds, [&](const std::string& word) {
    if (word.starts_with(use)) s.profile.files.push_back(word.substr(use.size()));
    recorded |= word == "profile";
    return word == "profile" || word.starts_with(use);
  });
  if (recorded && !s.profile.files.empty())
    return usage_error("use= has the flags of 'profile': give one of them");
  if (std::ranges::count(s.profile.files, "") > 0)
    return usage_error("use= is of a file: use=app.prof");
  if (std::ranges::count(s.profile.files, "-") > 0)
    return usage_error("use=-: a build reads a profile by its name");
  s.of_profile = recorded || !s.profile.files.empty();
  return {};
}

// Options that are of the other part of a program's build.
Status check_parts(const Settings& s) {
  constexpr std::string_view of_profiles[] = {"--by", "--for", "--if-there", "--explain", "--root"};
  constexpr std::string_view of_counters[] = {
      "--functions", "--min-size", "--group",         "--all-blocks", "--atomic", "--rate",
      "--buffer",    "--per-site", "--target-buffer", "--small",      "--bare"};
  for (const auto& option : s.given) {
    if (!s.of_profile && std::ranges::count(of_profiles, option) > 0)
      return usage_error("{} is of 'profile' and 'use=FILE'", option);
    if (s.kinds.empty() && std::ranges::count(of_counters, option) > 0)
      return usage_error("{} is of builds that count", option);
  }
  for (auto [option, given] :
       {std::pair("--if-there", s.profile.if_there), {"--explain", s.profile.explain}})
    if (given && s.profile.files.empty()) return usage_error("{} is of 'use=FILE'", option);
  constexpr std::string_view places[] = {"", "probes", "lines", "blocks"};
  if (std::ranges::count(places, s.profile.by) == 0)
    return usage_error("--by {}: it is probes, lines or blocks", s.profile.by);
  return {};
}

Status add_flags_of_profile(const Settings& s, const FlagStyle* style, BuildFlags& flags) {
  auto build = s.profile;
  build.lto = s.lto;
  build.rust = style && style->is_rust;
  build.relative_paths = !style || !style->knows_root;
  if (!s.consumer.empty()) build.target = TRY(pipeline::target_named(s.consumer));
  const auto* consumer = build.target.consumer;
  if (consumer && consumer != &pipeline::consumers::clang && consumer != &pipeline::consumers::gcc)
    return usage_error("--for {}: it is clang, gcc or a version of one", s.consumer);
  if (build.rust && consumer)
    return usage_error("--for {}: --style {} is for rustc", s.consumer, style->name);
  std::error_code error;
  build.root = fs::absolute(build.root.empty() ? "." : build.root, error).lexically_normal();
  if (build.root.ends_with('/')) build.root.pop_back();
  build.find_plugin = [&]() -> Result<fs::path> {
    return TRY(find_plugin({.folder = s.folder, .clang = s.clang})).plugin;
  };
  return add_profile_flags(build, flags);
}

// With LTO code is generated in the link, by lld.
Status add_lto(const Settings& s, BuildFlags& flags) {
  for (std::string_view option : {"--lto", "--lib-dir", "--clang"}) {
    bool is_used = !flags.plugin.empty() || (option == "--lto" && s.profile.explain);
    if (!is_used && std::ranges::count(s.given, option) > 0)
      return usage_error("{} is of the plugin, which these flags do without: leave it out{}",
                         option,
                         option == "--clang" ? "; --for clang-N names a version of clang" : "");
  }
  if (s.lto && !flags.plugin.empty())
    flags.link.push_back("-Wl,--load-pass-plugin=" + flags.plugin.string());
  return {};
}

// For $(...).
Result<std::string> line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (word.find_first_of(" \t") != word.npos)
      return fail("'{}' has a blank, which $(...) divides: use --style, or another folder", word);
    line += (line.empty() ? "" : " ") + word;
  }
  return line + "\n";
}

Result<std::string> lines_of(const BuildFlags& flags) {
  std::string compile = TRY(line_of(flags.compile_words())),
              link = TRY(line_of(flags.link_words()));
  return (flags.wants_compile ? compile : "") + (flags.wants_link ? link : "");
}

Status print_flags(Settings& s) {
  const auto* style = find_style(s.style);
  if (!s.style.empty() && !style)
    return usage_error("--style {}: there are {}; without it the options themselves are printed",
                       s.style, style_names());
  if (s.bare && s.small) return usage_error("--bare and --small are two different run times");
  TRY(take_profile_words(s));
  TRY(kinds_of(s));
  TRY(check_parts(s));
  BuildFlags flags{.wants_compile = s.compile || !s.link, .wants_link = s.link || !s.compile};
  if (!s.kinds.empty()) TRY(add_instrument_flags(s, flags));
  if (s.of_profile) TRY(add_flags_of_profile(s, style, flags));
  TRY(add_lto(s, flags));
  report::print("{}", report::lines(TRY(style ? style->text(flags) : lines_of(flags))));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto table = options_of(settings);
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = print_flags(settings);
  return status ? 0 : report_failure("flags", status.error());
}

}  // namespace

constexpr Command flags_command{"flags", "print the flags of a build with profiles or counters",
                                run};

}  // namespace pgokit::cli

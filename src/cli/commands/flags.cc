#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/options.h"
#include "cli/views/flag_styles.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> kinds;
  std::string folder, functions, style;
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

OptionTable options_of(Settings& s) {
  std::string footer = "\nkinds (several go together):\n";
  for (const auto& kind : known_kinds)
    footer += fmt::format("  {:<16}{}\n", kind.name, kind.collects);
  footer +=
      "\nstyles:\n" + style_help() +
      "\nexamples:\n"
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
      "Print the flags that instrument a program, for clang 22 and its linkers.",
      {{"KIND", "", "what to collect: see below", &s.kinds, true},
       {"--compile", "", "only the flags of the compiler, in one line", &s.compile},
       {"--link", "", "only those of the linker; after the objects: in LIBS, not LDFLAGS", &s.link},
       {"--lto", "", "the program is linked with -flto by lld", &s.lto},
       {"--style", "STYLE", "the same as a file for a build system: see below", &s.style},
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
       {"--lib-dir", "DIR", "where plugin and run time are (beside pgokit)", &s.folder}},
      footer};
}

// Installed: bin/pgokit and lib/pgokit/. The build tree looks the same.
Result<fs::path> library_folder(const Settings& s) {
  std::vector<fs::path> places;
  if (!s.folder.empty()) {
    places.emplace_back(s.folder);
  } else {
    std::error_code error;
    fs::path program = fs::read_symlink("/proc/self/exe", error);
    fs::path bin = program.parent_path();
    places = {bin.parent_path() / "lib" / "pgokit", bin.parent_path() / "lib64" / "pgokit", bin};
  }
  std::string looked;
  for (const auto& place : places) {
    std::error_code error;
    if (fs::exists(place / "pgokit-plugin.so", error)) return fs::absolute(place, error);
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  return fail(
      "pgokit-plugin.so is not in {}: it is built where llvm-22-dev is installed; --lib-dir tells "
      "another place",
      looked);
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
        std::string all;
        for (const auto& kind : known_kinds)
          all += (all.empty() ? "" : ", ") + std::string(kind.name);
        return usage_error("there is no kind '{}'; there are {}", name, all);
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

Result<InstrumentFlags> flags_of(const Settings& s) {
  auto folder = TRY(library_folder(s));
  InstrumentFlags flags{.plugin = folder / "pgokit-plugin.so",
                        .library = folder / (s.bare    ? "libpgokit_rt_bare.a"
                                             : s.small ? "libpgokit_rt_small.a"
                                                       : "libpgokit_rt.a"),
                        .options = TRY(plugin_options(s)),
                        .link = {"-Wl,--build-id"},
                        .wants_compile = s.compile || !s.link,
                        .wants_link = s.link || !s.compile};
  if (s.lto) flags.link.push_back("-Wl,--load-pass-plugin=" + flags.plugin.string());
  return flags;
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

Result<std::string> lines_of(const InstrumentFlags& flags) {
  std::string compile = TRY(line_of(flags.compile_words())),
              link = TRY(line_of(flags.link_words()));
  return (flags.wants_compile ? compile : "") + (flags.wants_link ? link : "");
}

Status print_flags(const Settings& s) {
  const auto* style = find_style(s.style);
  if (!s.style.empty() && !style)
    return usage_error("--style {}: there are {}", s.style, style_names());
  if (s.bare && s.small) return usage_error("--bare and --small are two different run times");
  TRY(kinds_of(s));
  auto flags = TRY(flags_of(s));
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

constexpr Command flags_command{"flags", "print the flags that instrument a program", run};

}  // namespace pgokit::cli

// The builds that are tried beside the one with the profile.

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/shell_word.h"
#include "optimize/optimizer.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

void add(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Of LLVM or the plugin. Reaches the compiler alone: the assembler of .S files knows no plugin, and
// links would warn of it.
std::vector<std::string> of_llvm(std::string_view option) {
  return {"-Xclang", "-mllvm", "-Xclang", std::string(option)};
}

constexpr char bolt_options[] =
    "-reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold -split-eh";

}  // namespace

// The functions of the build with the profile, in an order made of the calls that were recorded.
Status Optimizer::add_layout() {
  const auto& base = outcome_.builds[1];
  TRY(make_file("app.order", work_.pgokit(fmt::format("order {} -b {} --link {} -o {}",
                                                      word("app.perf"), shell_word(recorded_.file),
                                                      shell_word(base.file), word("app.order")),
                                          "app.order.log")));
  auto build = Build{.name = "layout", .options = base.options, .profile = base.profile};
  build.options.add(toolchain_.order(work_.absolute("app.order")));
  return add_build(std::move(build));
}

// A program with probes has its lines too.
Result<Build> Optimizer::profile_by_lines() {
  if (!settings_.by_probes) return outcome_.builds[1];
  if (!by_lines_) {
    TRY(make_file("lines.prof", generate(recorded_, "app.perf", "lines.prof", " --use-dwarf")));
    by_lines_ = {.name = "lines",
                 .options = with_profile(outcome_.builds[0].options, work_.absolute("lines.prof")),
                 .profile = work_.file("lines.prof")};
  }
  return *by_lines_;
}

// A build with a profile again, recorded with a map of its blocks: their numbers are those of the
// build that gets the layout, as both have the same options otherwise. The profile is by lines:
// clang 22 cannot write the distance of two probes that are in different sections.
Status Optimizer::add_propeller() {
  const auto base = TRY(profile_by_lines());
  Build mapped{.name = "mapped", .options = base.options};
  mapped.options.add(compilers::block_map_flags());
  TRY(build_to_record(mapped, "mapped.perf", settings_.sampled));
  TRY(make_file("app.clusters",
                work_.pgokit(fmt::format("generate {} -b {} --for propeller -o {}",
                                         word("mapped.perf"), shell_word(mapped.file), word("app")),
                             "app.clusters.log")));
  Build build{.name = "propeller", .options = base.options, .profile = base.profile};
  build.options.add(
      compilers::layout_flags(work_.absolute("app.clusters"), work_.absolute("app.symorder")));
  return add_build(std::move(build));
}

Status Optimizer::add_lines() { return add_build(TRY(profile_by_lines())); }

Status Optimizer::add_inlining() {
  const auto& base = outcome_.builds[1];
  auto build = Build{.name = "inlining", .options = base.options, .profile = base.profile};
  add(build.options.compile, of_llvm(compilers::weighed_inlining));
  return add_build(std::move(build));
}

// The build with the profile again, with the relocations that BOLT needs to move functions. BOLT
// reads branch stacks: a count of the whole run has none.
Status Optimizer::add_bolt() {
  const auto& base = outcome_.builds[1];
  Build relocatable{.name = "relocations", .options = base.options};
  add(relocatable.options.link, {"-Wl,--emit-relocs"});
  TRY(build_to_record(relocatable, "bolt.perf", true));
  auto program = shell_word(relocatable.file);
  TRY(make_file("bolt.fdata",
                {.text = fmt::format("{} -p {} -o {} {}", toolchain_.tool("perf2bolt"),
                                     word("bolt.perf"), word("bolt.fdata"), program),
                 .log = "bolt.fdata.log"}));
  Build build{.name = "bolt", .options = relocatable.options, .profile = base.profile};
  TRY(work_.make_folder(build.name));
  build.after = fmt::format("{} {} -o {} -data={} {}", toolchain_.tool("llvm-bolt"), program,
                            shell_word(kept_file(build)), word("bolt.fdata"), bolt_options);
  TRY(step("build bolt", build.after, [&]() -> Result<std::string> {
    TRY(work_.run({.text = build.after, .log = "bolt/log"}));
    return "";
  }));
  return finish_build(std::move(build));
}

Result<std::string> Optimizer::counts_of(Build& build, const char* variable, const char* pattern) {
  TRY(prepare(build));
  auto counts = build.name + "/counts";
  auto command = run_command();
  auto words = fmt::format("{}\n{}", command, variable);
  TRY(step("run " + build.name, words, [&]() -> Result<std::string> {
    TRY(builder_.keep(build));
    std::error_code error;
    fs::remove_all(work_.file(counts), error);
    TRY(work_.make_folder(counts));
    auto value = work_.absolute(counts + "/" + pattern);
    TRY(work_.run({.text = command,
                   .log = build.name + "/run.log",
                   .shown = fmt::format("{}={} {}", variable, shell_word(value),
                                        shell_line(measure::command_of(command))),
                   .environment = {{variable, value}}}));
    return "";
  }));
  build.file = kept_file(build);
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(work_.file(counts), error))
    files.push_back(shell_word(entry.path().string()));
  std::ranges::sort(files);
  std::string text;
  for (const auto& file : files) text += " " + file;
  if (!files.empty()) return text.substr(1);
  return fail(
      "{}: the run wrote no counts: they are written when a program ends by exit() or by returning "
      "from main ({})",
      work_.file(counts), command);
}

Status Optimizer::add_instrument() {
  Build counting{.name = "counting", .options = {.compile = settings_.profiling}};
  counting.options.add(toolchain_.counting());
  auto counts = TRY(counts_of(counting, "LLVM_PROFILE_FILE", "%m.profraw"));
  TRY(make_file("app.profdata",
                work_.pgokit(fmt::format("merge {} -o {}", counts, word("app.profdata")),
                             "app.profdata.log")));
  Build build{.name = "instrument",
              .options = {.compile = settings_.profiling},
              .profile = work_.file("app.profdata")};
  build.options.add(toolchain_.counted(work_.absolute("app.profdata")));
  return add_build(std::move(build));
}

Result<std::vector<std::string>> Optimizer::flags_of_counting(const std::string& which) const {
  TRY(work_.run(work_.pgokit("flags targets sizes " + which, "flags.log")));
  auto file = TRY(MappedFile::open_regular(work_.file("flags.log")));
  auto bytes = file.bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> words;
  while (!text.empty()) {
    auto word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// The samples have targets of calls already; what is added are sizes of copies, and targets by
// calls that share a line.
Status Optimizer::add_targets() {
  const auto& base = outcome_.builds[1];
  Build watched{.name = "watched", .options = recorded_.options};
  auto flags = TRY(flags_of_counting("--compile"));
  add(watched.options.compile, flags);
  add(watched.options.link, TRY(flags_of_counting("--link")));
  auto counts = TRY(counts_of(watched, "PGOKIT_PROFILE_FILE", "%p.mipraw"));
  TRY(make_file("app.mip", work_.pgokit(fmt::format("merge {} {} -o {}", shell_word(watched.file),
                                                    counts, word("app.mip")),
                                        "app.mip.log")));
  TRY(make_file("app.targets", work_.pgokit(fmt::format("export {} --targets -o {}",
                                                        word("app.mip"), word("app.targets")),
                                            "app.targets.log")));
  auto build = Build{.name = "targets", .options = base.options, .profile = base.profile};
  auto plugin = std::ranges::find_if(
      flags, [](const std::string& word) { return word.starts_with("-fpass-plugin="); });
  if (plugin != flags.end()) build.options.compile.push_back(*plugin);
  add(build.options.compile, of_llvm("-pgokit-use=" + work_.absolute("app.targets")));
  return add_build(std::move(build));
}

}  // namespace pgokit::optimize

// `pgokit probes stats`: probes in figures.
#include "cli/commands/probes_commands.h"
#include "cli/options.h"
#include "cli/views/probe_names.h"
#include "probe/stats.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::counted;
using report::grouped;
using report::Json;
using report::percent;

struct Settings {
  std::string file;
  program::ProbeFileOptions options;
  u64 top = 10;
  bool json = false, mangled = false;
};

// What the sections take, in the file and in memory when the program runs.
struct Cost {
  u64 sections = 0, probes = 0, descriptors = 0, file = 0, loaded = 0;
  u64 total() const { return probes + descriptors; }
};

Cost cost_of(const program::ProbeFile& file) {
  Cost cost{.sections = file.sections().size(),
            .probes = file.probe_bytes(),
            .descriptors = file.descriptor_bytes(),
            .file = file.probes_file().image().size()};
  for (const auto& section : file.probes_file().sections())
    if (section.name.starts_with(".pseudo_probe") && section.loaded) cost.loaded += section.size;
  return cost;
}

struct Duplicates {
  u64 same = 0, other_hash = 0;
};

Duplicates duplicates_of(const probe::Descriptors& known) {
  Duplicates out;
  for (const auto& one : known.duplicates())
    ++(known.find(one.guid)->hash == one.hash ? out.same : out.other_hash);
  return out;
}

void line(std::string_view name, const std::string& text) {
  report::print("{:<12} {}\n", name, text);
}

void print_sections(const program::ProbeFile& file, const probe::Stats& stats) {
  Cost cost = cost_of(file);
  Duplicates duplicates = duplicates_of(file.descriptors());
  line("file", file.path());
  if (!file.debug_path().empty()) line("debug file", file.debug_path());
  std::string loaded = cost.loaded ? report::file_size(cost.loaded) + " of it are loaded"
                                   : "not loaded when it runs";
  line("sections",
       fmt::format("{} of probes ({}), {} of descriptors: {} of the file, {}",
                   report::file_size(cost.probes), counted(cost.sections, "section"),
                   report::file_size(cost.descriptors), percent(cost.total(), cost.file), loaded));
  line("descriptors",
       fmt::format("{}, {} of them without a probe in the file",
                   grouped(file.descriptors().list().size()), grouped(stats.without_probes)));
  if (!file.descriptors().duplicates().empty())
    line("duplicates",
         fmt::format("{}, {} with another hash: one of each counts",
                     counted(duplicates.same, "equal descriptor"), grouped(duplicates.other_hash)));
  line("code", fmt::format("{}, {} of them under a symbol of another name",
                           counted(stats.records, "function or part of one",
                                   "functions and parts of functions"),
                           grouped(stats.parts)));
  if (stats.without_symbol)
    line("no symbol", fmt::format("{} of these: their code was removed, or the symbols were",
                                  grouped(stats.without_symbol)));
  if (stats.absolute)
    line("absolute", fmt::format("{} with addresses", counted(stats.absolute, "record")));
}

void print_probes(const probe::Stats& stats) {
  u64 probes = stats.probes();
  line("probes",
       fmt::format("{}: {} ({}), {} ({}), {} ({})", grouped(probes), counted(stats.blocks, "block"),
                   percent(stats.blocks, probes), counted(stats.direct_calls, "direct call"),
                   percent(stats.direct_calls, probes),
                   counted(stats.indirect_calls, "indirect call"),
                   percent(stats.indirect_calls, probes)));
  if (stats.others)
    line("unknown", fmt::format("{} of other types", counted(stats.others, "probe")));
  if (stats.with_discriminator)
    line("", fmt::format("{} with a discriminator", grouped(stats.with_discriminator)));
  line("inlined", fmt::format("{} of the probes ({}), in {} of functions, up to {} deep; the "
                              "call of {} is not known",
                              grouped(stats.inlined_probes), percent(stats.inlined_probes, probes),
                              counted(stats.copies, "copy", "copies"), grouped(stats.deepest),
                              grouped(stats.unknown_call_sites)));
  line("dangling", fmt::format("{} of {} ({}) without a probe any more", grouped(stats.dangling),
                               counted(stats.indices, "index", "indices"),
                               percent(stats.dangling, stats.indices)));
  if (stats.without_descriptor)
    line("nameless",
         fmt::format("{} without descriptor", counted(stats.without_descriptor, "function")));
}

void print_text(const program::ProbeFile& file, const probe::Stats& stats, u64 top, bool mangled) {
  print_sections(file, stats);
  print_probes(stats);
  if (top == 0) return;
  report::print("\n{:>12} {:>10} {:>10}  largest functions\n", "bytes", "probes", "inlined");
  report::FunctionNames names(mangled);
  auto largest = stats.largest(top);
  for (const auto& one : largest) names.add(probe_function_name(file, one.guid));
  for (const auto& one : largest)
    report::print("{:>12} {:>10} {:>10}  {}\n", grouped(one.bytes), grouped(one.probes),
                  grouped(one.copies), shown_function(file, one.guid, &names));
}

void print_json(const program::ProbeFile& file, const probe::Stats& stats, u64 top) {
  Cost cost = cost_of(file);
  Duplicates duplicates = duplicates_of(file.descriptors());
  Json bytes = Json::object(), descriptors = Json::object(), probes = Json::object();
  bytes.set("probes", cost.probes)
      .set("descriptors", cost.descriptors)
      .set("file", cost.file)
      .set("loaded", cost.loaded);
  descriptors.set("count", file.descriptors().list().size())
      .set("without_probes", stats.without_probes)
      .set("duplicates", duplicates.same)
      .set("duplicates_with_other_hash", duplicates.other_hash);
  probes.set("count", stats.probes())
      .set("blocks", stats.blocks)
      .set("direct_calls", stats.direct_calls)
      .set("indirect_calls", stats.indirect_calls)
      .set("other_types", stats.others)
      .set("with_discriminator", stats.with_discriminator)
      .set("inlined", stats.inlined_probes);
  Json largest = Json::array();
  for (const auto& one : stats.largest(top))
    largest.push(std::move(Json::object()
                               .set("function", shown_function(file, one.guid))
                               .set("guid", fmt::format("{}", one.guid))
                               .set("bytes", one.bytes)
                               .set("probes", one.probes)
                               .set("inlined_functions", one.copies)));
  Json json = Json::object();
  json.set("file", file.path())
      .set("debug_file", file.debug_path())
      .set("sections", cost.sections)
      .set("bytes", std::move(bytes))
      .set("descriptors", std::move(descriptors))
      .set("bodies", stats.records)
      .set("bodies_under_other_symbol", stats.parts)
      .set("bodies_without_symbol", stats.without_symbol)
      .set("bodies_with_addresses", stats.absolute)
      .set("probes", std::move(probes))
      .set("inlined_functions", stats.copies)
      .set("deepest_inlining", stats.deepest)
      .set("unknown_call_sites", stats.unknown_call_sites)
      .set("indices", stats.indices)
      .set("dangling_indices", stats.dangling)
      .set("functions_without_descriptor", stats.without_descriptor)
      .set("largest", std::move(largest));
  report::print("{}\n", report::lines(json.text()));
}

Status show_stats(const Settings& settings) {
  auto file = TRY(program::ProbeFile::open(settings.file, settings.options));
  probe::Stats stats;
  std::string broken;
  for (const auto& section : file.sections())
    if (auto at = stats.add(section.bytes, file.address_of(section)))
      if (broken.empty()) broken = broken_record(section, *at);
  stats.finish(file.descriptors());
  settings.json ? print_json(file, stats, settings.top)
                : print_text(file, stats, settings.top, settings.mangled);
  return all_read(file, broken);
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{"pgokit probes stats",
                    "Count the pseudo probes of a program, shared object or object file.",
                    {{"FILE", "", "the file", &settings.file, true},
                     {"--top", "N", "that many of the largest functions (10)", &settings.top},
                     {"--debug-file", "FILE", "where its symbols or probes are, if not in FILE",
                      &settings.options.debug_path},
                     mangled_option(settings.mangled),
                     {"--json", "", "print JSON", &settings.json}},
                    ""};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = show_stats(settings);
  return status ? 0 : report_failure("probes stats", status.error());
}

}  // namespace

constexpr Command probes_stats_command{"stats", "count probes, and what they cost", run};

}  // namespace pgokit::cli

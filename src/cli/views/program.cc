#include "cli/views/program.h"

#include "cli/compilers.h"
#include "program/facts.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"
#include "runtime/mip_format.h"

namespace pgokit::cli {
namespace {

using report::grouped;
using report::Json;

std::string describe(const dwarf::Facts& debug, const Compiler& compiler) {
  std::string text =
      debug.lowest_version == debug.highest_version
          ? fmt::format("DWARF {}", debug.highest_version)
          : fmt::format("DWARF {} to {}", debug.lowest_version, debug.highest_version);
  text += fmt::format(", {}, {} with line table", report::counted(debug.units, "unit"),
                      grouped(debug.line_table_units));
  if (debug.split_units) text += fmt::format(", {} split off", grouped(debug.split_units));
  if (debug.missing_dwo)
    text += fmt::format(", {} of these not found ({})", grouped(debug.missing_dwo),
                        debug.first_missing_dwo);
  if (debug.broken_units) text += fmt::format(", {} cannot be read", grouped(debug.broken_units));
  if (auto option = discriminator_option(compiler); !debug.discriminators && !option.empty())
    text += fmt::format("; no discriminators ({} gives them)", option);
  return text;
}

std::string describe(const program::ProbeFacts& probes) {
  return fmt::format("{}, {}, {}{}", report::counted(probes.functions, "function"),
                     report::counted(probes.records, "body", "bodies"),
                     report::file_size(probes.section_bytes), probes.damaged ? ", damaged" : "");
}

// How the map is taken out of a program.
std::string_view remedy(const object::File& file) {
  return file.format() == object::Format::mach_o
             ? "'llvm-objcopy --remove-section=__LLVM_MIP,__llvm_mipmap' takes it out before the "
               "program ships"
             : "'pgokit map --strip' takes it out before the program ships (GNU strip leaves it)";
}

void print_text(const std::string& path, const program::ProgramFacts& facts, u64 map_size,
                std::string_view remedy) {
  auto line = [](std::string_view name, std::string_view text) {
    report::print("{:<10} {}\n", name, text);
  };
  line("program", path);
  line("kind", fmt::format("{}, {}, {} of code", facts.kind, facts.machine,
                           report::file_size(facts.code_bytes)));
  line("build id", facts.build_id.empty() ? "none (link with --build-id)" : facts.build_id);
  line("symbols", facts.symbols ? "yes" : "stripped");
  auto compiler = compiler_of(facts.producer);
  std::string debug = fmt::format("none (compile with {})", profiling_options(compiler));
  if (!facts.debug_link.empty()) debug = fmt::format("in another file: {}", facts.debug_link);
  if (!facts.debug_error.empty()) debug = "unreadable: " + facts.debug_error;
  if (facts.debug) debug = describe(*facts.debug, compiler);
  line("debug", debug);
  if (!facts.producer.empty()) line("compiler", short_producer(facts.producer));
  std::string probes = "none";
  if (auto option = probe_option(compiler); !option.empty())
    probes += fmt::format(" (compile with {})", option);
  if (facts.probes) probes = describe(*facts.probes);
  line("probes", probes);
  if (map_size)
    line("map", fmt::format("{}, with the names of its functions: {}", report::file_size(map_size),
                            remedy));
}

void print_json(const std::string& path, const program::ProgramFacts& facts, u64 map_size) {
  Json json = Json::object();
  json.set("program", path)
      .set("kind", facts.kind)
      .set("machine", facts.machine)
      .set("code_bytes", facts.code_bytes)
      .set("build_id", facts.build_id)
      .set("symbols", facts.symbols)
      .set("debug_link", facts.debug_link)
      .set("map_bytes", map_size);
  if (facts.debug) {
    Json debug = Json::object();
    debug.set("lowest_version", facts.debug->lowest_version)
        .set("highest_version", facts.debug->highest_version)
        .set("units", facts.debug->units)
        .set("line_table_units", facts.debug->line_table_units)
        .set("split_units", facts.debug->split_units)
        .set("missing_dwo", facts.debug->missing_dwo)
        .set("broken_units", facts.debug->broken_units)
        .set("linkage_names", facts.debug->linkage_names)
        .set("discriminators", facts.debug->discriminators)
        .set("producer", facts.producer);
    json.set("debug", std::move(debug));
  }
  if (facts.probes) {
    Json probes = Json::object();
    probes.set("functions", facts.probes->functions)
        .set("bodies", facts.probes->records)
        .set("section_bytes", facts.probes->section_bytes)
        .set("damaged", facts.probes->damaged);
    json.set("probes", std::move(probes));
  }
  report::print("{}\n", report::lines(json.text()));
}

}  // namespace

Status show_program(const std::string& path, const object::File& file, bool json) {
  auto facts = TRY_IN(path, program::read_facts(path, file));
  const auto* map = file.section(MIP_MAP_SECTION);
  const u64 map_size = map ? map->size : 0;
  json ? print_json(path, facts, map_size) : print_text(path, facts, map_size, remedy(file));
  return {};
}

}  // namespace pgokit::cli

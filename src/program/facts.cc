#include "program/facts.h"

#include "probe/table.h"
#include "program/producer.h"
#include "program/symbols.h"

namespace pgokit::program {
namespace {

std::string kind_of(const object::File& file) {
  switch (file.kind()) {
    case object::Kind::program:
      return "program";
    case object::Kind::movable:
      return file.needs_loader() || file.is_program() ? "position-independent program"
                                                      : "shared object";
    case object::Kind::object:
      return "relocatable object";
    case object::Kind::core_dump:
      return "core dump";
    default:
      return "object file of another kind";
  }
}

}  // namespace

Result<ProgramFacts> read_facts(const std::string& path, const object::File& file) {
  ProgramFacts facts;
  facts.kind = kind_of(file);
  facts.machine = object::machine_name(file.machine());
  facts.build_id = object::hex(file.build_id());
  facts.position_independent = file.kind() == object::Kind::movable;
  facts.is_static = !file.needs_loader();
  facts.symbols = file.has_symbols();
  facts.block_map = file.section(".llvm_bb_addr_map") != nullptr;
  facts.instrumented = file.section("__llvm_prf_cnts") != nullptr;
  facts.debug_link = file.debug_link();
  for (const auto& section : file.sections())
    if (is_decoded(section)) facts.code_bytes += section.size;
  if (file.section(".debug_info") || file.section(".zdebug_info")) {
    if (auto debug = dwarf::DebugInfo::load(file, {.path = path})) {
      facts.debug = debug->facts();
      facts.producer = producer_of(file, &*debug);
    } else {
      facts.debug_error = debug.error().message;
    }
  }
  if (facts.producer.empty()) facts.producer = producer_of(file, nullptr);
  const auto* descriptors = file.section(".pseudo_probe_desc");
  const auto* probes = file.section(".pseudo_probe");
  if (descriptors && probes) {
    auto table = probe::Table::index(TRY(file.contents(*descriptors)), TRY(file.contents(*probes)));
    facts.probes = {table.descriptors().list().size(), table.records(), probes->size,
                    table.truncated() || table.descriptors().truncated()};
  }
  return facts;
}

}  // namespace pgokit::program

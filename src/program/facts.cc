#include "program/facts.h"

#include "probe/table.h"
#include "program/producer.h"
#include "program/symbols.h"

namespace pgokit::program {
namespace {

bool has_interpreter(const object::File& file) {
  for (const auto& segment : file.segments())
    if (segment.type == PT_INTERP) return true;
  return false;
}

std::string kind_of(const object::File& file) {
  switch (file.type()) {
    case ET_EXEC:
      return "program";
    case ET_DYN:
      return has_interpreter(file) ? "position-independent program" : "shared object";
    case ET_REL:
      return "relocatable object";
    case ET_CORE:
      return "core dump";
    default:
      return fmt::format("ELF file of type {}", file.type());
  }
}

std::string machine_name(u16 machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "AArch64";
    default:
      return fmt::format("machine {}", machine);
  }
}

}  // namespace

Result<ProgramFacts> read_facts(const std::string& path, const object::File& file) {
  ProgramFacts facts;
  facts.kind = kind_of(file);
  facts.machine = machine_name(file.machine());
  facts.build_id = object::hex(file.build_id());
  facts.position_independent = file.type() == ET_DYN;
  facts.is_static = !has_interpreter(file);
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

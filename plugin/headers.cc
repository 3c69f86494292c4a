#include "headers.h"

#include "assembly_text.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_dump.h"
#include "settings.h"
#include "source.h"
#include "tables.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

constexpr uint64_t value_entry_size = 40;  // pgokit_value of the run time

void header(raw_ostream& out, uint32_t kinds, uint32_t hash, unsigned type, unsigned version) {
  out << ".long " << MIP_MAGIC << "\n.short " << version << "," << type << "\n.long " << kinds
      << "," << hash << ",0," << sizeof(mip_section_header) << "\n";
}

// Sections with one name, of which the linker keeps one.
std::string once(const char* section, const char* flags, const char* group,
                 const char* type = "progbits") {
  return (Twine(".pushsection ") + section + ",\"" + flags + "G\",%" + type + "," + group +
          ",comdat\n")
      .str();
}

// Likewise of Mach-O: a part that stays, also where nothing refers to it.
std::string once_part(StringRef section, StringRef label) {
  return begin_part(section, label, /*is_weak=*/true) +
         (".no_dead_strip " + label + "\n.p2align 3\n" + label + ":\n").str();
}

// mip_module_settings, at `label`.
std::string module_settings(const Module& module, uint32_t kinds, const std::string& label,
                            const std::string& runtime, const std::string& edge_buffer,
                            const std::string& value_buffer) {
  const EdgeSettings edges = edge_settings_of(module);
  const ValueSettings values = value_settings_of(module);
  std::string result;
  raw_string_ostream out(result);
  out << ".long " << kinds << "," << edges.rate << "," << edges.capacity << "," << runtime << "\n"
      << addresses_of(module.getDataLayout(),
                      {edges.capacity ? edge_buffer : "0", values.capacity ? value_buffer : "0"},
                      label)
      << ".long " << values.capacity << "," << values.per_site << "\n.popsection\n";
  return result;
}

// What the run time has to know of the modules that it is linked with; more than one if their kinds
// differ.
std::string module_text(const Module& module, uint32_t kinds) {
  const EdgeSettings edges = edge_settings_of(module);
  const ValueSettings values = value_settings_of(module);
  const std::string group = "__pgokit_module" + std::to_string(kinds);
  std::string result = once(MIP_MODULE_SECTION, "aR", group.c_str());
  raw_string_ostream out(result);
  // The run time is an undefined symbol where it is missing.
  out << ".hidden __pgokit_runtime\n.p2align 3\n.Lmip_module:\n"
      << module_settings(module, kinds, ".Lmip_module", "__pgokit_runtime-.", ".Lmip_edges",
                         ".Lmip_values");
  if (values.capacity) {
    out << once(".bss.__pgokit_values", "aw", group.c_str(), "nobits")
        << ".p2align 3\n.Lmip_values:\n.zero " << uint64_t{values.capacity} * value_entry_size
        << "\n.popsection\n";
  }
  if (edges.capacity) {
    out << once(".bss.__pgokit_edges", "aw", group.c_str(), "nobits")
        << ".p2align 3\n.Lmip_edges:\n.zero " << uint64_t{edges.capacity} * sizeof(mip_edge)
        << "\n.popsection\n";
  }
  return result;
}

// The section is the buffer: the one of the first module that the linker sees.
std::string log_text(const Module& module, uint32_t kinds, bool is_mach_o) {
  const uint64_t size = uint64_t{order_capacity_of(module)} * sizeof(mip_order_id);
  std::string result;
  for (const auto& [kind, name] : {std::pair(MIP_ORDER_LOG, MIP_ORDER_LOG_SECTION),
                                   std::pair(MIP_ORDER_CALLS, MIP_ORDER_CALLS_SECTION)}) {
    if (!(kinds & kind)) continue;
    const std::string label = "_" + std::string(name);
    result += is_mach_o ? weak(label) + ".zerofill __DATA," + name + "," + label + "," +
                              std::to_string(size) + ",3\n"
                        : once(name, "awR", name, "nobits") + ".p2align 3\n.zero " +
                              std::to_string(size) + "\n.popsection\n";
  }
  return result;
}

// The map record of a function with code has its checksum.
bool is_told_by_code(const Module& module, const NotedSource& source) {
  if (source.has_sites) return false;
  const Function* function = module.getFunction(split_source_name(source.name).second);
  return function && !function->isDeclaration() && !function->hasAvailableExternallyLinkage();
}

// A record of no function; `rest_size` bytes follow.
std::string named_record(uint32_t flag, StringRef name, uint64_t rest_size) {
  std::string result;
  raw_string_ostream out(result);
  out << ".long " << MIP_FUNCTION_MAGIC << "," << sizeof(mip_function) + name.size() + rest_size
      << "\n.quad 0,0,0\n.long 0,0,0," << flag << ",0,0,0," << name.size() << "\n.ascii \""
      << as_string(name) << "\"\n";
  return result;
}

std::string checksum_records(const Module& module) {
  std::string result;
  for (const NotedSource& each : noted_sources(module)) {
    if (!is_told_by_code(module, each))
      result += named_record(MIP_CHECKSUM, each.name, 8) + ".quad " +
                std::to_string(each.checksum) + "\n";
  }
  return result;
}

SmallVector<const GlobalVariable*, 16> tables_of(const Module& module, uint32_t kinds) {
  SmallVector<const GlobalVariable*, 16> found;
  for (const GlobalVariable& each : module.globals()) {
    if (kinds & MIP_TABLES && each.hasName() && !each.isDeclarationForLinker() && is_table(each))
      found.push_back(&each);
  }
  return found;
}

// Addresses count from `base`, if there is one.
std::string table_record(const GlobalVariable& table, const TargetMachine& machine,
                         const std::string& base) {
  const DataLayout& layout = table.getDataLayout();
  return named_record(MIP_TABLE | (base.empty() ? 0u : unsigned{MIP_RELATIVE}), source_name(table),
                      sizeof(mip_table)) +
         addresses_of(layout, {quoted(machine.getSymbol(&table)->getName())}, base) + ".quad " +
         std::to_string(layout.getTypeAllocSize(table.getValueType())) + "\n";
}

std::string in_map(const std::string& records) {
  if (records.empty()) return "";
  return ".pushsection " MIP_MAP_SECTION ",\"\",%progbits\n" + records + ".popsection\n";
}

std::string elf_headers(const Module& module, const TargetMachine& machine, uint32_t kinds,
                        uint32_t hash) {
  std::string result = ".hidden " + std::string(raw_start) + "\n" +
                       once(MIP_RAW_SECTION, "awR", "__pgokit_raw_header"),
              tables;
  raw_string_ostream out(result);
  out << ".p2align 3\n";
  header(out, kinds, hash, MIP_TYPE_RAW, MIP_VERSION);
  out << ".popsection\n";
  out << once(MIP_MAP_SECTION, "", "__pgokit_map_header");
  header(out, kinds, hash, MIP_TYPE_MAP, MIP_VERSION);
  out << ".popsection\n";
  for (const GlobalVariable* each : tables_of(module, kinds))
    tables += table_record(*each, machine, "");
  out << module_text(module, kinds) << log_text(module, kinds, false)
      << in_map(checksum_records(module)) << in_map(tables);
  return result;
}

// The linker keeps the record of a table if it keeps the table.
std::string mach_o_tables(const Module& module, const TargetMachine& machine, uint32_t kinds) {
  std::string result;
  for (const GlobalVariable* each : tables_of(module, kinds)) {
    const std::string label = "l_mip_table" + std::to_string(result.size());
    result += begin_part(MIP_MACH_O_MAP, label, false) + label + ":\n" +
              table_record(*each, machine, label) + ".popsection\n";
  }
  return result;
}

std::string mach_o_headers(const Module& module, const TargetMachine& machine, uint32_t kinds,
                           uint32_t hash) {
  std::string result = once_part(MIP_MACH_O_RAW, "___pgokit_raw_header");
  raw_string_ostream out(result);
  header(out, kinds, hash, MIP_TYPE_RAW, MIP_VERSION);
  out << ".popsection\n"
      << begin_part(MIP_MACH_O_MAP, "l_mip_map_header", false)
      << ".no_dead_strip l_mip_map_header\nl_mip_map_header:\n";
  header(out, kinds, hash, MIP_TYPE_MAP, MIP_VERSION_RELATIVE);
  out << checksum_records(module) << ".popsection\n";
  const ValueSettings values = value_settings_of(module);
  const std::string settings = "___pgokit_module" + std::to_string(kinds),
                    buffer = "___pgokit_values" + std::to_string(values.capacity);
  out << once_part("__DATA," MIP_MODULE_SECTION, settings)
      << module_settings(module, kinds, settings, "0", "0", buffer);
  // What is undefined, as the run time where it is missing, has no distance from anything.
  out << once_part("__DATA,__mip_runtime", "___pgokit_needs_runtime")
      << ".quad ___pgokit_runtime\n.popsection\n";
  if (values.capacity)
    out << weak(buffer) << ".zerofill __DATA,__mip_values," << buffer << ","
        << uint64_t{values.capacity} * value_entry_size << ",3\n";
  out << log_text(module, kinds, true) << mach_o_tables(module, machine, kinds);
  return result;
}

}  // namespace

std::string headers_text(const Module& module, const TargetMachine& machine, uint32_t kinds) {
  const auto hash = static_cast<uint32_t>(MD5Hash(module.getModuleIdentifier()));
  return machine.getTargetTriple().isOSBinFormatMachO()
             ? mach_o_headers(module, machine, kinds, hash)
             : elf_headers(module, machine, kinds, hash);
}

}  // namespace pgokit::plugin

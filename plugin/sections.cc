#include "sections.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_dump.h"
#include "source.h"
#include "tables.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

constexpr uint64_t value_entry_size = 40;  // pgokit_value of the run time

constexpr char raw_start[] = "__start_" MIP_RAW_SECTION;

bool plain(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; }

std::string quoted(StringRef symbol) {
  if (all_of(symbol, plain) && !symbol.empty() && !isDigit(symbol[0])) return symbol.str();
  std::string result = "\"";
  for (const char c : symbol) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string as_string(StringRef bytes) {
  std::string result;
  raw_string_ostream out(result);
  for (const char c : bytes) {
    if (plain(c)) {
      out << c;
    } else {
      out << '\\' << char('0' + (static_cast<unsigned char>(c) >> 6)) << char('0' + (c >> 3 & 7))
          << char('0' + (c & 7));
    }
  }
  return result;
}

uint32_t unique_number(const MachineFunction& function) { return function.getFunctionNumber(); }

std::string symbol_of(const MachineFunction& function) {
  return quoted(function.getTarget().getSymbol(&function.getFunction())->getName());
}

// Of the function's own: what the linker drops or replaces, it drops with all that belongs to it.
// Map records are tied to the code. Boxes are kept by the code that counts in them: if they were
// tied too, lld would sort them before the header.
std::string section(const FunctionText& text, const char* name, StringRef flags, bool tied) {
  const Function& function = text.function->getFunction();
  std::string result = (Twine(".pushsection ") + name + ",\"" + flags).str();
  if (const Comdat* comdat = function.getComdat()) {
    result += "G\",%progbits," + quoted(comdat->getName());
    if (comdat->getSelectionKind() != Comdat::NoDeduplicate) result += ",comdat";
  } else if (!tied) {
    result += "\",%progbits";
  } else {
    result += "o\",%progbits," + symbol_of(*text.function);
  }
  return result + ",unique," + std::to_string(unique_number(*text.function)) + "\n";
}

void bytes(raw_ostream& out, StringRef value, uint64_t count) {
  if (count) out << ".fill " << count << ",1," << value << "\n";
}

unsigned alignment(uint32_t kinds) {
  if (kinds & (MIP_CALLS64 | MIP_BLOCKS64)) return 8;
  return kinds & (MIP_ORDER | MIP_CALLS32) ? 4 : 1;
}

// Fields of 64 bits. On machines of 32 the linker knows no addresses that large; what it writes is
// the lower half.
std::string addresses_of(const DataLayout& layout, ArrayRef<std::string> fields) {
  const bool wide = layout.getPointerSize() == 8;
  std::string result;
  for (const std::string& each : fields)
    result += (result.empty() ? "" : ",") + each + (wide ? "" : ",0");
  return (wide ? ".quad " : ".long ") + result + "\n";
}

void header(raw_ostream& out, uint32_t kinds, uint32_t hash, unsigned type) {
  out << ".long " << MIP_MAGIC << "\n.short " << MIP_VERSION << "," << type << "\n.long " << kinds
      << "," << hash << ",0," << sizeof(mip_section_header) << "\n";
}

// Sections with one name, of which the linker keeps one.
std::string once(const char* section, const char* flags, const char* group,
                 const char* type = "progbits") {
  return (Twine(".pushsection ") + section + ",\"" + flags + "G\",%" + type + "," + group +
          ",comdat\n")
      .str();
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
  out << ".hidden __pgokit_runtime\n.p2align 3\n.Lmip_module:\n.long " << kinds << "," << edges.rate
      << "," << edges.capacity << ",__pgokit_runtime-.\n"
      << addresses_of(module.getDataLayout(),
                      {edges.capacity ? ".Lmip_edges - .Lmip_module" : "0",
                       values.capacity ? ".Lmip_values - .Lmip_module" : "0"})
      << ".long " << values.capacity << "," << values.per_site << "\n.popsection\n";
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
std::string log_text(const Module& module, uint32_t kinds) {
  std::string result;
  for (const auto& [kind, name] : {std::pair(MIP_ORDER_LOG, MIP_ORDER_LOG_SECTION),
                                   std::pair(MIP_ORDER_CALLS, MIP_ORDER_CALLS_SECTION)}) {
    if (!(kinds & kind)) continue;
    result += once(name, "awR", name, "nobits") + ".p2align 3\n.zero " +
              std::to_string(uint64_t{order_capacity_of(module)} * sizeof(mip_order_id)) +
              "\n.popsection\n";
  }
  return result;
}

}  // namespace

std::string FunctionText::box() const {
  return ".Lmip_box" + std::to_string(unique_number(*function));
}

std::string FunctionText::block_label(uint32_t block) const {
  return ".Lmip_block" + std::to_string(unique_number(*function)) + "_" + std::to_string(block);
}

std::string FunctionText::end_label() const {
  return ".Lmip_end" + std::to_string(unique_number(*function));
}

std::string FunctionText::site(size_t number) const {
  return ".Lmip_sites" + std::to_string(unique_number(*function)) + "+" +
         std::to_string(number * sizeof(mip_site));
}

std::string FunctionText::site_label(size_t number) const {
  return ".Lmip_site" + std::to_string(unique_number(*function)) + "_" + std::to_string(number);
}

// Nothing refers to its box then, so that linkers would drop it.
bool FunctionText::counts_nothing() const {
  return sites.empty() && !mip_box_size(settings.kinds, counters.count);
}

bool FunctionText::lists_blocks() const {
  return settings.kinds & (MIP_BLOCK_COVERAGE | MIP_BLOCKS64);
}

bool FunctionText::labels_entry() const {
  const Function& code = function->getFunction();
  const Triple& triple = function->getTarget().getTargetTriple();
  return (code.isWeakForLinker() && !code.hasComdat()) || triple.isARM() || triple.isThumb();
}

std::string FunctionText::address() const {
  if (!labels_entry()) return symbol_of(*function);
  // The landing pad for indirect calls is put in front of the label later.
  const Module& module = *function->getFunction().getParent();
  const bool pad = module.getModuleFlag("cf-protection-branch") &&
                   module.getTargetTriple().isX86() && !function->getFunction().doesNoCfCheck();
  return block_label(0) + (pad ? "-4" : "");
}

std::string FunctionText::order_bits() const {
  const uint32_t line = order_number / MIP_ORDER_LINE_BITS;
  const uint64_t byte = offsetof(mip_order_line, bits) + order_number % MIP_ORDER_LINE_BITS / 8;
  return ".Lmip_order" + std::to_string(line) + "+" + std::to_string(byte);
}

uint8_t FunctionText::order_mask() const { return static_cast<uint8_t>(1u << order_number % 8); }

std::string FunctionText::order_line() const {
  if (!(settings.kinds & MIP_ORDER_LOG) || order_number % MIP_ORDER_LINE_BITS) return "";
  static_assert(sizeof(mip_order_line) == 32);
  return (".pushsection " MIP_ORDER_BITS_SECTION ",\"aw\",%progbits\n.p2align 5\n.Lmip_order" +
          Twine(order_number / MIP_ORDER_LINE_BITS) + ":\n.long " + Twine(order_module) + "," +
          Twine(order_number) + "\n.zero " + Twine(MIP_ORDER_LINE_BITS / 8) + "\n.popsection\n")
      .str();
}

std::string FunctionText::raw() const {
  if (counts_nothing()) return "";
  const uint32_t kinds = settings.kinds;
  std::string result = section(*this, MIP_RAW_SECTION, "aw", false);
  raw_string_ostream out(result);
  if (!sites.empty()) {
    out << ".p2align 3\n"
        << StringRef(site(0)).drop_back(2) << ":\n.zero " << sites.size() * sizeof(mip_site)
        << "\n";
  }
  out << ".p2align "
      << (alignment(kinds) == 8   ? 3
          : alignment(kinds) == 4 ? 2
                                  : 0)
      << "\n"
      << box() << ":\n";
  bytes(out, "0", mip_coverage_offset(kinds, counters.count));
  bytes(out, "0xff",
        mip_box_size(kinds, counters.count) - mip_coverage_offset(kinds, counters.count));
  out << ".popsection\n";
  return result;
}

std::string FunctionText::map() const {
  const StringRef name = function->getTarget().getSymbol(&function->getFunction())->getName();
  const std::string symbol = address();
  const bool list = lists_blocks(), addresses = list && in_parts;
  const uint32_t blocks = graph.size(), edges = list ? graph.edges() : 0;
  const uint64_t size =
      sizeof(mip_function) + name.size() + (list ? blocks * sizeof(mip_block) + edges * 4 : 0) +
      (addresses ? blocks * 8 : 0) + (settings.kinds & MIP_ORDER_LOG ? sizeof(mip_order_id) : 0) +
      site_list_size() + (source_name.empty() ? 0 : 4 + source_name.size()) +
      (has_numbers() ? 4 * sites.size() : 0) + (checksum ? 8 : 0);
  uint32_t flags = in_parts ? MIP_NO_SIZE : 0;
  if (list) flags |= MIP_BLOCK_LIST | (settings.minimal_blocks ? MIP_MINIMAL_BLOCKS : 0);
  if (addresses) flags |= MIP_BLOCK_ADDRESSES;
  if (!source_name.empty()) flags |= MIP_SOURCE_NAME;
  if (has_numbers()) flags |= MIP_SITE_NUMBERS;
  if (checksum) flags |= MIP_OWN_CHECKSUM;
  const DataLayout& layout = function->getDataLayout();
  std::string result = section(*this, MIP_MAP_SECTION, "", true);
  raw_string_ostream out(result);
  out << ".long " << MIP_FUNCTION_MAGIC << "," << size << "\n"
      << addresses_of(layout, {raw_start, counts_nothing() ? raw_start : box(), symbol}) << ".long "
      << (in_parts ? std::string("0") : end_label() + "-(" + symbol + ")") << ","
      << graph.signature() << "," << settings.kinds << "," << flags << "," << blocks << ","
      << counters.count << "," << edges << "," << name.size() << "\n";
  for (uint32_t block = 0; list && block < blocks; ++block) {
    const bool known = block > 0 && !in_parts;
    out << ".long " << (known ? block_label(block) + "-(" + symbol + ")" : std::string("0")) << ","
        << counters.of_block[block] << "," << graph.successors[block].size() << "\n";
  }
  for (uint32_t block = 0; list && block < blocks; ++block) {
    for (const uint32_t to : graph.successors[block]) out << ".long " << to << "\n";
  }
  for (uint32_t block = 0; addresses && block < blocks; ++block) {
    out << addresses_of(layout, {block ? block_label(block) : symbol});
  }
  out << ".ascii \"" << as_string(name) << "\"\n";
  if (settings.kinds & MIP_ORDER_LOG)
    out << ".long " << order_module << "," << order_number << "\n";
  out << site_list() << source_name_text() << site_numbers();
  if (checksum) out << ".quad " << *checksum << "\n";
  out << ".popsection\n";
  return result;
}

std::string FunctionText::source_name_text() const {
  if (source_name.empty()) return "";
  return ".long " + std::to_string(source_name.size()) + "\n.ascii \"" + as_string(source_name) +
         "\"\n";
}

bool FunctionText::has_numbers() const {
  return any_of(sites, [](const Site& each) { return each.number != 0; });
}

std::string FunctionText::site_numbers() const {
  std::string result;
  if (!has_numbers()) return result;
  for (const Site& each : sites) result += ".long " + std::to_string(each.number) + "\n";
  return result;
}

uint64_t FunctionText::site_list_size() const {
  if (!(settings.kinds & MIP_VALUES)) return 0;
  uint64_t text = 0;
  for (const Site& each : sites) text += each.function.size();
  return sizeof(mip_site_list) + sites.size() * sizeof(mip_site_place) + text;
}

std::string FunctionText::site_list() const {
  std::string result, names;
  if (!(settings.kinds & MIP_VALUES)) return result;
  raw_string_ostream out(result);
  for (const Site& each : sites) names += each.function;
  const DataLayout& layout = function->getDataLayout();
  out << addresses_of(layout, {sites.empty() ? raw_start : site(0)}) << ".long " << sites.size()
      << "," << names.size() << "\n";
  for (size_t i = 0; i < sites.size(); ++i) {
    out << addresses_of(layout, {site_label(i)}) << ".long " << sites[i].kind << ","
        << sites[i].line << "," << sites[i].column << "," << sites[i].function.size() << "\n";
  }
  out << ".ascii \"" << as_string(names) << "\"\n";
  return result;
}

namespace {

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

std::string in_map(const std::string& records) {
  if (records.empty()) return "";
  return ".pushsection " MIP_MAP_SECTION ",\"\",%progbits\n" + records + ".popsection\n";
}

std::string checksums_text(const Module& module) {
  std::string result;
  for (const NotedSource& each : noted_sources(module)) {
    if (!is_told_by_code(module, each))
      result += named_record(MIP_CHECKSUM, each.name, 8) + ".quad " +
                std::to_string(each.checksum) + "\n";
  }
  return in_map(result);
}

std::string tables_text(const Module& module, const TargetMachine& machine, uint32_t kinds) {
  std::string result;
  if (!(kinds & MIP_TABLES)) return result;
  const DataLayout& layout = module.getDataLayout();
  for (const GlobalVariable& each : module.globals()) {
    if (!each.hasName() || each.isDeclarationForLinker() || !is_table(each)) continue;
    const uint64_t size = layout.getTypeAllocSize(each.getValueType());
    result += named_record(MIP_TABLE, source_name(each), sizeof(mip_table)) +
              addresses_of(layout, {quoted(machine.getSymbol(&each)->getName())}) + ".quad " +
              std::to_string(size) + "\n";
  }
  return in_map(result);
}

}  // namespace

std::string headers_text(const Module& module, const TargetMachine& machine, uint32_t kinds) {
  const auto hash = static_cast<uint32_t>(MD5Hash(module.getModuleIdentifier()));
  std::string result = ".hidden " + std::string(raw_start) + "\n" +
                       once(MIP_RAW_SECTION, "awR", "__pgokit_raw_header");
  raw_string_ostream out(result);
  out << ".p2align 3\n";
  header(out, kinds, hash, MIP_TYPE_RAW);
  out << ".popsection\n";
  out << once(MIP_MAP_SECTION, "", "__pgokit_map_header");
  header(out, kinds, hash, MIP_TYPE_MAP);
  out << ".popsection\n";
  out << module_text(module, kinds) << log_text(module, kinds) << checksums_text(module)
      << tables_text(module, machine, kinds);
  return result;
}

}  // namespace pgokit::plugin

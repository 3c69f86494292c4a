#include "sections.h"

#include "assembly_text.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_format.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

uint32_t unique_number(const MachineFunction& function) { return function.getFunctionNumber(); }

StringRef linkers_name(const MachineFunction& function) {
  return function.getTarget().getSymbol(&function.getFunction())->getName();
}

std::string symbol_of(const MachineFunction& function) { return quoted(linkers_name(function)); }

// Without what Mach-O puts in front of the names of C.
StringRef plain_name(const MachineFunction& function) {
  StringRef name = linkers_name(function);
  const char prefix = function.getDataLayout().getGlobalPrefix();
  if (prefix && !function.getName().starts_with("\1")) name.consume_front(StringRef(&prefix, 1));
  return name;
}

bool is_mach_o(const MachineFunction& function) {
  return function.getTarget().getTargetTriple().isOSBinFormatMachO();
}

// Of Mach-O: a part of a section that begins with a label, which the linker keeps or drops. Those of
// weak functions have names by which it keeps one of each.
std::string part_of(const MachineFunction& function, const char* what) {
  if (!function.getFunction().isWeakForLinker())
    return ("l_mip_" + Twine(what) + Twine(unique_number(function))).str();
  const StringRef name = linkers_name(function);
  const std::string own = is_plain(name) ? name.str() : "$" + utohexstr(MD5Hash(name));
  return ("___mip_" + Twine(what) + own).str();
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

}  // namespace

std::string FunctionText::local(const char* what) const {
  return std::string(function->getDataLayout().getPrivateGlobalPrefix()) + "mip_" + what +
         std::to_string(unique_number(*function));
}

std::string FunctionText::counters_label() const {
  return is_mach_o(*function) ? part_of(*function, "box") : local("box");
}

// Behind the sites, so that both are one part of the section.
std::string FunctionText::box() const {
  return sites.empty() ? counters_label() : site(sites.size());
}

std::string FunctionText::block_label(uint32_t block) const {
  return local("block") + "_" + std::to_string(block);
}

std::string FunctionText::end_label() const { return local("end"); }

std::string FunctionText::site(size_t number) const {
  return counters_label() + "+" + std::to_string(number * sizeof(mip_site));
}

std::string FunctionText::site_label(size_t number) const {
  return local("site") + "_" + std::to_string(number);
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
  if (triple.isOSBinFormatMachO()) return false;  // its record is replaced too
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

// Of the line of bits that it is in.
std::string FunctionText::order_label() const {
  const std::string number = std::to_string(order_number / MIP_ORDER_LINE_BITS);
  return (is_mach_o(*function) ? "l_mip_order" : ".Lmip_order") + number;
}

std::string FunctionText::order_bits() const {
  const uint64_t byte = offsetof(mip_order_line, bits) + order_number % MIP_ORDER_LINE_BITS / 8;
  return order_label() + "+" + std::to_string(byte);
}

uint8_t FunctionText::order_mask() const { return static_cast<uint8_t>(1u << order_number % 8); }

std::string FunctionText::order_line() const {
  if (!(settings.kinds & MIP_ORDER_LOG) || order_number % MIP_ORDER_LINE_BITS) return "";
  static_assert(sizeof(mip_order_line) == 32);
  const std::string label = order_label();
  std::string result = is_mach_o(*function)
                           ? begin_part("__DATA," MIP_ORDER_BITS_SECTION, label, false)
                           : ".pushsection " MIP_ORDER_BITS_SECTION ",\"aw\",%progbits\n";
  raw_string_ostream out(result);
  out << ".p2align 5\n"
      << label << ":\n.long " << order_module << "," << order_number << "\n.zero "
      << MIP_ORDER_LINE_BITS / 8 << "\n.popsection\n";
  return result;
}

std::string FunctionText::raw() const {
  if (counts_nothing()) return "";
  const uint32_t kinds = settings.kinds;
  const std::string label = counters_label();
  std::string result = is_mach_o(*function) ? begin_part(MIP_MACH_O_RAW, label,
                                                         function->getFunction().isWeakForLinker())
                                            : section(*this, MIP_RAW_SECTION, "aw", false);
  raw_string_ostream out(result);
  out << ".p2align " << (sites.empty() ? Log2_32(alignment(kinds)) : 3) << "\n" << label << ":\n";
  if (!sites.empty()) out << ".zero " << sites.size() * sizeof(mip_site) << "\n";
  bytes(out, "0", mip_coverage_offset(kinds, counters.count));
  bytes(out, "0xff",
        mip_box_size(kinds, counters.count) - mip_coverage_offset(kinds, counters.count));
  out << ".popsection\n";
  return result;
}

std::string FunctionText::map() const {
  const StringRef name = plain_name(*function);
  const std::string symbol = address(), start = raw_field();
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
  const std::string base = record_label();
  if (!base.empty()) flags |= MIP_RELATIVE;
  const DataLayout& layout = function->getDataLayout();
  std::string result =
      base.empty() ? section(*this, MIP_MAP_SECTION, "", true)
                   : begin_part(MIP_MACH_O_MAP, base, function->getFunction().isWeakForLinker()) +
                         base + ":\n";
  raw_string_ostream out(result);
  out << ".long " << MIP_FUNCTION_MAGIC << "," << size << "\n"
      << addresses_of(layout, {start, counts_nothing() ? start : box(), symbol}, base) << ".long "
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
    out << addresses_of(layout, {block ? block_label(block) : symbol}, base);
  }
  out << ".ascii \"" << as_string(name) << "\"\n";
  if (settings.kinds & MIP_ORDER_LOG)
    out << ".long " << order_module << "," << order_number << "\n";
  out << site_list() << source_name_text() << site_numbers();
  if (checksum) out << ".quad " << *checksum << "\n";
  out << ".popsection\n";
  return result;
}

// What addresses count from; empty: they are absolute. What is in a Mach-O file is loaded, and the
// loader would have to relocate absolute ones.
std::string FunctionText::record_label() const {
  return is_mach_o(*function) ? part_of(*function, "map") : "";
}

// The section's start. Of Mach-O the record does not refer to it, as it stays only if something that
// it refers to does.
std::string FunctionText::raw_field() const { return is_mach_o(*function) ? "0" : raw_start; }

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
  const std::string base = record_label();
  out << addresses_of(layout, {sites.empty() ? raw_field() : site(0)}, base) << ".long "
      << sites.size() << "," << names.size() << "\n";
  for (size_t i = 0; i < sites.size(); ++i) {
    out << addresses_of(layout, {site_label(i)}, base) << ".long " << sites[i].kind << ","
        << sites[i].line << "," << sites[i].column << "," << sites[i].function.size() << "\n";
  }
  out << ".ascii \"" << as_string(names) << "\"\n";
  return result;
}

}  // namespace pgokit::plugin

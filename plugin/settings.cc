#include "settings.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "runtime/mip_format.h"
#include "selection.h"
#include "sites.h"
#include "source.h"
#include "stock_options.h"
#include "tables.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

cl::list<std::string> kind_names(
    "pgokit-kinds", cl::CommaSeparated,
    cl::desc("What instrumented functions collect: coverage, block-coverage, calls32, calls, "
             "blocks, order, order-log, order-calls, edges, targets, tables, sizes"));
cl::opt<bool> all_blocks("pgokit-all-blocks",
                         cl::desc("A counter in every machine block, none inferred"));
cl::opt<bool> atomic_counts("pgokit-atomic",
                            cl::desc("Count by atomic additions: threads lose no counts"));
cl::opt<std::string> function_list(
    "pgokit-functions",
    cl::desc("File of patterns of functions to instrument, one a line; -pattern excludes"));
cl::opt<unsigned> minimum_size("pgokit-min-size",
                               cl::desc("Fewest machine instructions of an instrumented function"));
cl::opt<unsigned> groups("pgokit-groups", cl::init(1),
                         cl::desc("Divide functions by name into this many groups"));
cl::opt<unsigned> group("pgokit-group", cl::desc("Instrument only this group, from 0"));
cl::opt<unsigned> edge_rate("pgokit-edge-rate", cl::init(1000),
                            cl::desc("Sample one of that many calls"));
cl::opt<unsigned> edge_buffer("pgokit-edge-buffer", cl::init(4096),
                              cl::desc("Different call edges that are kept"));

cl::opt<unsigned> target_buffer("pgokit-target-buffer", cl::init(8192),
                                cl::desc("Further targets of calls that are kept, of all calls"));
cl::opt<unsigned> targets_per_site("pgokit-targets-per-site", cl::init(16),
                                   cl::desc("Different targets of one call that are kept"));
cl::opt<unsigned> order_buffer("pgokit-order-buffer", cl::init(65536),
                               cl::desc("Entries of the log of first runs"));

constexpr char attribute[] = "pgokit";
constexpr char rate_flag[] = "pgokit.edge_rate";
constexpr char capacity_flag[] = "pgokit.edge_capacity";
constexpr char value_capacity_flag[] = "pgokit.value_capacity";
constexpr char per_site_flag[] = "pgokit.values_per_site";
constexpr char order_capacity_flag[] = "pgokit.order_capacity";
constexpr char marker_name[] = "__pgokit_marker";
constexpr char runtime_name[] = "__pgokit_runtime";
// Read by whoever links without the plugin: an undefined symbol.
constexpr char wanted_name[] = "__pgokit_error_link_with_load_pass_plugin_pgokit_plugin_so";

void complain(Module& module, const Twine& text) {
  module.getContext().diagnose(DiagnosticInfoGeneric("pgokit: " + text));
}

std::optional<uint32_t> kind_of(StringRef name) {
  static constexpr struct {
    const char* name;
    uint32_t kind;
  } names[] = {{"coverage", MIP_COVERAGE},   {"block-coverage", MIP_BLOCK_COVERAGE},
               {"calls32", MIP_CALLS32},     {"calls", MIP_CALLS64},
               {"blocks", MIP_BLOCKS64},     {"order", MIP_ORDER},
               {"order-log", MIP_ORDER_LOG}, {"order-calls", MIP_ORDER_CALLS | MIP_COVERAGE},
               {"edges", MIP_EDGES},         {"targets", MIP_TARGETS},
               {"tables", MIP_TABLES},       {"sizes", MIP_SIZES}};
  for (const auto& each : names) {
    if (name == each.name) return each.kind;
  }
  return std::nullopt;
}

uint32_t chosen_kinds(Module& module) {
  uint32_t kinds = 0;
  for (const std::string& name : kind_names) {
    const std::optional<uint32_t> kind = kind_of(name);
    if (!kind) complain(module, "-pgokit-kinds: there is no kind '" + name + "'");
    kinds |= kind.value_or(0);
  }
  if (kinds & MIP_BLOCKS64)
    kinds &= ~static_cast<uint32_t>(MIP_BLOCK_COVERAGE);  // which counts tell
  if (popcount(kinds & (MIP_ORDER | MIP_ORDER_LOG | MIP_ORDER_CALLS)) > 1)
    complain(module, "-pgokit-kinds: of order, order-log and order-calls only one");
  return kinds;
}

bool can_be_instrumented(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::NoProfile) &&
         !function.hasFnAttribute(Attribute::SkipProfile) &&
         function.getCallingConv() != CallingConv::CXX_FAST_TLS &&
         function.getCallingConv() != CallingConv::GHC &&
         function.getCallingConv() != CallingConv::X86_INTR;
}

void exclude_resolvers(Module& module) {
  // They run before the program is relocated.
  for (GlobalIFunc& each : module.ifuncs()) {
    if (Function* resolver = each.getResolverFunction()) resolver->removeFnAttr(attribute);
  }
}

// Lines without the rest of debug information (-gline-tables-only) have no linkage names, and the
// function that inlined code was written in would not be known.
void name_lines(Module& module) {
  for (Function& function : module) {
    DISubprogram* lines = function.getSubprogram();
    if (lines && lines->getLinkageName().empty() && lines->getName() != function.getName())
      lines->replaceLinkageName(MDString::get(module.getContext(), function.getName()));
  }
}

// A reference that code generation by this plugin removes, and one that brings the run time into
// the link before LTO: symbols of the linker (__ehdr_start) are not defined for what is brought in
// after it.
void add_marker(Module& module) {
  Type* byte = Type::getInt8Ty(module.getContext());
  Constant* parts[] = {module.getOrInsertGlobal(wanted_name, byte),
                       module.getOrInsertGlobal(runtime_name, byte)};
  Constant* both = ConstantStruct::getAnon(parts);
  auto* marker = new GlobalVariable(module, both->getType(), true, GlobalValue::PrivateLinkage,
                                    both, marker_name);
  GlobalValue::SanitizerMetadata none;
  none.NoAddress = none.NoHWAddress = true;  // they would keep pointing to it
  marker->setSanitizerMetadata(none);
  appendToCompilerUsed(module, {marker});
}

uint32_t number_in(const Module& module, const char* flag) {
  const auto* value = mdconst::extract_or_null<ConstantInt>(module.getModuleFlag(flag));
  return value ? static_cast<uint32_t>(value->getZExtValue()) : 0;
}

std::optional<Selection> read_selection(Module& module) {
  if (function_list.empty()) return Selection{};
  auto file = MemoryBuffer::getFile(function_list, /*IsText=*/true);
  if (!file) {
    complain(module, "-pgokit-functions: " + function_list + ": " + file.getError().message());
    return std::nullopt;
  }
  Expected<Selection> selection = Selection::parse((*file)->getBuffer());
  if (selection) return std::move(*selection);
  complain(module, "-pgokit-functions: " + function_list + ": " + toString(selection.takeError()));
  return std::nullopt;
}

}  // namespace

bool tag_module(Module& module) {
  const uint32_t kinds = chosen_kinds(module);
  if (!kinds) return false;
  if (group >= groups) {
    complain(module, "-pgokit-group=" + Twine(group) + " is not one of " + Twine(groups) +
                         " groups (from 0)");
    return false;
  }
  const std::optional<Selection> selection = read_selection(module);
  if (!selection) return false;
  const std::string value = (Twine(kinds) + "," + Twine(all_blocks ? 0 : 1) + "," +
                             Twine(minimum_size) + "," + Twine(atomic_counts ? 1 : 0))
                                .str();
  for (Function& function : module) {
    if (can_be_instrumented(function) && selection->has(function.getName()) &&
        in_group(function.getName(), groups, group)) {
      function.addFnAttr(attribute, value);
    }
  }
  exclude_resolvers(module);
  note_sources(module, kinds);
  if (kinds & MIP_EDGES) {
    module.addModuleFlag(Module::Max, rate_flag, edge_rate);
    module.addModuleFlag(Module::Max, capacity_flag, edge_buffer);
  }
  if (kinds & MIP_VALUES) {
    keep_calls_apart();
    name_lines(module);
    number_sites(module);
    if (kinds & MIP_TABLES) note_tables(module);
    module.addModuleFlag(Module::Max, value_capacity_flag, target_buffer);
    module.addModuleFlag(Module::Max, per_site_flag, targets_per_site);
  }
  if (kinds & (MIP_ORDER_LOG | MIP_ORDER_CALLS))
    module.addModuleFlag(Module::Max, order_capacity_flag, std::max(1u, +order_buffer));
  add_marker(module);
  return true;
}

std::optional<Settings> settings_of(const Function& function) {
  const Attribute tag = function.getFnAttribute(attribute);
  if (!tag.isStringAttribute()) return std::nullopt;
  SmallVector<StringRef, 4> parts;
  tag.getValueAsString().split(parts, ',');
  Settings settings;
  unsigned minimal = 0, atomic = 0;
  if (parts.size() != 4 || parts[0].getAsInteger(10, settings.kinds) ||
      parts[1].getAsInteger(10, minimal) || parts[2].getAsInteger(10, settings.minimum_size) ||
      parts[3].getAsInteger(10, atomic)) {
    return std::nullopt;
  }
  settings.minimal_blocks = minimal != 0;
  settings.atomic = atomic != 0;
  return settings;
}

EdgeSettings edge_settings_of(const Module& module) {
  return {number_in(module, rate_flag), number_in(module, capacity_flag)};
}

ValueSettings value_settings_of(const Module& module) {
  return {number_in(module, value_capacity_flag), number_in(module, per_site_flag)};
}

uint32_t order_capacity_of(const Module& module) { return number_in(module, order_capacity_flag); }

bool remove_marker(Module& module) {
  SmallPtrSet<Constant*, 4> markers;
  for (GlobalVariable& each : module.globals()) {
    if (each.getName().starts_with(marker_name)) markers.insert(&each);
  }
  if (markers.empty()) return false;
  removeFromUsedLists(module,
                      [&](Constant* each) { return markers.contains(each->stripPointerCasts()); });
  for (Constant* each : markers) cast<GlobalVariable>(each)->eraseFromParent();
  for (const char* name : {wanted_name, runtime_name}) {
    auto* each = module.getNamedGlobal(name);
    if (each && each->isDeclaration() && each->use_empty()) each->eraseFromParent();
  }
  return true;
}

}  // namespace pgokit::plugin

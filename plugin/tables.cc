#include "tables.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/Path.h"
#include "source.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

constexpr char prefix[] = "pgokit.table.";
constexpr char name_attribute[] = "pgokit.source";
constexpr unsigned most_tables = 24;

bool has_function(const Constant& value, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  const Value* plain = value.stripPointerCasts();
  if (isa<Function>(plain)) return true;
  return isa<ConstantAggregate>(value) && depth < deepest &&
         any_of(
             value.operands(),
             [&](const Use& each) { return has_function(*cast<Constant>(each.get()), depth + 1); });
}

// "NAME+OFFSET"
struct Place {
  StringRef name;
  uint64_t offset = 0;
};

Place place_of(StringRef text) {
  const auto [name, number] = text.rsplit('+');
  Place place{name, 0};
  if (number.getAsInteger(10, place.offset)) return {text, 0};
  return place;
}

// The one of this module; null: none is that of the place.
GlobalVariable* find(Module& module, StringRef name) {
  const auto [file, plain] = split_source_name(name);
  GlobalVariable* table = module.getNamedGlobal(plain);
  if (!table || table->hasLocalLinkage() == file.empty()) return nullptr;
  const bool same =
      file.empty() || sys::path::filename(file) == sys::path::filename(module.getSourceFileName());
  return same && is_table(*table) ? table : nullptr;
}

// Of a call through a table, that of the table.
LoadInst* table_load(const CallBase& call) {
  const auto* function = dyn_cast<LoadInst>(call.getCalledOperand());
  if (!function) return nullptr;
  APInt offset(64, 0);
  const Value* base = function->getPointerOperand()->stripAndAccumulateConstantOffsets(
      call.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return dyn_cast<LoadInst>(const_cast<Value*>(base));
}

bool is_ours(const Metadata* type) {
  const auto* id = dyn_cast_or_null<MDString>(type);
  return id && id->getString().starts_with(prefix);
}

// Where clang writes it: the load of the function, which comes behind it, can be moved to where no
// table is the same.
void add_test(LoadInst& table, MDString* type) {
  IRBuilder<> builder(table.getNextNode());
  Value* id = MetadataAsValue::get(table.getContext(), type);
  builder.CreateAssumption(builder.CreateIntrinsic(Intrinsic::type_test, {&table, id}));
}

}  // namespace

bool is_table(const GlobalVariable& variable) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() &&
         has_function(*variable.getInitializer());
}

void note_tables(Module& module) {
  for (GlobalVariable& each : module.globals()) {
    if (each.hasName() && each.hasLocalLinkage() && is_table(each))
      each.addAttribute(name_attribute, (module.getSourceFileName() + ";" + each.getName()).str());
  }
}

std::string source_name(const GlobalVariable& table) {
  const Attribute noted = table.getAttribute(name_attribute);
  return (noted.isStringAttribute() ? noted.getValueAsString() : table.getName()).str();
}

bool TableUses::attach(CallBase& call, const CallTargets& known) {
  LoadInst* load = table_load(call);
  if (!load || load->getMetadata(LLVMContext::MD_prof)) return false;
  MDString* type = MDString::get(module_.getContext(), prefix + std::to_string(tests_ + 1));
  std::vector<InstrProfValueData> values;
  SmallPtrSet<GlobalVariable*, 8> found;
  for (const CalledTarget& each : known.targets) {
    const Place place = place_of(each.name);
    GlobalVariable* table = find(module_, place.name);
    // Of two places in one table the stock pass knows the first.
    if (table && !found.insert(table).second) continue;
    if (table) table->addTypeMetadata(static_cast<unsigned>(place.offset), type);
    const std::string name = table ? getPGOName(*table) : place.name.str();
    values.push_back({GlobalValue::getGUIDAssumingExternalLinkage(name), each.count});
  }
  if (found.empty()) return false;
  ++tests_;
  annotateValueSite(module_, *load, values, known.total, IPVK_VTableTarget, most_tables);
  add_test(*load, type);
  return true;
}

void remove_tests(Module& module) {
  if (Function* test = Intrinsic::getDeclarationIfExists(&module, Intrinsic::type_test)) {
    for (User* each : make_early_inc_range(test->users())) {
      auto* call = cast<CallInst>(each);
      if (!is_ours(cast<MetadataAsValue>(call->getArgOperand(1))->getMetadata())) continue;
      for (User* assume : make_early_inc_range(call->users()))
        cast<Instruction>(assume)->eraseFromParent();
      call->eraseFromParent();
    }
    if (test->use_empty()) test->eraseFromParent();
  }
  for (GlobalVariable& each : module.globals()) {
    SmallVector<MDNode*, 4> types;
    each.getMetadata(LLVMContext::MD_type, types);
    if (none_of(types, [](const MDNode* type) { return is_ours(type->getOperand(1)); })) continue;
    each.eraseMetadata(LLVMContext::MD_type);
    for (MDNode* type : types)
      if (!is_ours(type->getOperand(1))) each.addMetadata(LLVMContext::MD_type, *type);
  }
}

}  // namespace pgokit::plugin

#include "instrument.h"

#include "headers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineInstrBundle.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/Support/MD5.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_format.h"
#include "sections.h"
#include "settings.h"
#include "sites.h"
#include "source.h"
#include "target.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

class Instrument final : public MachineFunctionPass {
 public:
  static char ID;
  Instrument() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "pgokit instrumentation"; }

  void getAnalysisUsage(AnalysisUsage& usage) const override {
    usage.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  // Code is generated with this plugin: the marker has done its work.
  bool doInitialization(Module& module) override {
    has_headers_ = false;
    logged_ = 0;
    return remove_marker(module);
  }

  bool runOnMachineFunction(MachineFunction& function) override;

 private:
  FunctionText describe(MachineFunction& function, const Settings& settings);
  void number(FunctionText& text);

  bool has_headers_ = false;
  uint32_t log_module_ = 0, logged_ = 0;  // id, and functions with MIP_ORDER_LOG so far
};

char Instrument::ID = 0;

Graph graph_of(const MachineFunction& function, const MachineBlockFrequencyInfo& frequencies) {
  DenseMap<const MachineBasicBlock*, uint32_t> number;
  for (const MachineBasicBlock& block : function) number.insert({&block, number.size()});
  Graph graph;
  for (const MachineBasicBlock& block : function) {
    auto& successors = graph.successors.emplace_back();
    for (const MachineBasicBlock* to : block.successors()) successors.push_back(number.lookup(to));
    graph.frequency.push_back(frequencies.getBlockFreq(&block).getFrequency());
  }
  return graph;
}

uint32_t instruction_count(const MachineFunction& function) {
  uint32_t count = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& each : block) count += !each.isMetaInstruction();
  }
  return count;
}

// Behind what has to stay first. Landing pads for branches (endbr64, bti) are inserted later and
// come before.
MachineBasicBlock::iterator code_start(MachineBasicBlock& block,
                                       const TargetInstrInfo& instructions) {
  auto at = block.begin();
  for (; at != block.end(); ++at) {
    if (at->isPosition() || at->isCFIInstruction() || at->isDebugInstr()) continue;
    const StringRef name = instructions.getName(at->getOpcode());
    const bool pad = name.starts_with("ENDBR") || name == "PACIASP" || name == "PACIBSP" ||
                     name == "EMITBKEY" || name == "PAUTH_PROLOGUE" || name == "KCFI_CHECK" ||
                     name.starts_with("PATCHABLE_FUNCTION_ENTER") || name == "FENTRY_CALL" ||
                     name == "t2BTI" || (name == "HINT" && at->getOperand(0).getImm() >= 25);
    if (!pad) break;
  }
  return at;
}

void put_label(MachineBasicBlock& block, MachineBasicBlock::iterator at, const std::string& name) {
  MachineFunction& function = *block.getParent();
  const TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
  BuildMI(block, at, DebugLoc(), instructions.get(TargetOpcode::ANNOTATION_LABEL))
      .addSym(function.getContext().getOrCreateSymbol(name));
}

// In a block of its own: behind the last instruction of another it would hide that one's jumps.
void put_end_label(MachineFunction& function, const std::string& name) {
  MachineBasicBlock* last = function.CreateMachineBasicBlock();
  function.push_back(last);
  put_label(*last, last->end(), name);
}

bool may_be_split(const MachineFunction& function) {
  const TargetMachine& machine = function.getTarget();
  return machine.Options.EnableMachineFunctionSplitter ||
         machine.getBBSectionsType() != BasicBlockSection::None;
}

Update adding(const Settings& settings, bool wide) {
  if (settings.atomic) return wide ? Update::atomic_add64 : Update::atomic_add32;
  return wide ? Update::add64 : Update::add32;
}

void count_blocks(MachineFunction& function, const FunctionText& text, Target& target) {
  const uint32_t kinds = text.settings.kinds;
  const TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
  uint32_t number = 0;
  for (MachineBasicBlock& block : function) {
    const uint32_t counter = text.counters.of_block[number];
    const auto at = code_start(block, instructions);
    if (counter < text.counters.count) {
      const bool wide = kinds & MIP_BLOCKS64;
      const uint64_t offset = wide
                                  ? mip_blocks64_offset(kinds) + 8 * uint64_t{counter}
                                  : mip_block_coverage_offset(kinds, text.counters.count) + counter;
      target.update(block, at, wide ? adding(text.settings, true) : Update::mark,
                    text.box() + "+" + std::to_string(offset));
    }
    if (number > 0 || text.labels_entry())
      put_label(block, block.begin(), text.block_label(number));
    ++number;
  }
}

void count_calls(MachineFunction& function, const FunctionText& text, Target& target) {
  const uint32_t kinds = text.settings.kinds, counters = text.counters.count;
  MachineBasicBlock& entry = function.front();
  const auto at = code_start(entry, *function.getSubtarget().getInstrInfo());
  const auto place = [&](uint64_t offset) { return text.box() + "+" + std::to_string(offset); };
  if (kinds & MIP_ORDER_CALLS) {
    target.log_call(entry, at, place(mip_coverage_offset(kinds, counters)));
  } else if (kinds & MIP_COVERAGE) {
    target.update(entry, at, Update::mark, place(mip_coverage_offset(kinds, counters)));
  }
  if (kinds & MIP_CALLS32)
    target.update(entry, at, adding(text.settings, false),
                  place(mip_calls32_offset(kinds, counters)));
  if (kinds & MIP_CALLS64)
    target.update(entry, at, adding(text.settings, true), place(mip_calls64_offset()));
  if (kinds & MIP_ORDER) target.first_run(entry, at, place(mip_order_offset(kinds, counters)));
  if (kinds & MIP_ORDER_LOG) target.log_id(entry, at, text.order_bits(), text.order_mask());
  if (kinds & MIP_EDGES) target.sample_edge(entry, at);
}

Site place_of(const MachineInstr& call, uint32_t kind, StringRef own_name) {
  Site site{kind, MIP_NO_LINE, 0, 0, ""};
  const DILocation* line = call.getDebugLoc();
  if (!line) return site;
  const DISubprogram* written_in = line->getScope()->getSubprogram();
  site.number = site_number(*line);
  if (!written_in || (!line->getLine() && !site.number)) return site;
  if (line->getLine()) {
    site.line = (line->getLine() - written_in->getLine()) & 0xffff;
    site.column = line->getColumn();
  }
  site.function = source_name(*written_in);
  if (site.function == own_name) site.function.clear();
  return site;
}

void record_values(MachineFunction& function, FunctionText& text, Target& target) {
  if (!(text.settings.kinds & MIP_VALUES)) return;
  SmallVector<Recorded, 8> found;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& each : block.instrs()) {
      if (each.isBundle() || !each.isCall()) continue;
      const size_t known = found.size();
      target.find_values(each, text.settings.kinds, found);
      // Bundles stay together.
      for (size_t i = known; i < found.size(); ++i) {
        found[i].before = &*getBundleStart(found[i].before->getIterator());
        found[i].call = &*getBundleStart(found[i].call->getIterator());
      }
    }
  }
  const StringRef own_name =
      text.source_name.empty() ? function.getName() : StringRef(text.source_name);
  for (const Recorded& each : found) {
    const size_t number = text.sites.size();
    if (!target.record(each, text.site(number))) continue;
    text.sites.push_back(place_of(*each.call, each.kind, own_name));
    put_label(*each.call->getParent(), each.call->getIterator(), text.site_label(number));
  }
}

// A conditional jump to another function leaves a block that also has successors: what flows in
// does not all flow on.
bool has_hidden_exits(const MachineFunction& function) {
  return any_of(function, [](const MachineBasicBlock& block) {
    return !block.succ_empty() &&
           any_of(block.terminators(), [](const MachineInstr& each) { return each.isReturn(); });
  });
}

// A loop that comes back to the first block would count as calls what are none.
void separate_entry(MachineFunction& function) {
  MachineBasicBlock& first = function.front();
  if (first.pred_empty()) return;
  MachineBasicBlock* entry = function.CreateMachineBasicBlock(first.getBasicBlock());
  function.insert(function.begin(), entry);
  for (const auto& each : first.liveins()) entry->addLiveIn(each);
  entry->addSuccessor(&first);
}

// Whether a call at the entry, which keeps what ordinary functions get in registers, keeps all that
// this one gets.
bool keeps_calls_apart(const Function& function) {
  switch (function.getCallingConv()) {
    case CallingConv::PreserveAll:
    case CallingConv::PreserveNone:
    case CallingConv::X86_RegCall:
    case CallingConv::AArch64_VectorCall:
    case CallingConv::AArch64_SVE_VectorCall:
      return false;
    default:
      break;
  }
  return none_of(function.args(),
                 [](const Argument& each) { return each.getType()->isScalableTy(); });
}

void complain(const MachineFunction& function, const Twine& what) {
  function.getFunction().getContext().diagnose(
      DiagnosticInfoGeneric("pgokit: there is no instrumentation" + what + " for " +
                            function.getTarget().getTargetTriple().str()));
}

// Code at an entry of Mach-O cannot count in a variable of the thread without a call.
constexpr uint32_t only_elf = MIP_EDGES;

FunctionText Instrument::describe(MachineFunction& function, const Settings& settings) {
  FunctionText text;
  text.function = &function;
  text.settings = settings;
  text.graph = graph_of(function, getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI());
  text.in_parts = may_be_split(function);
  if (settings.kinds & MIP_ORDER_LOG) number(text);
  text.source_name = noted_name(function.getFunction());
  text.checksum = noted_checksum(function.getFunction());
  if (text.lists_blocks()) {
    text.counters = !settings.minimal_blocks || has_hidden_exits(function)
                        ? counters_everywhere(text.graph)
                    : settings.kinds & MIP_BLOCKS64 ? counters_of_flow(text.graph)
                                                    : counters_of_coverage(text.graph);
  }
  return text;
}

// Modules that one source became (parts of a link with LTO) begin with different functions.
void Instrument::number(FunctionText& text) {
  const Function& function = text.function->getFunction();
  if (logged_ == 0) {
    const std::string name =
        function.getParent()->getModuleIdentifier() + "\n" + function.getName().str();
    log_module_ = std::max(1u, static_cast<uint32_t>(MD5Hash(name)));
  }
  text.order_module = log_module_;
  text.order_number = logged_++;
}

bool Instrument::runOnMachineFunction(MachineFunction& function) {
  std::optional<Settings> settings = settings_of(function.getFunction());
  if (!settings || function.empty()) return false;
  const std::unique_ptr<Target> target = Target::create(function);
  const bool has_kinds =
      !function.getTarget().getTargetTriple().isOSBinFormatMachO() || !(settings->kinds & only_elf);
  if ((!target || !has_kinds) && !has_headers_) complain(function, target ? " of edges" : "");
  has_headers_ = has_headers_ || !target || !has_kinds;
  if (!keeps_calls_apart(function.getFunction()))
    settings->kinds &=
        ~static_cast<uint32_t>(MIP_ORDER | MIP_ORDER_LOG | MIP_ORDER_CALLS | MIP_EDGES);
  if (!target || !has_kinds || !settings->kinds ||
      instruction_count(function) < settings->minimum_size)
    return false;
  separate_entry(function);
  FunctionText text = describe(function, *settings);
  record_values(function, text, *target);
  count_calls(function, text, *target);
  if (text.lists_blocks()) {
    count_blocks(function, text, *target);
  } else if (text.labels_entry()) {
    put_label(function.front(), function.front().begin(), text.block_label(0));
  }
  if (!text.in_parts) put_end_label(function, text.end_label());
  std::string sections;
  if (!has_headers_)
    sections =
        headers_text(*function.getFunction().getParent(), function.getTarget(), settings->kinds);
  has_headers_ = true;
  // The line of the function's start is noted with the next bytes, which may not be those of
  // another section.
  const char* here = ".ascii \"\"\n";
  target->put(function.front(), function.front().begin(),
              here + sections + text.order_line() + text.raw() + text.map());
  return true;
}

}  // namespace

MachineFunctionPass* make_instrument_pass() { return new Instrument; }

}  // namespace pgokit::plugin

// Writes src/isa/aarch64/base.cc: which words LLVM's AArch64 disassembler takes without being told
// features, as a decision diagram over the bits of a word. Asks it 60 million times (some seconds).
//
//   ninja aarch64-words && aarch64-words > src/isa/aarch64/base.cc && clang-format-22 -i ...
//
// Bits 0 to 9 are registers mostly: they are looked at one by one only where some values of them
// give other answers. A check with random words at the end keeps that honest.

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

namespace {

using namespace llvm;

class Words {
 public:
  Words() {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64Disassembler();
    std::string error;
    const Target* target = TargetRegistry::lookupTarget(triple_, error);
    registers_.reset(target->createMCRegInfo(triple_));
    assembler_.reset(target->createMCAsmInfo(*registers_, triple_, {}));
    features_.reset(target->createMCSubtargetInfo(triple_, "", ""));
    context_ =
        std::make_unique<MCContext>(triple_, assembler_.get(), registers_.get(), features_.get());
    disassembler_.reset(target->createMCDisassembler(*features_, *context_));
  }

  bool take(uint32_t word) const {
    MCInst instruction;
    uint64_t size;
    std::array<uint8_t, 4> bytes;
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(word >> 8 * i);
    return disassembler_->getInstruction(instruction, size, bytes, 0, nulls()) !=
           MCDisassembler::Fail;
  }

 private:
  Triple triple_{"aarch64-unknown-linux-gnu"};
  std::unique_ptr<MCRegisterInfo> registers_;
  std::unique_ptr<MCAsmInfo> assembler_;
  std::unique_ptr<MCSubtargetInfo> features_;
  std::unique_ptr<MCContext> context_;
  std::unique_ptr<MCDisassembler> disassembler_;
};

// Nodes from 2 on; 0 and 1 are the answers.
struct Diagram {
  struct Node {
    unsigned bit, zero, one;
    auto operator<=>(const Node&) const = default;
  };

  unsigned node(unsigned bit, unsigned zero, unsigned one) {
    if (zero == one) return zero;
    auto [found, added] = numbers.try_emplace({bit, zero, one}, nodes.size() + 2);
    if (added) nodes.push_back({bit, zero, one});
    return found->second;
  }

  // What holds for the words that begin with `prefix`; bits from `bit` down to `stop` are open.
  unsigned build(const Words& words, int bit, uint32_t prefix, int stop) {
    if (bit >= stop)
      return node(bit, build(words, bit - 1, prefix, stop),
                  build(words, bit - 1, prefix | uint32_t{1} << bit, stop));
    if (stop == 0) return words.take(prefix);
    constexpr uint32_t some[] = {0, 0x1f, 0x3e0, 0x3ff, 0x22, 0x155, 0x2aa};
    bool first = words.take(prefix | some[0]);
    for (uint32_t low : some)
      if (words.take(prefix | low) != first) return build(words, stop - 1, prefix, 0);
    return first;
  }

  bool holds(unsigned root, uint32_t word) const {
    while (root > 1)
      root = word >> nodes[root - 2].bit & 1 ? nodes[root - 2].one : nodes[root - 2].zero;
    return root != 0;
  }

  std::map<Node, unsigned> numbers;
  std::vector<Node> nodes;
};

}  // namespace

int main() {
  Words words;
  Diagram diagram;
  unsigned root = diagram.build(words, 31, 0, 10);
  uint64_t state = 88172645463325252;
  for (int i = 0; i < 4'000'000; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    auto word = static_cast<uint32_t>(state >> 16);
    if (diagram.holds(root, word) == words.take(word)) continue;
    std::fprintf(stderr, "the diagram is wrong at %08x\n", word);
    return 1;
  }
  if (diagram.nodes.size() + 2 > 2048) {
    std::fprintf(stderr, "%zu nodes are too many for 11 bits\n", diagram.nodes.size());
    return 1;
  }
  std::puts(
      "// Made by test/support/aarch64_words.cc.\n\n#include \"isa/aarch64/base.h\"\n\n"
      "namespace pgokit::isa {\nnamespace {\n\n"
      "// A decision diagram. A node has the bit to look at (5 bits), where to go on if it is zero "
      "(11)\n"
      "// and if it is one (11); nodes are counted from 2, and 0 and 1 are the answers.\n"
      "constexpr u32 nodes[] = {");
  for (const auto& one : diagram.nodes)
    std::printf("0x%07x,", one.bit << 22 | one.zero << 11 | one.one);
  std::printf("};\n\nconstexpr u32 root = %u;\n\n}  // namespace\n\n", root);
  std::puts(
      "bool is_base_instruction(u32 word) {\n  u32 at = root;\n  while (at > 1) {\n"
      "    u32 node = nodes[at - 2];\n    bool one = (word >> (node >> 22) & 1) != 0;\n"
      "    at = (one ? node : node >> 11) & 0x7ff;\n  }\n  return at == 1;\n}\n\n}  // namespace "
      "pgokit::isa");
}

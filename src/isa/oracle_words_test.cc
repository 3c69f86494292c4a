// Arm, Thumb and RISC-V instructions against llvm-mc, by words that a fixed seed chooses: what is an
// instruction, its text, its class by mnemonic, and where it branches to.

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cursor.h"
#include "isa/arm/arm.h"
#include "isa/formatter.h"
#include "test/support/shell.h"

namespace pgokit::isa {
namespace {

// What llvm-mc prints of each; empty where it knows no instruction.
std::vector<std::string> judged(const std::vector<std::string>& codes, std::string_view options) {
  test::ScratchDir dir;
  std::string text;
  for (const auto& code : codes) {
    text += '[';
    for (char byte : code) text += fmt::format(" 0x{:02x}", static_cast<u8>(byte));
    text += " ]\n";
  }
  dir.write("words", text);
  std::set<size_t> refused;
  auto said = test::run(fmt::format("llvm-mc-22 --disassemble {} {}/words 2>&1 >{}/text", options,
                                    dir.path(), dir.path()));
  for (std::string_view rest = said.output; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.contains("invalid instruction encoding")) continue;
    line.remove_prefix(std::min(line.find("/words:") + 7, line.size()));
    size_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    refused.insert(number);
  }
  std::vector<std::string> lines(codes.size());
  std::string printed = test::run(fmt::format("cat {}/text", dir.path())).output;
  std::string_view rest = printed;
  for (size_t i = 0; i < codes.size() && !rest.empty(); ++i) {
    if (refused.contains(i + 1)) continue;
    std::string_view line;
    do {
      line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    } while (!line.starts_with("\t") || line.starts_with("\t."));
    lines[i] = line.substr(1);
  }
  return lines;
}

class Words {
 public:
  u32 next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<u32>(state_ >> 16);
  }

 private:
  u64 state_ = 88172645463325252;
};

std::string bytes_of(u32 word, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(word >> 8 * i);
  return bytes;
}

// Without registers of the processor (csrr) and hints, which are not printed here.
void compare_riscv(u8 address_size, std::string_view options) {
  Words words;
  std::vector<std::string> codes;
  // All compressed ones, and words of the opcodes that RV64G has.
  for (u32 half = 1; half < 0x10000; ++half)
    if ((half & 3) != 3) codes.push_back(bytes_of(half, 2));
  constexpr u32 opcodes[] = {0x03, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33,
                             0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67, 0x6f};
  for (int i = 0; i < 40'000; ++i) {
    u32 word = words.next() & ~0x7fu;
    if (i & 1) word &= ~0xdc000000;  // the small values that functions have
    codes.push_back(bytes_of(word | opcodes[static_cast<size_t>(i) % std::size(opcodes)], 4));
  }
  auto theirs = judged(codes, options);
  auto formatter = Formatter::for_machine({EM_RISCV, address_size}, Syntax::att, LockPrefix::alone);
  size_t compared = 0, different = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    std::string ours;
    auto one = formatter->append(as_bytes(codes[i]), 0, ours);
    if (theirs[i].starts_with("c.")) continue;
    compared += !theirs[i].empty();
    if (one.instruction.has_target) {  // llvm-mc prints the distance
      size_t begin = ours.rfind("0x");
      auto distance = address_size == 4 ? i64{static_cast<i32>(one.instruction.target)}
                                        : static_cast<i64>(one.instruction.target);
      ours = ours.substr(0, begin) + fmt::format("{}", distance);
    }
    if (ours == theirs[i]) continue;
    if (++different < 20)
      ADD_FAILURE() << fmt::format("{:08x}", Cursor(as_bytes(codes[i])).get<u16>()) << " ours "
                    << ours << ", theirs " << theirs[i];
  }
  if (compared == 0) GTEST_SKIP() << "no llvm-mc-22";
  EXPECT_EQ(different, 0u);
}

TEST(RiscvOracle, Of64Bits) {
  compare_riscv(8, "--triple=riscv64 -mattr=+m,+a,+f,+d,+c,+zifencei");
}
TEST(RiscvOracle, Of32Bits) {
  compare_riscv(4, "--triple=riscv32 -mattr=+m,+a,+f,+d,+c,+zifencei");
}

bool is_condition(std::string_view text) {
  constexpr std::string_view all = "eq ne hs lo mi pl vs vc hi ls ge lt gt le";
  return text.size() == 2 && all.contains(text);
}

// Instructions whose result may be the program counter; others that name it are not to be relied on.
bool may_jump(std::string_view name, bool long_thumb) {
  if (name.size() > 2 && is_condition(name.substr(name.size() - 2))) name.remove_suffix(2);
  if (name == "ldr" || name == "ldrt" || name == "subs") return true;
  if (long_thumb) return false;
  if (name.ends_with('s') && name != "movs") name.remove_suffix(1);
  constexpr std::string_view all[] = {"mov", "movs", "mvn", "and", "eor", "sub", "rsb",
                                      "add", "adc",  "adr", "sbc", "rsc", "orr", "bic",
                                      "asr", "lsl",  "lsr", "ror", "rrx"};
  return std::ranges::find(all, name) != std::end(all);
}

// Of what LLVM prints of Arm code.
Flow flow_by_name(std::string_view text, bool long_thumb) {
  size_t tab = std::min(text.find('\t'), text.size());
  auto name = text.substr(0, std::min(text.find('.'), tab));
  auto operands = text.substr(std::min(tab + 1, text.size()));
  auto is = [&](std::string_view base) {
    return name == base || (name.starts_with(base) && is_condition(name.substr(base.size())));
  };
  if (name == "b") return Flow::jump;
  if (is("b") || name == "cbz" || name == "cbnz") return Flow::conditional;
  if (is("bl")) return Flow::call;
  if (is("blx")) return operands.starts_with('#') ? Flow::call : Flow::indirect_call;
  if (is("bx")) return operands == "lr" ? Flow::ret : Flow::indirect_jump;
  if (is("bxj") || is("tbb") || is("tbh")) return Flow::indirect_jump;
  if (is("svc") || is("bkpt") || is("udf") || is("hvc") || is("smc") || name.starts_with("dcps"))
    return Flow::other;
  if (is("eret") || name.starts_with("rfe")) return Flow::ret;
  if (name.starts_with("pop") || name.starts_with("ldm"))
    return operands.contains("pc}") || operands.contains("pc,}") ? Flow::ret : Flow::none;
  if (!operands.starts_with("pc,") || !may_jump(name, long_thumb)) return Flow::none;
  bool pops = operands == "pc, [sp], #4";
  bool from_lr = operands == "pc, lr" || operands.starts_with("pc, lr, #");
  return pops || (from_lr && (name.starts_with("mov") || name.starts_with("subs")))
             ? Flow::ret
             : Flow::indirect_jump;
}

void compare_arm(Mode mode, std::string_view options, auto make) {
  Words words;
  std::vector<std::string> codes;
  while (codes.size() < 60'000) codes.push_back(make(words));
  auto theirs = judged(codes, options);
  auto formatter = Formatter::for_machine(EM_ARM, Syntax::att, LockPrefix::alone);
  if (!formatter) GTEST_SKIP() << formatter.error().message;
  size_t compared = 0, different = 0, same_text = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (theirs[i].empty()) continue;
    ++compared;
    std::string ours;
    auto one = formatter->append(as_bytes(codes[i]), 0, ours, mode);
    Flow flow = flow_by_name(theirs[i], mode == Mode::thumb && codes[i].size() == 4);
    u64 target = one.instruction.target;
    if (size_t hash = theirs[i].rfind('#'); one.instruction.has_target && hash != theirs[i].npos) {
      i64 distance = 0;
      std::from_chars(theirs[i].data() + hash + 1, theirs[i].data() + theirs[i].size(), distance);
      u64 ahead = mode == Mode::thumb ? 4 : 8;
      target = arm::address_at(ahead, distance);
      ours = ours.substr(0, ours.rfind("0x")) + fmt::format("#{}", distance);
    }
    same_text += ours == theirs[i];
    bool same = one.instruction.length == codes[i].size() && one.instruction.flow == flow &&
                one.instruction.target == target;
    if (!same && ++different < 20)
      ADD_FAILURE() << theirs[i] << "; ours: " << ours << ", flow "
                    << static_cast<int>(one.instruction.flow) << ", target "
                    << one.instruction.target;
  }
  if (compared == 0) GTEST_SKIP() << "no llvm-mc-22";
  EXPECT_EQ(different, 0u);
  // Capstone does not know instructions of coprocessors, of which words at random are many.
  EXPECT_GT(same_text * 100, compared * 91) << same_text << " of " << compared;
}

TEST(ArmOracle, Arm) {
  compare_arm(Mode::usual,
              "--triple=armv7a -mattr=+vfp4,+neon,+hwdiv-arm,+trustzone,+virtualization",
              [](Words& words) { return bytes_of(words.next(), 4); });
}

// Without `it`, which makes what follows conditional.
TEST(ArmOracle, Thumb) {
  compare_arm(Mode::thumb, "--triple=thumbv7a -mattr=+vfp4,+neon,+hwdiv,+trustzone,+virtualization",
              [](Words& words) {
                while (true) {
                  u32 word = words.next();
                  if (word & 1) word |= 0xe000, word |= word & 0x1800 ? 0 : 0x1000;
                  auto first = static_cast<u16>(word);
                  bool condition = (first & 0xff00) == 0xbf00 && (first & 0xf);
                  if (!condition) return bytes_of(word, arm::is_long(first) ? 4 : 2);
                }
              });
}

}  // namespace
}  // namespace pgokit::isa

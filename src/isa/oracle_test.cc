// The decoder against llvm-objdump over a real program: same bytes, same class by mnemonic.

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/aarch64/base.h"
#include "isa/decoder.h"
#include "test/support/shell.h"

namespace pgokit::isa {
namespace {

struct Listed {
  u64 address = 0;
  std::vector<u8> bytes;
  std::string_view mnemonic, operands;
};

bool parse(std::string_view line, Listed& out) {
  size_t colon = line.find(':'), tab = line.find('\t');
  if (colon == std::string_view::npos || tab == std::string_view::npos || tab < colon) return false;
  size_t start = line.find_first_not_of(' ');
  if (start >= colon) return false;
  std::from_chars(line.data() + start, line.data() + colon, out.address, 16);
  out.bytes.clear();
  std::string_view hex = line.substr(colon + 1, tab - colon - 1);
  for (size_t at = hex.find_first_not_of(' '); at + 1 < hex.size(); at += 3) {
    if (hex[at] == ' ') break;
    u8 byte = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, byte, 16);
    out.bytes.push_back(byte);
  }
  std::string_view text = line.substr(tab + 1);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  size_t end = text.find_first_of(" \t");
  out.mnemonic = text.substr(0, end);
  size_t operands = end == std::string_view::npos ? end : text.find_first_not_of(" \t", end);
  out.operands = operands == std::string_view::npos ? "" : text.substr(operands);
  return !out.bytes.empty();
}

Flow flow_by_name(const Listed& one) {
  bool indirect = one.operands.starts_with('*');
  if (one.mnemonic.starts_with("call")) return indirect ? Flow::indirect_call : Flow::call;
  if (one.mnemonic.starts_with("jmp")) return indirect ? Flow::indirect_jump : Flow::jump;
  if (one.mnemonic.starts_with("ret") || one.mnemonic.starts_with("iret")) return Flow::ret;
  if (one.mnemonic.starts_with("loop") || one.mnemonic.starts_with('j')) return Flow::conditional;
  return Flow::none;
}

TEST(X86, AgreesWithObjdumpOnARealProgram) {
  const char* command = "llvm-objdump-22 -d --section=.text /bin/bash 2>/dev/null";
  // NOLINTNEXTLINE(bugprone-command-processor): a fixed command
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
  ASSERT_TRUE(pipe);
  auto decoder = Decoder::for_machine(EM_X86_64);
  char line[512];
  bool x86 = false;
  size_t compared = 0, different = 0;
  Listed one;
  while (std::fgets(line, sizeof line, pipe.get())) {
    x86 = x86 || std::string_view(line).find("elf64-x86-64") != std::string_view::npos;
    if (!x86 || !parse(line, one)) continue;
    std::vector<u8> code = one.bytes;
    code.resize(code.size() + 15);
    Instruction got = decoder->decode(code, one.address);
    Flow flow = got.flow == Flow::other ? Flow::none : got.flow;
    if (got.length == one.bytes.size() && flow == flow_by_name(one)) {
      ++compared;
    } else if (++different < 10) {
      ADD_FAILURE() << line << "ours: length " << int{got.length} << ", flow "
                    << static_cast<int>(flow);
    }
  }
  if (compared == 0) GTEST_SKIP() << "no llvm-objdump-22, or /bin/bash is not x86-64 code";
  EXPECT_EQ(different, 0u);
}

// Words of all kinds, and such that differ from an instruction in one bit, to llvm-mc.
TEST(AArch64, BaseInstructionsAreThoseOfLlvm) {
  test::ScratchDir dir;
  std::string text;
  std::vector<u32> words;
  u64 state = 88172645463325252;
  while (words.size() < 30'000) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    auto word = static_cast<u32>(state >> 16);
    if (is_base_instruction(word)) words.push_back(word ^ u32{1} << (state & 31));
    words.push_back(word);
  }
  for (u32 word : words)
    text += fmt::format("0x{:02x} 0x{:02x} 0x{:02x} 0x{:02x}\n", word & 255, word >> 8 & 255,
                        word >> 16 & 255, word >> 24);
  dir.write("words", text);
  std::string command =
      fmt::format("llvm-mc-22 --disassemble --triple=aarch64 {}/words 2>&1 >/dev/null", dir.path());
  // NOLINTNEXTLINE(bugprone-command-processor): a fixed command
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_TRUE(pipe);
  std::vector<bool> refused(words.size() + 1);
  size_t count = 0;
  char line[512];
  while (std::fgets(line, sizeof line, pipe.get())) {
    std::string_view said(line);
    if (!said.contains("invalid instruction encoding")) continue;
    said.remove_prefix(std::min(said.find("/words:") + 7, said.size()));
    size_t number = 0;
    std::from_chars(said.data(), said.data() + said.size(), number);
    if (number > 0 && number <= words.size()) refused[number - 1] = true, ++count;
  }
  if (count == 0) GTEST_SKIP() << "no llvm-mc-22";
  for (size_t i = 0; i < words.size(); ++i)
    EXPECT_NE(is_base_instruction(words[i]), refused[i]) << fmt::format("{:08x}", words[i]);
}

}  // namespace
}  // namespace pgokit::isa

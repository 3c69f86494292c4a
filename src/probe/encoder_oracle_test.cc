// Random probes as assemblers write them, and as the encoder does: the same bytes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "base/file.h"
#include "base/function_name.h"
#include "object/file.h"
#include "probe/encoder.h"
#include "probe/lowering.h"

namespace pgokit::probe {
namespace {

// Assembly of one function, and its probes where the data directives between them put them.
class RandomFunction {
 public:
  explicit RandomFunction(unsigned seed) : random_(seed) {
    text_ = fmt::format("\t.section .text.{0},\"ax\",@progbits\n{0}:\n", symbol_);
    for (u32 n = below(80) + 1; n > 0; --n) add_probe();
  }

  const std::string& text() const { return text_; }
  const FunctionProbes& probes() const { return probes_; }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  u64 some_function() {
    return below(4) ? function_guid(fmt::format("f{}", below(4))) : below(3) + 1;
  }

  void add_probe() {
    u32 space = below(3) ? below(90) : below(9000);
    for (u32 left = space; left > 0; --left) text_ += "\tnop\n";
    place_ += space;
    bool has_discriminator = below(3) == 0;
    NewProbe probe{below(300), Type{static_cast<u8>(below(16))},
                   static_cast<u8>(has_discriminator ? 4 + below(2) : below(2)),
                   has_discriminator ? below(1000) + 1 : 0, place_};
    std::vector<CallSite> stack(below(4));
    for (CallSite& call : stack) call = {some_function(), below(200)};
    u64 function = some_function();
    text_ += fmt::format("\t.pseudoprobe {} {} {} {}", function, probe.index,
                         static_cast<u8>(probe.type), probe.attributes);
    if (has_discriminator) text_ += fmt::format(" {}", probe.discriminator);
    for (const CallSite& call : stack)
      text_ += fmt::format(" @ {}:{}", call.function, call.call_site);
    text_ += fmt::format(" {}\n", symbol_);
    probes_.add(function, stack, probe);
  }

  std::mt19937 random_;
  std::string symbol_ = "f" + std::to_string(below(4));
  std::string text_;
  Place place_ = 0;
  FunctionProbes probes_{symbol_, 0};
};

std::string lowered(const std::string& text) {
  auto lowering = Lowering::read(text, "random", {.dialect = {}, .unknown_functions = true});
  EXPECT_TRUE(lowering) << lowering.error().message;
  std::string out;
  if (lowering) lowering->write([&](std::string_view piece) { out += piece; });
  return out;
}

// False: the assembler is not there, or refuses the text.
bool assemble(const std::string& assembler, const std::string& text, const std::string& object) {
  std::string command = assembler + " -o " + object + " - 2>/dev/null";
  // NOLINTNEXTLINE(bugprone-command-processor): a command of this test
  std::FILE* pipe = popen(command.c_str(), "w");
  if (!pipe) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  return pclose(pipe) == 0;
}

std::vector<u8> probe_section(const std::string& object) {
  auto image = MappedFile::open(object);
  if (!image) return {};
  auto elf = object::File::parse(image->bytes());
  const auto* section = elf ? elf->section(".pseudo_probe") : nullptr;
  if (!section) return {};
  return {section->contents.begin(), section->contents.end()};
}

void compare(const std::string& assembler, bool lower) {
  std::signal(SIGPIPE, SIG_IGN);
  std::string object = fmt::format("{}/encoder-{}.o", ::testing::TempDir(), getpid());
  if (!assemble(assembler, "nop\n", object)) GTEST_SKIP() << "there is no " << assembler;
  for (unsigned seed = 0; seed < 25; ++seed) {
    RandomFunction function(seed);
    std::string text = lower ? lowered(function.text()) : function.text();
    ASSERT_TRUE(assemble(assembler, text, object)) << text;
    ByteSink ours;
    function.probes().encode(ours);
    EXPECT_TRUE(std::ranges::equal(ours.bytes(), probe_section(object))) << text;
  }
  std::filesystem::remove(object);
}

TEST(EncoderOracle, WritesWhatLlvmMcWrites) {
  compare("llvm-mc-22 -triple=x86_64 -filetype=obj", false);
}

// Blocks of data that are larger than the assembler's own (4 kB), in both directions.
TEST(EncoderOracle, WritesWhatGnuAsMakesOfLoweredText) { compare("as", true); }

TEST(EncoderOracle, WritesWhatLlvmMcMakesOfLoweredText) {
  compare("llvm-mc-22 -triple=x86_64 -filetype=obj", true);
}

}  // namespace
}  // namespace pgokit::probe

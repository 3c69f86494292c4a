// Random probes as llvm-mc assembles them, and as the encoder writes them: the same bytes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "base/file.h"
#include "base/function_name.h"
#include "elf/file.h"
#include "probe/encoder.h"

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
    u32 space = below(3) ? below(90) : below(20000);
    text_ += fmt::format("\t.fill {}, 1, 0x90\n", space);
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

TEST(EncoderOracle, WritesWhatLlvmMcWrites) {
  std::string object = fmt::format("{}/encoder-{}.o", ::testing::TempDir(), getpid());
  for (unsigned seed = 0; seed < 25; ++seed) {
    RandomFunction function(seed);
    std::string command = "llvm-mc-22 -triple=x86_64 -filetype=obj -o " + object + " 2>/dev/null";
    // NOLINTNEXTLINE(bugprone-command-processor): a command of this test
    std::FILE* pipe = popen(command.c_str(), "w");
    ASSERT_TRUE(pipe);
    std::fwrite(function.text().data(), 1, function.text().size(), pipe);
    if (pclose(pipe) != 0) GTEST_SKIP() << "no llvm-mc-22";
    auto image = MappedFile::open(object);
    ASSERT_TRUE(image);
    auto elf = elf::File::parse(image->bytes());
    ASSERT_TRUE(elf);
    const auto* theirs = elf->section(".pseudo_probe");
    ASSERT_TRUE(theirs);
    ByteSink ours;
    function.probes().encode(ours);
    EXPECT_TRUE(std::ranges::equal(ours.bytes(), theirs->contents)) << function.text();
  }
  std::filesystem::remove(object);
}

}  // namespace
}  // namespace pgokit::probe

// Probes of a compiled program against the listing of llvm-profgen: per instruction, in order.

#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/function_name.h"
#include "object/file.h"
#include "probe/table.h"

namespace pgokit::probe {
namespace {

constexpr std::string_view source = R"(
static int leaf(int x) { return x * 3 + (x & 1 ? 7 : 2); }
static __attribute__((noinline)) int mid(int x) {
  int s = 0;
  for (int i = 0; i < x; ++i) s += leaf(i);
  return s;
}
template <class T> struct Base { virtual T get(T x) { return mid(x) + leaf(x); } };
struct Derived : Base<int> { int get(int x) override { return leaf(leaf(x)); } };
int (*volatile hook)(int) = mid;
Base<int> *volatile object = new Derived;
int main(int c, char **) {
  int s = 0;
  for (int i = 0; i < c * 100; ++i) s += (i % 3 ? mid(i) : hook(i)) + leaf(s) + object->get(i);
  return s;
}
)";

std::string run(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor): commands of this test
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  char buffer[4096];
  while (size_t n = pipe ? std::fread(buffer, 1, sizeof buffer, pipe.get()) : 0)
    out.append(buffer, n);
  return out;
}

std::string probe_line(const Decoded& decoded, const Probe& probe) {
  constexpr const char* types[] = {"Block", "IndirectCall", "DirectCall"};
  std::vector<Frame> frames;
  decoded.append_context(probe, true, frames);
  std::string out = fmt::format("FUNC: {} Index: {}  ", frames.back().function, probe.index);
  if (probe.discriminator) out += fmt::format("Discriminator: {}  ", probe.discriminator);
  out += fmt::format("Type: {}  ", types[static_cast<u8>(probe.type)]);
  for (size_t i = 0; i + 1 < frames.size(); ++i)
    out += fmt::format("{}@ {}:{}", i ? " " : "Inlined: ", frames[i].function, frames[i].id);
  return out;
}

// "address: line line ..." for every instruction with probes.
std::map<u64, std::string> listed_probes(const std::string& listing) {
  std::map<u64, std::string> out;
  std::string pending;
  for (size_t at = 0; at < listing.size();) {
    size_t end = std::min(listing.find('\n', at), listing.size());
    std::string_view line(listing.data() + at, end - at);
    at = end + 1;
    size_t probe = line.find("[Probe]:\t");
    if (probe != std::string_view::npos) {
      line.remove_prefix(probe + 9);
      pending += std::string(line) + "\n";
      continue;
    }
    size_t start = line.find_first_not_of(' ');
    u64 address = 0;
    if (pending.empty() || start == std::string_view::npos) continue;
    auto [stop, error] =
        std::from_chars(line.data() + start, line.data() + line.size(), address, 16);
    if (error != std::errc{} || *stop != ':') continue;
    out[address] += std::exchange(pending, "");
  }
  return out;
}

std::string without_trailing_blanks(const std::string& text) {
  std::string out;
  for (char c : text) {
    while (c == '\n' && !out.empty() && out.back() == ' ') out.pop_back();
    out += c;
  }
  return out;
}

void compare(const std::string& program, const std::string& flags) {
  std::string compile = fmt::format(
      "clang++-22 -fpseudo-probe-for-profiling -g {} -x c++ -o {} - 2>&1 <<'END'\n{}END\n", flags,
      program, source);
  std::filesystem::remove(program);
  std::string messages = run(compile);
  auto file = MappedFile::open(program);
  std::string listing =
      run("llvm-profgen-22 --show-disassembly-only --show-pseudo-probe --binary " + program +
          " --output /dev/null 2>/dev/null");
  if (!file || listing.empty()) GTEST_SKIP() << "no clang-22 or llvm-profgen-22: " << messages;

  auto elf = object::File::parse(file->bytes());
  ASSERT_TRUE(elf) << elf.error().message;
  std::map<u64, u64> symbols;
  for (const auto& symbol : elf->symbols())
    if (symbol.section) symbols.emplace(function_guid(symbol.name), symbol.address);
  Table table = Table::index(elf->section(".pseudo_probe_desc")->contents,
                             elf->section(".pseudo_probe")->contents);
  EXPECT_FALSE(table.truncated());
  Decoded decoded = table.decode([](u64) { return true; },
                                 [&](u64 guid) -> std::optional<u64> {
                                   auto found = symbols.find(guid);
                                   if (found == symbols.end()) return std::nullopt;
                                   return found->second;
                                 });
  EXPECT_EQ(decoded.unknown_functions(), 0u);
  std::map<u64, std::string> ours;
  for (const Probe& probe : decoded.probes())
    ours[probe.address] += probe_line(decoded, probe) + "\n";
  std::map<u64, std::string> theirs = listed_probes(listing);
  EXPECT_GE(theirs.size(), 10u);
  for (auto& [address, text] : theirs)
    EXPECT_EQ(without_trailing_blanks(ours[address]), without_trailing_blanks(text))
        << fmt::format("at {:#x} with {}", address, flags);
  EXPECT_EQ(ours.size(), theirs.size());
}

TEST(Oracle, ProbesOfCompiledPrograms) {
  std::string program = fmt::format("{}/probes-{}", ::testing::TempDir(), getpid());
  for (const char* flags : {"-O0", "-O2", "-O3 -no-pie -ffunction-sections"}) {
    compare(program, flags);
    if (::testing::Test::IsSkipped()) break;
  }
  std::filesystem::remove(program);
}

}  // namespace
}  // namespace pgokit::probe

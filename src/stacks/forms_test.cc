#include "stacks/forms.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/unpack.h"
#include "report/json.h"
#include "stacks/read/read.h"

namespace pgokit::stacks {
namespace {

using testing::HasSubstr;

constexpr std::string_view two_threads =
    "app one  7/8 [001] 5.000001:  10 cycles:u:\n"
    "\t    401136 inner (inlined)\n"
    "\t    401136 outer(int)+0x6 (/bin/app)\n"
    "\t    401200 main+0x10 (/bin/app)\n"
    "\n"
    "app one  7/9 [001] 5.000003:  3 cycles:u:\n"
    "\tffffffff81000000 sys_read+0x1 ([kernel.kallsyms])\n"
    "\t         5 [unknown] (/tmp/perf-7.map)\n"
    "\t    401200 main+0x10 (/bin/app)\n"
    "\n"
    "app one  7/8 [001] 5.000002:  20 cycles:u:\n"
    "\t    401140 outer(int)+0x10 (/bin/app)\n"
    "\t    401200 main+0x10 (/bin/app)\n"
    "\n";

Result<Read> read(std::string_view text, Times times = Times::dropped) {
  return read_stacks(as_bytes(text), {.path = "app.txt", .times = times});
}

std::string written(std::string_view form, const FoldedOptions& folded = {},
                    std::string_view text = two_threads) {
  const auto* chosen = form_named(form);
  auto stacks = read(text, chosen->times);
  if (!stacks) return stacks.error().message;
  std::string out;
  chosen->write(stacks->stacks, {.name = "app", .folded = folded},
                [&](std::string_view bytes) { out += bytes; });
  return out;
}

TEST(Forms, AreKnownByNameAndEnding) {
  EXPECT_EQ(form_names(), "folded, speedscope, pprof, firefox");
  for (const auto& form : forms()) {
    EXPECT_EQ(form_named(form.name), &form);
    for (auto ending : form.endings)
      if (!ending.empty()) EXPECT_EQ(form_of("x" + std::string(ending)), &form);
  }
  EXPECT_EQ(form_of("app.info"), nullptr);
  EXPECT_EQ(form_named(""), nullptr);
}

TEST(Folded, NamesAreThoseOfStackcollapse) {
  EXPECT_EQ(written("folded"),
            "app_one;main;[perf-7.map];sys_read 3\n"
            "app_one;main;outer 20\n"
            "app_one;main;outer;inner 10\n");
  EXPECT_EQ(written("folded", {.root = FoldedRoot::thread, .marks = true, .addresses = true}),
            "app_one-7/8;main;outer 20\n"
            "app_one-7/8;main;outer;inner_[i] 10\n"
            "app_one-7/9;main;[perf-7.map <5>]_[j];sys_read_[k] 3\n");
  EXPECT_EQ(written("folded", {.root = FoldedRoot::process, .samples = true}),
            "app_one-7;main;[perf-7.map];sys_read 1\n"
            "app_one-7;main;outer 1\n"
            "app_one-7;main;outer;inner 1\n");
}

// A name is in front of the longer ones that begin with it, and of what it called.
TEST(Folded, LinesAreSortedByTheirBytes) {
  std::string text;
  for (auto name : {"b", "a+", "a", "aa"})
    text += "p 1 1.0: e: \n\t 1 " + std::string(name) + " (/x)\n\t 2 a (/x)\n\n" +
            "p 1 1.0: e: \n\t 1 " + std::string(name) + " (/x)\n\n";
  EXPECT_EQ(written("folded", {}, text),
            "p;a 1\np;a+ 1\np;a;a 1\np;a;a+ 1\np;a;aa 1\np;a;b 1\np;aa 1\np;b 1\n");
}

TEST(Folded, NothingInANameEndsAFrameOrALine) {
  EXPECT_EQ(written("folded", {},
                    "p;q 1 1.0: e: \n\t 1 f;g\r (/x)\n\t 2 (anonymous namespace)::h(int) (/x)\n\n"),
            "p:q;(anonymous namespace)::h;f:g  1\n");
}

TEST(Speedscope, HasAProfileForEachThreadInTheOrderOfTime) {
  auto text = written("speedscope");
  EXPECT_TRUE(report::is_json(text)) << text;
  EXPECT_THAT(text, HasSubstr("\"name\":\"app one 7/8\""));
  EXPECT_THAT(text, HasSubstr("\"weights\":[10,20],\"startValue\":0,\"endValue\":30"));
  EXPECT_THAT(text, HasSubstr("\"weights\":[3],\"startValue\":0,\"endValue\":3"));
}

TEST(Firefox, IsJson) {
  auto text = written("firefox");
  EXPECT_TRUE(report::is_json(text)) << text;
  EXPECT_THAT(text, HasSubstr("\"time\":[0.000000,0.001000]"));
}

TEST(Pprof, IsPackedAndTheSameEachTime) {
  auto bytes = written("pprof");
  EXPECT_EQ(packing_of(as_bytes(bytes)), Packing::gzip);
  EXPECT_EQ(bytes, written("pprof"));
}

TEST(Pprof, BeginsWithTheMappingOfTheProgram) {
  auto packed = written("pprof", {},
                        "app 7/8 [001] 5.000001:  10 cycles:u:\n"
                        "\t    401136 open+0x6 (/lib/libc.so.6)\n"
                        "\t    401200 main+0x10 (/bin/app)\n"
                        "\n");
  std::string text;
  auto add = [&](Bytes piece) { return text += as_text(piece), Status(); };
  ASSERT_TRUE(unpack(as_bytes(packed), Packing::gzip, 1 << 20, add));
  EXPECT_LT(text.find("/bin/app"), text.find("/lib/libc.so.6"));
}

TEST(Read, SaysWhatIsMissingAndHowToGetIt) {
  auto error = [](std::string_view text) { return read(text).error().message; };
  EXPECT_THAT(error(""), HasSubstr("no sample with a call chain is in it"));
  EXPECT_THAT(error("p 1 1.0: e: \n\t 1\n\t 2\n\n"), HasSubstr("-F +sym,+dso"));
  EXPECT_THAT(error("p 1 1.0: e: 77 main (/bin/app)\n"), HasSubstr("record with"));
}

TEST(Read, TakesDamagedText) {
  for (size_t size = 0; size < two_threads.size(); ++size) {
    for (auto text : {two_threads.substr(0, size), two_threads.substr(size)}) {
      auto stacks = read(text, Times::kept);
      EXPECT_TRUE(stacks || !stacks.error().message.empty()) << size;
    }
  }
}

TEST(Read, ProcessesCanBeChosen) {
  auto none = read_stacks(as_bytes(two_threads), {.path = "", .pid = 8});
  EXPECT_FALSE(none);
  auto all = read_stacks(as_bytes(two_threads), {.path = "", .pid = 7});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->stacks.samples.size(), 3u);
}

}  // namespace
}  // namespace pgokit::stacks

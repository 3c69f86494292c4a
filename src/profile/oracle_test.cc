// llvm-profdata 22 as the judge: it reads what we write, we write its bytes, we read what it
// writes.
#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/file.h"
#include "profile/format.h"
#include "profile/model/summary.h"
#include "test/support/profile_builder.h"
#include "test/support/shell.h"

namespace pgokit::profile {
namespace {

using test::random_profile;
using test::RandomProfile;

const std::string profdata = "llvm-profdata-22";

class ProfdataOracle : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program(profdata)) GTEST_SKIP() << "no " << profdata;
  }

  std::string save(const std::string& name, std::string_view bytes) const {
    folder_.write(name, bytes);
    return folder_.file(name);
  }
  static std::string run(const std::string& arguments) {
    auto [status, output] = test::run(profdata + " " + arguments);
    EXPECT_EQ(status, 0) << arguments;
    return output;
  }
  // What it writes for our text of the profile.
  std::string rewritten(const std::string& in, const std::string& options) const {
    auto out = folder_.file("out");
    run(fmt::format("merge --sample {} -o {} {}", options, out, in));
    auto file = MappedFile::open(out);
    return file ? std::string(as_text(file->bytes())) : "";
  }
  std::string text_of(const std::string& bytes) const {
    auto read = read_profile(as_bytes(bytes));
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return read ? write_text(read->profile) : "";
  }

  test::ScratchDir folder_;
};

struct Form {
  Format format;
  WriteOptions options;
  const char* flags;
};

// Without metadata every byte is determined by the content.
TEST_F(ProfdataOracle, WritesTheSameBytes) {
  const Form forms[] = {
      {Format::text, {}, "--text"},
      {Format::text, {.split_layout = true}, "--text --split-layout"},
      {Format::binary, {}, "--binary"},
      {Format::extbinary, {}, "--extbinary"},
      {Format::extbinary, {.md5_names = true}, "--extbinary --use-md5"},
      {Format::extbinary, {.compress = true}, "--extbinary --compress-all-sections"},
      {Format::extbinary, {.split_layout = true}, "--extbinary --split-layout"},
      {Format::extbinary,
       {.compress = true, .md5_names = true, .split_layout = true},
       "--extbinary --split-layout --use-md5 --compress-all-sections"},
      {Format::extbinary, {.vtables = true}, "--extbinary --extbinary-write-vtable-type-prof"}};
  for (RandomProfile options :
       {RandomProfile{.seed = 1}, RandomProfile{.seed = 3, .vtables = true}}) {
    auto profile = random_profile(options);
    auto path = save("in", write_text(profile));
    for (const auto& form : forms) {
      SCOPED_TRACE(form.flags);
      auto theirs = rewritten(path, form.flags);
      auto ours = write_profile(profile, form.format, form.options);
      EXPECT_TRUE(ours == theirs);
      auto again = save("theirs", theirs);
      EXPECT_TRUE(text_of(theirs) == rewritten(again, "--text"));
    }
  }
}

// The order of functions in the metadata is free: content and sizes of sections agree.
TEST_F(ProfdataOracle, ReadsProbesAndContexts) {
  for (RandomProfile options :
       {RandomProfile{.seed = 1, .probes = true}, RandomProfile{.seed = 2, .contexts = true},
        RandomProfile{.seed = 3, .probes = true, .contexts = true}}) {
    auto profile = random_profile(options);
    auto text = save("in", write_text(profile));
    EXPECT_TRUE(rewritten(text, "--text") == write_text(profile));
    for (bool md5 : {false, true}) {
      auto ours = save("ours", write_extbinary(profile, {.md5_names = md5}).value());
      auto bytes = rewritten(text, md5 ? "--extbinary --use-md5" : "--extbinary");
      auto theirs = save("theirs", bytes);
      const std::string sections = "show --sample --show-sec-info-only ";
      EXPECT_EQ(run(sections + ours), run(sections + theirs));
      EXPECT_TRUE(rewritten(ours, "--text") == rewritten(theirs, "--text"));
      EXPECT_TRUE(text_of(bytes) == rewritten(theirs, "--text"));
    }
  }
}

TEST_F(ProfdataOracle, MergesAlike) {
  auto a = random_profile({.seed = 1}), b = random_profile({.seed = 2});
  auto first = save("a", write_text(a)), second = save("b", write_text(b));
  Profile sum;
  merge(sum, a, 3);
  merge(sum, b);
  sum.sort();
  EXPECT_TRUE(write_text(sum) ==
              rewritten("--weighted-input=3," + first + " --weighted-input=1," + second, "--text"));
}

TEST_F(ProfdataOracle, FindsTheSameFunctionsHot) {
  auto profile = random_profile({.seed = 5, .functions = 40});
  auto path = save("in", write_text(profile));
  auto table = run("show --sample --hot-func-list " + path);
  auto summary = summarize(profile);
  auto functions = profile.ordered();
  auto hot = hot_functions(functions, weigh(functions), summary);
  EXPECT_THAT(table, testing::HasSubstr(fmt::format("{} out of {} functions with profile",
                                                    hot.size(), profile.functions().size())));
  EXPECT_THAT(table,
              testing::HasSubstr(fmt::format("(max sample >= {})", summary.count_at(hot_cutoff))));
}

TEST_F(ProfdataOracle, TakesTheSymbolList) {
  auto profile = random_profile({});
  for (auto name : {"zz", "aa", "mm"}) profile.symbols.intern(name);
  auto list = save("list", "zz\naa\nmm\n");
  auto path = save("in", write_text(profile));
  EXPECT_TRUE(write_extbinary(profile) == rewritten("--prof-sym-list=" + list + " " + path, ""));
}

}  // namespace
}  // namespace pgokit::profile

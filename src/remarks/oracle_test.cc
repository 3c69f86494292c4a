// Remarks in both forms, beside what llvm-remarkutil makes of them.

#include <gtest/gtest.h>

#include "base/file.h"
#include "remarks/read.h"
#include "test/support/shell.h"

namespace pgokit::remarks {
namespace {

constexpr std::string_view source = R"(
extern int puts(const char*);
struct S { int a[64]; } table[64];
static int hot(int x) { return x * 3 + table[x & 63].a[x & 63]; }
__attribute__((noinline)) int work(int x) {
  int s = 0;
  for (int i = 0; i < x; ++i) s += hot(i);
  for (int i = 0; i < 64; ++i) table[i].a[i] = s;
  if (s == 77) puts("it's \"odd\"");
  return s;
}
int main(int c, char** v) {
  (void)v;
  return work(c) + work(2 * c);
}
)";

std::string text_of(const std::optional<SourceLocation>& at) {
  return at ? fmt::format(" at {}:{}:{}", at->file, at->line, at->column) : "";
}

std::string text_of(const Remark& remark) {
  auto text = fmt::format("{} {}/{} in {}{}{}\n", name_of(remark.kind), remark.pass, remark.name,
                          remark.function, text_of(remark.at),
                          remark.hotness ? fmt::format(" hot {}", *remark.hotness) : "");
  for (const auto& one : remark.arguments)
    text += fmt::format("  {}=[{}]{}\n", one.key, one.value, text_of(one.at));
  return text;
}

struct Read {
  std::string text;
  u64 remarks = 0;
};

Read read(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return {file.error().message};
  Read result;
  auto status = each_remark(file->bytes(), [&](const Remark& remark) {
    result.text += text_of(remark);
    ++result.remarks;
  });
  if (!status) result.text += "error: " + status.error().message;
  return result;
}

// llvm-remarkutil takes quoted texts of YAML as they are written: doubled quotes, escapes and all.
std::string unescaped(std::string text) {
  auto replace = [&](std::string_view written, std::string_view meant) {
    for (size_t at; (at = text.find(written)) != text.npos;)
      text.replace(at, written.size(), meant);
  };
  replace(R"("\n")", "\n");
  replace("''", "'");
  return text;
}

bool have_tools() {
  return test::has_program("clang-22") && test::has_program("llvm-remarkutil-22");
}

void compile(const test::ScratchDir& dir, std::string_view file, std::string_view options) {
  dir.write(file, source);
  auto made = test::run(
      fmt::format("cd {} && clang-22 -O2 -g -c {} {} -o out.o 2>&1", dir.path(), file, options));
  ASSERT_EQ(made.status, 0) << made.output;
}

TEST(RemarksOracle, BothFormsAndAllConversionsTellTheSame) {
  if (!have_tools()) GTEST_SKIP() << "clang-22 or llvm-remarkutil-22 is not installed";
  test::ScratchDir dir;
  // A name that has to be quoted and a path that wraps the line.
  const std::string odd =
      "a folder, it's long enough for a line that has to be wrapped/#odd: name.c";
  for (const std::string& file : {std::string("a.c"), odd}) {
    auto quoted = "\"" + file + "\"";
    std::filesystem::create_directories(std::filesystem::path(dir.file(file)).parent_path());
    dir.write(file, source);
    for (const char* form : {"yaml", "bitstream"}) {
      auto made =
          test::run(fmt::format("cd {} && clang-22 -O2 -g -c {} -fsave-optimization-record={}"
                                " -foptimization-record-file=out.opt.{} -o out.o 2>&1",
                                dir.path(), quoted, form, form));
      ASSERT_EQ(made.status, 0) << made.output;
    }
    auto converted = test::run(fmt::format(
        "cd {} && llvm-remarkutil-22 yaml2bitstream out.opt.yaml -o converted.bitstream "
        "&& llvm-remarkutil-22 bitstream2yaml out.opt.bitstream -o converted.yaml 2>&1",
        dir.path()));
    ASSERT_EQ(converted.status, 0) << converted.output;
    auto yaml = read(dir.file("out.opt.yaml"));
    EXPECT_GT(yaml.remarks, 20u) << yaml.text;
    for (const char* other : {"out.opt.bitstream", "converted.bitstream", "converted.yaml"})
      EXPECT_EQ(unescaped(read(dir.file(other)).text), yaml.text) << other;
    auto count = test::run(fmt::format(
        "cd {} && llvm-remarkutil-22 count --count-by=remark-name --group-by=total out.opt.yaml",
        dir.path()));
    EXPECT_NE(count.output.find(fmt::format(",{}\n", yaml.remarks)), std::string::npos)
        << count.output << yaml.remarks;
  }
}

TEST(RemarksOracle, HotnessIsRead) {
  if (!have_tools()) GTEST_SKIP() << "clang-22 or llvm-remarkutil-22 is not installed";
  test::ScratchDir dir;
  dir.write("a.prof", "main:100:1\n 2: 50 work:50\nwork:9000:50\n 2: 4000\n 3: 50\n");
  compile(dir, "a.c",
          "-fprofile-sample-use=a.prof -fdiagnostics-show-hotness -fsave-optimization-record "
          "-foptimization-record-file=out.opt.yaml");
  auto converted = test::run(fmt::format(
      "cd {} && llvm-remarkutil-22 yaml2bitstream out.opt.yaml -o out.opt.bitstream 2>&1",
      dir.path()));
  ASSERT_EQ(converted.status, 0) << converted.output;
  auto yaml = read(dir.file("out.opt.yaml"));
  EXPECT_NE(yaml.text.find(" hot "), std::string::npos) << yaml.text;
  EXPECT_EQ(unescaped(read(dir.file("out.opt.bitstream")).text), yaml.text);
}

}  // namespace
}  // namespace pgokit::remarks

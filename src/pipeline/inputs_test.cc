#include "pipeline/inputs.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "pipeline/outputs.h"

namespace pgokit::pipeline {
namespace {

using testing::StartsWith;

const Input* kind_of(std::string_view text) { return identify(as_bytes(text)); }

TEST(Inputs, AreToldByTheirContents) {
  EXPECT_EQ(kind_of("PERFILE2"), &inputs::recording);
  EXPECT_EQ(kind_of(" 401010 0x1/0x2/P\n"), &inputs::script);
  EXPECT_EQ(kind_of("app 1 1.5: cycles: 401010 main (/app)\n"), &inputs::ip_script);
  EXPECT_EQ(kind_of("1\n1-3:5\n0\n"), &inputs::raw_counts);
  EXPECT_EQ(kind_of("[main:1 @ f]\n1\n1-3:5\n0\n"), &inputs::raw_counts);
  EXPECT_EQ(kind_of("1\n1-3:5\n1\n3:5\n0\n"), &inputs::autofdo_text);
  EXPECT_EQ(kind_of("main:10:1\n 1: 10\n"), &inputs::sample_profile);
  EXPECT_EQ(kind_of("[main:1 @ f]:10:1\n 1: 10\n"), &inputs::sample_profile);
  EXPECT_EQ(kind_of("\x7f"
                    "ELF"),
            &inputs::program);
  EXPECT_EQ(kind_of("no_lbr cycles\n"), nullptr);
  for (std::string_view functions : {"f\n", "f7\nab\n", "_Z1fv\n7f\n", "0x12\n"})
    EXPECT_EQ(kind_of(functions), nullptr) << functions;
  EXPECT_EQ(kind_of(""), nullptr);
}

TEST(Inputs, CountsAreRefusedWithTheirCause) {
  auto problem = [](std::string_view text, bool allow_ip = false) {
    auto kind = identify_counts(as_bytes(text), allow_ip);
    return kind ? std::string((*kind)->name) : kind.error().message;
  };
  EXPECT_EQ(problem("PERFILE2"), "a recording");
  EXPECT_EQ(problem(""), "it is empty");
  EXPECT_THAT(problem("main:10:1\n 1: 10\n"), StartsWith("a sample profile, not a recording"));
  EXPECT_THAT(problem("\x7f"
                      "ELF"),
              StartsWith("a program, not a recording"));
  EXPECT_THAT(problem("no_lbr cycles\n"), StartsWith("a profile for BOLT"));
  constexpr auto without_branches = "app 1 1.5: cycles: 401010 main (/app)\n";
  EXPECT_THAT(problem(without_branches), StartsWith("has no branch stacks"));
  EXPECT_EQ(problem(without_branches, true), "text of perf script without branch stacks");
}

TEST(Inputs, WhereAProfileIsWanted) {
  auto problem = [](std::string_view text) {
    auto status = refuse_other_than_profile("x", as_bytes(text));
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(problem("main:10:1\n 1: 10\n"), "");
  EXPECT_THAT(problem("PERFILE2"), StartsWith("x: a recording, not a profile"));
  EXPECT_THAT(problem(" 401010 0x1/0x2/P\n"), StartsWith("x: text of perf script, not a profile"));
  EXPECT_THAT(problem("1\n1-3:5\n0\n"), StartsWith("x: raw counts, not a profile"));
  EXPECT_THAT(problem("\x7f"
                      "ELF"),
              StartsWith("x: a program, not a profile"));
  EXPECT_THAT(problem("no_lbr cycles\n"), StartsWith("x: a profile for BOLT"));
}

TEST(Outputs, AreFoundByTheirNames) {
  for (const auto* output : all_outputs()) EXPECT_EQ(find_output(output->name), output);
  EXPECT_EQ(find_output("extbinary"), &outputs::extbinary);
  EXPECT_EQ(find_output("pprof"), nullptr);
  auto none = output_named("pprof");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "--format pprof: there are extbinary, binary, text, gcov, raw, fdata, yaml, "
            "preaggregated and clusters");
}

}  // namespace
}  // namespace pgokit::pipeline

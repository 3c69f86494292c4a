#include "pipeline/consumers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "pipeline/outputs.h"

namespace pgokit::pipeline {
namespace {

std::string problem_of(const auto& result) { return result ? "" : result.error().message; }

TEST(Consumers, AreNamedWithAndWithoutAVersion) {
  auto clang = target_named("clang");
  ASSERT_TRUE(clang);
  EXPECT_EQ(clang->consumer, &consumers::clang);
  EXPECT_EQ(clang->name(), "clang");
  auto older = target_named("clang-16");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->version, 16);
  EXPECT_EQ(older->name(), "clang-16");
  EXPECT_EQ(target_named("pgokit")->consumer, &consumers::pgokit);
}

TEST(Consumers, UnknownOnesAreRefusedWithThoseThatAreKnown) {
  EXPECT_THAT(problem_of(target_named("icc")),
              testing::StartsWith("--for icc: there are clang, gcc"));
  EXPECT_EQ(problem_of(target_named("clang-12")), "--for clang: versions are clang-13 to clang-22");
  EXPECT_EQ(problem_of(target_named("clang-99")),
            "--for clang: versions are clang-13 to clang-22; newer ones read what is for clang-22");
  for (const char* text : {"clang-", "clang-x", "clang-16.0", "clang--16", "clang-99999999999999"})
    EXPECT_EQ(problem_of(target_named(text)), "--for clang: versions are clang-13 to clang-22");
  EXPECT_EQ(problem_of(target_named("pgokit-1")), "--for pgokit: it has no versions");
}

TEST(Consumers, HaveFormsOfTheirOwn) {
  EXPECT_EQ(destination_of("", "")->output, &outputs::extbinary);
  EXPECT_EQ(destination_of("", "text")->target.consumer, &consumers::clang);
  EXPECT_EQ(destination_of("", "gcov")->target.consumer, &consumers::gcc);
  EXPECT_EQ(destination_of("", "raw")->target.consumer, &consumers::pgokit);
  EXPECT_EQ(destination_of("", "preaggregated")->target.consumer, &consumers::bolt);
  EXPECT_EQ(destination_of("bolt", "")->output, &outputs::fdata);
  EXPECT_EQ(destination_of("bolt", "yaml")->output, &outputs::yaml);
  EXPECT_EQ(destination_of("gcc", "")->output, &outputs::gcov);
  EXPECT_EQ(destination_of("clang-14", "binary")->output, &outputs::binary);
  EXPECT_EQ(destination_of("clang-13", "")->output, &outputs::text);
  EXPECT_EQ(problem_of(destination_of("clang-13", "extbinary")),
            "--format extbinary: clang-13 reads text and binary");
  EXPECT_EQ(problem_of(destination_of("gcc-12", "text")), "--format text: gcc-12 reads gcov");
  EXPECT_THAT(problem_of(destination_of("", "pprof")),
              testing::StartsWith("--format pprof: there are extbinary, "));
  EXPECT_EQ(problem_of(profile_destination_of("pgokit", "")),
            "--for pgokit: it is for compilers that read sample profiles");
}

TEST(Consumers, EachFormHasAReader) {
  std::set<std::string_view> names;
  for (const auto* consumer : all_consumers()) EXPECT_TRUE(names.insert(consumer->name).second);
  for (const auto* output : all_outputs())
    EXPECT_NE(destination_of("", output->name)->target.consumer, nullptr) << output->name;
}

TEST(Consumers, ChooseTheVersionOfTheirForm) {
  auto gcov_version = [](const char* name) {
    profile::WriteOptions options;
    target_named(name)->fit(options);
    return options.gcov_version;
  };
  EXPECT_EQ(gcov_version("gcc-5"), 1);
  EXPECT_EQ(gcov_version("gcc-11"), 1);
  EXPECT_EQ(gcov_version("gcc-12"), 2);
  EXPECT_EQ(gcov_version("gcc-15"), 2);
  EXPECT_EQ(gcov_version("gcc-16"), 3);
  EXPECT_EQ(gcov_version("gcc"), 2);
}

TEST(Consumers, AreSparedWhatTheyDoNotKnow) {
  auto without_vtables = [](const char* name) {
    profile::WriteOptions options{.vtables = true};
    target_named(name)->fit(options);
    EXPECT_NE(options.vtables, options.no_vtables) << name;
    return options.no_vtables;
  };
  EXPECT_TRUE(without_vtables("clang-13"));
  EXPECT_TRUE(without_vtables("clang-19"));
  EXPECT_FALSE(without_vtables("clang-22"));
  EXPECT_FALSE(without_vtables("clang"));
}

}  // namespace
}  // namespace pgokit::pipeline

#include "pipeline/foreign_formats.h"

#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::pipeline {
namespace {

std::string_view format_of(std::string_view text) { return foreign_format(as_bytes(text)); }

void expect(std::string_view text, std::string_view start) {
  EXPECT_TRUE(format_of(text).starts_with(start)) << text << ": " << format_of(text);
}

TEST(ForeignFormats, OfBolt) {
  expect("1 foo 2 1 main 44 0 15479\n1 _init/1 12 1 _init/1 16 0 1\n",
         "a profile for BOLT (fdata)");
  expect("no_lbr cycles:u\n1 main 2a 12\n", "a profile for BOLT (fdata)");
  expect("---\nheader:\n  profile-version: 1\n", "a profile for BOLT (YAML)");
  expect("B 40164b 401608 109 0\nF 401611 4017e0 115\n", "pre-aggregated");
  expect("B X:7f36d18d60c0 400bbc 2 0\n\nB 400ad1 abcd:400e00 2 0\n", "pre-aggregated");
}

TEST(ForeignFormats, TracesOfSingleBranches) {
  expect("app 1/1 1.5: 1 branches:u: 401010 main+0x10 (/app) => 401020 work+0x0 (/app)\n",
         "a trace of single branches");
}

TEST(ForeignFormats, PagesAndJson) {
  expect("<!doctype html>\n<script>x.map(y => z (1))</script>\n", "an HTML page");
  expect("\n <HTML><body>", "an HTML page");
  expect(R"({"findings": [], "samples": {}})", "JSON of 'pgokit explain'");
  expect(R"({"commands": [], "comparisons": []})", "JSON of 'pgokit measure'");
  expect("[1, 2]\n", "JSON, not a recording");
  for (std::string_view broken : {"{", "[1, 2", "<script>", "<!doctype xml>"})
    EXPECT_EQ(format_of(broken), "") << broken;
}

TEST(ForeignFormats, Counters) { expect("adcg", "counters of gcc"); }

TEST(ForeignFormats, WhatPgokitReadsIsNone) {
  for (std::string_view text :
       {"", "\n\n", "hello\n", "2\n1-3:5\n4-5:1\n", "main:10:1\n 1: 10\n", " 401010 0x1/0x2/P\n",
        "app 1 1.5: cycles: 401010 main (/app)\n", "\t401010\n\t401020\n", "     401010\n"})
    EXPECT_EQ(format_of(text), "") << text;
}

}  // namespace
}  // namespace pgokit::pipeline

#pragma once

// What `pgokit order` reads: instrumented programs' dumps and profiles, LLVM's instrumentation
// profiles, recordings, sample profiles and order files, made one model.

#include <deque>

#include "base/file.h"
#include "order/cut.h"
#include "order/from_mip.h"
#include "pipeline/input_files.h"
#include "program/program.h"

namespace pgokit::pipeline {

struct OrderInputOptions {
  Inputs inputs;
  std::string binary;  // the program that was recorded; empty: the one with most samples
  order::Cut cut;
  std::optional<u32> pid;
  bool ignore_build_id = false;
  bool sample_traces = false;  // recordings give traces too
  unsigned threads = 0;
  std::string algorithm = "auto";
  std::vector<std::string> given;  // options: those that say nothing about the inputs are refused
};

struct OrderInputs {
  order::Model model;
  order::CutFacts cuts;
  std::vector<std::string> notes;  // what could not be used, a sentence each
};

// Fails where an input cannot be used at all.
Result<OrderInputs> read_order_inputs(const OrderInputOptions& options);

}  // namespace pgokit::pipeline

#pragma once

// Folded stacks, one line each: what flamegraph.pl and its kin read.
//
//   app;main;parse;read_line 12
//
//   write_folded(stacks, {.root = FoldedRoot::thread}, out);
//
// Lines, names and their order are those of stackcollapse-perf.pl for the text of perf script, but
// for templates, whose names stay whole.

#include "report/text_buffer.h"
#include "stacks/model/stacks.h"

namespace pgokit::stacks {

// What a stack begins with: "app", "app-12", "app-12/13".
enum class FoldedRoot : u8 { command, process, thread };

struct FoldedOptions {
  FoldedRoot root = FoldedRoot::command;
  u32 event = 0;           // of Stacks::events: whose samples
  bool marks = false;      // _[k], _[i], _[j] behind functions of the kernel, inlined and generated
  bool addresses = false;  // of frames without a name
  bool samples = false;    // how many, not the sum of their periods
};

void write_folded(const Stacks& stacks, const FoldedOptions& options, report::TextBuffer& out);

}  // namespace pgokit::stacks

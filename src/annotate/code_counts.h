#pragma once

// How often each instruction of a program ran, and which branches it took: the counts of a
// recording laid over the code.
//
//   CodeCounts counts(program, input.counts);
//   u64 ran = counts.at(address);
//   for (const auto& branch : counts.from(address)) use(branch.to, branch.count);
//   for (const FunctionCount& one : counts.functions()) use(one.function, one.instructions);
//
// The program's functions have to be loaded. Where ranges overlap, their counts add up.

#include <span>
#include <vector>

#include "program/program.h"
#include "samples/counts.h"

namespace pgokit::annotate {

struct FunctionCount {
  u32 function = 0;      // of the program's FunctionTable
  u64 instructions = 0;  // executed, all together
  u64 entries = 0;       // branches to its entry
  u64 hottest = 0;       // how often its most frequent instruction ran
  u64 bytes = 0;         // of its code
  u64 ran_bytes = 0;     // of these: of instructions that ran
};

class CodeCounts {
 public:
  CodeCounts(const program::Program& program, const samples::Counts& counts);

  u64 at(u64 address) const;
  // The branches that leave an instruction, and those that come to it from elsewhere.
  std::span<const samples::BranchCount> from(u64 address) const;
  std::span<const samples::BranchCount> to(u64 address) const;
  // Those with samples, by the instructions that they executed, the most first.
  std::span<const FunctionCount> functions() const { return functions_; }
  // Disjoint, ascending; those that ran.
  std::span<const samples::RangeCount> pieces() const { return pieces_; }
  u64 instructions() const { return instructions_; }  // of all functions

 private:
  void count_functions(const program::Program& program);

  std::vector<samples::RangeCount> pieces_;
  std::vector<samples::BranchCount> by_source_, by_target_;
  std::vector<FunctionCount> functions_;
  u64 instructions_ = 0;
};

}  // namespace pgokit::annotate

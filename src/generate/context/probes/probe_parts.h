#pragma once

// What threads find in some of the call chains, with numbers of their own for contexts, becomes
// samples of contexts.
//
//   std::vector<ProbePart> parts = ...;       // one thread each
//   parts[i].records.begin(context);
//   join(std::move(parts), threads, samples);
//
// Everything adds up, so records come in any order and as often as it comes.

#include "generate/context/context_samples.h"

namespace pgokit::generate {

struct ProbePart {
  // By context.
  std::vector<profile::Contexts::Node> nodes;
  std::vector<u64> heads;
  std::vector<u8> flags;

  ContextPool records;

  // Empty, in the memory that is there.
  void clear();
};

// Contexts have the order of the parts. Sets all of `samples` that is by context.
void join(std::vector<ProbePart> parts, unsigned threads, ContextSamples& samples);

}  // namespace pgokit::generate

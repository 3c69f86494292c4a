#pragma once

// Counts per calling context as a text file: llvm-profgen's context-sensitive "unsymbolized
// profile". Each context stands in front of a block as samples/raw_profile.h draws it:
//
//   [0x871 @ 0x7b3]                      probes: call sites, outermost first, as offsets
//   [main:0.8 @ foo:2 @ bar]             lines: frames, the leaf last and without location
//   []                                   no context is known
//     1
//     860-871:193
//     1
//     871->780:198
//
// Whether the leaf was inlined (ContextCounts::leaf_inlined) is not in the file.

#include <functional>
#include <string_view>

#include "base/result.h"
#include "unwind/context_counts.h"

namespace pgokit::unwind {

// Whether the text is a raw profile with contexts.
bool looks_like_raw_contexts(std::string_view text);

struct RawContexts {
  explicit RawContexts(ContextCounts::Kind kind) : counts(kind) {}

  ContextCounts counts;
  u64 outside = 0;  // ranges and branches whose ends are not in the program's code: left out
};

// Addresses count from `base`. Equal contexts are summed.
Result<RawContexts> read_raw_contexts(std::string_view text, ContextCounts::Kind kind,
                                      const program::CodeMap& code, BinaryAddr base);

// In the order of the contexts' texts. The text comes in parts: it can be larger than memory.
void write_raw_contexts(const ContextCounts& counts, const program::CodeMap& code, BinaryAddr base,
                        const std::function<void(std::string_view part)>& write);

}  // namespace pgokit::unwind

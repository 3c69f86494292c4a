#pragma once

// How LLVM tells the callees of one caller apart, and orders them.
//
//   u64 key = callee_key(names.guid(callee), call_site);
//
// Source of truth: llvm/lib/Transforms/IPO/SampleContextTracker.cpp (nodeHash).

#include "profile/model/function_samples.h"

namespace pgokit::generate {

inline u64 callee_key(u64 guid, profile::LineLocation site) {
  u64 place = u64{site.discriminator} << 32 | site.line_offset;
  return guid + (place << 5) + place;
}

}  // namespace pgokit::generate

#pragma once

// What branches recorded in the test's own process have to satisfy.

#include <elf.h>
#include <gtest/gtest.h>

#include <vector>

#include "isa/decoder.h"
#include "record/x86/translate.h"

namespace pgokit::record {

// A branch at each `from` that can go to `to`, and straight code from each `to` to the next `from`,
// or to `end` behind the last one.
inline void expect_possible(const std::vector<Edge>& edges, u64 end) {
  auto decoder = isa::Decoder::for_machine(EM_X86_64).value();
  auto at = [&](u64 address) {
    return decoder.decode(Bytes(reinterpret_cast<const u8*>(address), 16), address);
  };
  for (size_t i = 0; i < edges.size(); ++i) {
    auto branch = at(edges[i].from);
    ASSERT_TRUE(isa::ends_range(branch.flow)) << i;
    if (branch.has_target) {
      EXPECT_EQ(branch.target, edges[i].to);
    }
    u64 next = i + 1 < edges.size() ? edges[i + 1].from : end;
    u64 pc = edges[i].to;
    while (pc < next) {
      auto one = at(pc);
      ASSERT_TRUE(one.ok());
      ASSERT_FALSE(isa::never_falls_through(one.flow)) << i;
      pc += one.length;
    }
    ASSERT_EQ(pc, next) << i << " of " << edges.size();
  }
}

}  // namespace pgokit::record

#pragma once

#include <cstdlib>
#include <string>

#include "base/cursor.h"
#include "instr_profile/format.h"
#include "instr_profile/indexed/write_indexed.h"
#include "instr_profile/memory/memory_sum.h"
#include "instr_profile/merge/sum.h"
#include "instr_profile/overlap/overlap.h"
#include "instr_profile/text/write_text.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

// The sum of one file's functions, with whatever names of them it has.
inline instr_profile::Sum sum_of(Bytes bytes) {
  instr_profile::Sum sum(instr_profile::Rules::commutative);
  instr_profile::Facts facts;
  auto status = instr_profile::read(bytes, facts, [&](const instr_profile::Record& record) {
    sum.add(record, 1, [](instr_profile::Mismatch) {});
    return Status();
  });
  if (!status) std::abort();
  sum.takes(facts.kind);
  sum.add_binary_ids(facts.binary_ids);
  instr_profile::MemorySum memory;
  if (facts.kind & instr_profile::Kind::memory) {
    sum.profile().kind |= instr_profile::Kind::memory;
    if (!memory.add(facts.memory)) std::abort();
    sum.profile().memory = *std::move(memory).finish({});
  }
  sum.profile().traces = std::move(facts.traces);
  sum.profile().traces_seen = facts.traces_seen;
  return sum;
}

inline std::string text_of(const instr_profile::Profile& profile) {
  std::string text;
  instr_profile::write_text(profile, false, [&](std::string_view piece) { text += piece; });
  return text;
}

// Every function that ran is handed over.
inline void check_overlap(Bytes bytes) {
  auto overlap = instr_profile::compute_overlap({bytes, bytes, "", ""}, {.value_cutoff = 0},
                                                [](const instr_profile::FunctionOverlap&) {});
  if (!overlap) std::abort();
}

// Reading takes little memory, and what was read can be written, loads, and is then the same. It
// can be compared with itself.
inline void check_instr(Bytes bytes) {
  size_t before = memory_watch::start();
  instr_profile::Facts facts;
  auto status =
      instr_profile::read(bytes, facts, [](const instr_profile::Record&) { return Status(); });
  if (memory_watch::most() - before > 4 * bytes.size() + (2 << 20)) std::abort();
  if (!status) return;
  check_overlap(bytes);
  auto sum = sum_of(bytes);
  auto again = sum_of(as_bytes(instr_profile::write_indexed(sum.profile(), false)));
  if (text_of(again.profile()) != text_of(sum.profile())) std::abort();
}

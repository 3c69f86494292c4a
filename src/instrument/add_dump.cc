#include "instrument/add_dump.h"

#include <algorithm>

#include "base/saturated.h"
#include "instrument/trace.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

constexpr u64 most_plausible = u64{1} << 56;

void add(u64& sum, u64 value, u64 weight) {
  sum = add_saturated(sum, multiply_saturated(value, weight));
}

// The counters of one function in a dump.
class Box {
 public:
  Box(const Function& function, Bytes raw)
      : function_(function), box_(raw.subspan(function.box, function.box_size())) {}

  bool has(u32 kind) const { return function_.kinds & kind; }
  u64 calls() const {
    if (has(MIP_CALLS64)) return load<u64>(mip_calls64_offset());
    return has(MIP_CALLS32) ? load<u32>(mip_calls32_offset(function_.kinds, counters())) : 0;
  }
  mip_first_run first_run() const {
    return has(MIP_ORDER) ? load<mip_first_run>(mip_order_offset(function_.kinds, counters()))
                          : mip_first_run{};
  }
  u64 executions(u32 counter) const {
    return load<u64>(mip_blocks64_offset(function_.kinds) + 8 * u64{counter});
  }
  Bytes coverage() const {
    if (!has(MIP_COVERAGE)) return {};
    return box_.subspan(mip_coverage_offset(function_.kinds, counters()), 1);
  }
  Bytes block_coverage() const {
    if (!has(MIP_BLOCK_COVERAGE)) return {};
    return box_.subspan(mip_block_coverage_offset(function_.kinds, counters()), counters());
  }
  u32 counters() const { return function_.counter_count; }

  bool is_plausible() const {
    auto is_flag = [](u8 byte) { return byte == 0 || byte == 0xff; };
    if (!std::ranges::all_of(coverage(), is_flag)) return false;
    if (!std::ranges::all_of(block_coverage(), is_flag)) return false;
    if (calls() > most_plausible) return false;
    if (has(MIP_BLOCKS64))
      for (u32 i = 0; i < counters(); ++i)
        if (executions(i) > most_plausible) return false;
    return true;
  }

 private:
  template <class T>
  T load(u64 offset) const {
    T value;
    std::memcpy(&value, box_.data() + offset, sizeof value);
    return value;
  }

  const Function& function_;
  Bytes box_;
};

bool add_counters(Data& data, const Function& function, const Box& box, u64 weight) {
  bool ran = false;
  if (box.has(MIP_BLOCKS64))
    for (u32 i = 0; i < box.counters(); ++i) {
      u64 count = box.executions(i);
      ran |= count > 0;
      add(data.executions[function.first_counter + i], count, weight);
    }
  auto covered = box.block_coverage();
  for (size_t i = 0; i < covered.size(); ++i)
    if (covered[i] == 0) {
      ran = true;
      add(data.block_ran[function.first_counter + i], 1, weight);
    }
  return ran;
}

void add_first_run(FirstRuns& runs, u64 sequence, u64 microseconds, u64 weight) {
  if (sequence == 0) return;
  add(runs.dumps, 1, weight);
  add(runs.rank_sum, sequence, weight);
  add(runs.microseconds, microseconds, weight);
}

// Whether it ran, as far as its own counters tell.
bool add_function(Module& module, u32 index, const Box& box, u64 weight) {
  auto& data = module.data;
  bool ran = add_counters(data, module.functions[index], box, weight);
  u64 calls = box.calls();
  auto first = box.first_run();
  auto covered = box.coverage();
  add(data.calls[index], calls, weight);
  add_first_run(data.first[index], first.sequence, first.time, weight);
  return ran || calls > 0 || first.sequence > 0 || (!covered.empty() && covered[0] == 0);
}

// A log tells that a function ran, too.
u64 add_log(Module& module, const Dump& dump, u64 weight, std::vector<bool>& ran) {
  Trace trace = logged_trace(module, dump);
  for (const auto& run : trace.runs) {
    ran[run.function] = true;
    add_first_run(module.data.first[run.function], run.sequence, run.microseconds, weight);
  }
  return trace.unknown + trace.ambiguous;
}

bool inside(const Function& function, Bytes raw) {
  return function.box <= raw.size() && function.box_size() <= raw.size() - function.box;
}

}  // namespace

bool fits(const Module& module, const Dump& dump) {
  return module.raw_address == dump.header.raw_address &&
         std::ranges::all_of(module.functions,
                             [&](const Function& f) { return inside(f, dump.raw); });
}

DumpUse add_dump(Module& module, const Dump& dump, u64 weight) {
  DumpUse use;
  module.make_columns();
  auto& data = module.data;
  add(data.dumps, 1, weight);
  for (size_t i = 0; i < MIP_DROPPED_COUNT; ++i)
    add(data.dropped[i], dump.header.dropped[i], weight);
  std::vector<bool> ran(module.functions.size());  // in this dump
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& function = module.functions[i];
    if (!inside(function, dump.raw)) {
      ++use.outside;
      continue;
    }
    Box box(function, dump.raw);
    if (!box.is_plausible()) {
      ++use.implausible;
      continue;
    }
    ran[i] = add_function(module, i, box, weight);
    ++use.functions;
  }
  use.unknown_order = add_log(module, dump, weight, ran);
  for (u32 i = 0; i < ran.size(); ++i)
    if (ran[i]) add(data.ran[i], 1, weight);
  return use;
}

}  // namespace pgokit::instrument

#include "instrument/trace.h"

#include <algorithm>

namespace pgokit::instrument {
namespace {

u64 key_of(u32 module, u32 function) { return u64{module} << 32 | function; }

class LogReader {
 public:
  LogReader(const Module& module, const Dump& dump)
      : module_(module), functions_(module), dump_(dump) {}

  Trace read() {
    trace_.lost = dump_.header.dropped[MIP_DROPPED_ORDER];
    noted_.resize(module_.functions.size());
    read_ids();
    read_calls();
    return std::move(trace_);
  }

 private:
  void read_ids() {
    if (dump_.order_ids.size() == 0) return;
    trace_.has_times = false;
    for (size_t i = 0; i < dump_.order_ids.size(); ++i) {
      const auto& id = dump_.order_ids[i];
      if (id.module == 0) continue;
      note(functions_.of(id), trace_.lost + i + 1, 0);
    }
  }

  void read_calls() {
    for (size_t i = 0; i < dump_.order_calls.size(); ++i) {
      const auto& call = dump_.order_calls[i];
      if (call.return_address == 0) continue;
      note(functions_.of(call), i + 1, call.microseconds);
    }
  }

  void note(u32 function, u64 sequence, u32 microseconds) {
    if (function == LoggedFunctions::unknown) return void(++trace_.unknown);
    if (function == LoggedFunctions::several) return void(++trace_.ambiguous);
    if (noted_[function]) return;  // two threads came at once
    noted_[function] = true;
    trace_.runs.push_back(
        {function, static_cast<u32>(std::min<u64>(sequence, ~u32{0})), microseconds});
  }

  const Module& module_;
  LoggedFunctions functions_;
  const Dump& dump_;
  std::vector<bool> noted_;
  Trace trace_;
};

void add_boxes(const Module& module, const Dump& dump, Trace& trace) {
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& function = module.functions[i];
    if (!(function.kinds & MIP_ORDER)) continue;
    const u64 at = function.box + mip_order_offset(function.kinds, function.counter_count);
    if (at > dump.raw.size() || dump.raw.size() - at < sizeof(mip_first_run)) continue;
    mip_first_run run;
    std::memcpy(&run, dump.raw.data() + at, sizeof run);
    if (run.sequence) trace.runs.push_back({i, run.sequence, run.time});
  }
}

}  // namespace

LoggedFunctions::LoggedFunctions(const Module& module) : module_(module) {
  for (u32 i = 0; i < module_.functions.size(); ++i) {
    const auto& function = module_.functions[i];
    if (!(function.kinds & MIP_ORDER_LOG)) continue;
    auto [at, is_new] = by_id_.try_emplace(key_of(function.order_module, function.order_number), i);
    if (!is_new) at.value() = several;
  }
}

u32 LoggedFunctions::of(const DumpOrderId& id) const {
  auto found = by_id_.find(key_of(id.module, id.function));
  return found == by_id_.end() ? unknown : found->second;
}

u32 LoggedFunctions::of(const DumpOrderCall& call) const {
  const auto* function =
      module_.find(module_.raw_address + static_cast<u64>(i64{call.return_address}));
  return function ? module_.index_of(*function) : unknown;
}

Trace logged_trace(const Module& module, const Dump& dump) {
  return LogReader(module, dump).read();
}

Trace trace_of(const Module& module, const Dump& dump) {
  Trace trace = logged_trace(module, dump);
  add_boxes(module, dump, trace);
  std::ranges::stable_sort(trace.runs, {}, &TracedRun::sequence);
  return trace;
}

}  // namespace pgokit::instrument

#include "instrument/inlined.h"

#include <algorithm>
#include <vector>

#include "base/saturated.h"
#include "instrument/blocks.h"

namespace pgokit::instrument {
namespace {

class InlinedFinder {
 public:
  InlinedFinder(const Module& module, const dwarf::DebugInfo& debug)
      : module_(module), cursor_(debug) {}

  InlinedRuns find() {
    for (u32 i = 0; i < module_.functions.size(); ++i)
      if (module_.data.ran[i] > 0) add_function(i);
    return std::move(runs_);
  }

 private:
  void add_function(u32 i) {
    const auto& function = module_.functions[i];
    auto counts = block_counts(module_, function);
    if (!counts.known()) {
      u64 size = std::max(function.size, 1u);
      return add_code(function.address, function.address + size,
                      std::max(module_.data.calls[i], module_.data.ran[i]));
    }
    const auto& executions = counts.executions.empty() ? counts.ran : counts.executions;
    auto blocks = module_.blocks_of(function);
    for (u32 b = 0; b < blocks.size(); ++b)
      if (executions[b] > 0)
        add_code(blocks[b].address, module_.block_end(function, b), executions[b]);
  }

  // Each function counts once.
  void add_code(u64 begin, u64 end, u64 executions) {
    end = std::min(end, begin + longest_code);
    names_.clear();
    u64 last_scope = ~u64{0};
    for (u64 at = begin; at < end;) {
      const auto& part = cursor_.at(at);
      if (part.scope != last_scope && !part.frames.empty())
        for (const auto& frame : part.frames.subspan(1)) names_.push_back(frame.function);
      last_scope = part.scope;
      at = std::max(part.end, at + 1);
    }
    std::ranges::sort(names_);
    auto [rest, last] = std::ranges::unique(names_);
    names_.erase(rest, last);
    for (auto name : names_) {
      auto found = runs_.find(name);
      if (found == runs_.end()) found = runs_.emplace(name, 0).first;
      found->second = add_saturated(found->second, executions);
    }
  }

  const Module& module_;
  dwarf::FrameCursor cursor_;
  std::vector<std::string_view> names_;
  InlinedRuns runs_;
};

}  // namespace

InlinedRuns inlined_where_it_ran(const Module& module, const dwarf::DebugInfo& debug) {
  return InlinedFinder(module, debug).find();
}

}  // namespace pgokit::instrument

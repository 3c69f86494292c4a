#include "walk/program.h"

#include <algorithm>

namespace pgokit::walk {
namespace {

using isa::Flow;

constexpr u32 no_way = u32{1} << 30;

struct Range {
  u64 start, end;
  std::string_view name;
};

// Functions by address, one per address, none reaching into the next.
std::vector<Range> function_ranges(const object::File& file) {
  std::vector<Range> out;
  for (const auto& symbol : file.symbols())
    if (symbol.kind == object::SymbolKind::function && symbol.size && symbol.section)
      out.push_back({symbol.address, symbol.address + symbol.size, symbol.name});
  std::sort(out.begin(), out.end(), [](const Range& a, const Range& b) {
    return std::tie(a.start, a.name) < std::tie(b.start, b.name);
  });
  auto same = [](const Range& a, const Range& b) { return a.start == b.start; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  for (size_t i = 0; i + 1 < out.size(); ++i) out[i].end = std::min(out[i].end, out[i + 1].start);
  return out;
}

}  // namespace

Result<Program> Program::read(const object::File& file) {
  auto decoder = TRY(isa::Decoder::for_machine({file.machine(), file.address_size()}));
  Program out;
  std::vector<Range> ranges = function_ranges(file);
  for (const Range& range : ranges) {
    for (const auto& section : file.sections()) {
      if (!section.is_code() || range.start < section.address ||
          range.end > section.address + section.contents.size())
        continue;
      Bytes code = section.contents.subspan(range.start - section.address, range.end - range.start);
      out.decode_function(std::string(range.name), range.start, code, decoder);
    }
  }
  if (out.functions.empty()) return fail("no functions: the program has no symbols or no code");
  out.external = (out.address.back() + (u64{1} << 30)) & ~u64{0xfff};
  out.link();
  return out;
}

void Program::decode_function(std::string name, u64 start, Bytes code,
                              const isa::Decoder& decoder) {
  Function function;
  function.name = std::move(name);
  function.first = static_cast<u32>(size());
  for (u64 at = 0; at < code.size();) {
    isa::Instruction one = decoder.decode(code.subspan(at), start + at);
    if (one.ok()) {
      address.push_back(start + at);
      length.push_back(one.length);
      flow.push_back(one.flow);
      target_address_.push_back(one.has_target ? one.target : 0);
      function_of.push_back(static_cast<u32>(functions.size()));
    }
    at += one.step();
  }
  function.end = static_cast<u32>(size());
  if (function.end == function.first) return;
  if (function.name == "main") main = static_cast<u32>(functions.size());
  functions.push_back(std::move(function));
}

u32 Program::at(u64 wanted) const {
  auto found = std::lower_bound(address.begin(), address.end(), wanted);
  if (found == address.end() || *found != wanted) return nowhere;
  return static_cast<u32>(found - address.begin());
}

void Program::link() {
  target.assign(size(), nowhere);
  next_branch.assign(size(), nowhere);
  cost_to_ret.assign(size(), no_way);
  for (u32 i = 0; i < size(); ++i)
    if (target_address_[i]) target[i] = at(target_address_[i]);
  find_switch_targets();
  for (const Function& function : functions) {
    find_next_branches(function);
    find_costs(function);
  }
}

void Program::find_next_branches(const Function& function) {
  u32 next = nowhere;
  for (u32 i = function.end; i-- > function.first;) {
    bool gap = i + 1 < function.end && address[i] + length[i] != address[i + 1];
    if (gap || flow[i] == Flow::other) next = nowhere;
    if (isa::ends_range(flow[i])) next = i;
    next_branch[i] = next;
  }
}

// What an indirect jump may reach: starts of blocks that nothing falls into.
void Program::find_switch_targets() {
  for (Function& function : functions) {
    for (u32 i = function.first + 1; i < function.end; ++i) {
      Flow before = flow[i - 1];
      if (before == Flow::jump || before == Flow::ret || before == Flow::indirect_jump)
        function.switch_targets.push_back(i);
    }
  }
}

// Calls are dear, so that a walk that wants to get out avoids recursion.
u32 Program::cost_after(u32 i, const Function& function) const {
  auto cost = [&](u32 to) { return to < size() ? cost_to_ret[to] : no_way; };
  u32 next = i + 1 < function.end ? cost(i + 1) : no_way;
  auto inside = [&](u32 to) { return to >= function.first && to < function.end; };
  switch (flow[i]) {
    case Flow::ret:
      return 0;
    case Flow::other:
      return no_way;
    case Flow::jump:
      return inside(target[i]) ? cost(target[i]) + 1 : 500;
    case Flow::conditional:
      return std::min(next, inside(target[i]) ? cost(target[i]) : 500) + 1;
    case Flow::call:
    case Flow::indirect_call:
      return next + 1000;
    case Flow::indirect_jump: {
      u32 best = 500;
      for (u32 to : function.switch_targets) best = std::min(best, cost(to) + 1);
      return best;
    }
    case Flow::none:
      break;
  }
  return next + 1;
}

void Program::find_costs(const Function& function) {
  bool changed = true;
  for (int round = 0; changed && round < 50; ++round) {
    changed = false;
    for (u32 i = function.end; i-- > function.first;) {
      u32 now = std::min(cost_after(i, function), no_way);
      changed |= now < cost_to_ret[i];
      cost_to_ret[i] = std::min(cost_to_ret[i], now);
    }
  }
}

}  // namespace pgokit::walk

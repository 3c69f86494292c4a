#include "generate/functions/lost_loops.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <optional>

#include "program/stubs.h"

namespace pgokit::generate {
namespace {

bool replaces_loops(std::string_view function) {
  constexpr std::array<std::string_view, 5> replacements{"memset", "memcpy", "memmove", "strlen",
                                                         "wcslen"};
  return std::ranges::find(replacements, function) != replacements.end();
}

class LostLoops {
 public:
  LostLoops(const program::Program& program, const probe::Decoded& probes)
      : program_(program), probes_(probes) {}

  void look_at(program::CodeIndex call) {
    const auto& code = program_.code();
    if (!code.is_call(call) && !code.is_jump(call)) return;
    u64 address = code.address_of(call).value;
    if (probes_.call_probe(address) || !replaces_loop(code.direct_target(call).value)) return;
    const auto* head = head_of(call);
    if (!head || head->index + 2 > probe::largest_index) return;
    for (u32 behind : {1, 2})
      if (is_there(head->node, head->index + behind)) return;
    last_found_ = call;
    for (u32 behind : {1, 2})
      found_.push_back({.address = address, .node = head->node, .index = head->index + behind});
  }
  std::vector<probe::Probe> found() && { return std::move(found_); }

 private:
  // Of a function, or of the stub through which a library's is called.
  bool replaces_loop(u64 target) {
    if (!stubs_) stubs_ = program::find_stubs(program_.file());
    auto stub = std::ranges::lower_bound(*stubs_, target, {}, &program::Stub::address);
    if (stub != stubs_->end() && stub->address == target) {
      if (!stub->resolver) return replaces_loops(stub->name);
      target = stub->resolver;
    }
    return std::ranges::any_of(program_.symbols().inside(target, target + 1),
                               [](const auto& symbol) { return replaces_loops(symbol.name); });
  }

  // The block at whose end it is decided whether the loop runs: the last one in front of the branch
  // around the call. What is behind that branch belongs to what follows the loop. Two loops in turn
  // may have one branch: then it is the last block since the call that stands for the first.
  const probe::Probe* head_of(program::CodeIndex call) const {
    const auto& code = program_.code();
    const auto* function = program_.functions().find(code.address_of(call).value);
    if (!function) return nullptr;
    u64 first = function->start;
    auto branch = call;
    for (auto at = code.before(call);; at = code.before(at)) {
      if (at == program::no_code || code.address_of(at).value < first) return nullptr;
      if (!code.is_transfer(at)) continue;
      if (is_conditional(at))
        branch = at;
      else if (at == last_found_)
        first = code.address_of(at).value + 1;
      else
        return nullptr;
      break;
    }
    auto before = probes_.in(first, code.address_of(branch).value);
    while (!before.empty() && !before.back().is_block()) before = before.first(before.size() - 1);
    if (before.empty()) return nullptr;
    auto at = code.index_of({before.back().address});
    return at != program::no_code && code.falls_through(at, branch) ? &before.back() : nullptr;
  }

  bool is_conditional(program::CodeIndex at) const {
    const auto& code = program_.code();
    return code.is_transfer(at) && !code.stops_flow(at) && !code.is_indirect_jump(at);
  }

  // Blocks and calls, those of inlined functions too.
  bool is_there(u32 node, u32 index) {
    auto [found, fresh] = indexes_.try_emplace(node);
    auto& there = found.value();
    if (fresh) list_indexes(node, there);
    return index < there.size() && there[index];
  }
  void list_indexes(u32 node, std::vector<bool>& there) const {
    auto add = [&](u32 index) {
      if (index >= there.size()) there.resize(index + 1);
      there[index] = true;
    };
    const auto& nodes = probes_.nodes();
    for (u32 at : probes_.probes_of(nodes[node])) add(probes_.probes()[at].index);
    for (u32 inner = node + 1; inner < nodes[node].subtree_end; inner = nodes[inner].subtree_end)
      add(nodes[inner].call_site);
  }

  const program::Program& program_;
  const probe::Decoded& probes_;
  std::optional<std::vector<program::Stub>> stubs_;
  tsl::robin_map<u32, std::vector<bool>> indexes_;  // by node: those that are there
  std::vector<probe::Probe> found_;
  program::CodeIndex last_found_ = program::no_code;
};

}  // namespace

void add_lost_loops(const program::Program& program, std::vector<program::CodeIndex> calls,
                    probe::Decoded& probes) {
  std::ranges::sort(calls);
  calls.erase(std::ranges::unique(calls).begin(), calls.end());
  LostLoops loops(program, probes);
  for (auto call : calls)
    if (call != program::no_code) loops.look_at(call);
  auto found = std::move(loops).found();
  if (!found.empty()) probes.add(std::move(found));
}

}  // namespace pgokit::generate

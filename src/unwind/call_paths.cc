#include "unwind/call_paths.h"

#include <algorithm>

namespace pgokit::unwind {

namespace {

u64 key_of(CallPath parent, program::CodeIndex call) {
  return u64{static_cast<u32>(parent)} << 32 | static_cast<u32>(call);
}

}  // namespace

void CallPaths::index() {
  indexed_ = true;
  for (u32 i = 1; i < nodes_.size(); ++i)
    ids_.try_emplace(key_of(nodes_[i].parent, nodes_[i].call), CallPath(i));
}

CallPath CallPaths::child(CallPath parent, program::CodeIndex call) {
  if (!indexed_) index();
  auto [found, fresh] = ids_.try_emplace(key_of(parent, call), CallPath(nodes_.size()));
  if (fresh) nodes_.push_back({parent, call});
  return found->second;
}

std::vector<program::CodeIndex> CallPaths::calls(CallPath path) const {
  std::vector<program::CodeIndex> calls;
  for (; path != CallPath::empty; path = parent(path)) calls.push_back(call(path));
  std::ranges::reverse(calls);
  return calls;
}

}  // namespace pgokit::unwind

#include "unwind/call_paths.h"

#include <algorithm>

namespace pgokit::unwind {

CallPath CallPaths::child(CallPath parent, binary::CodeIndex call) {
  u64 key = u64{static_cast<u32>(parent)} << 32 | static_cast<u32>(call);
  auto [found, fresh] = ids_.try_emplace(key, static_cast<CallPath>(nodes_.size()));
  if (fresh) nodes_.push_back({parent, call});
  return found->second;
}

std::vector<binary::CodeIndex> CallPaths::calls(CallPath path) const {
  std::vector<binary::CodeIndex> calls;
  for (; path != CallPath::empty; path = parent(path)) calls.push_back(call(path));
  std::ranges::reverse(calls);
  return calls;
}

}  // namespace pgokit::unwind

#include "instrument/inlined.h"

#include <algorithm>

namespace pgokit::instrument {

InlinedNames inlined_where_it_ran(const Module& module, const dwarf::DebugInfo& debug) {
  InlinedNames names;
  dwarf::FrameCursor cursor(debug);
  u64 last_scope = ~u64{0};
  for (u32 i = 0; i < module.functions.size(); ++i) {
    if (module.data.ran[i] == 0) continue;
    const auto& function = module.functions[i];
    const u64 end = function.address + std::min<u64>(std::max(function.size, 1u), longest_code);
    for (u64 at = function.address; at < end;) {
      const auto& part = cursor.at(at);
      if (part.scope != last_scope && !part.frames.empty())
        for (const auto& frame : part.frames.subspan(1)) names.emplace(frame.function);
      last_scope = part.scope;
      at = std::max(part.end, at + 1);
    }
  }
  return names;
}

}  // namespace pgokit::instrument

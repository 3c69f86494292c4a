#include "instrument/block_places.h"

#include <algorithm>
#include <map>

#include "dwarf/line_offset.h"
#include "instrument/blocks.h"
#include "instrument/plain_names.h"

namespace pgokit::instrument {
namespace {

class PlaceFinder {
 public:
  PlaceFinder(const Module& module, const dwarf::DebugInfo& debug)
      : module_(module), cursor_(debug), names_(module) {}

  std::vector<FunctionPlaces> find() {
    for (const auto& function : module_.functions) add_function(function);
    std::vector<FunctionPlaces> list;
    for (const auto& [name, places] : functions_) {
      auto has = [&](bool ran) {
        return std::ranges::any_of(places, [&](const auto& each) { return each.second == ran; });
      };
      if (!has(true) || !has(false)) continue;
      auto& function = list.emplace_back(std::string(name), module_.checksum(name));
      for (const auto& [place, ran] : places)
        function.places.push_back({place.first, place.second, ran});
    }
    return list;
  }

 private:
  using Places = std::map<std::pair<u32, u32>, bool>;  // line and column → whether it ran

  void add_function(const Function& function) {
    auto counts = block_counts(module_, function);
    if (!counts.known()) return;
    auto blocks = module_.blocks_of(function);
    for (u32 b = 0; b < blocks.size(); ++b) {
      u64 end = std::min(module_.block_end(function, b), blocks[b].address + longest_code);
      add_code(function, blocks[b].address, end, counts.has_run(b));
    }
  }

  void add_code(const Function& function, u64 begin, u64 end, bool ran) {
    for (u64 at = begin; at < end;) {
      const auto& part = cursor_.at(at);
      for (size_t i = 0; i < part.frames.size(); ++i) {
        const auto& frame = part.frames[i];
        auto name = i == 0 ? module_.source_name(function) : names_.source_name(frame.function);
        if (name.empty() || frame.line == 0 || frame.start_line == 0) continue;
        bool& known = functions_[name][{dwarf::line_offset(frame), frame.column}];
        known = known || ran;
      }
      at = std::max(part.end, at + 1);
    }
  }

  const Module& module_;
  dwarf::FrameCursor cursor_;
  PlainNames names_;
  std::map<std::string_view, Places> functions_;
};

}  // namespace

std::vector<FunctionPlaces> block_places(const Module& module, const dwarf::DebugInfo& debug) {
  return PlaceFinder(module, debug).find();
}

}  // namespace pgokit::instrument

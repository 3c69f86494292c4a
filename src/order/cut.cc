#include "order/cut.h"

#include <algorithm>

namespace pgokit::order {

std::vector<u32> Cut::apply(std::span<const Touch> touches, std::span<const Mark> marks,
                            bool has_times, const Model& model, CutFacts& facts) const {
  size_t end = touches.size();
  if (microseconds && !has_times) ++facts.without_time;
  if (microseconds && has_times) {
    auto late = std::ranges::find_if(
        touches, [&](const Touch& touch) { return touch.microseconds > *microseconds; });
    end = static_cast<size_t>(late - touches.begin());
  }
  if (mark) {
    auto said = std::ranges::find(marks, *mark, &Mark::number);
    if (said == marks.end())
      ++facts.without_mark;
    else
      end = std::min<size_t>(end, said->functions);
  }
  if (!function.empty()) {
    auto marker = model.find(function);
    auto ran = marker ? std::ranges::find(touches, *marker, &Touch::function) : touches.end();
    if (ran == touches.end())
      ++facts.without_function;
    else
      end = std::min(end, static_cast<size_t>(ran - touches.begin()) + 1);
  }
  ++facts.traces;
  facts.touches += touches.size();
  std::vector<u32> functions;
  std::vector<bool> seen(model.functions.size());
  for (const auto& touch : touches.first(end)) {
    if (seen[touch.function]) continue;
    seen[touch.function] = true;
    functions.push_back(touch.function);
  }
  facts.kept += functions.size();
  return functions;
}

}  // namespace pgokit::order

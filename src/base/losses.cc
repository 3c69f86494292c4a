#include "base/losses.h"

#include <fmt/format.h>

#include <algorithm>

namespace pgokit {

void Losses::add(std::string_view what, u64 count, u64 of) {
  if (count == 0) return;
  auto known = std::ranges::find(list_, what, &Loss::what);
  if (known == list_.end()) known = list_.insert(list_.end(), Loss{std::string(what)});
  known->count += count;
  known->of += of;
}

void Losses::print(std::FILE* out, std::string_view prefix) const {
  for (const auto& loss : list_) {
    std::string share;
    if (loss.of)
      share = fmt::format(" ({:.2f}% of {})",
                          100.0 * static_cast<double>(loss.count) / static_cast<double>(loss.of),
                          loss.of);
    fmt::print(out, "{}: warning: {} {}{}\n", prefix, loss.count, loss.what, share);
  }
}

}  // namespace pgokit

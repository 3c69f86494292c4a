#include "samples/raw_sum.h"

#include <iterator>

#include "base/saturated.h"
#include "samples/raw_lines.h"

namespace pgokit::samples {
Result<RawSum::Contexts> RawSum::read(std::string_view text, u64 weight) {
  Contexts contexts;
  RawLines lines(text);
  if (lines.at_end()) return lines.broken();
  while (!lines.at_end()) {
    std::string context;
    if (lines.current().starts_with('[')) {
      context = lines.current();
      while (!context.empty() && (context.back() == '\r' || context.back() == ' '))
        context.pop_back();
      if (!context.ends_with(']')) return lines.broken();
      lines.advance();
    }
    Block& block = contexts[context];
    auto into = [weight](Pairs& pairs) {
      return [&pairs, weight](u64 first, u64 second, u64 count) {
        u64& sum = pairs[{static_cast<i64>(first), static_cast<i64>(second)}];
        sum = add_saturated(sum, multiply_saturated(count, weight));
      };
    };
    TRY(read_raw_block(lines, "-", into(block.ranges)));
    TRY(read_raw_block(lines, "->", into(block.branches)));
  }
  if (contexts.contains("") && contexts.size() > 1)
    return fail("some of its counts have contexts and some have none");
  return contexts;
}

Status RawSum::add(std::string_view text, u64 weight) {
  auto contexts = TRY(read(text, weight));
  if (!contexts_.empty() && contexts_.contains("") != contexts.contains(""))
    return fail("is {} contexts, unlike the inputs before",
                contexts.contains("") ? "without" : "with");
  for (const auto& [context, block] : contexts) {
    Block& sum = contexts_[context];
    for (const auto& [pair, count] : block.ranges)
      sum.ranges[pair] = add_saturated(sum.ranges[pair], count);
    for (const auto& [pair, count] : block.branches)
      sum.branches[pair] = add_saturated(sum.branches[pair], count);
  }
  return {};
}

void RawSum::write(const std::function<void(std::string_view part)>& write) const {
  for (const auto& [context, block] : contexts_) {
    std::string text;
    auto out = std::back_inserter(text);
    std::string_view indent = context.empty() ? "" : "  ";
    if (!context.empty()) fmt::format_to(out, "{}\n", context);
    auto put = [&](const Pairs& pairs, std::string_view separator) {
      fmt::format_to(out, "{}{}\n", indent, pairs.size());
      for (const auto& [pair, count] : pairs)
        fmt::format_to(out, "{}{:x}{}{:x}:{}\n", indent, static_cast<u64>(pair.first), separator,
                       static_cast<u64>(pair.second), count);
    };
    put(block.ranges, "-");
    put(block.branches, "->");
    write(text);
  }
}

RawSum::Totals RawSum::totals() const {
  Totals totals;
  for (const auto& [context, block] : contexts_) {
    totals.contexts += !context.empty();
    totals.ranges += block.ranges.size();
    totals.branches += block.branches.size();
    for (const auto& [range, count] : block.ranges) totals.ran = add_saturated(totals.ran, count);
    for (const auto& [branch, count] : block.branches)
      totals.taken = add_saturated(totals.taken, count);
  }
  return totals;
}

}  // namespace pgokit::samples

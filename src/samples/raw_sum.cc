#include "samples/raw_sum.h"

#include <iterator>

#include "samples/raw_lines.h"

namespace pgokit::samples {
namespace {

void add_to(u64& sum, u64 count) {
  if (__builtin_add_overflow(sum, count, &sum)) sum = ~u64{0};
}

u64 times(u64 count, u64 weight) {
  return __builtin_mul_overflow(count, weight, &count) ? ~u64{0} : count;
}

}  // namespace

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
        add_to(pairs[{static_cast<i64>(first), static_cast<i64>(second)}], times(count, weight));
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
    for (const auto& [pair, count] : block.ranges) add_to(sum.ranges[pair], count);
    for (const auto& [pair, count] : block.branches) add_to(sum.branches[pair], count);
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

}  // namespace pgokit::samples

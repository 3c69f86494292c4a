#include "measure/output_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/printable.h"

namespace pgokit::measure {
namespace {

// None: it is at its end.
std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::string shown(std::optional<std::string_view> line, size_t from) {
  constexpr size_t most = 60;
  if (!line) return "missing";
  auto part = line->substr(std::min(from, line->size()));
  return fmt::format("{}'{}{}'", from ? "... " : "", printable_line(part.substr(0, most)),
                     part.size() > most ? "..." : "");
}

}  // namespace

std::string first_difference(std::string_view is, std::string_view other) {
  constexpr size_t before = 20;  // of the line, where that is long
  for (size_t number = 1; !is.empty() || !other.empty(); ++number) {
    auto ours = take_line(is), theirs = take_line(other);
    if (ours == theirs) continue;
    size_t same = 0;
    if (ours && theirs)
      same = static_cast<size_t>(std::ranges::mismatch(*ours, *theirs).in1 - ours->begin());
    size_t from = same > 2 * before ? same - before : 0;
    return fmt::format("line {} is {}, not {}", number, shown(ours, from), shown(theirs, from));
  }
  return "";
}

}  // namespace pgokit::measure

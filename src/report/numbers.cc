#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/share.h"

namespace pgokit::report {
namespace {

// Into the digits from `begin` to `end`.
std::string with_commas(std::string text, size_t begin, size_t end) {
  for (size_t at = end; at > begin + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

std::string grouped(u64 number) {
  std::string text = fmt::format("{}", number);
  return with_commas(text, 0, text.size());
}

std::string counted(u64 number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped(number), one)
                      : fmt::format("{} {}", grouped(number), many);
}

std::string as_percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string percent(u64 part, u64 whole, int decimals) {
  std::string text = as_percent(share(part, whole), decimals);
  // what is not all of it is not shown as all of it
  if (part < whole && text.starts_with("100")) return fmt::format(">99.{:9<{}} %", "", decimals);
  return text;
}

std::string percent_change(double share, int decimals) {
  return fmt::format("{:+.{}f} %", 100 * share, decimals);
}

std::string fixed(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  return with_commas(text, text.starts_with('-'), std::min(text.find('.'), text.size()));
}

std::string file_size(u64 bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  const char* unit = "kB";
  double size = static_cast<double>(bytes) / 1e3;
  if (size >= 1e3) size /= 1e3, unit = "MB";
  if (size >= 1e3) size /= 1e3, unit = "GB";
  return fmt::format("{:.1f} {}", size, unit);
}

}  // namespace pgokit::report

#include "report/numbers.h"

#include <fmt/format.h>

namespace pgokit::report {

std::string grouped(u64 number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string counted(u64 number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped(number), one)
                      : fmt::format("{} {}", grouped(number), many);
}

std::string percent(u64 part, u64 whole) {
  if (whole == 0) return "0%";
  double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  // what is not all of it is not shown as all of it
  if (part < whole && share > 99.95) return ">99.9%";
  return fmt::format("{:.1f}%", share);
}

std::string file_size(u64 bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const char* unit = "kB";
  double size = static_cast<double>(bytes) / 1e3;
  if (size >= 1e3) size /= 1e3, unit = "MB";
  if (size >= 1e3) size /= 1e3, unit = "GB";
  return fmt::format("{:.1f} {}", size, unit);
}

}  // namespace pgokit::report

#include "base/utc_date.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/parse_number.h"

namespace pgokit {
namespace {

namespace chr = std::chrono;

// A number of exactly `digits` digits, with `after` behind it.
bool take_part(std::string_view& text, size_t digits, std::string_view after, u32& value) {
  if (text.size() < digits || !parse_number(text.substr(0, digits), value)) return false;
  text.remove_prefix(digits);
  if (!text.starts_with(after)) return false;
  text.remove_prefix(after.size());
  return true;
}

std::optional<u64> take_day(std::string_view& text) {
  u32 year = 0, month = 0, day = 0;
  if (!take_part(text, 4, "-", year) || !take_part(text, 2, "-", month) ||
      !take_part(text, 2, "", day))
    return std::nullopt;
  chr::year_month_day date{chr::year(static_cast<int>(year)), chr::month(month), chr::day(day)};
  if (!date.ok() || year < 1970) return std::nullopt;
  return static_cast<u64>(chr::sys_days(date).time_since_epoch().count()) * seconds_of_day;
}

}  // namespace

std::string utc_text(u64 seconds) {
  seconds = std::min(seconds, latest_date);
  chr::year_month_day date{chr::sys_days(chr::days(seconds / seconds_of_day))};
  u64 time = seconds % seconds_of_day;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time / 3600, time / 60 % 60, time % 60);
}

std::optional<u64> parse_utc(std::string_view text) {
  if (u64 seconds = 0; parse_number(text, seconds))
    return seconds <= latest_date ? std::optional(seconds) : std::nullopt;
  auto day = take_day(text);
  if (!day || text.empty()) return day;
  u32 hour = 0, minute = 0, second = 0;
  if (!text.starts_with('T')) return std::nullopt;
  text.remove_prefix(1);
  if (!take_part(text, 2, ":", hour) || !take_part(text, 2, ":", minute) ||
      !take_part(text, 2, "Z", second) || !text.empty())
    return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return *day + u64{hour} * 3600 + minute * 60 + second;
}

}  // namespace pgokit

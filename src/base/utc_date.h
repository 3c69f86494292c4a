#pragma once

// Points in time as files and options write them: seconds since 1970 in UTC.
//
//   std::string text = utc_text(1700000000);             // "2023-11-14T22:13:20Z"
//   auto date = parse_utc("2023-11-14");                 // midnight; nullopt: no date
//
// Leap seconds do not exist, as in POSIX. Years go up to 9999.

#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace pgokit {

inline constexpr u64 seconds_of_day = 86400;
inline constexpr u64 latest_date = 253402300799;  // the last second of the year 9999

// Later ones are shown as latest_date.
std::string utc_text(u64 seconds);
// "2023-11-14", "2023-11-14T22:13:20Z", or seconds as SOURCE_DATE_EPOCH has them ("1700000000").
std::optional<u64> parse_utc(std::string_view text);

}  // namespace pgokit

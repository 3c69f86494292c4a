#include "cli/dates.h"

#include <cstdlib>
#include <ctime>

#include "base/utc_date.h"

namespace pgokit::cli {

Result<std::optional<u64>> date_of(std::string_view option, const std::string& value) {
  constexpr std::string_view wanted =
      "2024-05-17, 2024-05-17T08:30:00Z or seconds since 1970 is wanted";
  if (!value.empty()) {
    auto date = parse_utc(value);
    if (!date) return usage_error("{} {}: {}", option, value, wanted);
    return date;
  }
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (!epoch || !*epoch) return std::optional<u64>();
  auto date = parse_utc(epoch);
  if (!date) return fail("SOURCE_DATE_EPOCH={}: seconds since 1970 are wanted", epoch);
  return date;
}

Result<u64> current_date() {
  auto date = TRY(date_of("", ""));
  return date ? *date : static_cast<u64>(std::time(nullptr));
}

}  // namespace pgokit::cli

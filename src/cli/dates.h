#pragma once

// Dates that commands are given.
//
//   auto date = TRY(date_of("--date", settings.date));      // SOURCE_DATE_EPOCH where that is empty

#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

// Of an option, or else of SOURCE_DATE_EPOCH, which makes what is written reproducible; nullopt:
// neither is given. In seconds since 1970.
Result<std::optional<u64>> date_of(std::string_view option, const std::string& value);

// The same without an option, or now.
Result<u64> current_date();

}  // namespace pgokit::cli

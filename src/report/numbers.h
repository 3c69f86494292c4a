#pragma once

// Numbers as people read them; JSON has them raw.

#include <string>
#include <string_view>

#include "base/types.h"

namespace pgokit::report {

std::string grouped(u64 number);  // 1,234,567
// "1 thread", "2 threads"; `many` where an s is not enough
std::string counted(u64 number, std::string_view one, std::string_view many = "");
std::string percent(u64 part, u64 whole, int decimals = 1);  // 12.3 %
std::string as_percent(double share, int decimals = 1);      // the same of 0.123
std::string percent_change(double share, int decimals = 1);  // +12.3 %
std::string fixed(double number, int decimals = 1);          // 1,234.5
std::string file_size(u64 bytes);                            // 4.1 MB

}  // namespace pgokit::report

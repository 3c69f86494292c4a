#pragma once

namespace pgokit {

inline constexpr const char* version = "0.1.0";

}  // namespace pgokit

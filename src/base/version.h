#pragma once

namespace pgokit {

// "0.2.0", of the first line of debian/changelog.
extern const char* const version;

}  // namespace pgokit

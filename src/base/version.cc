#include "base/version.h"

namespace pgokit {

const char* const version = PGOKIT_VERSION;

}  // namespace pgokit

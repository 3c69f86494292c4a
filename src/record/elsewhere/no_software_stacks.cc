// For processors whose code is not translated: all of the recorder but software branch stacks.
#include "record/recorder.h"

namespace pgokit::record {

std::string_view software_obstacle() {
  return "branch stacks in software are there for x86-64 only";
}

Result<RecordSummary> record_in_software(const RecordSettings&) {
  return fail("{} ('pgokit doctor' tells what there is)", software_obstacle());
}

}  // namespace pgokit::record

// Finds the functions of a program that was built to correlate its counters, in both ways.
#include <cstdlib>

#include "instr_profile/correlate/correlate.h"
#include "object/file.h"

using namespace pgokit;
using namespace pgokit::instr_profile;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = object::File::parse({data, size});
  if (!file) return 0;
  // What compressed sections hold is bounded by nothing here.
  for (const auto& section : file->sections())
    if (section.size > 1 << 20) return 0;
  for (bool by_debug_info : {false, true}) {
    CorrelationWarnings warnings;
    auto found = by_debug_info ? correlate_by_debug_info(*file, warnings)
                               : correlate_by_sections(*file, warnings);
    if (warnings.texts.size() > warnings.most) std::abort();
    if (found && found->functions.empty()) std::abort();
  }
  return 0;
}

#include "instr_profile/indexed/read_indexed.h"
#include "instr_rewrite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (instr_profile::is_indexed({data, size})) check_instr({data, size});
  return 0;
}

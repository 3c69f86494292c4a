#include "instr_profile/raw/read_raw.h"
#include "instr_rewrite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (instr_profile::is_raw({data, size})) check_instr({data, size});
  return 0;
}

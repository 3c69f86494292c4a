#include "instr_profile/text/read_text.h"
#include "instr_rewrite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (instr_profile::is_text({data, size})) check_instr({data, size});
  return 0;
}

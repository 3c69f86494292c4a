#include <algorithm>
#include <cstdlib>

#include "annotate/source_folder.h"
#include "base/cursor.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = as_text({data, size});
  annotate::Definitions found;
  annotate::find_definitions(text, "a.cc", {"f", "main", "next"}, found);
  auto lines = static_cast<u32>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const auto& [name, definitions] : found)
    for (const auto& one : definitions)
      if (one.line == 0 || one.last < one.line || one.last > lines) abort();
  return 0;
}

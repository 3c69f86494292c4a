// Any text: lowered, it has the same lines up to the data at its end, and nothing left to lower.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/cursor.h"
#include "probe/lowering.h"

namespace {

using pgokit::probe::Lowering;

std::string lowered(const Lowering& lowering) {
  std::string out;
  lowering.write([&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view text = pgokit::as_text({data + 1, size - 1});
  pgokit::probe::LoweringOptions options;
  options.unknown_functions = data[0] & 1;
  if (data[0] & 2) options.dialect = pgokit::assembly::Dialect::aarch64;
  auto lowering = Lowering::read(text, "in", options);
  if (!lowering) return 0;
  std::string out = lowered(*lowering);
  if (std::ranges::count(out, '\n') < std::ranges::count(text, '\n')) std::abort();
  auto again = Lowering::read(out, "out", options);
  if (!again || lowered(*again) != out) std::abort();
  return 0;
}

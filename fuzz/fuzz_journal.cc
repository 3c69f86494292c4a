// Journals of what has been done: what is read is written alike. Memory stays below four times the
// file's size, and 512 bytes for each line.
#include <cstdlib>
#include <string_view>

#include "optimize/journal.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t lines = 0;
  for (char c : text) lines += c == '\n';
  size_t before = memory_watch::start();
  auto journal = optimize::Journal::parse(text);
  if (memory_watch::most() - before > 4 * size + 512 * lines + (1 << 20)) std::abort();
  if (!journal) return 0;
  auto written = journal->text();
  auto again = optimize::Journal::parse(written);
  if (!again || again->text() != written) std::abort();
  return 0;
}

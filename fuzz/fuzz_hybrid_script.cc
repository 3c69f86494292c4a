// Text with call chains, unwound over a program of two functions: no crash, and the same counts on
// one thread and on three.
#include <cstdlib>
#include <functional>

#include "base/cursor.h"
#include "opened_program.h"
#include "unwind/contexts/raw_contexts.h"
#include "unwind/hybrid_script.h"

namespace {

using namespace pgokit;

std::string unwound(std::string_view text, bool by_frames, unsigned threads) {
  auto read = unwind::unwind_script(text, fuzz::opened_program(), {.by_frames = by_frames},
                                    {.threads = threads});
  if (!read) return read.error().message;
  std::string raw;
  unwind::write_raw_contexts(read->counts, fuzz::opened_program().code(),
                             fuzz::opened_program().text_base(),
                             [&](std::string_view part) { raw += part; });
  return raw;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = as_text({data, size});
  // Setting up an unwinder takes most of the time: each text is unwound in one way, and only some
  // on several threads. The text itself decides, so that what is found can be found again.
  size_t choice = std::hash<std::string_view>{}(text);
  bool by_frames = choice & 1;
  auto alone = unwound(text, by_frames, 1);
  if (choice % 16 < 2 && unwound(text, by_frames, 3) != alone) std::abort();
  return 0;
}

// The first byte chooses what the text profile behind it goes through.
#include "profile/format.h"
#include "transform/ambiguous.h"
#include "transform/post_process.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t enough = 1 << 16;  // an inlinee may be added to a profile at every level
  if (size < 2 || size > enough || profile::sniff({data + 1, size - 1}) != profile::Format::text)
    return 0;
  auto read = profile::read_profile({data + 1, size - 1});
  if (!read) return 0;
  auto& profile = read->profile;
  u8 choice = data[0];
  transform::ContextOptions options;
  options.preinline = choice & 1;
  options.size_of_context = false;  // there is no program
  options.trim_cold = choice & 2;
  options.nest = choice & 4;
  options.duplicate_into_base = choice & 8;
  options.cold_frames = 1u + (choice >> 6);
  options.preinliner.cold_threshold = choice & 16 ? 3 : 0;
  if (choice & 32) options.merge_cold = true;
  post_process_contexts(profile, profile::summarize(profile), nullptr, options);
  transform::drop_ambiguous_functions(profile);
  profile.sort();
  (void)profile::summarize(profile);
  (void)write_text(profile);
  return 0;
}

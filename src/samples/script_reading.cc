#include "samples/script_reading.h"

namespace pgokit::samples {

Result<ScriptFacts> summarize_chunks(const std::vector<ScriptChunk>& chunks,
                                     const LoadTracker& loads, bool cut_in_sample) {
  if (!loads.status()) return std::unexpected(loads.status().error());
  if (cut_in_sample) return fail("Hybrid perf sample is corrupted, No LBR sample line at the end");
  ScriptFacts facts;
  facts.mapped = loads.events() > 0;
  facts.base = loads.address().base;
  facts.unparsable_events = loads.unparsable_events();
  u64 lines_before = 0;
  for (const auto& chunk : chunks) {
    if (facts.bad_branches == 0 && !chunk.bad_lines.empty()) {
      facts.first_bad_line = lines_before + chunk.bad_lines[0].line;
      facts.first_bad_text = chunk.bad_lines[0].text;
    }
    facts.bad_branches += chunk.counts.bad_branches;
    facts.bad_frames += chunk.counts.bad_frames;
    lines_before += chunk.counts.lines;
  }
  return facts;
}

}  // namespace pgokit::samples

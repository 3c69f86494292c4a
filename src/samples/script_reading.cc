#include "samples/script_reading.h"

namespace pgokit::samples {

Status check_process(const std::optional<u32>& pid, bool tells_process) {
  if (!pid || tells_process) return {};
  return fail(
      "--pid {}: its samples do not tell their process; print the text with perf script -F "
      "pid,ip,brstack --show-mmap-events, or give the recording itself",
      *pid);
}

std::unexpected<Error> no_kernel_mapped(bool in_words_of_llvm_profgen) {
  if (in_words_of_llvm_profgen)
    return fail("Kernel is requested, but no kernel is found in mmap events.");
  return fail(
      "--kernel: no mapping event is of [kernel.kallsyms]; record as root or with "
      "kernel.kptr_restrict=0, and print text with --show-mmap-events");
}

ScriptFacts summarize_chunks(const std::vector<ScriptChunk>& chunks) {
  ScriptFacts facts;
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

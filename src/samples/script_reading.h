#pragma once

// How all readers of perf script text go through it: in chunks, on all cores, with the load address
// that holds at each place.
//
//   struct Sink : ScriptSink { ... };        // what perf::parse_script() calls, but for mmap()
//   std::vector<Sink> sinks(workers, Sink(program));
//   ScriptFacts facts = TRY(read_script(text, kind, program, options, sinks));

#include <optional>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "samples/load_address.h"

namespace pgokit::samples {

struct ScriptOptions {
  std::optional<u32> pid = {};      // only mapping events of this process
  bool kernel = false;              // the program is the kernel of the recorded machine
  bool llvm_profgen = false;        // text that it does not take is none
  bool run_to_next_branch = false;  // see RecordingOptions
  unsigned threads = 0;
  Progress* progress = nullptr;  // told of the bytes that were read

  perf::ScriptKind kind_of(std::string_view text) const {
    return llvm_profgen ? perf::detect_script(text) : perf::detect_text(text);
  }
};

// What a text says beside its samples.
struct ScriptFacts {
  bool mapped = false;     // a mapping of the program was seen
  u64 base = 0;            // where the first text segment is, at the end of the text
  u64 bad_frames = 0;      // samples dropped for a frame that is no number
  u64 bad_branches = 0;    // branch lines that are broken: their rest was dropped
  u64 first_bad_line = 0;  // of these, counted from 1
  std::string first_bad_text;
  u64 unparsable_events = 0;  // lines that look like mapping events
};

// The base of a sink for one thread.
class ScriptSink {
 public:
  explicit ScriptSink(const binary::Program& program) : program_(&program) {}

  struct BadLine {
    u64 line = 0;
    std::string_view text;
  };

  void start_chunk(size_t number, LoadHistory loads) {
    chunk = number;
    loads_ = std::move(loads);
    address_ = loads_.initial;
    bad_lines.clear();
  }
  void mmap(const perf::MmapLine& event) { address_ = loads_.at(event.line.data()); }
  void bad_branch(u64 line, std::string_view text) {
    if (bad_lines.empty()) bad_lines.push_back({line, text});
  }
  void no_branch_line() { cut_in_sample = true; }

  BinaryAddr translate(u64 runtime) const { return address_.translate(runtime, *program_); }

  size_t chunk = 0;  // the one that is being read
  bool cut_in_sample = false;
  std::vector<BadLine> bad_lines;  // the first of this chunk

 private:
  const binary::Program* program_;
  LoadHistory loads_;
  LoadAddress address_;
};

// What one chunk says of itself; line numbers count from its start.
struct ScriptChunk {
  perf::ScriptCounts counts;
  std::vector<ScriptSink::BadLine> bad_lines;
};

// Fails where mappings contradict each other or the text ends within a sample.
Result<ScriptFacts> summarize_chunks(const std::vector<ScriptChunk>& chunks,
                                     const LoadTracker& loads, bool cut_in_sample);

template <class Sink>
Result<ScriptFacts> read_script(std::string_view text, perf::ScriptKind kind,
                                const binary::Program& program, const ScriptOptions& options,
                                std::vector<Sink>& sinks) {
  constexpr size_t chunk_size = 1 << 20;
  LoadTracker loads(program, options.pid, options.kernel, perf::mmap_rule(kind));
  auto chunks = perf::split_script(text, kind, chunk_size);
  std::vector<ScriptChunk> facts(chunks.size());
  parallel_for(chunks.size(), static_cast<unsigned>(sinks.size()),
               [&](size_t chunk, unsigned worker) {
                 auto& sink = sinks[worker];
                 auto history = loads.history_of(chunk, chunks[chunk]);
                 auto mmap_lines = history.mmap_lines;
                 sink.start_chunk(chunk, std::move(history));
                 facts[chunk].counts = perf::parse_script(chunks[chunk], kind, sink, mmap_lines);
                 facts[chunk].bad_lines = sink.bad_lines;
                 release(as_bytes(chunks[chunk]));
                 if (options.progress) options.progress->advance(chunks[chunk].size());
               });
  bool cut = false;
  for (const auto& sink : sinks) cut |= sink.cut_in_sample;
  auto found = summarize_chunks(facts, loads, cut);
  if (found && options.kernel && !found->mapped)
    return fail("Kernel is requested, but no kernel is found in mmap events.");
  return found;
}

}  // namespace pgokit::samples

#pragma once

// How all readers of perf script text go through it: in chunks, on all cores, with the load address
// that holds at each place; in text with columns, in the process of each sample.
//
//   struct Sink : ScriptSink {           // with what perf::parse_script() calls beside those
//     using ScriptSink::ScriptSink;
//     void begin_sample(u64 repeat);
//     bool frame(u64 address);
//     bool end_of_frames();
//     void branch(u64 from, u64 to);
//     void end_sample();
//     void skip_sample(u64 repeat);
//   };
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
#include "samples/script_maps.h"

namespace pgokit::samples {

struct ScriptOptions {
  // Samples of this process only, which the text has to tell; for llvm-profgen its mapping events.
  std::optional<u32> pid = {};
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
  u64 unparsable_events = 0;   // lines that look like mapping events
  bool tells_process = false;  // of some samples, by a column
};

// An error where samples of one process are asked for, and the text does not tell whose they are.
Status check_process(const std::optional<u32>& pid, bool tells_process);

// The error of --kernel where no mapping event names the kernel, in whose words one chooses.
std::unexpected<Error> no_kernel_mapped(bool in_words_of_llvm_profgen);

// The base of a sink for one thread.
class ScriptSink {
 public:
  explicit ScriptSink(const program::Program& program) : program_(&program) {}

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
  // Of text with columns; a chunk begins at that place of it.
  void start_chunk(size_t number, const ScriptMaps& maps, std::string_view text, u64 place) {
    chunk = number;
    text_ = text.data();
    place_ = place;
    lookup_.emplace(maps);
    bad_lines.clear();
  }
  void mmap(const perf::MmapLine& event) { address_ = loads_.at(event.line.data()); }
  void event(std::string_view line) { place_ = static_cast<u64>(line.data() - text_); }
  // Columns: whether it is a sample of a process that is asked for, in which the program was.
  bool enter(std::optional<u32> pid) {
    tells_process |= pid.has_value();
    return !lookup_ || lookup_->enter(pid, place_);
  }
  void bad_branch(u64 line, std::string_view text) {
    if (bad_lines.empty()) bad_lines.push_back({line, text});
  }
  void no_branch_line() { cut_in_sample = true; }
  u64 frame_address(u64 printed, std::string_view file) const {
    return lookup_ ? lookup_->frame_address(printed, file) : printed;
  }

  BinaryAddr translate(u64 runtime) const {
    return lookup_ ? lookup_->translate(runtime) : address_.translate(runtime, *program_);
  }

  size_t chunk = 0;  // the one that is being read
  bool cut_in_sample = false;
  bool tells_process = false;
  std::vector<BadLine> bad_lines;  // the first of this chunk

 private:
  const program::Program* program_;
  LoadHistory loads_;
  LoadAddress address_;
  std::optional<ScriptMaps::Lookup> lookup_;  // text with columns
  const char* text_ = nullptr;
  u64 place_ = 0;
};

// What one chunk says of itself; line numbers count from its start.
struct ScriptChunk {
  perf::ScriptCounts counts;
  std::vector<ScriptSink::BadLine> bad_lines;
};

// All chunks together; without what mapping events say.
ScriptFacts summarize_chunks(const std::vector<ScriptChunk>& chunks);

// Goes through all chunks; `start` prepares the sink for one.
template <class Sink, class Start>
ScriptFacts read_chunks(const std::vector<std::string_view>& chunks, perf::ScriptKind kind,
                        const ScriptOptions& options, std::vector<Sink>& sinks,
                        const Start& start) {
  std::vector<ScriptChunk> facts(chunks.size());
  parallel_for(chunks.size(), static_cast<unsigned>(sinks.size()),
               [&](size_t chunk, unsigned worker) {
                 auto& sink = sinks[worker];
                 auto mmap_lines = start(sink, chunk);
                 facts[chunk].counts = perf::parse_script(chunks[chunk], kind, sink, mmap_lines);
                 facts[chunk].bad_lines = sink.bad_lines;
                 release(as_bytes(chunks[chunk]));
                 if (options.progress) options.progress->advance(chunks[chunk].size());
               });
  auto all = summarize_chunks(facts);
  for (const auto& sink : sinks) all.tells_process |= sink.tells_process;
  return all;
}

template <class Sink>
ScriptFacts read_columns(std::string_view text, perf::ScriptKind kind,
                         const std::vector<std::string_view>& chunks,
                         const program::Program& program, const ScriptOptions& options,
                         std::vector<Sink>& sinks) {
  ScriptMaps maps(program, text,
                  {.pid = options.pid, .kernel = options.kernel, .threads = options.threads});
  auto facts = read_chunks(chunks, kind, options, sinks, [&](Sink& sink, size_t chunk) {
    auto place = static_cast<u64>(chunks[chunk].data() - text.data());
    sink.start_chunk(chunk, maps, text, place);
    return perf::MmapLines::possible;
  });
  facts.mapped = maps.mappings() > 0;
  facts.unparsable_events = maps.unparsable_events();
  return facts;
}

// Fails where mappings contradict each other or the text ends within a sample.
template <class Sink>
Result<ScriptFacts> read_plain(perf::ScriptKind kind, const std::vector<std::string_view>& chunks,
                               const program::Program& program, const ScriptOptions& options,
                               std::vector<Sink>& sinks) {
  LoadTracker loads(program, options.pid, options.kernel);
  auto facts = read_chunks(chunks, kind, options, sinks, [&](Sink& sink, size_t chunk) {
    auto history = loads.history_of(chunk, chunks[chunk]);
    auto mmap_lines = history.mmap_lines;
    sink.start_chunk(chunk, std::move(history));
    return mmap_lines;
  });
  if (!loads.status()) return std::unexpected(loads.status().error());
  for (const auto& sink : sinks)
    if (sink.cut_in_sample)
      return fail("Hybrid perf sample is corrupted, No LBR sample line at the end");
  facts.mapped = loads.events() > 0;
  facts.base = loads.address().base;
  facts.unparsable_events = loads.unparsable_events();
  return facts;
}

template <class Sink>
Result<ScriptFacts> read_script(std::string_view text, perf::ScriptKind kind,
                                const program::Program& program, const ScriptOptions& options,
                                std::vector<Sink>& sinks) {
  constexpr size_t chunk_size = 1 << 20;
  auto chunks = perf::split_script(text, kind, chunk_size);
  auto found = perf::has_columns(kind) ? read_columns(text, kind, chunks, program, options, sinks)
                                       : read_plain(kind, chunks, program, options, sinks);
  if (!options.llvm_profgen && found) TRY(check_process(options.pid, found->tells_process));
  if (found && options.kernel && !found->mapped) return no_kernel_mapped(options.llvm_profgen);
  return found;
}

}  // namespace pgokit::samples

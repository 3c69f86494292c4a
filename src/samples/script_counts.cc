#include "samples/script_counts.h"

#include "base/file.h"
#include "base/parallel.h"
#include "samples/load_address.h"

namespace pgokit::samples {
namespace {

using binary::CodeIndex;
using perf::ScriptKind;

constexpr size_t chunk_size = 1 << 20;

// What perf::parse_script() calls for each part of a sample.
class ScriptSink {
 public:
  explicit ScriptSink(const binary::Program& program)
      : folder(program.code()), program_(program), code_(program.code()) {}

  void start_chunk(LoadHistory loads) {
    loads_ = std::move(loads);
    address_ = loads_.initial;
    new_bad_lines.clear();
  }

  void mmap(const perf::MmapLine& event) { address_ = loads_.at(event.line.data()); }

  void begin_sample(u64 repeat) {
    repeat_ = repeat;
    frames_ = 0;
    entries_ = 0;
    stack_.emplace(folder.stack(repeat));
  }

  // Leaf first. A return address that follows no call ends the chain.
  bool frame(u64 runtime) {
    auto place = locate(runtime);
    if (frames_ == 0) leaf_ = place;
    bool outside = place == BranchFolder::outside();
    if (!outside && frames_ > 0) {
      CodeIndex before = code_.before(CodeIndex(place));
      if (before == binary::no_code || !code_.is_call(before)) return false;
    }
    ++frames_;
    return true;
  }

  bool end_of_frames() {
    if (frames_ > 0 && !in_prologue_or_epilogue(leaf_)) return true;
    use.samples += repeat_;
    bad_chains += repeat_;
    return false;
  }

  void branch(u64 from, u64 to) {
    auto source = locate(from), target = locate(to);
    use.entries_elsewhere += source == BranchFolder::outside() && target == BranchFolder::outside();
    stack_->add(source, target);
    ++entries_;
  }

  void end_sample() {
    use.samples += repeat_;
    if (entries_ == 0)
      use.without_branches += repeat_;
    else if (!stack_->used())
      use.not_in_program += repeat_;
    else
      use.used += repeat_, use.entries += entries_ * repeat_;
  }

  void bad_branch(u64 line, std::string_view text) {
    if (new_bad_lines.empty()) new_bad_lines.push_back({line, text});
  }

  void no_branch_line() { cut_in_sample = true; }

  struct BadLine {
    u64 line = 0;
    std::string_view text;
  };

  BranchFolder folder;
  SampleUse use;
  u64 bad_chains = 0;
  bool cut_in_sample = false;
  std::vector<BadLine> new_bad_lines;  // the first of this chunk

 private:
  BranchFolder::Place locate(u64 runtime) const {
    return folder.locate(address_.translate(runtime, program_));
  }

  // The first two instructions of a function and the last two before it returns: there the call
  // chain misses the caller.
  bool in_prologue_or_epilogue(BranchFolder::Place place) const {
    if (place == BranchFolder::outside()) return false;
    auto at = CodeIndex(place);
    if (code_.is_return(at) || starts_function(at)) return true;
    CodeIndex next = code_.at_or_after(CodeIndex(place + code_.length(at)));
    if (next != binary::no_code && code_.is_return(next)) return true;
    CodeIndex before = code_.before(at);
    return before != binary::no_code && starts_function(before);
  }

  bool starts_function(CodeIndex at) const {
    return program_.functions().starting_at(code_.address_of(at).value) != nullptr;
  }

  const binary::Program& program_;
  const binary::CodeMap& code_;
  LoadHistory loads_;
  LoadAddress address_;
  std::optional<BranchFolder::Stack> stack_;
  u64 repeat_ = 1, frames_ = 0, entries_ = 0;
  BranchFolder::Place leaf_ = 0;
};

// What one chunk says of itself; line numbers count from its start.
struct ChunkFacts {
  perf::ScriptCounts counts;
  std::vector<ScriptSink::BadLine> bad_lines;
};

}  // namespace

Result<ScriptRead> count_script(std::string_view text, const binary::Program& program,
                                const ScriptOptions& options) {
  ScriptKind kind = perf::detect_script(text);
  if (kind == ScriptKind::invalid) return fail("{}", perf::script_problem(text));
  LoadTracker loads(program, options.pid);

  auto chunks = perf::split_script(text, kind, chunk_size);
  unsigned workers = worker_count(options.threads);
  std::vector<ScriptSink> sinks(workers, ScriptSink(program));
  std::vector<ChunkFacts> facts(chunks.size());
  parallel_for(chunks.size(), workers, [&](size_t chunk, unsigned worker) {
    auto& sink = sinks[worker];
    auto history = loads.history_of(chunk, chunks[chunk]);
    auto mmap_lines = history.mmap_lines;
    sink.start_chunk(std::move(history));
    facts[chunk].counts = perf::parse_script(chunks[chunk], kind, sink, mmap_lines);
    facts[chunk].bad_lines = sink.new_bad_lines;
    release(as_bytes(chunks[chunk]));
    if (options.progress) options.progress->advance(chunks[chunk].size());
  });

  if (!loads.status()) return std::unexpected(loads.status().error());

  ScriptRead read(program.code());
  read.hybrid = kind == ScriptKind::hybrid;
  read.mapped = loads.events() > 0;
  read.unparsable_events = loads.unparsable_events();
  for (const auto& sink : sinks) {
    if (sink.cut_in_sample)
      return fail("Hybrid perf sample is corrupted, No LBR sample line at the end");
    read.folder.merge(sink.folder);
    read.use.add(sink.use);
    read.bad_chains += sink.bad_chains;
  }
  u64 lines_before = 0;
  for (const auto& chunk : facts) {
    if (read.bad_branches == 0 && !chunk.bad_lines.empty()) {
      read.first_bad_line = lines_before + chunk.bad_lines[0].line;
      read.first_bad_text = chunk.bad_lines[0].text;
    }
    read.bad_branches += chunk.counts.bad_branches;
    read.use.samples += chunk.counts.bad_frames;
    read.bad_chains += chunk.counts.bad_frames;
    lines_before += chunk.counts.lines;
  }
  return read;
}

}  // namespace pgokit::samples

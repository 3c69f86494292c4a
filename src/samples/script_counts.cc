#include "samples/script_counts.h"

#include "samples/call_chain.h"

namespace pgokit::samples {
namespace {

using perf::ScriptKind;
using program::CodeIndex;

// What perf::parse_script() calls for each part of a sample.
class CountingSink : public ScriptSink {
 public:
  CountingSink(const program::Program& program, bool run_to_next_branch)
      : ScriptSink(program),
        folder(program.code()),
        program_(program),
        code_(program.code()),
        run_to_next_branch_(run_to_next_branch) {}

  void skip_sample(u64 repeat) {
    ++begun;
    use.count(Fate::elsewhere, repeat);
  }

  void begin_sample(u64 repeat) {
    ++begun;
    repeat_ = repeat;
    frames_ = 0;
    folder.drop_sample();
  }

  // Leaf first. A return address that follows no call ends the chain.
  bool frame(u64 runtime) {
    auto place = folder.locate(translate(runtime));
    bool outside = place == BranchFolder::outside();
    if (frames_ == 0) leaf_ = place, outside_leaves += outside;
    if (!outside && frames_ > 0 && call_before(code_, CodeIndex(place)) == program::no_code)
      return false;
    ++frames_;
    return true;
  }

  bool end_of_frames() {
    bool outside = leaf_ == BranchFolder::outside();
    if (frames_ > 0 && (outside || !in_prologue_or_epilogue(program_, CodeIndex(leaf_))))
      return true;
    use.count(Fate::bad_call_chain, repeat_);
    return false;
  }

  void branch(u64 from, u64 to) {
    folder.entry(folder.place_of(translate(from)), folder.place_of(translate(to)));
  }

  void branch_not_taken(u64 from, u64 to) {
    if (!run_to_next_branch_) return branch(from, to);
    folder.not_taken(folder.place_of(translate(to)));
  }

  void end_sample() {
    auto added = folder.end_sample(repeat_);
    Fate fate = added.entries == 0 ? Fate::without_branches
                : added.used()     ? Fate::used
                                   : Fate::not_in_program;
    use.count(fate, repeat_);
    use.note_stack(fate, added.entries, added.elsewhere, repeat_);
  }

  BranchFolder folder;
  SampleUse use;
  u64 begun = 0, outside_leaves = 0;

 private:
  const program::Program& program_;
  const program::CodeMap& code_;
  bool run_to_next_branch_;
  u64 repeat_ = 1, frames_ = 0;
  BranchFolder::Place leaf_ = 0;
};

}  // namespace

Result<ScriptRead> count_script(std::string_view text, const program::Program& program,
                                const ScriptOptions& options) {
  ScriptKind kind = options.kind_of(text);
  if (kind == ScriptKind::invalid) return fail("{}", perf::script_problem(text));
  std::vector<CountingSink> sinks(worker_count(options.threads),
                                  CountingSink(program, options.run_to_next_branch));
  ScriptRead read(program.code());
  read.facts = TRY(read_script(text, kind, program, options, sinks));
  read.hybrid = perf::has_chains(kind);
  std::vector<BranchFolder> folders;
  for (auto& sink : sinks) {
    folders.push_back(std::move(sink.folder));
    read.use.add(sink.use);
    read.begun += sink.begun;
    read.outside_leaves += sink.outside_leaves;
  }
  read.sums = merge(std::move(folders), options.threads);
  if (options.run_to_next_branch && read.use.deepest == 1)
    read.sums.add_ranges_to_next_branch(program.functions());
  read.use.count(Fate::bad_call_chain, read.facts.bad_frames);
  return read;
}

}  // namespace pgokit::samples

#include "unwind/hybrid_script.h"

#include <utility>

namespace pgokit::unwind {
namespace {

using samples::Fate;

// What perf::parse_script() calls for each part of a sample.
class UnwindingSink : public samples::ScriptSink {
 public:
  UnwindingSink(const program::Program& program, const HybridRules& rules)
      : ScriptSink(program), sampler(program, rules) {}

  void skip_sample(u64 repeat) { sampler.use.count(Fate::elsewhere, repeat); }
  void begin_sample(u64 repeat) {
    repeat_ = repeat;
    if (std::exchange(chunk_, chunk) != chunk) sampler.begin_piece(chunk);
    sampler.begin(repeat);
  }
  bool frame(u64 runtime) { return sampler.frame(sampler.locate(translate(runtime))); }
  bool end_of_frames() {
    bool usable = sampler.end_of_frames();
    if (!usable) sampler.use.count(Fate::bad_call_chain, repeat_);
    return usable;
  }
  void branch(u64 from, u64 to) {
    sampler.branch(sampler.locate_end(translate(from)), sampler.locate_end(translate(to)));
  }
  void end_sample() { sampler.use.count(sampler.end_sample(), repeat_); }

  HybridSampleReader sampler;

 private:
  size_t chunk_ = ~size_t{0};
  u64 repeat_ = 1;
};

}  // namespace

Result<HybridScript> unwind_script(std::string_view text, const program::Program& program,
                                   const HybridRules& rules,
                                   const samples::ScriptOptions& options) {
  auto kind = options.kind_of(text);
  if (kind == perf::ScriptKind::invalid) return fail("{}", perf::script_problem(text));
  if (!perf::has_chains(kind)) return fail("its samples have no call chains");
  std::vector<UnwindingSink> sinks;
  for (unsigned i = 0; i < worker_count(options.threads); ++i) sinks.emplace_back(program, rules);
  auto facts = TRY(samples::read_script(text, kind, program, options, sinks));

  std::vector<HybridSampleReader> samplers;
  for (auto& sink : sinks) samplers.push_back(std::move(sink.sampler));
  HybridScript read{collect(std::move(samplers), program, rules, options.threads),
                    std::move(facts)};
  read.use.count(Fate::bad_call_chain, read.script.bad_frames);
  return read;
}

}  // namespace pgokit::unwind

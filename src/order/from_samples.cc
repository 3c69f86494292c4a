#include "order/from_samples.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "order/code_functions.h"
#include "order/from_counts.h"
#include "perf/call_chain.h"
#include "perf/programs.h"
#include "perf/recording.h"
#include "profile/model/function_samples.h"
#include "samples/counted_branches.h"
#include "samples/ip_counts.h"
#include "samples/program_match.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"
#include "samples/script_counts.h"

namespace pgokit::order {
namespace {

using samples::Fate;

// What one thread saw; functions are numbers of symbols.
class Seen {
 public:
  explicit Seen(const CodeFunctions& functions) : functions_(&functions) {}

  using At = std::optional<CodeFunctions::At>;

  // Leaf first. `runs`: the program itself was at the leaf, not the kernel that it had called or
  // been interrupted by. True: some of it is of the program.
  template <class Chain, class Touch>
  bool chain(BinaryAddr leaf, bool runs, const Chain& frames, Touch touch) {
    At callee = at(leaf);
    bool any = callee.has_value();
    if (callee) {
      samples[callee->symbol] += runs;
      touch(callee->symbol);
    }
    for (BinaryAddr frame : frames) {
      // A return address: the call stands before it.
      At caller = at({frame == samples::external ? 0 : frame.value - 1});
      if (caller) {
        touch(caller->symbol);
        if (callee) call(caller->symbol, callee->symbol, 1);
      }
      any |= caller.has_value();
      callee = caller;
    }
    return any;
  }

  // True: an end is in the program.
  template <class Touch>
  bool branch(BinaryAddr from, BinaryAddr to, u64 count, Touch touch) {
    At source = at(from), target = at(to);
    if (target) touch(target->symbol);
    if (source) touch(source->symbol);
    if (source && target && target->is_start && source->symbol != target->symbol)
      call(source->symbol, target->symbol, count);
    return source || target;
  }

  void call(u32 from, u32 to, u64 count) {
    calls[u64{from} << 32 | to] += count;
    calls_seen += count;
  }

  tsl::robin_map<u64, u64, IntHash> calls;
  tsl::robin_map<u32, u64, IntHash> samples;
  std::map<u32, tsl::robin_map<u32, u64, IntHash>> first;  // by process: symbol → time
  u64 calls_seen = 0;

 private:
  At at(BinaryAddr address) const {
    if (address == samples::external || address.value == 0) return std::nullopt;
    return functions_->at(address.value);
  }

  const CodeFunctions* functions_;
};

class SampleReader {
 public:
  SampleReader(const program::Program& program, const LinkSymbols& symbols,
               const SampleOptions& options, Model& model, CutFacts& cuts)
      : program_(program),
        symbols_(symbols),
        functions_(symbols, model),
        options_(options),
        model_(model),
        cuts_(cuts) {}

  Result<SampleFacts> recording(Bytes bytes) {
    auto recording = TRY(perf::Recording::open(bytes, options_.threads));
    samples::RecordingOptions how{.ignore_build_id = options_.ignore_build_id,
                                  .pid = options_.pid,
                                  .threads = options_.threads};
    perf::ReadCounts unreadable;
    auto mapped = samples::map_program(recording, program_, how.ignore_build_id, false, unreadable);
    if (mapped.mappings == 0 && !mapped.other_build.empty())
      return fail("it was recorded with another build of {}: build id {}, this program has {}",
                  program_.path(), mapped.other_build, object::hex(program_.file().build_id()));
    if (mapped.mappings == 0 && perf::find_programs(recording, how.threads).empty())
      return fail("{}", samples::no_samples);
    if (mapped.mappings == 0) return fail("{} was not running in it", program_.path());
    std::vector<Seen> seen(worker_count(how.threads), Seen(functions_));
    std::vector<samples::SampleUse> uses(seen.size());
    std::vector<samples::SampleWalk> walks(seen.size(),
                                           samples::SampleWalk(recording, mapped.maps, how));
    recording.for_each_piece(static_cast<unsigned>(seen.size()), unreadable,
                             [&](const perf::Piece& piece, unsigned worker) {
                               read(piece.records, walks[worker], uses[worker], seen[worker]);
                             });
    samples::SampleUse use;
    for (const auto& one : uses) use.add(one);
    take(use);
    facts_.unreadable += unreadable.truncated_records + unreadable.unpack_failures;
    if (auto damage = recording.damage(); !damage.empty()) facts_.cut_short = damage;
    facts_.together = samples::has_branch_counts(recording);
    bool counted = facts_.together && !options_.pid;
    if (counted) TRY(take_counts(recording, mapped.maps));
    finish(seen, !counted);
    return facts_;
  }

  Result<SampleFacts> script(std::string_view text) {
    Seen seen(functions_);
    auto nothing = [](u32) {};
    if (perf::detect_text(text) != perf::ScriptKind::invalid) {
      auto read = TRY(samples::count_script(text, program_,
                                            {.pid = options_.pid, .threads = options_.threads}));
      for (const auto& branch : read.sums.counts().branches)
        seen.branch(branch.from, branch.to, branch.count, nothing);
      take(read.use);
    } else {
      auto each = [&](unsigned, std::span<const BinaryAddr> chain) {
        if (!chain.empty()) seen.chain(chain.front(), true, chain.subspan(1), nothing);
      };
      auto read =
          TRY(samples::count_ip_script(text, program_, {.pid = options_.pid, .threads = 1}, each));
      take(read.use);
    }
    facts_.late = options_.traces;
    std::vector<Seen> all{std::move(seen)};
    finish(all, true);
    return facts_;
  }

 private:
  Status take_counts(const perf::Recording& recording, const samples::ProgramMaps& maps) {
    auto counted =
        TRY(samples::counted_branches(recording, program_, maps, options_.ignore_build_id));
    auto facts = add_counts(counted.sums.counts(options_.threads), program_.code(), symbols_,
                            options_.weight, model_);
    facts_.all_counted = counted.all_counted;
    facts_.counted = facts.branches;
    facts_.calls = facts.calls;
    return {};
  }

  void take(const samples::SampleUse& use) {
    facts_.samples = use.samples();
    facts_.used = use.used();
    facts_.elsewhere = use[Fate::elsewhere] + use[Fate::not_in_program];
    facts_.unreadable = use[Fate::unreadable];
  }

  void read(Bytes records, samples::SampleWalk& walk, samples::SampleUse& use, Seen& seen) {
    std::vector<BinaryAddr> frames;
    walk.for_each(records, use, [&](const perf::Sample& sample) {
      if (!walk.enter(sample)) return Fate::elsewhere;
      frames.clear();
      // The first address in user space is the sample's own, of which `ip` is the more precise one.
      // Of a sample in the kernel it is where the program was left: the leaf of what is its own.
      BinaryAddr leaf = walk.translate(sample.ip);
      bool runs = true, is_first = true;
      perf::for_each_frame(sample.callchain, [&](u64 address, perf::FrameMode mode) {
        if (mode != perf::FrameMode::user)
          runs = false;
        else if (!std::exchange(is_first, false))
          frames.push_back(walk.translate(address));
        else if (!runs)
          leaf = walk.translate(address);
      });
      auto touch = [&](u32 symbol) {
        if (!options_.traces) return;
        auto [it, added] = seen.first[sample.pid].try_emplace(symbol, sample.time);
        if (!added) it.value() = std::min(it->second, sample.time);
      };
      bool any = seen.chain(leaf, runs, frames, touch);
      for (const auto& entry : sample.branches)
        any |= seen.branch(walk.translate(entry.from), walk.translate(entry.to), 1, touch);
      return any ? Fate::used : Fate::not_in_program;
    });
  }

  // `weigh`: calls and weights are those of the samples.
  void finish(std::vector<Seen>& all, bool weigh) {
    auto& seen = all.front();
    for (size_t i = 1; i < all.size(); ++i) {
      for (auto [pair, count] : all[i].calls) seen.calls[pair] += count;
      for (auto [symbol, count] : all[i].samples) seen.samples[symbol] += count;
      for (const auto& [pid, first] : all[i].first)
        for (auto [symbol, time] : first) {
          auto [it, added] = seen.first[pid].try_emplace(symbol, time);
          if (!added) it.value() = std::min(it->second, time);
        }
      seen.calls_seen += all[i].calls_seen;
    }
    if (weigh) add_calls(seen);
    for (const auto& [pid, first] : seen.first) add_trace(first);
  }

  void add_calls(const Seen& seen) {
    facts_.calls = seen.calls_seen;
    // By address, so that numbers in the model do not depend on threads.
    std::vector<std::pair<u64, u64>> calls(seen.calls.begin(), seen.calls.end());
    std::ranges::sort(calls);
    for (auto [pair, count] : calls)
      model_.calls.push_back({functions_.function(static_cast<u32>(pair >> 32)),
                              functions_.function(static_cast<u32>(pair)),
                              multiply_saturated(count, options_.weight)});
    std::vector<std::pair<u32, u64>> samples(seen.samples.begin(), seen.samples.end());
    std::ranges::sort(samples);
    for (auto [symbol, count] : samples) {
      u32 number = functions_.function(symbol);
      auto& weight = model_.functions[number].weight;
      weight = add_saturated(weight, multiply_saturated(count, options_.weight));
    }
  }

  void add_trace(const tsl::robin_map<u32, u64, IntHash>& first) {
    std::vector<std::pair<u64, u32>> by_time;
    for (auto [symbol, time] : first) by_time.emplace_back(time, symbol);
    std::ranges::sort(by_time);
    std::vector<Touch> touches;
    for (auto [time, symbol] : by_time)
      touches.push_back({functions_.function(symbol), (time - by_time.front().first) / 1000});
    model_.traces.push_back(
        {options_.cut.apply(touches, {}, true, model_, cuts_), options_.weight, options_.source});
  }

  const program::Program& program_;
  const LinkSymbols& symbols_;
  CodeFunctions functions_;
  const SampleOptions& options_;
  Model& model_;
  CutFacts& cuts_;
  SampleFacts facts_;
};

}  // namespace

Result<SampleFacts> add_samples(Bytes bytes, const program::Program& program,
                                const LinkSymbols& symbols, const SampleOptions& options,
                                Model& model, CutFacts& cuts) {
  SampleReader reader(program, symbols, options, model, cuts);
  if (perf::Recording::recognizes(bytes)) return reader.recording(bytes);
  return reader.script(as_text(bytes));
}

}  // namespace pgokit::order

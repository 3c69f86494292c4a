// Our containers beside those of the standard library and tsl::robin_map, which do the same work in
// turn: "ratio" is their time divided by ours.
#include <benchmark/benchmark.h>
#include <tsl/robin_map.h>

#include <chrono>
#include <cmath>
#include <random>
#include <unordered_map>
#include <vector>

#include "base/compact_vector.h"
#include "base/flat_map.h"
#include "base/hash.h"
#include "profile/model/context.h"
#include "samples/step_counter.h"

namespace pgokit {
namespace {

constexpr size_t batch = 32;  // branches of a stack

template <class Work>
double seconds(const Work& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Ours, class Theirs>
void compare(benchmark::State& state, const Ours& ours, const Theirs& theirs) {
  double mine = 0, other = 0;
  for (auto _ : state) {
    double now = seconds(ours);
    state.SetIterationTime(now);
    mine += now;
    other += seconds(theirs);
  }
  state.counters["ratio"] = other / mine;
}

// Numbers below `different`, small ones more often, as branches of a program are.
std::vector<u32> places(size_t count, u32 different) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<u32> result(count);
  for (u32& place : result) place = static_cast<u32>(different * std::pow(uniform(random), 3));
  return result;
}

u64 branch_of(u32 place) { return IntHash{}(place) & ~u64{1}; }

samples::Step step_of(u32 place) {
  auto hash = IntHash{}(place);
  auto start = static_cast<u32>(hash) & 0xffffff;
  return {start, start + 7, static_cast<u32>(hash >> 32) & 0xffffff};
}

template <class Map>
void count_one_by_one(const std::vector<u32>& keys) {
  Map counts;
  for (u32 key : keys) ++counts[branch_of(key)];
  benchmark::DoNotOptimize(counts.size());
}

void count_in_batches(const std::vector<u32>& keys) {
  FlatMap<u64> counts;
  for (size_t at = 0; at + batch <= keys.size(); at += batch) {
    for (size_t i = at; i < at + batch; ++i) counts.prefetch(branch_of(keys[i]));
    for (size_t i = at; i < at + batch; ++i) ++counts[branch_of(keys[i])];
  }
  benchmark::DoNotOptimize(counts.size());
}

template <class Map>
void flat_map(benchmark::State& state) {
  auto keys = places(1 << 22, static_cast<u32>(state.range(0)));
  compare(state, [&] { count_in_batches(keys); }, [&] { count_one_by_one<Map>(keys); });
}
BENCHMARK(flat_map<std::unordered_map<u64, u64>>)
    ->Name("FlatMap/unordered_map")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->UseManualTime();
BENCHMARK(flat_map<tsl::robin_map<u64, u64, IntHash>>)
    ->Name("FlatMap/robin_map")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->UseManualTime();

void count_steps(const std::vector<u32>& keys) {
  samples::StepCounter counts;
  for (size_t at = 0; at + batch <= keys.size(); at += batch) {
    for (size_t i = at; i < at + batch; ++i) counts.prefetch(step_of(keys[i]));
    counts.make_room(batch);
    for (size_t i = at; i < at + batch; ++i) counts.add(step_of(keys[i]), 1);
  }
  benchmark::DoNotOptimize(counts.size());
}

// A range and its branch, each by itself.
template <class Map>
void count_ranges_and_branches(const std::vector<u32>& keys) {
  Map ranges, branches;
  for (size_t at = 0; at + batch <= keys.size(); at += batch) {
    auto each = [&](const auto& work) {
      for (size_t i = at; i < at + batch; ++i) {
        auto step = step_of(keys[i]);
        work(u64{step.start} << 32 | step.from, u64{step.from} << 32 | step.to);
      }
    };
    if constexpr (requires { ranges.prefetch(0); })
      each([&](u64 range, u64 branch) { ranges.prefetch(range), branches.prefetch(branch); });
    each([&](u64 range, u64 branch) { ++ranges[range], ++branches[branch]; });
  }
  benchmark::DoNotOptimize(ranges.size() + branches.size());
}

template <class Map>
void step_counter(benchmark::State& state) {
  auto keys = places(1 << 22, static_cast<u32>(state.range(0)));
  compare(state, [&] { count_steps(keys); }, [&] { count_ranges_and_branches<Map>(keys); });
}
BENCHMARK(step_counter<FlatMap<u64>>)
    ->Name("StepCounter/two FlatMaps")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->UseManualTime();
BENCHMARK(step_counter<std::unordered_map<u64, u64>>)
    ->Name("StepCounter/two unordered_maps")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->UseManualTime();

// Objects with four lists, of which one in eight has an element; they are built and read once.
template <template <class> class List>
void build_lists(size_t objects) {
  struct Object {
    List<u64> lists[4];
  };
  std::vector<Object> all(objects);
  for (size_t i = 0; i < objects; ++i)
    if (i % 2 == 0) all[i].lists[i / 2 % 4].emplace_back(i);
  u64 sum = 0;
  for (const auto& object : all)
    for (const auto& list : object.lists)
      for (u64 value : list) sum += value;
  benchmark::DoNotOptimize(sum);
}
template <class T>
using StdVector = std::vector<T>;

void compact_vector(benchmark::State& state) {
  auto objects = static_cast<size_t>(state.range(0));
  compare(
      state, [&] { build_lists<CompactVector>(objects); },
      [&] { build_lists<StdVector>(objects); });
  state.counters["bytes"] = sizeof(CompactVector<u64>);
  state.counters["std_bytes"] = sizeof(std::vector<u64>);
}
BENCHMARK(compact_vector)->Name("CompactVector/vector")->Arg(1'000'000)->UseManualTime();

// Chains of calls, of which the outer ones are mostly known.
template <class Add>
void add_chains(const std::vector<u32>& calls, const Add& add) {
  constexpr size_t depth = 8;
  for (size_t at = 0; at + depth <= calls.size(); at += depth) {
    auto context = profile::ContextId::none;
    for (size_t i = at; i < at + depth; ++i)
      context = add(profile::Contexts::Node{
          context, {calls[i] % 50, 0}, static_cast<NameId>(calls[i] % 1000)});
  }
}

struct NodeHash {
  size_t operator()(const profile::Contexts::Node& node) const {
    u64 place = u64{node.call_site.line_offset} << 32 | static_cast<u32>(node.function);
    return IntHash{}(IntHash{}(place) + static_cast<u32>(node.parent));
  }
};

template <class Map>
void contexts(benchmark::State& state) {
  auto calls = places(1 << 21, 1000);
  auto ours = [&] {
    profile::Contexts table;
    add_chains(calls, [&](const profile::Contexts::Node& node) {
      return table.child(node.parent, node.call_site, node.function);
    });
    benchmark::DoNotOptimize(table.end());
  };
  auto theirs = [&] {
    std::vector<profile::Contexts::Node> nodes(1);
    Map ids;
    add_chains(calls, [&](const profile::Contexts::Node& node) {
      auto [known, fresh] = ids.try_emplace(node, static_cast<u32>(nodes.size()));
      if (fresh) nodes.push_back(node);
      return static_cast<profile::ContextId>(known->second);
    });
    benchmark::DoNotOptimize(nodes.size());
  };
  compare(state, ours, theirs);
}
BENCHMARK(contexts<std::unordered_map<profile::Contexts::Node, u32, NodeHash>>)
    ->Name("Contexts/unordered_map")
    ->UseManualTime();
BENCHMARK(contexts<tsl::robin_map<profile::Contexts::Node, u32, NodeHash>>)
    ->Name("Contexts/robin_map")
    ->UseManualTime();

}  // namespace
}  // namespace pgokit

BENCHMARK_MAIN();

#include "generate/context/context_order.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "base/flat_map.h"
#include "base/parallel.h"

namespace pgokit::generate {
namespace {

class ContextOrder {
 public:
  ContextOrder(std::vector<profile::Contexts::Node> nodes, std::vector<u8> flags, unsigned threads,
               ContextSamples& samples)
      : nodes_(std::move(nodes)), flags_(std::move(flags)), threads_(threads), samples_(samples) {}

  std::vector<u32> make() && {
    find_used();
    hash_names();
    number_calls();
    lay_out();
    sort_siblings();
    return place();
  }

 private:
  static constexpr size_t at_once = 1 << 14;
  static constexpr u32 most_children = (1u << 28) - 1;

  u32 parent(size_t i) const { return static_cast<u32>(nodes_[i].parent); }

  // Whatever has samples, and what leads there: up to where somebody has been.
  void find_used() {
    used_.resize(nodes_.size());
    used_[ContextSamples::root] = true;
    parallel_each(nodes_.size(), at_once, threads_, [&](size_t i, unsigned) {
      if (!(flags_[i] & ContextSamples::has_samples)) return;
      while (std::atomic_ref(used_[i]).exchange(true, std::memory_order_relaxed) == false)
        i = parent(i);
    });
  }

  void hash_names() {
    samples_.guids.assign(samples_.names.size(), 0);
    std::vector<u8> named(samples_.guids.size());
    for (u32 i = 1; i < nodes_.size(); ++i)
      if (used_[i]) named[static_cast<size_t>(nodes_[i].function)] = true;
    parallel_each(named.size(), 256, threads_, [&](size_t i, unsigned) {
      if (named[i]) samples_.guids[i] = samples_.names.guid(NameId(i));
    });
  }

  // Each worker numbers those that it meets; then they are numbered by their keys.
  void number_calls() {
    struct Worker {
      FlatMap<u32> numbers;  // by key
      std::vector<ContextSamples::Call> calls;
      std::vector<u32> places;  // of these among all
    };
    std::vector<Worker> workers(worker_count(threads_));
    call_.resize(nodes_.size());
    Chunks chunks{nodes_.size(), at_once};
    std::vector<unsigned> worker_of(chunks.count());
    parallel_for(chunks.count(), threads_, [&](size_t chunk, unsigned number) {
      auto& worker = workers[worker_of[chunk] = number];
      for (size_t i = std::max<size_t>(chunks.begin(chunk), 1); i < chunks.end(chunk); ++i) {
        if (!used_[i]) continue;
        const auto& node = nodes_[i];
        u64 key = samples_.key(node.function, node.call_site);
        auto [call, fresh] = worker.numbers.find_or_add(key, static_cast<u32>(worker.calls.size()));
        if (fresh) worker.calls.push_back({key, node.function, node.call_site});
        call_[i] = call;
      }
    });
    auto& calls = samples_.calls;
    for (const auto& worker : workers)
      calls.insert(calls.end(), worker.calls.begin(), worker.calls.end());
    std::ranges::sort(calls, {}, &ContextSamples::Call::key);
    auto rest = std::ranges::unique(calls, {}, &ContextSamples::Call::key);
    calls.erase(rest.begin(), rest.end());
    for (auto& worker : workers)
      for (const auto& call : worker.calls)
        worker.places.push_back(static_cast<u32>(
            std::ranges::lower_bound(calls, call.key, {}, &ContextSamples::Call::key) -
            calls.begin()));
    parallel_for(chunks.count(), threads_, [&](size_t chunk, unsigned) {
      const auto& places = workers[worker_of[chunk]].places;
      for (size_t i = std::max<size_t>(chunks.begin(chunk), 1); i < chunks.end(chunk); ++i)
        if (used_[i]) call_[i] = places[call_[i]];
    });
  }

  // In the order of their parents: children_[0] is the root.
  void lay_out() {
    first_.assign(nodes_.size() + 1, 0);
    auto for_each_used = [&](const auto& each) {
      parallel_each(nodes_.size(), at_once, threads_, [&](size_t i, unsigned) {
        if (used_[i] && i != ContextSamples::root)
          each(static_cast<u32>(i), std::atomic_ref(first_[parent(i)]));
      });
    };
    for_each_used([](u32, auto first) { first.fetch_add(1, std::memory_order_relaxed); });
    u32 sum = 1;
    for (u32& at : first_) sum += at, at = sum;
    children_.resize(sum);
    // From the back, so that the ends become the beginnings.
    for_each_used([&](u32 i, auto first) {
      children_[first.fetch_sub(1, std::memory_order_relaxed) - 1] = i;
    });
  }

  void sort_siblings() {
    parallel_each(nodes_.size(), at_once, threads_, [&](size_t i, unsigned) {
      auto siblings = std::span(children_).subspan(first_[i], first_[i + 1] - first_[i]);
      std::ranges::sort(siblings, {}, [&](u32 child) { return std::pair(call_[child], child); });
    });
  }

  std::vector<u32> place() {
    std::vector<u32> numbers(nodes_.size());
    parallel_each(children_.size(), at_once, threads_, [&](size_t number, unsigned) {
      numbers[children_[number]] = static_cast<u32>(number);
    });
    samples_.contexts.resize(children_.size());
    parallel_each(children_.size(), at_once, threads_, [&](size_t number, unsigned) {
      u32 i = children_[number];
      samples_.contexts[number] = {.parent = numbers[parent(i)],
                                   .call = call_[i],
                                   .first_location = ContextSamples::none,
                                   .first_child = first_[i],
                                   .child_count = (first_[i + 1] - first_[i]) & most_children,
                                   .flags = flags_[i] & 0xfu,
                                   .entries = {},
                                   .total = {},
                                   .called = {}};
    });
    return numbers;
  }

  std::vector<profile::Contexts::Node> nodes_;
  std::vector<u8> flags_;
  unsigned threads_;
  ContextSamples& samples_;
  // By number as found.
  std::vector<u8> used_;
  std::vector<u32> call_;
  std::vector<u32> first_;     // where its children begin, and one more
  std::vector<u32> children_;  // by number in the result
};

}  // namespace

std::vector<u32> order_contexts(std::vector<profile::Contexts::Node> nodes, std::vector<u8> flags,
                                unsigned threads, ContextSamples& samples) {
  return ContextOrder(std::move(nodes), std::move(flags), threads, samples).make();
}

}  // namespace pgokit::generate

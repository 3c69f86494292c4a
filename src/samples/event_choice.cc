#include "samples/event_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"

namespace pgokit::samples {

std::string_view plain_name(std::string_view name) {
  size_t open = name.find('/'), close = name.find('/', open + 1);
  if (close != name.npos) return name.substr(open + 1, close - open - 1);
  return name.substr(0, name.find(':'));
}

namespace {

// Lower is better. Numbers are for events that perf calls by them, such as r20c4.
enum Rank : u8 { branch_taken, cycles, clock, other };

Rank rank_of_name(std::string_view name) {
  if (name.contains("taken") || name.contains("tkn")) return branch_taken;
  for (auto known : {"cycles", "cpu-cycles", "cpu_cycles"})
    if (name == known) return cycles;
  if (name.starts_with("cpu_clk_unhalted")) return cycles;
  for (auto known : {"cpu-clock", "task-clock"})
    if (name == known) return clock;
  return other;
}

Rank rank_of(const perf::Event& event) {
  constexpr u64 branches_retired = 0xc4;  // of Intel and AMD, those that are taken by its mask
  using namespace perf::event_type;
  const auto& attr = event.attr;
  if (attr.type == hardware && (attr.config & 0xffffffff) == 0) return cycles;
  if (attr.type == software && attr.config < 2) return clock;
  if (attr.type == raw && (attr.config & 0xff) == branches_retired) return branch_taken;
  return rank_of_name(plain_name(event.name));
}

struct Group {
  std::string_view name;       // without processor and modifiers
  std::vector<u32> events;     // their numbers
  std::string_view full_name;  // of the first one
  Rank rank = other;
  u64 samples = 0;
};

// By plain name, in the order in which they were recorded.
std::vector<Group> groups_of(const std::vector<NamedSamples>& events,
                             const std::vector<Rank>& ranks, EventUse use) {
  std::vector<Group> groups;
  for (u32 i = 0; i < events.size(); ++i) {
    if (events[i].samples == 0) continue;
    auto name = plain_name(events[i].name);
    auto known = std::ranges::find(groups, name, &Group::name);
    if (known == groups.end()) known = groups.insert(known, {name, {}, events[i].name});
    Rank rank = use == EventUse::addresses && ranks[i] == branch_taken ? other : ranks[i];
    known->events.push_back(i);
    known->samples += events[i].samples;
    known->rank = std::min(known->rank, rank);
  }
  return groups;
}

std::unexpected<Error> no_such_event(std::string_view wanted,
                                     const std::vector<NamedSamples>& events) {
  constexpr size_t most = 8;
  std::string list;
  size_t listed = 0;
  for (const auto& event : events)
    if (event.samples && listed++ < most)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", event.name);
  return fail("--event {}: it has {}{}", wanted, list.empty() ? "no samples of any" : list,
              listed > most ? ", ..." : "");
}

EventChoice choice_of(const std::vector<NamedSamples>& events, const std::vector<u32>& chosen,
                      std::string_view name) {
  EventChoice choice{std::vector<bool>(events.size()), std::string(name), {}};
  for (u32 i : chosen) choice.taken[i] = true;
  for (u32 i = 0; i < events.size(); ++i)
    if (!choice.taken[i] && events[i].samples) choice.others.push_back(events[i]);
  std::ranges::stable_sort(choice.others, std::ranges::greater(), &NamedSamples::samples);
  return choice;
}

Result<EventChoice> choose(const std::vector<NamedSamples>& events, const std::vector<Rank>& ranks,
                           EventUse use, std::string_view wanted) {
  auto groups = groups_of(events, ranks, use);
  if (wanted.empty()) {
    if (groups.size() < 2) return EventChoice{};
    auto better = [](const Group& a, const Group& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.samples > b.samples;
    };
    auto best = std::ranges::min_element(groups, better);
    return choice_of(events, best->events, best->events.size() > 1 ? best->name : best->full_name);
  }
  for (const auto& group : groups)
    if (group.name == wanted) return choice_of(events, group.events, group.name);
  std::vector<u32> named;
  for (u32 i = 0; i < events.size(); ++i)
    if (events[i].samples && events[i].name == wanted) named.push_back(i);
  if (named.empty()) return no_such_event(wanted, events);
  return choice_of(events, named, wanted);
}

std::vector<u64> count_samples(const perf::Recording& recording, unsigned threads) {
  using Counts = std::vector<u64>;
  std::vector<Counts> parts(worker_count(threads), Counts(recording.events().size()));
  std::vector<perf::ReadCounts> ignored(parts.size());
  perf::ReadCounts unpacking;
  recording.for_each_piece(threads, unpacking, [&](const perf::Piece& piece, unsigned worker) {
    perf::Sample sample;
    perf::RecordWalk walk(piece.records);
    for (perf::Record record; walk.next(record);)
      if (record.type == perf::RecordType::sample &&
          recording.parser().sample(record, sample, ignored[worker]))
        ++parts[worker][sample.event];
  });
  for (size_t i = 1; i < parts.size(); ++i)
    for (size_t event = 0; event < parts[i].size(); ++event) parts[0][event] += parts[i][event];
  return parts[0];
}

}  // namespace

void EventChoice::add(EventChoice&& more) {
  taken.clear();
  if (name.empty())
    name = std::move(more.name);
  else if (!more.name.empty() && !name.contains(more.name))
    name += ", " + more.name;
  for (auto& event : more.others) {
    auto known = std::ranges::find(others, event.name, &NamedSamples::name);
    if (known == others.end())
      others.push_back(std::move(event));
    else
      known->samples += event.samples;
  }
  std::ranges::stable_sort(others, std::ranges::greater(), &NamedSamples::samples);
}

Result<EventChoice> choose_event(const std::vector<NamedSamples>& events, EventUse use,
                                 const std::optional<std::string>& wanted) {
  if (!wanted) return EventChoice{};
  std::vector<Rank> ranks;
  for (const auto& event : events) ranks.push_back(rank_of_name(plain_name(event.name)));
  return choose(events, ranks, use, *wanted);
}

Result<EventChoice> choose_event(const perf::Recording& recording, EventUse use,
                                 const std::optional<std::string>& wanted, unsigned threads) {
  const auto& all = recording.events();
  if (!wanted || (wanted->empty() && all.size() < 2)) return EventChoice{};
  // Where some events have no branch stacks, their samples are dropped for that.
  auto can_serve = [&](const perf::Event& event) {
    return use == EventUse::addresses || event.attr.has(perf::field::branch_stack);
  };
  auto samples = count_samples(recording, threads);
  std::vector<NamedSamples> events;
  std::vector<Rank> ranks;
  for (u32 i = 0; i < all.size(); ++i) {
    events.push_back({all[i].name, can_serve(all[i]) ? samples[i] : 0});
    ranks.push_back(rank_of(all[i]));
  }
  auto choice = TRY(choose(events, ranks, use, *wanted));
  for (u32 i = 0; i < choice.taken.size(); ++i)
    if (!can_serve(all[i])) choice.taken[i] = true;
  // Accesses to memory beside branches lack nothing that one would look for in them.
  for (u32 i = 0; i < all.size() && use == EventUse::branches; ++i)
    if (all[i].attr.only_of_memory()) {
      if (choice.taken.empty()) choice.taken.assign(all.size(), true);
      choice.taken[i] = false;
    }
  return choice;
}

}  // namespace pgokit::samples

#include "transform/preinline/context_groups.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/hash.h"
#include "base/saturated.h"
#include "transform/preinline/promotion_order.h"

namespace pgokit::transform {

// Brings together what there is of a function.
class ContextGroups::Collector {
 public:
  Collector(ContextGroups& owner, NameId function)
      : owner_(owner),
        function_(function),
        top_(owner.top_[static_cast<size_t>(function)]),
        contexts_(owner.index_.of_function(function)) {}

  Members collect() {
    if (top_ != none) add(places_.add(PromotionOrder::nowhere, 0), top_);
    size_t first_group = places_.size();
    add_groups();
    bool has_others = owner_.alone_[static_cast<size_t>(function_)] > 0;
    if (has_others) add_others();
    bool has_samples = top_ != none && owner_.has_samples(top_);
    for (auto place = static_cast<u32>(first_group); place < places_.size(); ++place) decide(place);
    std::vector<u32> taken, lost;
    places_.move_all(top_ == none ? PromotionOrder::nowhere : 0, has_samples, taken, lost);
    owner_.irregular_ |= places_.is_irregular();
    for (u32 context : lost) {
      owner_.taken_alone_[context] = true;
      owner_.irregular_ |= owner_.samples_.contexts[context].child_count > 0;
    }
    if (has_others)
      for (u32 context : taken) owner_.taken_alone_[context] = true;
    else if (top_ != none && !taken.empty())
      owner_.taken_alone_[top_] = true;
    return owner_.append(taken);
  }

 private:
  struct Member {
    u32 order, at;  // the second in contexts_
    auto operator<=>(const Member&) const = default;
  };
  struct Other {
    u32 place;
    bool nested;  // in a place of the same function; orders are contexts there
    std::vector<Member> members;
  };

  void add(u32 place, u32 context) { places_.members(place).push_back(context); }

  // Groups that were not inlined as a whole.
  void add_groups() {
    for (u32 i = owner_.last_group_[static_cast<size_t>(function_)]; i != none;
         i = owner_.groups_[i].next) {
      const auto& group = owner_.groups_[i];
      if (group.inlined) continue;
      u32 place = places_.add(PromotionOrder::nowhere, 0);
      place_of_group_[i] = place;
      places_.members(place).assign(owner_.members_.begin() + group.first,
                                    owner_.members_.begin() + group.end);
    }
  }

  // Contexts whose callers have not been visited before, as in recursion. They are at one place
  // where the same calls lead to them from contexts at one place.
  void add_others() {
    owner_.find_positions();
    places_of_.resize(contexts_.size());
    orders_.resize(contexts_.size());
    std::vector<Climb> climbs;
    constexpr u32 ahead = 16;
    for (u32 i = 0; i < contexts_.size(); ++i) {
      if (i + ahead < contexts_.size()) __builtin_prefetch(&owner_.position_[contexts_[i + ahead]]);
      if (u32 context = contexts_[i];
          !owner_.taken_alone_[context] && owner_.position_[context] == none && context != top_)
        climbs.push_back({i, context});
    }
    for (size_t first = 0; first < climbs.size(); first += at_once)
      climb_all(std::span(climbs).subspan(first, std::min(at_once, climbs.size() - first)));
    for (const auto& climb : climbs) add_other(climb);
    for (auto& [place, nested, members] : others_) {
      if (nested)
        for (auto& member : members) member.order = orders_[index_of(member.order)];
      std::ranges::sort(members);
      for (const auto& member : members) {
        orders_[member.at] = static_cast<u32>(places_.members(place).size());
        add(place, contexts_[member.at]);
      }
    }
  }

  // Up from a context to the first one that is in a group or of the same function, or to the root.
  struct Climb {
    u32 i, at;
    u64 path = 0;
    bool nested = false, done = false;
  };
  static constexpr size_t at_once = 16;

  // Side by side: each step asks for memory that nobody had.
  void climb_all(std::span<Climb> climbs) const {
    const auto& contexts = owner_.samples_.contexts;
    for (const auto& climb : climbs) __builtin_prefetch(&contexts[climb.at]);
    for (size_t going = climbs.size(); going > 0;) {
      for (auto& climb : climbs) {
        if (climb.done) continue;
        const auto& context = contexts[climb.at];
        climb.path = IntHash{}(climb.path ^ (u64{context.call} + 1));
        climb.at = context.parent;
        __builtin_prefetch(&contexts[climb.at]);
        __builtin_prefetch(&owner_.position_[climb.at]);
      }
      for (auto& climb : climbs) {
        if (climb.done) continue;
        bool is_root = climb.at == generate::ContextSamples::root;
        climb.nested = !is_root && owner_.samples_.function(climb.at) == function_;
        climb.done = is_root || climb.nested || owner_.position_[climb.at] != none;
        going -= climb.done;
      }
    }
  }

  void add_other(const Climb& climb) {
    auto [i, at, path, nested, done] = climb;
    u32 above = PromotionOrder::nowhere, order = at;
    u64 key = path ^ IntHash{}(at);
    if (nested) {
      above = place_of(at);
      key = path ^ IntHash{}(~u64{above});
    } else if (at != generate::ContextSamples::root && owner_.position_[at] != none) {
      order = owner_.position_[at];
      key = path ^ IntHash{}(u64{1} << 32 | owner_.group_of(order));
    }
    auto [number, fresh] = number_of_place_.try_emplace(key, static_cast<u32>(others_.size()));
    if (fresh) others_.push_back({places_.add(above, path), nested, {}});
    others_[number->second].members.push_back({order, i});
    places_of_[i] = others_[number->second].place;
  }

  u32 place_of(u32 context) {
    if (context == top_) return 0;
    u32 i = index_of(context);
    if (u32 position = owner_.position_[context]; position != none) {
      orders_[i] = position;
      return place_of_group_[owner_.group_of(position)];
    }
    return places_of_[i];
  }
  u32 index_of(u32 context) const {
    return static_cast<u32>(std::ranges::lower_bound(contexts_, context) - contexts_.begin());
  }

  void decide(u32 place) {
    for (u32 context : places_.members(place))
      if (owner_.has_samples(context)) return places_.decide(place, owner_.index_.rank(context));
  }

  ContextGroups& owner_;
  NameId function_;
  u32 top_;
  PromotionOrder places_;
  Members contexts_;  // of the function, ascending
  tsl::robin_map<u32, u32, IntHash> place_of_group_;
  tsl::robin_map<u64, u32, IntHash> number_of_place_;  // in others_
  std::vector<Other> others_;
  std::vector<u32> places_of_, orders_;  // of contexts_: their place, and where they stand in it
};

ContextGroups::Members ContextGroups::take(NameId function) {
  return Collector(*this, function).collect();
}

ContextGroups::Members ContextGroups::append(std::span<const u32> members) {
  size_t first = members_.size();
  members_.insert(members_.end(), members.begin(), members.end());
  return {members_.data() + first, members.size()};
}

ContextGroups::Members ContextGroups::left_on_top(NameId function) {
  u32 top = top_[static_cast<size_t>(function)];
  if (top == none || taken_alone_[top] || !has_samples(top)) return {};
  taken_alone_[top] = true;
  return append(std::span(&top, 1));
}

u32 ContextGroups::group_of(u32 position) const {
  auto behind = std::ranges::upper_bound(groups_, position, {}, &Group::first);
  return static_cast<u32>(behind - groups_.begin()) - 1;
}

void ContextGroups::find_positions() {
  if (position_.empty()) position_.assign(samples_.size(), none);
  constexpr u32 ahead = 16;
  for (; positioned_ < groups_.size(); ++positioned_) {
    const auto& group = groups_[positioned_];
    for (u32 at = group.first; at < group.end; ++at) {
      if (at + ahead < group.end) __builtin_prefetch(&position_[members_[at + ahead]]);
      position_[members_[at]] = at;
    }
  }
}

// Sorts the callees of some contexts into groups.
class ContextGroups::Splitter {
 public:
  explicit Splitter(ContextGroups& owner)
      : owner_(owner), samples_(owner.samples_), group_of_call_(samples_.calls.size()) {}

  std::vector<Callee> split(Members callers) {
    ++round_;
    groups_.clear();
    found_.clear();
    other_calls_.clear();
    add_children(callers);
    for (const auto& [call, count] : other_calls_)
      if (group_of_call_[call].round == round_)
        add_calls(groups_[group_of_call_[call].group], count);
    lay_out();
    std::vector<Callee> callees;
    for (auto& group : groups_) {
      if (group.callee.decisive == none) continue;
      group.callee.calls = std::max(group.callee.calls, group.entries());
      callees.push_back(group.callee);
    }
    std::ranges::sort(callees, {}, &Callee::call);
    return callees;
  }

 private:
  struct Group {
    Callee callee;
    u32 size = 0;
    u32 first_location = none;
    u64 total = 0;
    u64 heads = 0, first_count = 0;

    u64 entries() const { return heads ? heads : profile::estimated_entries(first_count, total); }
  };
  struct GroupOfCall {
    u32 round = 0, group = 0;
  };

  void add_children(Members callers) {
    constexpr size_t ahead = 8;
    for (size_t i = 0; i < callers.size(); ++i) {
      if (i + 2 * ahead < callers.size())
        __builtin_prefetch(&samples_.contexts[callers[i + 2 * ahead]]);
      if (i + ahead < callers.size()) prefetch_children(callers[i + ahead]);
      for (u32 child : samples_.children(callers[i])) {
        const auto& context = samples_.contexts[child];
        if (!owner_.taken_alone_[child])
          add_child(child, context);
        else if (u64 called = samples_.counts.get(context.called))
          other_calls_.emplace_back(context.call, called);
      }
      if (samples_.contexts[callers[i]].flags & generate::ContextSamples::has_other_calls)
        find_other_calls(callers[i]);
    }
  }

  void prefetch_children(u32 caller) const {
    u32 first = samples_.contexts[caller].first_child;
    if (first >= samples_.size()) return;
    __builtin_prefetch(&samples_.contexts[first]);
    __builtin_prefetch(&samples_.contexts[first] + 1);
  }

  void add_child(u32 child, const generate::ContextSamples::Context& context) {
    auto& known = group_of_call_[context.call];
    if (known.round != round_) {
      known = {round_, static_cast<u32>(groups_.size())};
      groups_.push_back({.callee = {.call = context.call, .members = {}}});
    }
    auto& group = groups_[known.group];
    ++group.size;
    found_.emplace_back(child, known.group);
    add_calls(group, samples_.counts.get(context.called));
    if (!(context.flags & generate::ContextSamples::has_samples)) return;
    if (group.callee.decisive == none) group.callee.decisive = child;
    group.total |= samples_.counts.get(context.total);
    if (context.flags & generate::ContextSamples::entered)
      group.heads = add_saturated(group.heads, samples_.counts.get(context.entries));
    else
      add_first_place(group, context);
  }

  static void add_calls(Group& group, u64 count) {
    group.callee.calls = add_saturated(group.callee.calls, count);
  }

  // Those that lead to no child of the caller; the same callee may have been called elsewhere.
  void find_other_calls(u32 caller) {
    auto call_key = [&](const auto& call) { return call.key; };
    auto find = [&](u32 location, NameId callee, u64 count) {
      u64 key = samples_.key(callee, samples_.locations[location]);
      auto call = std::ranges::lower_bound(samples_.calls, key, {}, call_key);
      if (call == samples_.calls.end() || call->key != key) return;
      auto number = static_cast<u32>(call - samples_.calls.begin());
      auto children = samples_.children(caller);
      auto child = std::ranges::lower_bound(children, number, {},
                                            [&](u32 one) { return samples_.contexts[one].call; });
      if (child == children.end() || samples_.contexts[*child].call != number)
        other_calls_.emplace_back(number, count);
    };
    samples_.records.read(caller, [](u32, u64) {}, find, [](u32, u64) {});
  }

  void add_first_place(Group& group, const generate::ContextSamples::Context& context) const {
    u32 location = context.first_location;
    if (location == none) return;
    const auto& locations = samples_.locations;
    if (group.first_location == location) {
      group.first_count = add_saturated(group.first_count, samples_.counts.get(context.entries));
    } else if (group.first_location == none ||
               locations[location] < locations[group.first_location]) {
      group.first_location = location;
      group.first_count = samples_.counts.get(context.entries);
    }
  }

  // One group after the other behind those that there are.
  void lay_out() {
    auto& members = owner_.members_;
    auto next = static_cast<u32>(members.size());
    members.resize(members.size() + found_.size());
    places_.clear();
    for (auto& group : groups_) {
      places_.push_back(next);
      auto& callee = group.callee;
      callee.members = {members.data() + next, group.size};
      callee.group = static_cast<u32>(owner_.groups_.size());
      auto function = static_cast<size_t>(samples_.calls[callee.call].callee);
      u32& last = owner_.last_group_[function];
      owner_.groups_.push_back({next, next + group.size, callee.decisive, last});
      last = callee.group;
      owner_.alone_[function] -= group.size;
      next += group.size;
    }
    for (const auto& [context, group] : found_) members[places_[group]++] = context;
  }

  ContextGroups& owner_;
  const generate::ContextSamples& samples_;
  std::vector<GroupOfCall> group_of_call_;
  u32 round_ = 0;
  // Of the callers at hand.
  std::vector<Group> groups_;
  std::vector<std::pair<u32, u32>> found_;        // context, group
  std::vector<std::pair<u32, u64>> other_calls_;  // call, count
  std::vector<u32> places_;                       // of groups: where the next member goes
};

ContextGroups::ContextGroups(const generate::ContextSamples& samples, const ContextIndex& index)
    : samples_(samples),
      index_(index),
      taken_alone_(samples.size()),
      last_group_(samples.names.size(), none),
      alone_(samples.names.size()),
      top_(samples.names.size(), none),
      splitter_(std::make_unique<Splitter>(*this)) {
  members_.reserve(2 * samples.size());  // spans of it stay valid
  for (u32 top : samples.children(generate::ContextSamples::root))
    top_[static_cast<size_t>(samples.function(top))] = top;
  for (u32 i = 0; i < alone_.size(); ++i)
    alone_[i] = static_cast<u32>(index.of_function(NameId{i}).size()) - (top_[i] != none);
}

ContextGroups::~ContextGroups() = default;

std::vector<ContextGroups::Callee> ContextGroups::split(Members callers) {
  return splitter_->split(callers);
}

}  // namespace pgokit::transform

#include "transform/preinline/context_groups.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/hash.h"
#include "base/saturated.h"
#include "transform/preinline/promotion_order.h"

namespace pgokit::transform {

ContextGroups::ContextGroups(const generate::ContextSamples& samples, const ContextLinks& links)
    : samples_(samples),
      links_(links),
      position_(samples.size(), none),
      placed_(samples.size()),
      last_group_(samples.names.size(), none),
      alone_(samples.names.size()),
      top_(samples.names.size(), none) {
  members_.reserve(2 * samples.size());  // spans of it stay valid
  for (u32 top : links.children(generate::ContextSamples::root))
    top_[static_cast<size_t>(samples.contexts[top].function)] = top;
  for (u32 i = 0; i < alone_.size(); ++i)
    alone_[i] = static_cast<u32>(links.of_function(NameId{i}).size()) - (top_[i] != none);
}

// Brings together what there is of a function.
class ContextGroups::Collector {
 public:
  Collector(ContextGroups& owner, NameId function)
      : owner_(owner),
        function_(function),
        top_(owner.top_[static_cast<size_t>(function)]),
        contexts_(owner.links_.of_function(function)) {}

  Members collect() {
    if (top_ != none) add(places_.add(PromotionOrder::nowhere, 0), top_);
    size_t first_group = places_.size();
    add_groups();
    if (owner_.alone_[static_cast<size_t>(function_)] > 0) add_others();
    bool has_samples = top_ != none && owner_.has_samples(top_);
    for (auto place = static_cast<u32>(first_group); place < places_.size(); ++place) decide(place);
    std::vector<u32> taken, lost;
    places_.move_all(top_ == none ? PromotionOrder::nowhere : 0, has_samples, taken, lost);
    owner_.irregular_ |= places_.is_irregular();
    for (u32 context : lost) {
      owner_.placed_[context] = true;
      owner_.irregular_ |= !owner_.links_.children(context).empty();
    }
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
      if (owner_.placed_[owner_.members_[group.first]]) continue;
      u32 place = places_.add(PromotionOrder::nowhere, 0);
      place_of_group_[i] = place;
      places_.members(place).assign(owner_.members_.begin() + group.first,
                                    owner_.members_.begin() + group.end);
    }
  }

  // Contexts whose callers have not been visited before, as in recursion. They are at one place
  // where the same calls lead to them from contexts at one place.
  void add_others() {
    places_of_.resize(contexts_.size());
    orders_.resize(contexts_.size());
    for (u32 i = 0; i < contexts_.size(); ++i)
      if (u32 context = contexts_[i];
          !owner_.placed_[context] && owner_.position_[context] == none && context != top_)
        add_other(i);
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

  void add_other(u32 i) {
    u32 at = contexts_[i];
    u64 path = 0;
    do {
      path = IntHash{}(path ^ owner_.links_.key(at));
      at = owner_.samples_.contexts[at].parent;
    } while (at != generate::ContextSamples::root && owner_.position_[at] == none &&
             owner_.samples_.contexts[at].function != function_);
    bool nested =
        at != generate::ContextSamples::root && owner_.samples_.contexts[at].function == function_;
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
      if (owner_.has_samples(context)) return places_.decide(place, owner_.links_.rank(context));
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
  inline_now(members);
  return {members_.data() + first, members.size()};
}

ContextGroups::Members ContextGroups::left_on_top(NameId function) {
  u32 top = top_[static_cast<size_t>(function)];
  if (top == none || placed_[top] || !has_samples(top)) return {};
  return append(std::span(&top, 1));
}

u32 ContextGroups::group_of(u32 position) const {
  auto behind = std::ranges::upper_bound(groups_, position, {}, &Group::first);
  return static_cast<u32>(behind - groups_.begin()) - 1;
}

// Sorts the callees of some contexts into groups.
class ContextGroups::Counter {
 public:
  explicit Counter(ContextGroups& owner) : owner_(owner), samples_(owner.samples_) {}

  void add_children(Members callers) {
    const auto& links = owner_.links_;
    constexpr size_t ahead = 8;
    for (size_t i = 0; i < callers.size(); ++i) {
      if (i + 3 * ahead < callers.size()) links.prefetch_children(callers[i + 3 * ahead]);
      if (i + 2 * ahead < callers.size()) links.prefetch_first_child(callers[i + 2 * ahead]);
      if (i + ahead < callers.size()) prefetch_first(links.children(callers[i + ahead]));
      for (u32 child : links.children(callers[i]))
        if (!owner_.placed_[child]) add_child(child);
    }
  }

  // What was called of them.
  void add_calls(Members callers) {
    constexpr size_t ahead = 8;
    for (size_t i = 0; i < callers.size(); ++i) {
      if (i + 2 * ahead < callers.size()) samples_.targets.prefetch_place(callers[i + 2 * ahead]);
      if (i + ahead < callers.size()) samples_.targets.prefetch_records(callers[i + ahead]);
      for (const auto& target : samples_.targets.of(callers[i])) {
        auto found =
            number_.find(owner_.links_.key(target.callee, samples_.locations[target.location]));
        if (found == number_.end()) continue;
        u64& calls = groups_[found->second].callee.calls;
        calls = add_saturated(calls, target.count);
      }
    }
  }

  std::vector<Callee> finish() {
    lay_out();
    std::vector<Callee> callees;
    for (auto& group : groups_) {
      if (group.callee.decisive == none) continue;
      group.callee.calls = std::max(group.callee.calls, group.entries());
      callees.push_back(group.callee);
    }
    std::ranges::sort(callees, {}, &Callee::key);
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

  void prefetch_first(Members children) const {
    for (u32 child : children.first(std::min<size_t>(children.size(), 4))) {
      __builtin_prefetch(&samples_.contexts[child]);
      __builtin_prefetch(&owner_.placed_[child]);
    }
  }

  void add_child(u32 child) {
    const auto& context = samples_.contexts[child];
    u64 key = owner_.links_.key(context.function, context.site);
    auto [number, fresh] = number_.try_emplace(key, static_cast<u32>(groups_.size()));
    if (fresh) groups_.push_back({.callee = {key, context.function, context.site, none, {}, 0}});
    auto& group = groups_[number->second];
    ++group.size;
    found_.emplace_back(child, number->second);
    if (!(context.flags & generate::ContextSamples::has_samples)) return;
    if (group.callee.decisive == none) group.callee.decisive = child;
    group.total |= context.total;
    if (context.flags & generate::ContextSamples::entered)
      group.heads = add_saturated(group.heads, context.entries);
    else
      add_first_place(group, context);
  }

  void add_first_place(Group& group, const generate::ContextSamples::Context& context) const {
    u32 location = context.first_location;
    if (location == none) return;
    const auto& locations = samples_.locations;
    if (group.first_location == location) {
      group.first_count = add_saturated(group.first_count, context.entries);
    } else if (group.first_location == none ||
               locations[location] < locations[group.first_location]) {
      group.first_location = location;
      group.first_count = context.entries;
    }
  }

  // One group after the other behind those that there are.
  void lay_out() {
    auto& members = owner_.members_;
    auto next = static_cast<u32>(members.size());
    members.resize(members.size() + found_.size());
    std::vector<u32> place;
    for (auto& [callee, size, location, total, heads, first_count] : groups_) {
      place.push_back(next);
      callee.members = {members.data() + next, size};
      auto function = static_cast<size_t>(callee.function);
      u32& last = owner_.last_group_[function];
      owner_.groups_.push_back({next, next + size, callee.decisive, last});
      last = static_cast<u32>(owner_.groups_.size() - 1);
      owner_.alone_[function] -= size;
      next += size;
    }
    constexpr size_t ahead = 16;
    for (size_t i = 0; i < found_.size(); ++i) {
      if (i + ahead < found_.size()) __builtin_prefetch(&owner_.position_[found_[i + ahead].first]);
      const auto& [context, group] = found_[i];
      owner_.position_[context] = place[group];
      members[place[group]++] = context;
    }
  }

  ContextGroups& owner_;
  const generate::ContextSamples& samples_;
  tsl::robin_map<u64, u32, IntHash> number_;  // by key
  std::vector<Group> groups_;
  std::vector<std::pair<u32, u32>> found_;  // context, group
};

std::vector<ContextGroups::Callee> ContextGroups::split(Members callers) {
  Counter counter(*this);
  counter.add_children(callers);
  counter.add_calls(callers);
  return counter.finish();
}

}  // namespace pgokit::transform

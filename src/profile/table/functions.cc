#include "profile/table/functions.h"

#include <algorithm>

#include "base/cursor.h"
#include "profile/extbinary/function_walk.h"

namespace pgokit::profile {
namespace {

// What all functions of a part are read with.
struct State {
  const FunctionNumbers& numbers;
  Columns::Part& part;
  Cursor in;
  u64 wide = 0;  // all numbers that must fit into 32 bits, or'ed
  u64 far = 0;   // and those that must be within largest_line

  u32 next_node() const { return static_cast<u32>(part.nodes.size()); }
  bool knows(u64 name) const { return name < numbers.names.size(); }
  // Whether a line is allowed is told by the general reader.
  LineLocation place(RawLocation at) {
    far |= at.line;
    return location(at);
  }
  LineLocation location(RawLocation at) {
    wide |= at.bits();
    return at.narrow();
  }
};

// Keys that have to ascend.
template <class Key>
class Ascending {
 public:
  bool takes(const Key& key) {
    bool good = first_ || last_ < key;
    first_ = false;
    last_ = key;
    return good;
  }

 private:
  Key last_{};
  bool first_ = true;
};

class Body {
 public:
  explicit Body(State& state) : state_(state) {}

  bool place(RawLocation raw, u64 samples) {
    LineLocation at = state_.place(raw);
    if (!order_.takes(at)) return false;
    state_.part.places.push_back({at, samples});
    return true;
  }
  void begin_counts() {
    place_ = static_cast<u32>(state_.part.places.size() - 1);
    first_target_ = state_.part.targets.size();
  }
  bool count(u64 name, u64 count) {
    if (!state_.knows(name)) return false;
    state_.part.targets.push_back({place_, state_.numbers.names[name], count});
    return true;
  }
  bool end_counts() {
    auto& targets = state_.part.targets;
    if (targets.size() == first_target_ + 1) return true;
    auto added = std::span(targets).subspan(first_target_);
    std::ranges::sort(added, {}, &Columns::Target::name);
    return std::ranges::adjacent_find(added, {}, &Columns::Target::name) == added.end();
  }

 private:
  State& state_;
  Ascending<LineLocation> order_;
  u32 place_ = 0;
  size_t first_target_ = 0;
};

class Vtables {
 public:
  Vtables(State& state, u32 node) : state_(state), node_(node) {}

  bool place(RawLocation raw) {
    at_ = state_.place(raw);
    return order_.takes(at_);
  }
  void begin_counts() { names_ = {}; }
  bool count(u64 name, u64 count) {
    if (!state_.knows(name)) return false;
    state_.part.vtables.push_back({node_, at_, state_.numbers.names[name], count});
    return names_.takes(state_.numbers.names[name]);
  }

 private:
  State& state_;
  u32 node_;
  LineLocation at_;
  Ascending<LineLocation> order_;
  Ascending<u32> names_;
};

class Inlinees;

class Node {
 public:
  Node(State& state, u32 name, LineLocation call_site, u64 head)
      : state_(state), at_(state.next_node()) {
    auto& part = state.part;
    part.nodes.push_back({.name = name,
                          .first_place = static_cast<u32>(part.places.size()),
                          .first_target = static_cast<u32>(part.targets.size()),
                          .call_site = call_site,
                          .head = head});
  }

  bool begin(u64 total, u64 places) {
    if (places > state_.in.left()) return false;
    state_.part.nodes[at_].total = total;
    state_.part.nodes[at_].own_places = static_cast<u32>(places);
    return true;
  }
  Body body() { return Body(state_); }
  Inlinees inlinees();
  Vtables vtables() { return {state_, at_}; }
  bool end() {
    state_.part.nodes[at_].end = state_.next_node();
    return true;
  }

 private:
  State& state_;
  u32 at_;
};

class Inlinees {
 public:
  explicit Inlinees(State& state) : state_(state) {}

  WalkEnd inlinee(RawLocation at, u64 name, auto enter) {
    LineLocation site = state_.location(at);
    if (!state_.knows(name)) return WalkEnd::refused;
    u32 callee = state_.numbers.names[name];
    if (!order_.takes({site, callee})) return WalkEnd::refused;
    return enter(Node(state_, callee, site, 0));
  }

 private:
  State& state_;
  Ascending<std::pair<LineLocation, u32>> order_;
};

Inlinees Node::inlinees() { return Inlinees(state_); }

// The name of the function, which a context ends with. None: no such subject.
std::optional<u32> take_subject(const FunctionNumbers& numbers, u64 index, Columns::Top& top) {
  if (!numbers.context_sensitive)
    return index < numbers.names.size() ? std::optional(numbers.names[index]) : std::nullopt;
  if (index >= numbers.contexts.size()) return std::nullopt;
  top.first_frame = numbers.contexts[index].first;
  top.frames = numbers.contexts[index].count;
  return numbers.frames[top.first_frame + top.frames - 1].function;
}

}  // namespace

bool read_function_columns(Bytes bytes, const FunctionNumbers& numbers, Columns::Part& part,
                           std::vector<Columns::Top>& tops) {
  part.places.clear(), part.nodes.clear(), part.targets.clear(), part.vtables.clear();
  // As much as could be in these bytes: what is not used of it is never touched, and moving what
  // is there into a larger place costs more than reading it.
  part.places.reserve(bytes.size() / 4);
  part.nodes.reserve(bytes.size() / 6);
  part.targets.reserve(bytes.size() / 2);
  State state{numbers, part, Cursor(bytes)};
  Cursor& in = state.in;
  while (!in.at_end()) {
    auto [head, subject] = read_function_head(in);
    Columns::Top top{.node = state.next_node()};
    auto name = take_subject(numbers, subject, top);
    if (!name) return false;
    Node node(state, *name, {}, head);
    if (walk_function(in, node, {numbers.vtables}) != WalkEnd::whole) return false;
    tops.push_back(top);
  }
  std::ranges::stable_sort(part.vtables, {}, &Columns::Vtable::node);
  return in.ok() && state.wide >> 32 == 0 && state.far <= largest_line;
}

}  // namespace pgokit::profile

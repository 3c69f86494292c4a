#pragma once

#include <algorithm>
#include <vector>

#include "unwind/by_context.h"
#include "unwind/contexts/scopes.h"

namespace pgokit::unwind {

// The frames of the node in hand, from the outermost caller to the innermost call. Contexts of
// their beginnings are kept: neighbouring nodes share most of them. `Frames` is Scopes or
// CodeFrames.
template <class Frames>
class FrameStack {
 public:
  FrameStack(Frames& code, const ContextPolicy& policy)
      : code_(code),
        longest_recursion_(policy.longest_recursion),
        max_depth_(policy.limit(policy.max_depth)) {}

  // No calls yet; contexts are those of `contexts` from here on.
  void start(profile::Contexts& contexts) {
    pop_to(0);
    contexts_ = &contexts;
  }
  void pop_to(size_t depth) {
    while (calls_.size() > depth) {
      frames_.resize(calls_.back().first_frame);
      calls_.pop_back();
    }
    places_.resize(std::min(places_.size(), frames_.size()));
  }
  void push(Place call) {
    bool known = calls_.empty() || calls_.back().known;
    calls_.push_back({frames_.size(), known});
    auto added = code_.of_call(call);
    if (added.empty()) return void(calls_.back().known = false);
    frames_.insert(frames_.end(), added.begin(), added.end());
  }

  // The context of code in `scope`.
  profile::ContextId context(u32 scope) {
    if (scope == Scopes::unknown || !(calls_.empty() || calls_.back().known))
      return profile::ContextId::none;
    const auto& leaf = code_.scope(scope);
    size_t callers = frames_.size();
    auto inlined_into = code_.callers(leaf);
    frames_.insert(frames_.end(), inlined_into.begin(), inlined_into.end());
    while (places_.size() < frames_.size()) find_next_place();
    bool as_it_is = frames_.size() <= max_depth_ && (frames_.empty() || !places_.back().repetitive);
    auto context = as_it_is ? child_of_last(frames_.size(), leaf.function) : compressed(leaf);
    frames_.resize(callers);
    places_.resize(callers);
    return context;
  }

 private:
  struct Call {
    size_t first_frame = 0;
    bool known = true;  // it and all callers have debug information
  };
  // Of a frame, with those before it.
  struct FramePlace {
    profile::ContextId context = profile::ContextId::none;
    bool repetitive = false;  // somewhere a block of frames stands twice, one behind the other
  };

  profile::ContextId child_of_last(size_t frames, NameId function) {
    if (frames == 0) return contexts_->top(function);
    return contexts_->child(places_[frames - 1].context, code_.frame(frames_[frames - 1]).location,
                            function);
  }

  void find_next_place() {
    size_t next = places_.size();
    bool repetitive = (next > 0 && places_[next - 1].repetitive) || ends_repetitive(next + 1);
    // Nobody asks for contexts that are not as they are.
    places_.push_back({repetitive ? profile::ContextId::none
                                  : child_of_last(next, code_.frame(frames_[next]).function),
                       repetitive});
  }

  // Whether the first `count` frames end in two equal blocks.
  bool ends_repetitive(size_t count) const {
    auto end = frames_.begin() + static_cast<std::ptrdiff_t>(count);
    // Mostly the last frame is nowhere else: without branches the compiler takes many at a time.
    u32 equal = 0;
    for (auto at = end - static_cast<std::ptrdiff_t>(count / 2) - 1; at < end - 1; ++at)
      equal |= *at == end[-1];
    if (!equal) [[likely]]
      return false;
    for (std::ptrdiff_t length = 1; length <= static_cast<std::ptrdiff_t>(count / 2); ++length)
      if (end[-1] == end[-1 - length] && std::equal(end - length, end, end - 2 * length))
        return true;
    return false;
  }

  profile::ContextId compressed(const Frames::Scope& leaf) {
    callers_ = frames_;
    compress_recursion(callers_, longest_recursion_);
    if (callers_.size() > max_depth_) callers_.erase(callers_.begin(), callers_.end() - max_depth_);
    profile::ContextId context = profile::ContextId::none;
    profile::LineLocation location;
    for (u32 id : callers_) {
      const auto& frame = code_.frame(id);
      context = contexts_->child(context, location, frame.function);
      location = frame.location;
    }
    return contexts_->child(context, location, leaf.function);
  }

  Frames& code_;
  profile::Contexts* contexts_ = nullptr;
  i64 longest_recursion_;
  u32 max_depth_;  // callers that a context keeps
  std::vector<Call> calls_;
  std::vector<u32> frames_;
  std::vector<FramePlace> places_;  // of the first of them
  std::vector<u32> callers_;
};

}  // namespace pgokit::unwind

#pragma once

// The names of functions as integers, for threads that look them up together: found first, on all
// of them, and entered into the profile's table in an order that does not tell how many there were.
//
//   FrameNames::Finder finder(debug);           // one per share of the work
//   finder.see(first, last);
//   FrameNames names;
//   names.take(finder, profile.names);          // one share after the other
//   names.id(frame.function);                   // any thread

#include <tsl/robin_map.h>

#include <string_view>
#include <vector>

#include "base/hash.h"
#include "dwarf/debug_info.h"
#include "profile/name_table.h"

namespace pgokit::generate {

class FrameNames {
  // A name by its place in memory: names in debug information stay where they are.
  struct Text {
    const char* data = nullptr;
    size_t size = 0;
    bool operator==(const Text&) const = default;
  };
  struct Hash {
    size_t operator()(const Text& text) const {
      return IntHash{}(reinterpret_cast<u64>(text.data) + text.size);
    }
  };

 public:
  class Finder {
   public:
    explicit Finder(const dwarf::DebugInfo& debug) : cursor_(debug) {}

    // The functions of all frames of this code.
    void see(u64 first, u64 last) {
      for (u64 at = first;; ++at) {
        const auto& part = cursor_.at(at);
        see_frames(part);
        if (part.end > last) return;
        at = part.end - 1;
      }
    }
    void see(std::string_view name) {
      if (known_.try_emplace({name.data(), name.size()}).second) names_.push_back(name);
    }

   private:
    friend class FrameNames;
    // Parts of one scope have the same functions.
    void see_frames(const dwarf::FramePart& part) {
      if (part.frames.empty() || (part.scope == scope_ && part.unit == unit_)) return;
      scope_ = part.scope;
      unit_ = part.unit;
      for (const auto& frame : part.frames) see(frame.function);
    }

    dwarf::FrameCursor cursor_;
    tsl::robin_map<Text, bool, Hash> known_;
    std::vector<std::string_view> names_;  // in order of first sight
    u64 scope_ = ~u64{0};
    u32 unit_ = 0;
  };

  void take(const Finder& finder, profile::NameTable& names) {
    for (auto name : finder.names_) {
      auto [known, fresh] = ids_.try_emplace({name.data(), name.size()});
      if (fresh) known.value() = names.intern(name);
    }
  }
  // Of a name that was seen.
  NameId id(std::string_view name) const { return ids_.find({name.data(), name.size()})->second; }

 private:
  tsl::robin_map<Text, NameId, Hash> ids_;
};

}  // namespace pgokit::generate

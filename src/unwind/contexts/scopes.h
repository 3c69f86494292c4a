#pragma once

// Inline frames of the places that samples were at, as small integers.
//
//   Scopes scopes(program, names);
//   scopes.split(first, last, pieces);
//   for (u32 frame : scopes.of_call(call)) use(scopes.frame(frame));
//
// A scope is what the instructions share that were inlined by the same chain of calls. Numbers
// ascend in the order of asking. For one thread.

#include <tsl/robin_map.h>

#include <memory>
#include <span>
#include <vector>

#include "base/hash.h"
#include "dwarf/debug_info.h"
#include "profile/model/context.h"
#include "program/program.h"
#include "unwind/places.h"

namespace pgokit::unwind {

class Scopes {
 public:
  static constexpr u32 unknown = 0;  // the scope of code without debug information

  // A function, and where in it the next one is called.
  struct Frame {
    NameId function{};
    profile::LineLocation location;
    bool operator==(const Frame&) const = default;
  };
  struct Scope {
    std::vector<u32> callers;  // frames, outermost first: what the function is inlined into
    NameId function{};
    u32 chain = 0;  // equal where the callers are, all bits of their discriminators included
    u64 entry = 0;  // tells it from all others of the program
  };
  struct FrameHash {
    size_t operator()(const Frame& frame) const {
      return frame.location.hash() * 31 ^ IntHash {}(static_cast<u32>(frame.function));
    }
  };
  struct Piece {
    program::CodeIndex first, last;
    u32 scope = unknown;
  };

  Scopes(const program::Program& program, profile::NameTable& names);

  u32 scope_at(program::CodeIndex place);
  const Scope& scope(u32 id) const { return scopes_[id]; }
  size_t scopes() const { return scopes_.size(); }  // with the unknown one
  // What the function of a scope is inlined into, outermost first.
  std::span<const u32> callers(const Scope& scope) const { return scope.callers; }
  // All frames of a call, outermost first; empty: no debug information. Valid until the next call.
  std::span<const u32> of_call(Place call);
  const Frame& frame(u32 id) const { return frames_[id]; }
  size_t frames() const { return frames_.size(); }

  // Adds the pieces of a range within which the chain of inlined calls stays the same; as in
  // llvm-profgen they have the scope of their first instruction, and the innermost function may
  // change. Without debug information each instruction is a piece.
  void split(program::CodeIndex first, program::CodeIndex last, std::vector<Piece>& pieces);

 private:
  // A chain is the chain around it and one more call, by their numbers.
  using ChainLink = u64;

  const dwarf::FramePart& part_at(program::CodeIndex place);
  program::CodeIndex behind_part(program::CodeIndex place);
  void add_scope(const dwarf::FramePart& part);
  u32 chain_of(std::span<const dwarf::Frame> callers);
  Frame frame_of(const dwarf::Frame& frame, u32 discriminator);
  u32 intern(const Frame& frame);

  const program::CodeMap& code_;
  dwarf::Discriminators discriminators_;
  profile::NameTable& names_;
  std::unique_ptr<dwarf::FrameCursor> cursor_;  // null: the program has no debug information
  dwarf::FramePart no_part_;
  std::vector<Scope> scopes_;
  std::vector<Frame> frames_;
  tsl::robin_map<Frame, u32, FrameHash> frame_ids_;
  tsl::robin_map<ChainLink, u32, IntHash> chains_;
  tsl::robin_map<u64, u32, IntHash> scope_ids_;
  std::vector<u32> frames_of_call_;  // that was asked for last
};

}  // namespace pgokit::unwind

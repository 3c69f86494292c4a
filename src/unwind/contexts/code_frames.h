#pragma once

// The inline frames of all code that samples were at, found once, on all cores.
//
//   CodeFrames frames(unwound, program, threads);
//   for (const auto& piece : frames.pieces(range)) use(frames.scope(piece.scope));
//   u32 scope = frames.scope_of_branch(branch);
//   for (u32 frame : frames.of_call(call)) use(frames.frame(frame));
//
// Ranges and branches are the numbers that `unwound` has for them. All numbers follow the order of
// addresses, and may be used by any thread.

#include "base/flat_map.h"
#include "unwind/contexts/scopes.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {

class CodeFrames {
 public:
  struct Scope {
    u32 first_caller = 0, callers = 0;
    NameId function{};
  };

  CodeFrames(const Unwound& unwound, const program::Program& program, unsigned threads);

  // Of a range: where its inline frames change.
  std::span<const Scopes::Piece> pieces(u32 range) const {
    return std::span(pieces_).subspan(first_piece_[range],
                                      first_piece_[range + 1] - first_piece_[range]);
  }
  // For those who know what they will ask for: first where the pieces are, then those.
  void prefetch_range(u32 range) const { __builtin_prefetch(&first_piece_[range]); }
  void prefetch_pieces(u32 range) const {
    __builtin_prefetch(pieces_.data() + first_piece_[range]);
  }
  void prefetch_branch(u32 branch) const { __builtin_prefetch(&branch_scopes_[branch]); }
  void prefetch_call(Place call) const { call_numbers_.prefetch(call); }
  // Of all ranges that code can run through.
  std::span<const Scopes::Piece> pieces() const { return pieces_; }
  // Of the source of a branch; unknown outside of the program.
  u32 scope_of_branch(u32 branch) const { return branch_scopes_[branch]; }
  // All frames of a call, outermost first; empty: no debug information.
  std::span<const u32> of_call(Place call) const {
    const u32* number = call_numbers_.find(call);
    if (!number) return {};
    u32 first = first_call_frame_[*number];
    return std::span(call_frames_).subspan(first, first_call_frame_[*number + 1] - first);
  }

  const Scope& scope(u32 id) const { return scopes_[id]; }
  size_t scopes() const { return scopes_.size(); }
  // The frames that the function of a scope is inlined into, outermost first.
  std::span<const u32> callers(const Scope& scope) const {
    return std::span(callers_).subspan(scope.first_caller, scope.callers);
  }
  const Scopes::Frame& frame(u32 id) const { return frames_[id]; }

  profile::NameTable names;

 private:
  struct Share;
  struct Numbers;

  void take(const Share& share, Numbers& numbers);

  std::vector<Scope> scopes_;
  std::vector<u32> callers_;
  std::vector<Scopes::Frame> frames_;

  std::vector<Scopes::Piece> pieces_;
  std::vector<u32> first_piece_;  // by range, and the end
  std::vector<u32> branch_scopes_;
  std::vector<u32> call_frames_;
  std::vector<u32> first_call_frame_;  // by number of the call, and the end
  FlatMap<u32> call_numbers_;
};

}  // namespace pgokit::unwind

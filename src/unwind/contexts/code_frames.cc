#include "unwind/contexts/code_frames.h"

#include <algorithm>

#include "base/parallel.h"

namespace pgokit::unwind {

using program::CodeIndex;

namespace {

std::vector<Place> calls_of(const std::vector<PathTable::Node>& nodes, u64 code_size) {
  std::vector<bool> is_call(code_size);
  for (const auto& node : nodes)
    if (node.call < no_call) is_call[node.call] = true;
  std::vector<Place> calls;
  for (Place place = 0; place < code_size; ++place)
    if (is_call[place]) calls.push_back(place);
  return calls;
}

}  // namespace

// What one thread finds in a part of the code, with numbers of its own for scopes and frames.
struct CodeFrames::Share {
  profile::NameTable names;
  Scopes scopes;
  std::vector<Scopes::Piece> pieces;
  std::vector<u32> piece_counts;  // by range
  std::vector<u32> branch_scopes;
  std::vector<u32> call_frames, call_depths;

  explicit Share(const program::Program& program) : scopes(program, names) {}

  // Impossible ranges have no pieces.
  void add_range(u64 range, bool possible) {
    size_t before = pieces.size();
    if (possible) scopes.split(CodeIndex(first_of(range)), CodeIndex(second_of(range)), pieces);
    piece_counts.push_back(static_cast<u32>(pieces.size() - before));
  }
  void add_branches(std::span<const u64> branches) {
    for (u64 branch : branches) {
      bool inside = first_of(branch) != outside;
      branch_scopes.push_back(inside ? scopes.scope_at(CodeIndex(first_of(branch)))
                                     : Scopes::unknown);
    }
  }
  void add_calls(std::span<const Place> calls) {
    for (Place call : calls) {
      auto frames = scopes.of_call(call);
      call_frames.insert(call_frames.end(), frames.begin(), frames.end());
      call_depths.push_back(static_cast<u32>(frames.size()));
    }
  }
};

// Of all shares that have been taken.
struct CodeFrames::Numbers {
  tsl::robin_map<u64, u32, IntHash> scopes;  // by entry
  tsl::robin_map<Scopes::Frame, u32, Scopes::FrameHash> frames;
};

CodeFrames::CodeFrames(const Unwound& unwound, const program::Program& program, unsigned threads)
    : scopes_(1), first_piece_(1), first_call_frame_(1) {
  auto calls = calls_of(unwound.nodes, program.code().size());
  for (u32 i = 0; i < calls.size(); ++i) call_numbers_.find_or_add(calls[i], i);

  // Shares are neighbourhoods, so that each inlined copy is met in one or two of them.
  const auto& ranges = unwound.ranges;
  Chunks chunks{std::max<size_t>(ranges.size(), 1), 8192};
  const auto& branches = unwound.branches;
  size_t count = chunks.count();
  auto first_in = [&](const auto& sorted, size_t share, auto key_of) {
    if (share == 0) return sorted.begin();
    if (share == count) return sorted.end();
    return std::ranges::lower_bound(sorted, key_of(ranges[chunks.begin(share)]));
  };
  auto part_of = [&](const auto& sorted, size_t share, auto key_of) {
    return std::span(first_in(sorted, share, key_of), first_in(sorted, share + 1, key_of));
  };
  auto place = [](u64 range) { return pair_of(first_of(range), 0); };
  std::vector<std::unique_ptr<Share>> shares(count);
  parallel_for(count, threads, [&](size_t i, unsigned) {
    shares[i] = std::make_unique<Share>(program);
    shares[i]->add_calls(part_of(calls, i, first_of));
    size_t end = std::min(ranges.size(), chunks.end(i));
    for (size_t range = chunks.begin(i); range < end; ++range)
      shares[i]->add_range(ranges[range], unwound.range_possible[range]);
    shares[i]->add_branches(part_of(branches, i, place));
  });
  Numbers numbers;
  for (auto& share : shares) {
    take(*share, numbers);
    share.reset();
  }
}

void CodeFrames::take(const Share& share, Numbers& numbers) {
  std::vector<u32> frames, scopes{Scopes::unknown};
  for (u32 i = 0; i < share.scopes.frames(); ++i) {
    auto frame = share.scopes.frame(i);
    frame.function = names.intern_from(share.names, frame.function);
    auto [found, fresh] = numbers.frames.try_emplace(frame, static_cast<u32>(frames_.size()));
    if (fresh) frames_.push_back(frame);
    frames.push_back(found->second);
  }
  for (u32 i = 1; i < share.scopes.scopes(); ++i) {
    const auto& from = share.scopes.scope(i);
    auto [found, fresh] = numbers.scopes.try_emplace(from.entry, static_cast<u32>(scopes_.size()));
    scopes.push_back(found->second);
    if (!fresh) continue;
    scopes_.push_back({static_cast<u32>(callers_.size()), static_cast<u32>(from.callers.size()),
                       names.intern_from(share.names, from.function)});
    for (u32 caller : from.callers) callers_.push_back(frames[caller]);
  }
  for (auto piece : share.pieces) {
    piece.scope = scopes[piece.scope];
    pieces_.push_back(piece);
  }
  for (u32 pieces : share.piece_counts) first_piece_.push_back(first_piece_.back() + pieces);
  for (u32 scope : share.branch_scopes) branch_scopes_.push_back(scopes[scope]);
  for (u32 frame : share.call_frames) call_frames_.push_back(frames[frame]);
  for (u32 depth : share.call_depths) first_call_frame_.push_back(first_call_frame_.back() + depth);
}

}  // namespace pgokit::unwind

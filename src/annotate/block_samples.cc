#include "annotate/block_samples.h"

#include <algorithm>

#include "base/function_name.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"

namespace pgokit::annotate {

using Frame = ProfileCounts::Frame;

class BlockPlaces::Reader {
 public:
  virtual ~Reader() = default;
  virtual void each(u64 begin, u64 end, const std::function<void(Frames)>& visit) = 0;

 protected:
  u64 guid_of(std::string_view name) {
    auto [found, is_new] = guids_.try_emplace(name);
    if (is_new) found.value() = function_guid(canonical_function_name(name));
    return found->second;
  }

  std::vector<Frame> frames_;

 private:
  tsl::robin_map<std::string_view, u64> guids_;
};

class BlockPlaces::Lines : public Reader {
 public:
  explicit Lines(const program::Program& program)
      : cursor_(*program.debug()), discriminators_(program.discriminators()) {}

  void each(u64 begin, u64 end, const std::function<void(Frames)>& visit) override {
    for (u64 at = begin; at < end;) {
      const auto& part = cursor_.at(at);
      if (part.end <= at) return;
      at = part.end;
      if (part.frames.empty() || part.frames.back().line == 0) continue;
      frames_.clear();
      for (const auto& frame : part.frames)
        frames_.push_back({guid_of(frame.function),
                           {dwarf::line_offset(frame),
                            dwarf::base_discriminator(frame.discriminator, discriminators_)}});
      visit(frames_);
    }
  }

 private:
  dwarf::FrameCursor cursor_;
  dwarf::Discriminators discriminators_;
};

class BlockPlaces::Probes : public Reader {
 public:
  Probes(const program::Program& program, probe::Table table) : table_(std::move(table)) {
    tsl::robin_map<u64, u64, IntHash> addresses;
    for (const auto& symbol : program.symbols().all())
      addresses.emplace(function_guid(symbol.name), symbol.address);
    decoded_ = table_.decode([](u64) { return true; },
                             [&](u64 guid) -> std::optional<u64> {
                               auto found = addresses.find(guid);
                               if (found == addresses.end()) return std::nullopt;
                               return found->second;
                             });
  }

  void each(u64 begin, u64 end, const std::function<void(Frames)>& visit) override {
    if (begin >= end) return;
    for (const auto& probe : decoded_.in(begin, end - 1)) {
      if (!probe.is_block()) continue;
      names_.clear();
      decoded_.append_context(probe, true, names_);
      if (names_.empty()) continue;
      frames_.clear();
      for (const auto& frame : names_) frames_.push_back({guid_of(frame.function), {frame.id, 0}});
      visit(frames_);
    }
  }

 private:
  probe::Table table_;
  probe::Decoded decoded_;
  std::vector<probe::Frame> names_;
};

BlockPlaces::BlockPlaces(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
BlockPlaces::BlockPlaces(BlockPlaces&&) noexcept = default;
BlockPlaces& BlockPlaces::operator=(BlockPlaces&&) noexcept = default;
BlockPlaces::~BlockPlaces() = default;

Result<BlockPlaces> BlockPlaces::of(const program::Program& program, bool by_probes) {
  if (by_probes && program.has_probes())
    return BlockPlaces(std::make_unique<Probes>(program, TRY(program.probe_table())));
  if (!by_probes && program.debug()) return BlockPlaces(std::make_unique<Lines>(program));
  return BlockPlaces(nullptr);
}

void BlockPlaces::each(u64 begin, u64 end, const std::function<void(Frames)>& visit) {
  if (reader_) reader_->each(begin, end, visit);
}

BlockSamples::BlockSamples(const block_map::Function& function, BlockPlaces& places,
                           const ProfileCounts& profile)
    : blocks_(function.blocks.size()) {
  struct Seen {
    u64 place;
    u32 block;
    u64 samples;
    auto operator<=>(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  for (u32 i = 0; i < blocks_.size(); ++i) {
    u64 begin = function.address_of(function.blocks[i]);
    places.each(begin, begin + function.blocks[i].size, [&](BlockPlaces::Frames frames) {
      auto found = profile.at(frames);
      if (found.samples) seen.push_back({found.place, i, *found.samples});
    });
  }
  std::ranges::sort(seen);
  auto same = std::ranges::unique(seen);
  seen.erase(same.begin(), same.end());
  std::vector<u64> least(blocks_.size(), ~u64{0});
  for (size_t i = 0; i < seen.size(); ++i) {
    bool shared = (i > 0 && seen[i - 1].place == seen[i].place) ||
                  (i + 1 < seen.size() && seen[i + 1].place == seen[i].place);
    auto& block = blocks_[seen[i].block];
    block.places.push_back(seen[i].place);
    if (shared) continue;
    block.samples = std::max(block.samples.value_or(0), seen[i].samples);
    least[seen[i].block] = std::min(least[seen[i].block], seen[i].samples);
  }
  for (size_t i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].samples && least[i] < *blocks_[i].samples / 2) blocks_[i].samples.reset();
}

std::vector<std::optional<u64>> BlockSamples::all() const {
  std::vector<std::optional<u64>> all;
  for (const auto& block : blocks_) all.push_back(block.samples);
  return all;
}

}  // namespace pgokit::annotate

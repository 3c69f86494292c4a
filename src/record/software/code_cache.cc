#include "record/software/code_cache.h"

#include <algorithm>

namespace pgokit::record {
namespace {

// A stop for a block that is missing costs as much as translating a hundred of them, but most of
// what lies ahead is never reached. bench/record.py measures stops per sample.
constexpr size_t blocks_ahead = 24;
// Of code that has run before, elsewhere: all that can be reached is likely to run again.
constexpr size_t known_blocks_ahead = 500;
constexpr u64 room_for_block = 4096;
constexpr u64 room_for_slots = 16 * 8;
constexpr size_t room_for_edges = 16;
constexpr size_t longest_instruction = 15;

// What of the ring is not counted, in this state.
Recovered uncounted(const Recovery& state, const scratch::Header& header, u64 r11) {
  u64 at_r11 = r11 / scratch::entry_size;
  Recovered whole = recovered_at_leave(header);
  switch (state.counted) {
    case Recovery::Counted::none:
      whole.uncounted_end = header.pass / scratch::entry_size + 1;
      break;
    case Recovery::Counted::above_r11:
      whole.uncounted_end = at_r11 + 1;
      break;
    case Recovery::Counted::from_r11:
      whole.uncounted_end = at_r11;
      break;
    case Recovery::Counted::all:
      break;
  }
  return whole;
}

// The last one that begins at `offset` or before it.
const Recovery* recovery_at(const std::vector<Recovery>& list, u64 offset) {
  auto it = std::ranges::upper_bound(list, offset, {}, &Recovery::offset);
  return it == list.begin() ? nullptr : &*std::prev(it);
}

}  // namespace

// What one call of enter() adds; it all lies in one arena and goes into the process at its end.
struct CodeCache::Batch {
  Arena* arena = nullptr;
  u64 code_at = 0, slots_at = 0;  // of the first byte
  std::vector<u8> code;
  std::vector<u64> slots;
  std::vector<TargetMemory::Word> words;
  struct Next {
    u64 address;
    bool runs_on;  // without a branch
  };
  std::deque<Next> next;   // to be translated too
  std::vector<u64> added;  // addresses translated
};

CodeCache::CodeCache(TargetMemory& memory, Source source)
    : memory_(memory), source_(std::move(source)) {}

const Arena* CodeCache::near(u64 address) const {
  for (const auto& arena : arenas_)
    if (arena.reaches(address)) return &arena;
  return nullptr;
}

void CodeCache::add_arena(u64 base) {
  arenas_.push_back({.base = base, .code_used = 0, .slots_used = 0});
  in_arena_.emplace_back();
  if (arenas_.size() > 1) return;
  routines_ = make_routines(base);
  add_routines();
}

void CodeCache::add_routines() {
  memory_.write(arenas_[0].base, routines_.code);
  arenas_[0].code_used = (routines_.code.size() + 63) / 64 * 64;
}

u64 CodeCache::find(u64 original) const {
  auto it = numbers_.find(original);
  return it == numbers_.end() ? 0 : blocks_[it->second].code;
}

u64 CodeCache::enter(u64 original) {
  if (u64 code = find(original)) return code;
  const auto* arena = near(original);
  if (!arena) return 0;
  Batch batch;
  batch.arena = &arenas_[static_cast<size_t>(arena - arenas_.data())];
  batch.code_at = arena->base + arena->code_used;
  batch.slots_at = arena->slots() + arena->slots_used;
  if (!add(original, batch)) return 0;
  bool known = has_run_ && has_run_(original);
  size_t most = known ? known_blocks_ahead : blocks_ahead;
  for (size_t n = 1; n < most && !batch.next.empty();) {
    auto [address, runs_on] = batch.next.front();
    batch.next.pop_front();
    if (find(address) || !arena->reaches(address)) continue;
    if (known && !runs_on && !has_run_(address)) continue;
    if (add(address, batch)) ++n;
  }
  commit(batch);
  return find(original);
}

bool CodeCache::add(u64 original, Batch& batch) {
  Arena& arena = *batch.arena;
  if (arena.code_used + room_for_block > Arena::call_site ||
      arena.slots_used + room_for_slots > Arena::slots_size ||
      edges_.size() + room_for_edges > scratch::most_edges)
    return full_ = true, false;
  Bytes bytes = source_(original);
  if (bytes.empty()) return false;
  Place place{.code = arena.base + arena.code_used,
              .slots = arena.slots() + arena.slots_used,
              .first_edge = static_cast<u32>(edges_.size())};
  auto copy = translate(original, bytes, place);
  if (!copy.ok()) return false;

  batch.code.insert(batch.code.end(), copy.code.begin(), copy.code.end());
  batch.code.resize((batch.code.size() + 15) / 16 * 16, 0xcc);
  arena.code_used = batch.code_at + batch.code.size() - arena.base;
  arena.slots_used += copy.exits.size() * 8;
  edges_.insert(edges_.end(), copy.edges.begin(), copy.edges.end());
  know(original, copy.block, bytes, arena);
  batch.added.push_back(original);
  for (const auto& exit : copy.exits) link(exit, batch);

  if (auto it = waiting_.find(original); it != waiting_.end()) {
    for (u64 slot : it->second) {
      if (slot >= batch.slots_at && slot < batch.slots_at + batch.slots.size() * 8)
        batch.slots[(slot - batch.slots_at) / 8] = copy.block.code;
      else
        batch.words.push_back({slot, copy.block.code});
    }
    waiting_.erase(it);
  }
  follow(copy, batch);
  return true;
}

// Keeps the bytes that made the copy, and one instruction more, where it may have seen that it has
// to end: what they make is the same at any time.
void CodeCache::know(u64 original, const Block& block, Bytes bytes, const Arena& arena) {
  auto number = static_cast<u32>(blocks_.size());
  numbers_[original] = number;
  in_arena_[static_cast<size_t>(&arena - arenas_.data())].push_back(number);
  size_t size = std::min<size_t>(bytes.size(), block.end - original + longest_instruction);
  blocks_.push_back({original, block.code, block.code_end, static_cast<u32>(bytes_.size()),
                     static_cast<u32>(size)});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
}

void CodeCache::link(const Exit& exit, Batch& batch) {
  u64 code = find(exit.target);
  batch.slots.push_back(code ? code : exit.miss);
  if (!code) waiting_[exit.target].push_back(exit.slot);
}

void CodeCache::follow(const Translation& copy, Batch& batch) {
  for (const auto& exit : copy.exits)
    batch.next.push_back({.address = exit.target, .runs_on = exit.target == copy.block.end});
  for (u64 site : copy.return_sites) batch.next.push_back({.address = site, .runs_on = false});
}

// Code and slots first: nothing leads there before the words are written.
void CodeCache::commit(Batch& batch) {
  memory_.write(batch.code_at, batch.code);
  Bytes slots(reinterpret_cast<const u8*>(batch.slots.data()), batch.slots.size() * 8);
  if (!slots.empty()) memory_.write(batch.slots_at, slots);
  for (u64 original : batch.added)
    batch.words.push_back(
        {arenas_[0].table() + 8 * scratch::table_index(original), find(original)});
  memory_.write_words(batch.words);
}

void CodeCache::publish(u64 original) {
  u64 code = find(original);
  if (!code) return;
  TargetMemory::Word word{arenas_[0].table() + 8 * scratch::table_index(original), code};
  memory_.write_words({&word, 1});
}

void CodeCache::clear() {
  numbers_.clear();
  blocks_.clear();
  edges_.clear();
  bytes_.clear();
  for (auto& list : in_arena_) list.clear();
  waiting_.clear();
  full_ = false;
  for (auto& arena : arenas_) arena.code_used = arena.slots_used = 0;
  if (arenas_.empty()) return;
  std::vector<u8> nothing(Arena::table_size);
  memory_.write(arenas_[0].table(), nothing);
  if (routines_.code.empty()) routines_ = make_routines(arenas_[0].base);
  add_routines();
}

bool CodeCache::contains(u64 address) const {
  return std::ranges::any_of(arenas_, [&](const Arena& arena) {
    return address >= arena.base && address < arena.base + Arena::code_size;
  });
}

bool CodeCache::in_routine(u64 address) const {
  return !arenas_.empty() && address - arenas_[0].base < routines_.code.size();
}

// Blocks of one arena lie in the order of their making.
const CodeCache::KnownBlock* CodeCache::block_at(u64 pc) const {
  for (const auto& list : in_arena_) {
    auto it = std::ranges::upper_bound(list, pc, {}, [&](u32 n) { return blocks_[n].code; });
    if (it == list.begin()) continue;
    const auto& block = blocks_[*std::prev(it)];
    if (pc < block.code_end) return &block;
  }
  return nullptr;
}

Recovered CodeCache::recover(Registers& regs, const scratch::Header& header) const {
  const Recovery* state = nullptr;
  Translation copy;
  if (in_routine(regs.rip)) {
    state = recovery_at(routines_.recoveries, regs.rip - arenas_[0].base);
  } else if (const auto* block = block_at(regs.rip)) {
    copy = translate(block->original, Bytes(bytes_).subspan(block->bytes_at, block->bytes_size),
                     {.code = block->code - 8, .slots = block->code, .first_edge = 0});
    state = recovery_at(copy.block.recoveries, regs.rip - block->code);
  }
  if (!state) return {};
  auto recovered = uncounted(*state, header, regs.r11);
  record::recover(regs, *state, header);
  if (state->unrecorded == Recovery::Unrecorded::none) return recovered;
  bool in_scratch = state->unrecorded == Recovery::Unrecorded::in_scratch;
  Edge newest = in_scratch ? edge(static_cast<u32>(header.edge)) : state->edge;
  newest.indirect = newest.to == 0;
  newest.to = regs.rip;
  recovered.unrecorded = newest;
  return recovered;
}

scratch::Header CodeCache::header(u32 branches, u32 passes) const {
  scratch::Header header{};
  header.left = header.pass = u64{branches} * scratch::entry_size;
  header.passes = passes - 1;
  header.table = arenas_[0].table();
  header.leave = routines_.leave;
  header.dispatch = routines_.dispatch;
  header.room = scratch::most_targets * 3 / 4;
  return header;
}

}  // namespace pgokit::record

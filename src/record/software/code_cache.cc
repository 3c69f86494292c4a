#include "record/software/code_cache.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "record/x86/instruction.h"

namespace pgokit::record {
namespace {

// A stop for a block that is missing costs as much as translating a hundred of them, but most of
// what lies ahead is never reached. bench/record.py measures stops per sample.
constexpr size_t blocks_ahead = 24;
// Of code that has run before, elsewhere: all that can be reached is likely to run again.
constexpr size_t known_blocks_ahead = 500;
constexpr u64 room_for_block = 4096;
constexpr u64 room_for_logging_block = 12288;
constexpr u64 room_for_slots = 16 * 8;
constexpr size_t room_for_edges = 16;
constexpr size_t longest_instruction = 15;
// Of the table of indirect targets: most blocks are none, and from then on only those that are known
// to be get a place. Searches are short as long as an eighth is free.
constexpr size_t most_listed_early = scratch::table_entries / 2;
constexpr size_t most_listed = scratch::table_entries / 8 * 7;
// How far is looked for what the flags are used for.
constexpr size_t most_instructions_ahead = 8;

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
  struct Jump {
    u64 at;
    i32 displacement;
  };
  std::vector<Jump> jumps;  // in code that was there before
};

CodeCache::CodeCache(TargetMemory& memory, Source source, CopyFor purpose)
    : memory_(memory), source_(std::move(source)), purpose_(purpose) {}

const Arena* CodeCache::near(u64 address) const {
  for (const auto& arena : arenas_)
    if (arena.reaches(address)) return &arena;
  return nullptr;
}

void CodeCache::add_arena(u64 base) {
  arenas_.push_back({.base = base, .shape = shape()});
  in_arena_.emplace_back();
  if (arenas_.size() == 1) add_routines();
}

void CodeCache::add_routines() {
  auto& first = arenas_[0];
  bool whole_run = is_whole_run(purpose_);
  if (routines_.code.empty())
    routines_ = whole_run ? make_whole_run_routines(first.base, purpose_ == CopyFor::contexts)
                          : make_routines(first.base, first.slots());
  memory_.write(first.base, routines_.code);
  first.code_used = (routines_.code.size() + 63) / 64 * 64;
  if (!whole_run) first.slots_used = ways_out * way_out_words * sizeof(u64);
}

CodeCache::WayOut CodeCache::way_out(u64 original, u64 rcx) {
  u64 n = next_way_out_++ % ways_out;
  u64 at = arenas_[0].slots() + n * way_out_words * sizeof(u64);
  return {.code = routines_.first_way_out + n * way_out_size,
          .words = {{{at, original}, {at + sizeof(u64), rcx}}}};
}

u64 CodeCache::find(u64 original) const {
  auto it = numbers_.find(original);
  return it == numbers_.end() ? 0 : blocks_[it->second].entry;
}

u64 CodeCache::enter_call(u64 original) {
  return enter(original) ? blocks_[numbers_[original]].call : 0;
}

CodeCache::Batch CodeCache::begin(const Arena& arena) {
  Batch batch;
  batch.arena = &arenas_[static_cast<size_t>(&arena - arenas_.data())];
  batch.code_at = arena.base + arena.code_used;
  batch.slots_at = arena.slots() + arena.slots_used;
  return batch;
}

void CodeCache::enter_all(std::span<const u64> originals) {
  const auto* arena = originals.empty() ? nullptr : near(originals.front());
  if (!arena) return;
  Batch batch = begin(*arena);
  auto add_new = [&](u64 address) {
    if (!full_ && arena->reaches(address) && !find(address)) add(address, batch);
  };
  for (u64 original : originals) {
    add_new(original);
    for (; !batch.next.empty(); batch.next.pop_front())
      if (batch.next.front().runs_on) add_new(batch.next.front().address);
  }
  commit(batch);
}

u64 CodeCache::enter(u64 original) {
  if (u64 code = find(original)) return code;
  const auto* arena = near(original);
  if (!arena) return 0;
  Batch batch = begin(*arena);
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
  u64 room = purpose_ == CopyFor::memory ? room_for_logging_block : room_for_block;
  if (arena.code_used + room > arena.shape.call_site() ||
      arena.slots_used + room_for_slots > arena.shape.slots_size ||
      edges_.size() + room_for_edges > scratch::most_edges || sites_ == scratch::most_sites)
    return full_ = true, false;
  Bytes source = source_(original);
  if (source.empty()) return false;
  block_.assign(source.begin(), source.end());
  Bytes bytes = block_;
  Place place{.code = arena.base + arena.code_used,
              .slots = arena.slots() + arena.slots_used,
              .first_edge = static_cast<u32>(edges_.size()),
              .first_access = static_cast<u32>(accesses_.size()),
              .site = sites_};
  auto copy = translate_at(original, bytes, place);
  if (!copy.ok()) return false;

  batch.code.insert(batch.code.end(), copy.code.begin(), copy.code.end());
  batch.code.resize((batch.code.size() + 15) / 16 * 16, 0xcc);
  arena.code_used = batch.code_at + batch.code.size() - arena.base;
  arena.slots_used += copy.exits.size() * 8;
  edges_.insert(edges_.end(), copy.edges.begin(), copy.edges.end());
  accesses_.insert(accesses_.end(), copy.accesses.begin(), copy.accesses.end());
  know(original, copy.block, bytes, arena);
  sites_ += copy.uses_site;
  batch.added.push_back(original);
  for (const auto& exit : copy.exits) link(exit, batch);

  link_waiting(original, copy.block.entry, batch);
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
  blocks_.push_back({original, block.code, block.entry, block.code_end, block.call,
                     static_cast<u32>(bytes_.size()), static_cast<u32>(size), sites_});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
}

Translation CodeCache::translate_at(u64 original, Bytes bytes, Place place) const {
  if (purpose_ != CopyFor::contexts)
    place.flags_die_at = [this](u64 address) { return flags_die_at(address); };
  return translate(original, bytes, place, purpose_);
}

bool CodeCache::flags_die_at(u64 address) const {
  auto it = flags_die_.find(address);
  if (it == flags_die_.end()) it = flags_die_.emplace(address, do_flags_die_at(address)).first;
  return it->second;
}

bool CodeCache::do_flags_die_at(u64 address) const {
  Bytes code;
  u64 at = address;
  bool led = true;
  for (size_t n = 0; n < most_instructions_ahead; ++n) {
    if (led) code = source_(at);
    u8 length = 0;
    u64 target = 0;
    auto use = code.empty() ? FlagUse::unknown : flag_use(code, at, length, target);
    if (use == FlagUse::kills) return true;
    if (use == FlagUse::unknown) return false;
    led = use == FlagUse::leads;
    at = led ? target : at + length;
    if (!led) code = code.subspan(length);
  }
  return false;
}

void CodeCache::link(const Exit& exit, Batch& batch) {
  u64 code = find(exit.target);
  batch.slots.push_back(code ? code : exit.miss);
  if (code)
    jump_to(code, exit, batch);
  else
    wait(exit);
}

void CodeCache::wait(const Exit& exit) {
  auto& last = waiting_[exit.target];
  WaitingExit one{.exit = exit, .before = last};
  if (unused_exit_) {
    last = unused_exit_;
    unused_exit_ = std::exchange(waiting_exits_[last - 1], one).before;
  } else {
    waiting_exits_.push_back(one);
    last = static_cast<u32>(waiting_exits_.size());
  }
}

void CodeCache::link_waiting(u64 original, u64 code, Batch& batch) {
  auto it = waiting_.find(original);
  if (it == waiting_.end()) return;
  for (u32 number = it->second; number;) {
    auto& [exit, before] = waiting_exits_[number - 1];
    jump_to(code, exit, batch);
    u64 offset = exit.slot - batch.slots_at;
    if (offset < batch.slots.size() * 8)
      batch.slots[offset / 8] = code;
    else
      batch.words.push_back({exit.slot, code});
    unused_exit_ = std::exchange(number, std::exchange(before, unused_exit_));
  }
  waiting_.erase(it);
}

// The way by the slot stays for threads that are just taking it.
void CodeCache::jump_to(u64 code, const Exit& exit, Batch& batch) const {
  if (!exit.jump) return;
  auto displacement = static_cast<i32>(code - (exit.jump + 4));
  if (static_cast<u64>(i64{displacement}) != code - (exit.jump + 4)) return;
  u64 offset = exit.jump - batch.code_at;
  if (offset < batch.code.size())
    std::memcpy(batch.code.data() + offset, &displacement, sizeof displacement);
  else if (alone_)
    batch.jumps.push_back({exit.jump, displacement});
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
    if (listed_ < most_listed_early) batch.words.push_back(list(numbers_[original]));
  memory_.write_words(batch.words);
  for (const auto& [at, displacement] : batch.jumps)
    memory_.write(at, Bytes(reinterpret_cast<const u8*>(&displacement), sizeof displacement));
}

void CodeCache::publish(u64 original) {
  auto it = numbers_.find(original);
  if (it == numbers_.end() || blocks_[it->second].listed) return;
  auto word = list(it->second);
  memory_.write_words({&word, 1});
}

// There is always a free place, at which a search ends. When there are few, another block loses its.
TargetMemory::Word CodeCache::list(u32 number) {
  auto& block = blocks_[number];
  table_.resize(scratch::table_entries);
  u64 place = scratch::table_index(block.original);
  if (listed_ < most_listed)
    while (table_[place]) place = (place + 1) % scratch::table_entries;
  if (u32 other = table_[place])
    blocks_[other - 1].listed = false;
  else
    ++listed_;
  table_[place] = number + 1;
  block.listed = true;
  return {arenas_[0].table() + 8 * place, block.code};
}

// What indirect branches look at in front of a copy is the address that it is the copy of.
void CodeCache::mark(CodeRange range, u64 mask) {
  for (const auto& block : blocks_) {
    if (!range.contains(block.original)) continue;
    u64 address = block.original ^ mask;
    memory_.write(block.code - 8, Bytes(reinterpret_cast<const u8*>(&address), sizeof address));
  }
}

void CodeCache::hide(CodeRange range) {
  mark(range, ~u64{0});
  hidden_.push_back(range);
}

void CodeCache::show(CodeRange range) {
  if (std::erase(hidden_, range)) mark(range, 0);
}

// Their copies stay where they are until there is no more room.
std::vector<CodeRange> CodeCache::forget_hidden(CodeRange range) {
  auto kept =
      std::ranges::partition(hidden_, [&](const auto& one) { return !one.overlaps(range); });
  std::vector<CodeRange> forgotten(kept.begin(), kept.end());
  hidden_.erase(kept.begin(), kept.end());
  for (const auto& one : forgotten) {
    for (const auto& block : blocks_)
      if (one.contains(block.original)) numbers_.erase(block.original);
    for (auto it = flags_die_.begin(); it != flags_die_.end();)
      it = one.contains(it->first) ? flags_die_.erase(it) : std::next(it);
  }
  return forgotten;
}

void CodeCache::clear() {
  numbers_.clear();
  blocks_.clear();
  edges_.clear();
  accesses_.clear();
  bytes_.clear();
  for (auto& list : in_arena_) list.clear();
  waiting_.clear();
  waiting_exits_.clear();
  unused_exit_ = 0;
  flags_die_.clear();
  table_.clear();
  sites_ = 0;
  listed_ = 0;
  hidden_.clear();
  full_ = false;
  for (auto& arena : arenas_) arena.code_used = arena.slots_used = 0;
  if (arenas_.empty()) return;
  std::vector<u8> nothing(arenas_[0].shape.table_size());
  memory_.write(arenas_[0].table(), nothing);
  add_routines();
}

bool CodeCache::contains(u64 address) const {
  return std::ranges::any_of(arenas_, [&](const Arena& arena) {
    return address >= arena.base && address < arena.base + arena.shape.code_size;
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
    copy = translate_at(
        block->original, Bytes(bytes_).subspan(block->bytes_at, block->bytes_size),
        {.code = block->code - 8, .slots = block->code, .first_edge = 0, .site = block->site});
    state = recovery_at(copy.block.recoveries, regs.rip - block->code);
  }
  if (!state) return {};
  Recovered recovered{.was_inside = true};
  record::recover(regs, *state, header);
  if (state->unblocked) recovered.blocked = header.blocked;
  if (state->unrecorded == Recovery::Unrecorded::none) return recovered;
  bool in_scratch = state->unrecorded == Recovery::Unrecorded::in_scratch;
  if (in_scratch && static_cast<u32>(header.edge) == scratch::no_edge) return recovered;
  Edge newest = in_scratch ? edge(static_cast<u32>(header.edge)) : state->edge;
  newest.indirect = newest.to == 0;
  newest.to = regs.rip;
  recovered.unrecorded = newest;
  return recovered;
}

scratch::Header CodeCache::header(u32 branches, u32 passes, u32 turns) const {
  scratch::Header header{};
  header.none = scratch::no_target;
  header.pass = u64{branches} * scratch::entry_size;
  header.turns = turns;
  header.passes = passes - 1;
  header.recorded = header.passes == 0;
  header.left = header.recorded ? header.pass : turns;
  header.time_left = u64(-1) >> 1;
  header.table = arenas_[0].table();
  header.leave = routines_.leave;
  header.dispatch = routines_.dispatch;
  header.edge = scratch::no_edge;
  header.next_pair = scratch::first_pair;
  if (purpose_ == CopyFor::contexts) header.left = scratch::contexts::empty_log;
  return header;
}

}  // namespace pgokit::record

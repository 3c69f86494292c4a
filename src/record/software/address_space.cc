#include "record/software/address_space.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "record/software/stop_mark.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;
constexpr size_t line_size = 512;     // more than a block's instructions can be long
constexpr size_t most_pages = 16384;  // of code kept

constexpr u64 trap_flag = 0x100;

bool is_error(u64 result) { return result > u64(-4096); }
std::string error_text(u64 result) { return std::strerror(static_cast<int>(-result)); }

}  // namespace

u64 AddressSpace::next_numbering() {
  static u64 last = 0;
  return ++last;
}

AddressSpace::AddressSpace(pid_t tid, ProcessMemory memory, CopyFor purpose)
    : tid_(tid),
      memory_(std::move(memory)),
      patched_(PatchedPages::open(tid)),
      cache_(memory_, [this](u64 address) { return code_at(address); }, purpose) {}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open(pid_t tid, CopyFor purpose) {
  auto memory = TRY(ProcessMemory::open(tid));
  return std::unique_ptr<AddressSpace>(new AddressSpace(tid, std::move(memory), purpose));
}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open_forked(pid_t tid,
                                                                const AddressSpace& parent) {
  auto space = TRY(open(tid, parent.cache_.purpose()));
  space->map_ = parent.map_;
  space->unnamed_ = parent.unnamed_;
  space->obstacle_ = parent.obstacle_;
  space->scratch_counted_ = parent.scratch_counted_;
  space->scratch_left_ = parent.scratch_left_;
  space->targets_known_ = parent.targets_known_;
  space->inherited_edges_ = parent.cache_.edges();
  space->inherited_ = parent.inherited_;
  if (is_whole_run(parent.cache_.purpose()))
    space->inherit_code(parent);
  else
    for (const auto& arena : parent.cache_.arenas()) space->inherited_.push_back(arena.base);
  return space;
}

std::vector<Mapping> AddressSpace::refresh() {
  auto now = MemoryMap::read(tid_);
  if (!now || now->list().empty()) return {};
  auto is_new = [](const Mapping& mapping, const MemoryMap& before) {
    const auto* old = before.find(mapping.start);
    return !old || *old != mapping;
  };
  std::vector<Mapping> added;
  for (const auto& mapping : now->list())
    if (mapping.executable && mapping.readable && !cache_.contains(mapping.start) &&
        is_new(mapping, map_))
      added.push_back(mapping);
  std::vector<Mapping> gone;
  for (const auto& mapping : map_.list())
    if (mapping.is_fixed_code() && is_new(mapping, *now)) gone.push_back(mapping);
  // As long as it is known what they are of; nothing leads to indirect targets by them then.
  if (!gone.empty() && nobody_inside()) hand_over_counts(), forget_targets();
  map_ = std::move(*now);
  map_expired_ = false;
  for (const auto& mapping : gone) set_aside(mapping);
  if (!added.empty()) restartable_known_ = false;
  for (const auto& mapping : added) verify(mapping);
  return added;
}

std::vector<Mapping> AddressSpace::new_data(pid_t tid, u64 rsp) {
  std::vector<Mapping> now, added;
  tsl::robin_set<std::string_view> programs;
  for (const auto& mapping : map_.list())
    if (mapping.executable && mapping.inode != 0) programs.insert(mapping.path);
  for (const auto& mapping : map_.list()) {
    if (mapping.executable || !mapping.readable || is_arena(mapping.start)) continue;
    if (mapping.inode != 0 && programs.contains(mapping.path)) continue;
    auto& one = now.emplace_back(mapping);
    auto told = std::ranges::lower_bound(told_data_, one.start, {}, &Mapping::start);
    bool known = told != told_data_.end() && told->start == one.start && told->end == one.end &&
                 told->inode == one.inode && told->offset == one.offset;
    bool is_stack = one.path.empty() && rsp - one.start < one.size();
    // A stack keeps its name while others are looked at.
    if (is_stack || (known && told->path.starts_with("[stack:")))
      one.path = known && !is_stack ? told->path : fmt::format("[stack:{}]", tid);
    if (!known || one.path != told->path) added.push_back(one);
  }
  told_data_ = std::move(now);
  return added;
}

void AddressSpace::check_copies() {
  if (pages_listed_ != pages_.size()) {
    pages_listed_ = pages_.size();
    page_list_.clear();
    code_in_use_.clear();
    for (const auto& [address, bytes] : pages_) {
      // The kernel's code is where the recorder's own calls are made from: it has written there.
      const auto* mapping = map_.find(address);
      if (!mapping || !mapping->is_vdso()) page_list_.push_back(address);
    }
    std::ranges::sort(page_list_);
    const Mapping* last = nullptr;
    for (u64 address : page_list_)
      if (const auto* mapping = map_.find(address);
          mapping && std::exchange(last, mapping) != mapping)
        code_in_use_.push_back(address);
  }
  // Of mappings that go between windows nothing else tells; in whole runs all calls are seen.
  if (!is_whole_run(cache_.purpose()) && !memory_.all_there(code_in_use_)) map_expired_ = true;
  if (!stale_ && patched_.any_patched(page_list_)) stale_ = true;
}

void AddressSpace::rehearse(StoppedThread& thread) {
  check_copies();
  thread.status.restrictions_of(thread.tid);
}

bool AddressSpace::due_for_refresh(u64 address) const {
  return map_expired_ || !map_.find(address);
}

// Patched pages are left to the processor: the program may patch them again.
const u8* AddressSpace::page(u64 address, const Mapping& mapping) {
  auto it = pages_.find(address);
  if (it != pages_.end()) return it->second->data();
  if (pages_.size() >= most_pages) return stale_ = true, nullptr;
  note_file(mapping);
  auto bytes = std::make_shared<std::array<u8, page_size>>();
  if (!memory_.read(address, bytes->data(), page_size)) return nullptr;
  if (!mapping.is_vdso() && patched_.patched(address)) return nullptr;
  return pages_.emplace(address, std::move(bytes)).first->second->data();
}

Bytes AddressSpace::code_at(u64 address) {
  const auto* mapping = map_.find(address);
  if (!mapping || !mapping->is_fixed_code()) return {};
  line_.clear();
  u64 end = end_of_translatable(address, std::min(mapping->end, address + line_size));
  for (u64 at = address; at < end;) {
    u64 start = at & ~(page_size - 1);
    const u8* bytes = page(start, *mapping);
    if (!bytes) break;
    u64 until = std::min(end, start + page_size);
    line_.insert(line_.end(), bytes + (at - start), bytes + (until - start));
    at = until;
  }
  return line_;
}

u64 AddressSpace::end_of_translatable(u64 address, u64 end) const {
  for (const auto& range : restartable_)
    if (range.start < end && range.end > address) end = std::max(address, range.start);
  return end;
}

bool AddressSpace::can_leave(StoppedThread& thread, const Registers& regs) {
  if (!obstacle_.empty()) return true;  // there will be no window
  if (regs.eflags & trap_flag) return false;
  auto restrictions = thread.status.restrictions_of(thread.tid);
  if (restrictions.sandboxed) give_up("it restricts its system calls (seccomp)");
  if (restrictions.shadow_stack) give_up("it uses a shadow stack");
  thread.holds_faults = restrictions.holds_faults;
  thread.alone = restrictions.alone;
  thread.signals_in_use = restrictions.handled | restrictions.blocked;
  mark_signal_ = mark_signal_of(restrictions);
  if (!restartable_known_) find_restartable();
  if (auto range = announced_sequence(memory_, thread.tid)) {
    if (std::ranges::find(restartable_, *range) == restartable_.end()) {
      restartable_.push_back(*range);
      stale_ = true;  // it may have been copied
    }
  }
  return std::ranges::none_of(restartable_,
                              [&](const CodeRange& one) { return one.contains(regs.rip); });
}

// Reading the time where that is forbidden is a fault, which the engine sees and drops. But of a
// signal that is blocked or ignored the kernel has taken the handler away by then.
bool AddressSpace::may_read_time(StoppedThread& thread, u64 word) {
  if (!thread.holds_faults || thread.reads_time) return true;
  u32 mode = PR_TSC_ENABLE;
  auto got = inject(memory_, thread, cache_.call_site(), {SYS_prctl, {PR_GET_TSC, word}});
  if (!got) return false;
  if (!is_error(*got) && memory_.read(word, &mode, sizeof mode) && mode != PR_TSC_ENABLE)
    return give_up("it forbids to read the time stamp counter"), false;
  return thread.reads_time = true;
}

void AddressSpace::give_up(std::string why) {
  if (obstacle_.empty()) obstacle_ = std::move(why);
}

// Memory outside of arenas that may be executed and holds nothing: the end of the kernel's vdso, or
// what follows the code of a file in its last page. Writing to it copies that page for the process.
std::optional<u64> AddressSpace::find_call_site(size_t size) {
  std::vector<u8> bytes(size);
  for (bool vdso : {true, false})
    for (const auto& mapping : map_.list()) {
      if (!mapping.is_fixed_code() || mapping.is_vdso() != vdso) continue;
      u64 site = mapping.end - size;
      if (memory_.read(site, bytes.data(), bytes.size()) &&
          std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; }))
        return site;
    }
  return std::nullopt;
}

// In two steps; when something comes in between, the next time goes on with the second. Where the
// program has mapped something since its mappings were read, they are to be read again.
bool AddressSpace::map_arena(StoppedThread& thread, u64 site, u64 base, ArenaShape shape) {
  constexpr u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto map = [&](u64 at, u64 size, u64 protection, u64 how) {
    auto got =
        inject(memory_, thread, site, {SYS_mmap, {at, size, protection, flags | how, u64(-1), 0}});
    bool failed = got && is_error(*got), taken = failed && *got == static_cast<u64>(-EEXIST);
    if (taken) expire_map();
    if (failed && !taken) give_up("mmap: " + error_text(*got));
    return got && !failed ? *got : 0;
  };
  if (!half_mapped_) {
    half_mapped_ = map(base, shape.size(), PROT_READ | PROT_EXEC, MAP_FIXED_NOREPLACE);
    if (half_mapped_ && half_mapped_ != base)
      return give_up(fmt::format("mmap gave {:#x} and not {:#x}", half_mapped_, base)), false;
  }
  return half_mapped_ &&
         map(half_mapped_ + shape.code_size, shape.data_size(), PROT_READ | PROT_WRITE, MAP_FIXED);
}

bool AddressSpace::add_arena(StoppedThread& thread, u64 address) {
  auto outside = cache_.arenas().empty() ? find_call_site(call_site_size) : cache_.call_site();
  if (!outside) return give_up("no room for code in the process"), false;
  auto shape = cache_.shape();
  u64 base = half_mapped_ ? half_mapped_ : map_.hole(address, shape.size(), shape.reach());
  if (!base) return crowded_ = true, false;
  bool mapped = map_arena(thread, *outside, base, shape);
  if (thread.gone) return false;
  memory_.write(*outside, std::vector<u8>(call_site_size));
  if (!mapped) return false;
  cache_.add_arena(std::exchange(half_mapped_, 0));
  return true;
}

bool AddressSpace::prepare(StoppedThread& thread, u64 address) {
  if (!obstacle_.empty()) return false;
  const auto* mapping = map_.find(address);
  if (!mapping || !mapping->is_fixed_code()) return false;
  if (!inherited_.empty() || inherited_edges_ > 0) inherit();
  return cache_.reaches(address) || add_arena(thread, address);
}

// What the parent had counted by then is the parent's.
void AddressSpace::inherit() {
  for (u64 base : inherited_) cache_.add_arena(base);
  for (int n = 0; n < static_cast<int>(ArenaShape::scratch_areas); ++n) {
    std::vector<EdgeCount> parents;
    if (scratch_counted_ >> n & 1) drain(n, inherited_edges_, parents);
  }
  scratch_counted_ = 0;
  inherited_edges_ = 0;
  if (!inherited_.empty()) clear_cache();
  inherited_.clear();
}

void AddressSpace::unmap_arenas(StoppedThread& thread) {
  auto bases = std::exchange(inherited_, {});
  for (const auto& arena : cache_.arenas()) bases.push_back(arena.base);
  if (half_mapped_) bases.push_back(half_mapped_);
  auto site = bases.empty() || restrictions_of(thread.tid).sandboxed
                  ? std::nullopt
                  : find_call_site(call_site_size);
  if (!site) return;
  give_up("it is left to itself");
  for (size_t n = 0; n < bases.size(); ++n) {
    u64 size = shape_of(cache_.purpose(), n == 0).size();
    if (!inject(memory_, thread, *site, {SYS_munmap, {bases[n], size}})) break;
  }
  if (!thread.gone) memory_.write(*site, std::vector<u8>(call_site_size));
}

bool AddressSpace::is_arena(u64 address) const {
  auto ours = [&](const Arena& arena) { return address - arena.base < arena.shape.size(); };
  if (std::ranges::any_of(cache_.arenas(), ours)) return true;
  auto parents = [&](u64 base) { return address - base < shape_of(cache_.purpose()).size(); };
  if (std::ranges::any_of(inherited_, parents)) return true;
  const auto* data = map_.find(address);
  const auto* code = data ? map_.find(data->start - 1) : nullptr;
  auto is = [&](ArenaShape shape) {
    bool anonymous = data->inode == 0 && code->inode == 0 && code->executable && !code->writable;
    return (anonymous && data->size() == shape.data_size() && code->size() == shape.code_size) ||
           ImageFile::made(*code, *data, shape);
  };
  return code && (is(shape_of(CopyFor::windows)) || is(shape_of(CopyFor::memory)) ||
                  is(shape_of(CopyFor::whole_run)) || is(shape_of(CopyFor::contexts)));
}

int AddressSpace::take_scratch() {
  bool keeps_areas = is_whole_run(cache_.purpose());
  if (needs_all_outside() && !keeps_areas) {
    if (!nobody_inside()) return -1;
    make_room();
  }
  if (scratch_free_ == 0) return -1;
  int n = std::countr_zero(scratch_free_);
  if (!clear_counts(n) || !make_ready(n)) return -1;
  scratch_free_ &= ~(u64{1} << n);
  scratch_counted_ |= u64{1} << n;
  if (!keeps_areas) targets_known_ |= u64{1} << n;
  return n;
}

void AddressSpace::make_room() {
  clear_cache();
  pages_.clear();
  adopted_.clear();
  files_.clear();
  adopted_files_.clear();
  page_list_.clear();
  code_in_use_.clear();
  pages_listed_ = 0;
  stale_ = false;
}

bool AddressSpace::make_room_when_empty() {
  if (inside_ > 0) return false;
  make_room();
  return true;
}

bool AddressSpace::go_in(int area) {
  if (stale_) return false;
  ++inside_;
  scratch_counted_ |= u64{1} << area;
  return true;
}

bool AddressSpace::make_ready(int n) {
  if (mark_signal_ == 0) mark_signal_ = mark_signal_of(restrictions_of(tid_));
  auto& signal = area_signals_[static_cast<size_t>(n)];
  if (signal == mark_signal_) return true;
  struct {
    siginfo_t mark;
    u64 set;
  } const stop{stop_mark(mark_signal_), u64{1} << (mark_signal_ - 1)};
  static_assert(sizeof stop.mark == scratch::mark_set - scratch::mark);
  u64 area = cache_.scratch(static_cast<u64>(n));
  bool written =
      memory_.write(area + scratch::mark, Bytes(reinterpret_cast<const u8*>(&stop), sizeof stop)) &&
      memory_.write(area + scratch::calls, calls_made_in_copies(is_whole_run(cache_.purpose())));
  if (written) signal = mark_signal_;
  return written;
}

// Those of a thread that was killed in a window, and those that were taken last.
bool AddressSpace::clear_counts(int n) {
  if (!((scratch_counted_ | scratch_left_) >> n & 1)) return true;
  scratch_left_ &= ~(u64{1} << n);
  std::vector<EdgeCount> nobodys;
  return drain(n, scratch::most_edges, nobodys);
}

bool AddressSpace::drain(int n, size_t edges, std::vector<EdgeCount>& counts) {
  u64 area = cache_.scratch(static_cast<u64>(n));
  switch (cache_.purpose()) {
    case CopyFor::windows:
    case CopyFor::memory:
      return drain_window(memory_, area, edges, counts);
    case CopyFor::whole_run:
      return drain_whole_run(memory_, area, edges, counts);
    case CopyFor::contexts:
      return record::forget_targets(memory_, area);
  }
  return false;
}

bool AddressSpace::take_last_counts(int n, std::vector<EdgeCount>& counts) {
  bool others = (scratch_free_ | u64{1} << n) != all_scratch;
  if (others || cache_.purpose() != CopyFor::whole_run) return take_counts(n, counts);
  if (!read_whole_run(memory_, cache_.scratch(static_cast<u64>(n)), cache_.edges(), counts))
    return false;
  scratch_counted_ &= ~(u64{1} << n);
  scratch_left_ |= u64{1} << n;
  return true;
}

bool AddressSpace::take_counts(int n, std::vector<EdgeCount>& counts) {
  if (!drain(n, cache_.edges(), counts)) return false;
  scratch_counted_ &= ~(u64{1} << n);
  return true;
}

AddressSpace::CallEffect AddressSpace::effect_of_call(const Registers& regs) const {
  auto call = mapping_call(regs);
  CallEffect effect{.on_mappings = call.is_one, .changes_code = call.maps_code};
  for (const auto& mapping : map_.list())
    effect.changes_code |= call.is_one && mapping.executable &&
                           mapping.start < call.address + call.size && call.address < mapping.end;
  // A loader that has relocated the data of a file makes it read-only.
  const auto* data = call.protects ? map_.find(call.address) : nullptr;
  effect.relocated = data && data->inode != 0;
  return effect;
}

// If it leaves all code as it is.
u64 AddressSpace::enter_call(const Registers& regs) {
  auto effect = effect_of_call(regs);
  if (!effect.on_mappings || effect.changes_code || effect.relocated || needs_all_outside())
    return 0;
  return cache_.enter_call(regs.rip);
}

void AddressSpace::hand_over_counts() {
  for (int n = 0; counts_user_ && n < static_cast<int>(ArenaShape::scratch_areas); ++n) {
    std::vector<EdgeCount> counts;
    if (scratch_counted_ >> n & 1 && drain(n, cache_.edges(), counts)) counts_user_(counts);
  }
}

// Of windows, that those before have left.
void AddressSpace::forget_targets() {
  if (cache_.arenas().empty()) return;
  for (; targets_known_; targets_known_ &= targets_known_ - 1) {
    auto n = static_cast<u64>(std::countr_zero(targets_known_));
    record::forget_targets(memory_, cache_.scratch(n));
  }
}

void AddressSpace::clear_cache() {
  hand_over_counts();
  forget_targets();
  cache_.clear();
  edge_numbers_.clear();
  numbering_ = next_numbering();
}

void AddressSpace::release_scratch(int n) { scratch_free_ |= u64{1} << n; }

}  // namespace pgokit::record

#include "record/software/address_space.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;
constexpr size_t line_size = 512;     // more than a block's instructions can be long
constexpr size_t most_pages = 16384;  // of code kept

constexpr u64 trap_flag = 0x100;

bool is_error(u64 result) { return result > u64(-4096); }
std::string error_text(u64 result) { return std::strerror(static_cast<int>(-result)); }

// All of it is searched once for each file.
bool has_sequences(pid_t tid, const Mapping& mapping) {
  static tsl::robin_map<std::string, bool> known;
  auto key = fmt::format("{:x}:{}:{:x}:{:x}:{}", mapping.device, mapping.inode, mapping.offset,
                         mapping.size(), mapping.path);
  if (auto it = known.find(key); it != known.end()) return it->second;
  auto file = open_mapped(tid, mapping);
  bool has = file && mapping.offset < file->bytes().size() &&
             has_abort_handlers(
                 file->bytes()
                     .subspan(mapping.offset)
                     .first(std::min<u64>(mapping.size(), file->bytes().size() - mapping.offset)));
  known[key] = has;
  return has;
}

}  // namespace

AddressSpace::AddressSpace(pid_t tid, ProcessMemory memory)
    : tid_(tid),
      memory_(std::move(memory)),
      patched_(PatchedPages::open(tid)),
      cache_(memory_, [this](u64 address) { return code_at(address); }) {}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open(pid_t tid) {
  auto memory = TRY(ProcessMemory::open(tid));
  return std::unique_ptr<AddressSpace>(new AddressSpace(tid, std::move(memory)));
}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open_forked(pid_t tid,
                                                                const AddressSpace& parent) {
  auto space = TRY(open(tid));
  space->map_ = parent.map_;
  space->obstacle_ = parent.obstacle_;
  space->inherited_ = parent.inherited_;
  for (const auto& arena : parent.cache_.arenas()) space->inherited_.push_back(arena.base);
  space->scratch_counted_ = parent.scratch_counted_;
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
  for (const auto& mapping : map_.list())
    if (mapping.is_fixed_code() && is_new(mapping, *now)) stale_ = true;
  map_ = std::move(*now);
  map_expired_ = false;
  if (!added.empty()) restartable_known_ = false;
  return added;
}

void AddressSpace::check_copies() {
  if (page_list_.size() != pages_.size()) {
    page_list_.clear();
    for (const auto& [address, bytes] : pages_) page_list_.push_back(address);
    std::ranges::sort(page_list_);
  }
  if (!stale_ && patched_.any_patched(page_list_)) stale_ = true;
}

bool AddressSpace::due_for_refresh(u64 address) const {
  return map_expired_ || !map_.find(address);
}

// Patched pages are left to the processor: the program may patch them again.
const u8* AddressSpace::page(u64 address, bool vdso) {
  auto it = pages_.find(address);
  if (it != pages_.end()) return it->second->data();
  if (pages_.size() >= most_pages) return stale_ = true, nullptr;
  auto bytes = std::make_unique<std::array<u8, page_size>>();
  if (!memory_.read(address, bytes->data(), page_size)) return nullptr;
  if (!vdso && patched_.patched(address)) return nullptr;
  return pages_.emplace(address, std::move(bytes)).first->second->data();
}

Bytes AddressSpace::code_at(u64 address) {
  const auto* mapping = map_.find(address);
  if (!mapping || !mapping->is_fixed_code()) return {};
  line_.clear();
  u64 end = end_of_translatable(address, std::min(mapping->end, address + line_size));
  for (u64 at = address; at < end;) {
    u64 start = at & ~(page_size - 1);
    const u8* bytes = page(start, mapping->is_vdso());
    if (!bytes) break;
    u64 until = std::min(end, start + page_size);
    line_.insert(line_.end(), bytes + (at - start), bytes + (until - start));
    at = until;
  }
  return line_;
}

// Late, when the loader has relocated the descriptions.
void AddressSpace::find_restartable() {
  constexpr u64 most_data = 64 << 20;
  restartable_known_ = true;
  std::vector<u8> bytes;
  for (const auto& code : map_.list()) {
    if (!code.is_fixed_code() || code.inode == 0 || !has_sequences(tid_, code)) continue;
    for (const auto& data : map_.list()) {
      if (data.executable || !data.readable || data.inode != code.inode ||
          data.device != code.device || data.size() > most_data)
        continue;
      bytes.resize(data.size());
      bytes.resize(memory_.read_some(data.start, bytes.data(), bytes.size()));
      for (const auto& range : find_sequences(bytes, code))
        if (std::ranges::find(restartable_, range) == restartable_.end())
          restartable_.push_back(range);
    }
  }
}

u64 AddressSpace::end_of_translatable(u64 address, u64 end) const {
  for (const auto& range : restartable_)
    if (range.start < end && range.end > address) end = std::max(address, range.start);
  return end;
}

bool AddressSpace::can_leave(StoppedThread& thread, const Registers& regs) {
  if (!obstacle_.empty()) return true;  // there will be no window
  if (regs.eflags & trap_flag) return false;
  auto restrictions = restrictions_of(thread.tid);
  if (restrictions.sandboxed) give_up("it restricts its system calls (seccomp)");
  thread.holds_faults = restrictions.holds_faults;
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
std::optional<u64> AddressSpace::find_call_site() {
  for (bool vdso : {true, false})
    for (const auto& mapping : map_.list()) {
      if (!mapping.is_fixed_code() || mapping.is_vdso() != vdso) continue;
      u64 site = mapping.end - call_site_size;
      std::array<u8, call_site_size> bytes;
      if (memory_.read(site, bytes.data(), bytes.size()) &&
          std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; }))
        return site;
    }
  return std::nullopt;
}

// In two steps; when something comes in between, the next time goes on with the second.
bool AddressSpace::map_arena(StoppedThread& thread, u64 site, u64 address) {
  constexpr u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto map = [&](u64 at, u64 size, u64 protection, u64 how) {
    auto got =
        inject(memory_, thread, site, {SYS_mmap, {at, size, protection, flags | how, u64(-1), 0}});
    if (got && is_error(*got)) give_up("mmap: " + error_text(*got));
    return got && !is_error(*got) ? *got : 0;
  };
  if (!half_mapped_) {
    u64 base = map_.hole(address, Arena::size, Arena::reach);
    if (!base) return give_up(fmt::format("no room near {:#x}", address)), false;
    half_mapped_ = map(base, Arena::size, PROT_READ | PROT_EXEC, MAP_FIXED_NOREPLACE);
    if (half_mapped_ && half_mapped_ != base)
      return give_up(fmt::format("mmap gave {:#x} and not {:#x}", half_mapped_, base)), false;
  }
  return half_mapped_ &&
         map(half_mapped_ + Arena::code_size, Arena::data_size, PROT_READ | PROT_WRITE, MAP_FIXED);
}

bool AddressSpace::add_arena(StoppedThread& thread, u64 address) {
  if (has_shadow_stack(tid_)) return give_up("it uses a shadow stack"), false;
  auto outside = cache_.arenas().empty() ? find_call_site() : cache_.call_site();
  if (!outside) return give_up("no room for code in the process"), false;
  bool mapped = map_arena(thread, *outside, address);
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
  for (u64 base : inherited_) cache_.add_arena(base);
  if (!inherited_.empty()) clear_cache();
  inherited_.clear();
  return cache_.reaches(address) || add_arena(thread, address);
}

void AddressSpace::unmap_arenas(StoppedThread& thread) {
  auto bases = std::exchange(inherited_, {});
  for (const auto& arena : cache_.arenas()) bases.push_back(arena.base);
  if (half_mapped_) bases.push_back(half_mapped_);
  auto site =
      bases.empty() || restrictions_of(thread.tid).sandboxed ? std::nullopt : find_call_site();
  if (!site) return;
  give_up("it is left to itself");
  for (u64 base : bases)
    if (!inject(memory_, thread, *site, {SYS_munmap, {base, Arena::size}})) break;
  if (!thread.gone) memory_.write(*site, std::vector<u8>(call_site_size));
}

bool AddressSpace::is_arena(u64 address) const {
  auto ours = [&](const Arena& arena) { return address - arena.base < Arena::size; };
  if (std::ranges::any_of(cache_.arenas(), ours)) return true;
  const auto* data = map_.find(address);
  const auto* code = data ? map_.find(data->start - 1) : nullptr;
  return code && data->inode == 0 && data->size() == Arena::data_size && code->inode == 0 &&
         code->size() == Arena::code_size && code->executable && !code->writable;
}

int AddressSpace::take_scratch() {
  bool nobody_inside = scratch_free_ == all_scratch;
  if (stale_ || cache_.full()) {
    if (!nobody_inside) return -1;
    clear_cache();
    pages_.clear();
    page_list_.clear();
    stale_ = false;
  }
  if (scratch_free_ == 0) return -1;
  int n = std::countr_zero(scratch_free_);
  if (!clear_counts(n)) return -1;
  scratch_free_ &= ~(u64{1} << n);
  scratch_counted_ |= u64{1} << n;
  return n;
}

// Those of a thread that was killed in a window, or of the parent's at the time of the fork.
bool AddressSpace::clear_counts(int n) {
  if (!(scratch_counted_ >> n & 1)) return true;
  std::vector<EdgeCount> nobodys;
  return drain_counts(memory_, cache_.scratch(static_cast<u64>(n)), scratch::most_edges, nobodys);
}

bool AddressSpace::take_counts(int n, std::vector<EdgeCount>& counts) {
  if (!drain_counts(memory_, cache_.scratch(static_cast<u64>(n)), cache_.edges(), counts))
    return false;
  scratch_counted_ &= ~(u64{1} << n);
  return true;
}

void AddressSpace::clear_cache() {
  cache_.clear();
  edge_numbers_.clear();
}

void AddressSpace::release_scratch(int n) { scratch_free_ |= u64{1} << n; }

}  // namespace pgokit::record

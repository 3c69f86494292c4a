#include "record/address_space.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/cursor.h"
#include "base/file.h"
#include "record/inject.h"

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;
constexpr size_t line_size = 512;     // more than a block's instructions can be long
constexpr size_t most_pages = 16384;  // of code kept

// Return addresses that a copy pushes would not be in it.
bool has_shadow_stack(pid_t pid) {
  auto file = MappedFile::open(fmt::format("/proc/{}/status", pid));
  if (!file) return false;
  auto text = as_text(file->bytes());
  auto at = text.find("x86_Thread_features:");
  return at != text.npos && text.substr(at, text.find('\n', at) - at).find("shstk") != text.npos;
}

}  // namespace

AddressSpace::AddressSpace(pid_t pid, ProcessMemory memory)
    : pid_(pid),
      memory_(std::move(memory)),
      cache_(memory_, [this](u64 address) { return code_at(address); }) {}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open(pid_t pid) {
  auto memory = TRY(ProcessMemory::open(pid));
  return std::unique_ptr<AddressSpace>(new AddressSpace(pid, std::move(memory)));
}

Result<std::unique_ptr<AddressSpace>> AddressSpace::open_forked(pid_t pid,
                                                                const AddressSpace& parent) {
  auto space = TRY(open(pid));
  space->map_ = parent.map_;
  space->obstacle_ = parent.obstacle_;
  space->inherited_ = parent.inherited_;
  for (const auto& arena : parent.cache_.arenas()) space->inherited_.push_back(arena.base);
  return space;
}

std::vector<Mapping> AddressSpace::refresh() {
  auto now = MemoryMap::read(pid_);
  if (!now) return {};
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
  if (stale_) pages_.clear();
  map_ = std::move(*now);
  map_expired_ = false;
  if (!added.empty()) restartable_known_ = false;
  return added;
}

bool AddressSpace::due_for_refresh(u64 address) const {
  return map_expired_ || !map_.find(address);
}

const u8* AddressSpace::page(u64 address) {
  auto it = pages_.find(address);
  if (it != pages_.end()) return it->second->data();
  if (pages_.size() >= most_pages) pages_.clear();
  auto bytes = std::make_unique<std::array<u8, page_size>>();
  if (!memory_.read(address, bytes->data(), page_size)) return nullptr;
  return pages_.emplace(address, std::move(bytes)).first->second->data();
}

Bytes AddressSpace::code_at(u64 address) {
  const auto* mapping = map_.find(address);
  if (!mapping || !mapping->is_fixed_code()) return {};
  line_.clear();
  u64 end = end_of_translatable(address, std::min(mapping->end, address + line_size));
  for (u64 at = address; at < end;) {
    u64 start = at & ~(page_size - 1);
    const u8* bytes = page(start);
    if (!bytes) break;
    u64 until = std::min(end, start + page_size);
    line_.insert(line_.end(), bytes + (at - start), bytes + (until - start));
    at = until;
  }
  return line_;
}

// Late, when the loader has relocated the tables.
void AddressSpace::find_restartable() {
  restartable_.clear();
  restartable_known_ = true;
  for (const auto& mapping : map_.list()) {
    if (!mapping.is_fixed_code() || mapping.inode == 0) continue;
    auto image = MappedFile::open(fmt::format("/proc/{}/root{}", pid_, mapping.path));
    if (!image) continue;
    auto file = elf::File::parse(image->bytes());
    if (!file) continue;
    for (const auto& range : restartable_code(memory_, mapping, *file))
      restartable_.push_back(range);
  }
}

u64 AddressSpace::end_of_translatable(u64 address, u64 end) const {
  for (const auto& range : restartable_)
    if (range.start < end && range.end > address) end = std::max(address, range.start);
  return end;
}

u64 AddressSpace::find_system_call() {
  if (!cache_.arenas().empty()) return cache_.after_syscall() - 2;
  constexpr u64 most_searched = 4 << 20;
  auto search = [&](const Mapping& mapping) -> u64 {
    std::vector<u8> bytes(std::min(mapping.size(), most_searched));
    bytes.resize(memory_.read_some(mapping.start, bytes.data(), bytes.size()));
    constexpr u8 syscall_bytes[] = {0x0f, 0x05};
    auto it = std::ranges::search(bytes, syscall_bytes).begin();
    return it == bytes.end() ? 0 : mapping.start + static_cast<u64>(it - bytes.begin());
  };
  for (bool vdso : {true, false})
    for (const auto& mapping : map_.list())
      if (mapping.is_fixed_code() && (mapping.path == "[vdso]") == vdso)
        if (u64 found = search(mapping)) return found;
  return 0;
}

Status AddressSpace::add_arena(pid_t tid, u64 address, std::vector<siginfo_t>& held) {
  if (has_shadow_stack(pid_)) return fail("the program uses a shadow stack");
  u64 instruction = find_system_call();
  if (!instruction) return fail("no system call instruction in the process");
  u64 base = map_.hole(address, Arena::size, Arena::reach);
  if (!base) return fail("no room near {:#x}", address);
  constexpr u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto map = [&](u64 at, u64 size, u64 protection, u64 how) {
    return inject(tid, instruction, {SYS_mmap, {at, size, protection, flags | how, u64(-1), 0}},
                  held);
  };
  u64 got = TRY_IN("mmap", map(base, Arena::size, PROT_READ | PROT_EXEC, MAP_FIXED_NOREPLACE));
  if (got != base) return fail("mmap gave {:#x} and not {:#x}", got, base);
  std::ignore = TRY_IN(
      "mmap", map(base + Arena::code_size, Arena::data_size, PROT_READ | PROT_WRITE, MAP_FIXED));
  cache_.add_arena(base);
  return {};
}

bool AddressSpace::prepare(pid_t tid, u64 address, std::vector<siginfo_t>& held) {
  if (!obstacle_.empty()) return false;
  const auto* mapping = map_.find(address);
  if (!mapping || !mapping->is_fixed_code()) return false;
  if (!restartable_known_) find_restartable();
  for (u64 base : inherited_) cache_.add_arena(base);
  if (!inherited_.empty()) cache_.clear();
  inherited_.clear();
  if (cache_.reaches(address)) return true;
  if (auto status = add_arena(tid, address, held); !status) {
    obstacle_ = status.error().message;
    return false;
  }
  return true;
}

int AddressSpace::take_scratch() {
  bool nobody_inside = scratch_free_ == ~u64{0};
  if (stale_ || cache_.full()) {
    if (!nobody_inside) return -1;
    cache_.clear();
    pages_.clear();
    stale_ = false;
  }
  if (scratch_free_ == 0) return -1;
  int n = std::countr_zero(scratch_free_);
  scratch_free_ &= ~(u64{1} << n);
  return n;
}

void AddressSpace::release_scratch(int n) { scratch_free_ |= u64{1} << n; }

}  // namespace pgokit::record

#include "base/huge_pages.h"

#include <filesystem>
#include <fstream>

namespace pgokit {

// Read once where a large input is, some 50 microseconds.
bool host_takes_free_pages(const std::string& devices) {
  constexpr const char* balloon = "0x0005";
  constexpr size_t page_reporting = 5;  // of its features, a digit for each
  std::error_code failed;
  for (const auto& device : std::filesystem::directory_iterator(devices, failed)) {
    std::string kind, features;
    std::ifstream(device.path() / "device") >> kind;
    if (kind != balloon) continue;
    std::ifstream(device.path() / "features") >> features;
    if (features.size() > page_reporting && features[page_reporting] == '1') return true;
  }
  return false;
}

}  // namespace pgokit

#ifdef __GLIBC__

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <span>

#include "base/free_memory.h"
#include "base/types.h"

namespace pgokit {
namespace {

constexpr size_t large_input = 1 << 20;

// glibc's first heap is that of brk(2). Those of other threads have this size at most, and begin at
// a multiple of it.
constexpr u64 most_of_heap = u64{64} << 20;

// On a machine with many processors what each thread leaves of a page would add up.
constexpr int most_threads = 16;

std::atomic<bool> has_room = false;   // memory that is not written to costs nothing
std::atomic<bool> preferred = false;  // huge pages are
std::atomic<int> threads = 0;

// Room counts against a limit, used or not.
bool is_limited() {
  auto limits = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  };
  return limits(RLIMIT_AS) || limits(RLIMIT_DATA);
}

// Of a page that is touched for the first time; the least of a few tries, as others run meanwhile.
std::chrono::nanoseconds time_of_fault(size_t page) {
  constexpr size_t tries = 4, pages = 8;
  size_t size = tries * pages * page;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  auto* at = static_cast<volatile u8*>(memory);
  auto least = std::chrono::nanoseconds::max();
  for (size_t i = 0; i < tries; ++i) {
    auto begin = std::chrono::steady_clock::now();
    for (size_t j = 0; j < pages; ++j, at += page) *at = 1;
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - begin);
  }
  munmap(memory, size);
  return least / pages;
}

u64 page_size() { return static_cast<u64>(sysconf(_SC_PAGESIZE)); }

void advise(u64 begin, u64 end) {
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// The largest pieces that lie in heaps make one grow, which keeps that as room. The first heap grows
// by all its room for one of them, and that of another thread, where it is older than the wish for
// room, only by what each takes.
void advise_heap_of_thread() {
  u64 page = page_size();
  std::array<void*, most_of_heap / large_table - 2> pieces{};
  pieces[0] = std::malloc(large_table - page);
  u64 begin = reinterpret_cast<u64>(pieces[0]) & -page, heap = begin & -most_of_heap;
  if (auto end = reinterpret_cast<u64>(sbrk(0)); begin < end) {
    if (begin != 0) advise(begin, end);
  } else {
    for (auto& piece : std::span(pieces).subspan(1)) piece = std::malloc(large_table - page);
    advise(heap, heap + most_of_heap);
  }
  for (void* piece : pieces) std::free(piece);
}

void prefer_in_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  if (threads++ < most_threads) advise_heap_of_thread();
}

}  // namespace

bool huge_pages_pay() {
  constexpr std::chrono::microseconds dear(6);  // a huge page took 512 times 9 to 12
  return !host_takes_free_pages() || time_of_fault(page_size()) > dear;
}

void prefer_huge_pages(size_t input, bool (*pay)()) {
  if (input < large_input) return;
  if (!has_room) {
    if (is_limited()) return;
    always_return_large_tables();
    // Heaps grow by this much; those of new threads have all their room at once.
    mallopt(M_TOP_PAD, int{most_of_heap});
    has_room = true;
    preferred = pay();
  }
  prefer_huge_pages_in_helper();
}

void prefer_huge_pages_in_helper() {
  if (preferred) prefer_in_thread();
}

void prefer_huge_pages_for(void* table, size_t size) {
  auto begin = reinterpret_cast<u64>(table);
  if (preferred) advise(begin & -page_size(), begin + size);
}

bool room_is_free() { return has_room; }

}  // namespace pgokit

#else

namespace pgokit {

bool huge_pages_pay() { return false; }
void prefer_huge_pages(size_t, bool (*)()) {}
void prefer_huge_pages_in_helper() {}
void prefer_huge_pages_for(void*, size_t) {}
bool room_is_free() { return false; }

}  // namespace pgokit

#endif

#include "base/huge_pages.h"

#ifdef __GLIBC__

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
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

std::atomic<bool> preferred = false;
std::atomic<int> threads = 0;

// Room counts against a limit, used or not.
bool is_limited() {
  auto limits = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  };
  return limits(RLIMIT_AS) || limits(RLIMIT_DATA);
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

void prefer_huge_pages(size_t input) {
  if (input < large_input) return;
  if (!preferred) {
    if (is_limited()) return;
    always_return_large_tables();
    // Heaps grow by this much; those of new threads have all their room at once.
    mallopt(M_TOP_PAD, int{most_of_heap});
    preferred = true;
  }
  prefer_in_thread();
}

void prefer_huge_pages_in_helper() {
  if (preferred) prefer_in_thread();
}

void prefer_huge_pages_for(void* table, size_t size) {
  auto begin = reinterpret_cast<u64>(table);
  if (preferred) advise(begin & -page_size(), begin + size);
}

bool room_is_free() { return preferred; }

}  // namespace pgokit

#else

namespace pgokit {

void prefer_huge_pages(size_t) {}
void prefer_huge_pages_in_helper() {}
void prefer_huge_pages_for(void*, size_t) {}
bool room_is_free() { return false; }

}  // namespace pgokit

#endif

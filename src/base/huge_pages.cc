#include "base/huge_pages.h"

#ifdef __GLIBC__

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "base/free_memory.h"

namespace pgokit {
namespace {

// glibc's first heap is that of brk(2). Those of other threads have this size at most, and begin at
// a multiple of it.
constexpr u64 most_of_heap = u64{64} << 20;

// On a machine with many processors what each thread leaves of a page would add up.
constexpr int most_helpers = 16;
std::atomic<int> helpers = 0;

std::atomic<u64> first_heap = 0;  // where it is in huge pages from on

u64 end_of_first_heap() { return reinterpret_cast<u64>(sbrk(0)); }

void advise(u64 begin, u64 end) {
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// The largest piece that is in a heap is more than is free of it, makes it grow, and leaves all
// that as room. Where this room begins.
u64 grow_heap() {
  auto page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  void* piece = std::malloc(large_table - page);
  u64 begin = reinterpret_cast<u64>(piece) & -page;
  std::free(piece);
  return begin;
}

// Room counts against a limit, used or not.
bool is_limited() {
  auto limits = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  };
  return limits(RLIMIT_AS) || limits(RLIMIT_DATA);
}

bool in_first_heap(u64 address) { return address < end_of_first_heap(); }

}  // namespace

void prefer_huge_pages() {
  if (first_heap == 0) {
    if (is_limited()) return;
    always_return_large_tables();
    // Heaps grow by this much; those of new threads have all their room at once.
    mallopt(M_TOP_PAD, int{most_of_heap});
    first_heap = grow_heap();
  }
  if (in_first_heap(first_heap)) advise(first_heap, end_of_first_heap());
}

void prefer_huge_pages_in_helper() {
  thread_local bool done = false;
  if (done || first_heap == 0) return;
  done = true;
  if (++helpers > most_helpers) return;
  void* piece = std::malloc(1);
  u64 heap = reinterpret_cast<u64>(piece) & -most_of_heap;
  if (!in_first_heap(heap)) advise(heap, heap + most_of_heap);
  std::free(piece);
}

}  // namespace pgokit

#else

namespace pgokit {

void prefer_huge_pages() {}
void prefer_huge_pages_in_helper() {}

}  // namespace pgokit

#endif

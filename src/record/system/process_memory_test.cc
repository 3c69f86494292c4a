#include "record/system/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pgokit::record {
namespace {

constexpr size_t page_size = 4096;

// Pages of this process, the last of which is taken away.
TEST(ProcessMemory, TellsWhatIsNotThere) {
  auto memory = ProcessMemory::open(getpid());
  ASSERT_TRUE(memory);
  constexpr size_t count = 100;  // more than are asked for in one call
  void* pages = mmap(nullptr, count * page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto begin = reinterpret_cast<u64>(pages);
  std::vector<u64> addresses;
  for (size_t i = 0; i < count; ++i) addresses.push_back(begin + i * page_size + i);
  EXPECT_TRUE(memory->all_there({}));
  EXPECT_TRUE(memory->all_there(addresses));
  munmap(reinterpret_cast<void*>(begin + (count - 1) * page_size), page_size);
  EXPECT_FALSE(memory->all_there(addresses));
  EXPECT_TRUE(memory->all_there(std::span(addresses).first(count - 1)));
  EXPECT_FALSE(memory->all_there(std::span(addresses).last(1)));
  munmap(pages, (count - 1) * page_size);
}

TEST(ProcessMemory, SaysNothingOfProcessesThatAreGone) {
  auto memory = ProcessMemory::open(getpid());
  ASSERT_TRUE(memory);
  memory->use(0x7fffffff);
  u64 address = reinterpret_cast<u64>(&memory);
  EXPECT_TRUE(memory->all_there({&address, 1}));
}

}  // namespace
}  // namespace pgokit::record

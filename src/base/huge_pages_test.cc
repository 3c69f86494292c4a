#include "base/huge_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"
#include "base/types.h"

namespace pgokit {
namespace {

// Whether the kernel has been told of the mapping that an address is in. None: it has no such pages.
std::optional<bool> is_advised(u64 address) {
  std::ifstream maps("/proc/self/smaps");
  bool in_mapping = false;
  for (std::string line; std::getline(maps, line);) {
    u64 begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-')
      in_mapping = begin <= address && address < end;
    if (in_mapping && line.starts_with("VmFlags:")) return line.contains(" hg");
  }
  return std::nullopt;
}

bool are_there() { return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good(); }

// Of the first small piece that lies beyond `end`.
bool piece_is_advised(u64 end) {
  std::vector<std::unique_ptr<char[]>> pieces;
  u64 last = 0;
  do last = reinterpret_cast<u64>(pieces.emplace_back(std::make_unique<char[]>(100)).get());
  while (last < end);
  return is_advised(last).value_or(false);
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool own_allocator = true;
#elif defined(__has_feature)
constexpr bool own_allocator = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool own_allocator = false;
#endif

TEST(HugePages, HoldSmallPiecesOfAllThreads) {
#ifndef __GLIBC__
  GTEST_SKIP() << "the C library is not glibc";
#endif
  if (own_allocator) GTEST_SKIP() << "sanitizers have an allocator of their own";
  if (!are_there()) GTEST_SKIP() << "the kernel has no huge pages";
  auto pay = [] { return true; };  // whatever this machine is like
  prefer_huge_pages(100, pay);
  std::thread([] {
    prefer_huge_pages_in_helper();
    EXPECT_FALSE(piece_is_advised(0)) << "the input was small";
  }).join();
  prefer_huge_pages(10 << 20, pay);
  constexpr u64 room = u64{1} << 20;
  EXPECT_TRUE(piece_is_advised(reinterpret_cast<u64>(sbrk(0)) - room));
  std::thread([] {
    prefer_huge_pages_in_helper();
    EXPECT_TRUE(piece_is_advised(0));
  }).join();
  std::vector<char> table(8 << 20);
  prefer_huge_pages_for(table.data(), table.size());
  for (u64 at : {u64{0}, table.size() - 1})
    EXPECT_EQ(is_advised(reinterpret_cast<u64>(table.data()) + at), true);
}

TEST(HugePages, AreNotForHostsThatTakeFreePages) {
  auto folder = TemporaryFolder::create().value();
  auto add = [&](const char* name, const char* device, const char* features) {
    std::filesystem::create_directory(folder.file(name));
    std::ofstream(folder.file(std::string(name) + "/device")) << device << '\n';
    std::ofstream(folder.file(std::string(name) + "/features")) << features << '\n';
  };
  EXPECT_FALSE(host_takes_free_pages(folder.file("none")));
  add("virtio0", "0x0002", "11111111");
  add("virtio1", "0x0005", "0110000100");
  add("virtio2", "0x0005", "011");
  EXPECT_FALSE(host_takes_free_pages(folder.file(".")));
  add("virtio3", "0x0005", "01100101");
  EXPECT_TRUE(host_takes_free_pages(folder.file(".")));
}

}  // namespace
}  // namespace pgokit

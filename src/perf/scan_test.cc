#include "perf/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pgokit::perf {
namespace {

using Image = std::vector<u8>;

void put(Image& image, RecordType type, u16 size) {
  RecordHeader header{};
  header.type = static_cast<u32>(type);
  header.size = size;
  auto bytes = reinterpret_cast<const u8*>(&header);
  image.insert(image.end(), bytes, bytes + sizeof header);
}

// Of all lengths; their insides look like records too, here and there.
Image random_records(u32 seed, size_t size) {
  std::mt19937 random(seed);
  Image image;
  while (image.size() < size) {
    auto words = static_cast<u16>(1 + random() % (random() % 50 ? 100 : 8000));
    size_t end = image.size() + size_t{words} * 8;
    put(image, random() % 20 ? RecordType::sample : RecordType::mmap2, static_cast<u16>(words * 8));
    bool deceiving = random() % 3 == 0;
    while (image.size() < end) put(image, deceiving ? RecordType::sample : RecordType(7777), 8);
  }
  return image;
}

void expect_one_walk(const Image& image, u64 part_size = 1 << 23) {
  RecordWalk walk(image);
  TypeCounts types;
  std::vector<u64> others;
  for (Record record; walk.next(record);) {
    types.add(record.type);
    if (record.type != RecordType::sample) others.push_back(record.offset);
  }
  for (unsigned threads : {1u, 3u}) {
    Scan scan = scan_records(image, threads, part_size);
    EXPECT_EQ(scan.types.total(), types.total());
    EXPECT_EQ(scan.types.of(RecordType::sample), types.of(RecordType::sample));
    EXPECT_EQ(scan.others, others);
    EXPECT_EQ(scan.end, walk.position());
    EXPECT_EQ(scan.stop, walk.stop());
    EXPECT_EQ(scan.pieces, scan_records(image, 2, part_size).pieces);
    EXPECT_TRUE(std::ranges::is_sorted(scan.pieces));
    if (types.total() > 0) {
      EXPECT_EQ(scan.pieces.at(0), 0u);
    }
  }
}

TEST(Scan, SaysWhatOneWalkSays) {
  expect_one_walk(random_records(1, 20 << 20));
  for (u32 seed = 2; seed < 40; ++seed) expect_one_walk(random_records(seed, 100000), 1000);
}

TEST(Scan, SaysWhatOneWalkSaysOfAnything) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Image image = random_records(static_cast<u32>(round), 20000);
    for (u32 i = 0; i < 1 + random() % 20; ++i)
      image[random() % image.size()] = static_cast<u8>(random());
    image.resize(random() % image.size());
    expect_one_walk(image, 8 + random() % 3000);
  }
}

TEST(Scan, StopsWhereTheWalkStops) {
  Image image = random_records(4, 18 << 20);
  for (size_t size :
       {size_t{0}, size_t{5}, size_t{8} << 20, (size_t{8} << 20) + 4, image.size() - 3})
    expect_one_walk(Image(image.begin(), image.begin() + static_cast<ptrdiff_t>(size)));
  // A size of nothing, in the first part and in a later one.
  for (size_t wanted : {size_t{1} << 20, size_t{12} << 20}) {
    RecordWalk walk(image);
    Record record;
    while (walk.position() < wanted) walk.next(record);
    Image damaged = image;
    damaged[walk.position() + 6] = damaged[walk.position() + 7] = 0;
    expect_one_walk(damaged);
  }
}

// What an AUXTRACE record is followed by is longer than a part.
TEST(Scan, PassesOverPayloads) {
  Image image = random_records(5, 1 << 20);
  put(image, RecordType::auxtrace, 16);
  u64 payload = 20 << 20;
  auto bytes = reinterpret_cast<const u8*>(&payload);
  image.insert(image.end(), bytes, bytes + sizeof payload);
  Image inside = random_records(6, payload + 8);
  image.insert(image.end(), inside.begin(), inside.begin() + static_cast<ptrdiff_t>(payload));
  Image behind = random_records(7, 1 << 20);
  image.insert(image.end(), behind.begin(), behind.end());
  expect_one_walk(image);
}

}  // namespace
}  // namespace pgokit::perf

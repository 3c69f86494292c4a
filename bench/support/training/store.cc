// What leveldb is measured with: program FOLDER COUNT SEED SIZE writes values at random, reads, searches, deletes and compacts.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const unsigned count = std::strtoul(argv[2], nullptr, 10),
                 size = std::strtoul(argv[4], nullptr, 10);
  std::mt19937 chance(std::strtoul(argv[3], nullptr, 10));
  auto key = [&] {
    char text[32];
    std::snprintf(text, sizeof text, "user%09u", chance() % (2 * count));
    return std::string(text);
  };
  std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = filter.get();
  options.compression = leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  if (!leveldb::DB::Open(options, argv[1], &opened).ok()) return 1;
  std::unique_ptr<leveldb::DB> db(opened);
  for (unsigned n = 0; n < count; n += 10) {
    leveldb::WriteBatch batch;
    for (int each = 0; each < 10; ++each)
      batch.Put(key(), std::string(size / 2 + chance() % size, char('a' + chance() % 26)));
    db->Write({}, &batch);
  }
  size_t found = 0, bytes = 0, scanned = 0;
  for (unsigned n = 0; n < count; ++n) {
    std::string value;
    if (db->Get({}, key(), &value).ok()) ++found, bytes += value.size();
    if (n % 8 == 0) db->Delete({}, key());
  }
  for (unsigned n = 0; n < count / 20; ++n) {
    std::unique_ptr<leveldb::Iterator> at(db->NewIterator({}));
    at->Seek(key());
    for (int steps = 0; steps < 20 && at->Valid(); ++steps, at->Next())
      scanned += at->value().size();
  }
  db->CompactRange(nullptr, nullptr);
  std::printf("%zu %zu %zu\n", found, bytes, scanned);
}

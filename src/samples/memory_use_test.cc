#include "samples/memory_use.h"

#include <gmock/gmock.h>

#include <array>

#include "perf/test_recordings.h"
#include "test/support/elf_builder.h"

namespace pgokit::samples {
namespace {

using perf::RecordId;
using perf::Writer;
using Kind = DataUse::Kind;

// Linked at 0, in three segments as a linker makes them: code at 0x1000, data at 0x2000 of the file
// and 0x3000 of memory, followed by 0x3000 bytes of zeros.
std::string program() {
  return test::ElfBuilder()
      .type(ET_DYN)
      .segment(PF_R | PF_X, 0x1000, 0x1000, 0x1000)
      .segment(PF_R | PF_W, 0x2000, 0x3000, 0x800, 0x3000)
      .section(".text", std::string(0x100, '\xc3'),
               {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000})
      .section(".data", std::string(0x800, 'x'),
               {.flags = SHF_ALLOC | SHF_WRITE, .address = 0x3000})
      .section(".bss", std::string(0x3000, 0),
               {.type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_WRITE, .address = 0x3800})
      .symbol("list", 0x3000, 0x100, 2, STT_OBJECT)
      .symbol("end_of_list", 0x3100, 0, 2, STT_OBJECT)
      .symbol("buffer", 0x4000, 0x1000, 3, STT_OBJECT)
      .symbol("main", 0x1000, 0x10, 1, STT_FUNC)
      .image();
}

constexpr u64 data_flags = perf::attr_flag::sample_id_all | perf::attr_flag::mmap_data;
constexpr u64 base = 0x7000'0000;

class Recorded {
 public:
  using Fill = std::function<void(Recorded&)>;
  explicit Recorded(const Fill& fill) {
    Writer::Event event = perf::test::branch_event({1});
    event.attr.sample_type = perf::field::identifier | perf::field::ip | perf::field::tid |
                             perf::field::time | perf::field::addr | perf::field::period |
                             perf::field::data_src;
    event.attr.flags = data_flags;
    image_ = perf::test::recording({event}, [&](Writer& writer) {
      writer_ = &writer;
      fill(*this);
    });
  }

  void map(u64 start, u64 size, std::string_view path, u64 offset = 0, u32 protection = 3,
           u32 pid = 7) {
    writer_->mmap2(now(pid), {.start = start,
                              .size = size,
                              .file_offset = offset,
                              .path = path,
                              .protection = protection});
  }
  void map_program(u32 pid = 7) {
    map(base + 0x1000, 0x1000, "/bin/app", 0x1000, 5, pid);
    map(base + 0x3000, 0x1000, "/bin/app", 0x2000, 3, pid);
  }
  void access(u64 address, u64 source, u64 period = 10, u32 pid = 7) {
    writer_->sample({.id = now(pid), .addr = address, .data_src = source, .period = period});
  }
  void fork(u32 child, u32 parent) { writer_->fork(now(child), parent, parent); }

  MemoryUse use() const { return use(OpenProgram(open_)); }
  MemoryUse use(const OpenProgram& open) const {
    return memory_use(*perf::Recording::open(image_), open);
  }

 private:
  RecordId now(u32 pid) { return {.pid = pid, .tid = pid, .time = ++time_, .id = 1}; }
  static const object::File* open_(std::string_view path, std::string_view) {
    static const std::string image = program();
    static const auto file = object::File::parse(as_bytes(image));
    return path == "/bin/app" ? &*file : nullptr;
  }

  Writer* writer_ = nullptr;
  u64 time_ = 0;
  perf::test::Image image_;
};

// "symbol .data list 20" ...
std::vector<std::string> rows(const MemoryUse& use) {
  std::vector<std::string> list;
  for (const auto& one : use.data)
    list.push_back(fmt::format("{} {}{}{} {} {} {}", static_cast<int>(one.kind), one.section,
                               one.symbol.empty() ? "" : " ", one.symbol, one.sums.accesses,
                               one.sums.loads, one.sums.stores));
  return list;
}

constexpr u64 load = perf::data_src::load, store = perf::data_src::store;

TEST(MemoryUse, FindsSymbolsWhereTheProgramLies) {
  Recorded recorded([](Recorded& to) {
    to.map_program();
    to.map(base + 0x4000, 0x2000, "//anon");
    to.access(base + 0x3000, load);
    to.access(base + 0x30ff, load | store, 20);
    to.access(base + 0x3100, store);    // of a symbol without a size: it has none
    to.access(base + 0x4800, load, 7);  // zeros, in memory of no file
    to.access(base + 0x3900, load, 5);  // ... and before that, at the end of the file's page
    to.access(base + 0x1004, load, 3);  // data in code
  });
  auto use = recorded.use();
  EXPECT_THAT(rows(use),
              testing::ElementsAre("0 .data list 30 30 20", "1 .data 10 0 10",
                                   "0 .bss buffer 7 7 0", "1 .bss 5 5 0", "1 .text 3 3 0"));
  EXPECT_EQ(use.all.accesses, 55U);
  EXPECT_EQ(use.all.loads, 45U);
  EXPECT_EQ(use.all.samples, 6U);
}

TEST(MemoryUse, TellsOtherMemoryApart) {
  Recorded recorded([](Recorded& to) {
    to.map_program();
    to.map(base + 0x4000, 0x10000, "[heap]");  // the zeros and the heap in one mapping
    to.map(0x1000'0000, 0x1000, "[stack]");
    to.map(0x1001'0000, 0x1000, "[stack:9]");
    to.map(0x1002'0000, 0x1000, "[vdso]");
    to.map(0x1003'0000, 0x1000, "//anon");
    to.map(0x1004'0000, 0x1000, "/usr/share/table");
    to.access(base + 0x4000, load, 1);  // in buffer
    to.access(base + 0xa000, load, 2);
    to.access(0x1000'0010, store, 3);
    to.access(0x1001'0010, store, 4);
    to.access(0x1002'0010, load, 5);
    to.access(0x1003'0010, load, 9);
    to.access(0x1004'0010, load, 10);
    to.access(0x2000'0000, load, 11);
  });
  auto use = recorded.use();
  EXPECT_THAT(rows(use), testing::ElementsAre("7  11 11 0", "2  10 10 0", "5  9 9 0", "3  7 0 7",
                                              "6  5 5 0", "4  2 2 0", "0 .bss buffer 1 1 0"));
  EXPECT_EQ(use.data[1].file, "/usr/share/table");
  EXPECT_EQ(use.data[4].file, "[vdso]");
}

TEST(MemoryUse, OfAProgramThatIsNotHereIsThatOfAFile) {
  Recorded recorded([](Recorded& to) {
    to.map_program();
    to.map(base + 0x4000, 0x2000, "//anon");
    to.access(base + 0x3000, load, 2);
    to.access(base + 0x4800, load, 1);
  });
  int asked = 0;
  auto use = recorded.use([&](auto, auto) { return ++asked, nullptr; });
  EXPECT_THAT(rows(use), testing::ElementsAre("2  2 2 0", "5  1 1 0"));
  EXPECT_EQ(asked, 1);
}

TEST(MemoryUse, AProcessHasTheMappingsOfItsParent) {
  Recorded recorded([](Recorded& to) {
    to.map_program();
    to.fork(8, 7);
    to.access(base + 0x3000, load, 10, 8);
    to.access(base + 0x3000, load, 10, 9);  // nobody's child
  });
  EXPECT_THAT(rows(recorded.use()), testing::ElementsAre("0 .data list 10 10 0", "7  10 10 0"));
}

// Numbers of a file that wrap around.
TEST(MemoryUse, TakesAnyMappings) {
  Recorded recorded([](Recorded& to) {
    to.map(0, ~u64{0}, "/bin/app", ~u64{0}, 5);
    to.map(0, 0x1000, "//anon");
    to.map(~u64{0} - 0xfff, 0x1000, "/bin/app", ~u64{0} - 5);
    for (u64 address : {u64{0}, ~u64{0}, ~u64{0} - 0xfff, u64{1} << 63})
      to.access(address, ~u64{0}, ~u64{0});
  });
  auto use = recorded.use();
  EXPECT_EQ(use.all.samples, 4U);
  EXPECT_EQ(use.all.accesses, ~u64{0});
}

}  // namespace
}  // namespace pgokit::samples

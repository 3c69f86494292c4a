// Arenas of this process, mapped by a child of it.
#include "record/software/image_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "record/software/inject.h"
#include "record/software/stop_mark.h"

namespace pgokit::record {
namespace {

constexpr u64 first_base = 0x2a0000000000, second_base = 0x2b0000000000;

// Waits for signals, with one of them blocked.
[[noreturn]] void live(int ready) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  if (write(ready, "r", 1) != 1) _exit(1);
  for (;;) usleep(1000);
}

class TracedChild {
 public:
  TracedChild() {
    int ready[2];
    if (pipe(ready) != 0) return;
    pid_ = fork();
    if (pid_ == 0) live(ready[1]);
    char byte;
    bool lives = read(ready[0], &byte, 1) == 1;
    close(ready[0]), close(ready[1]);
    if (!lives || ptrace(PTRACE_SEIZE, pid_, nullptr, nullptr) != 0) return;
    Registers regs;
    while (!stops_asleep(regs)) ptrace(PTRACE_CONT, pid_, nullptr, nullptr), usleep(20'000);
    // Out of its system call, as threads are that go elsewhere.
    set_registers(pid_, making_again(regs));
    stopped_ = true;
  }
  ~TracedChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, __WALL);
  }
  TracedChild(const TracedChild&) = delete;

  // It is stopped wherever it is.
  bool stops_asleep(Registers& regs) const {
    ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr);
    waitpid(pid_, nullptr, __WALL);
    bool is_gone = !get_registers(pid_, regs);
    return is_gone || (in_system_call(regs) && system_call(regs) == u64{SYS_clock_nanosleep});
  }

  bool is_stopped() const { return stopped_; }
  pid_t pid() const { return pid_; }
  // As many bytes at the end of the kernel's code.
  u64 site() const {
    auto map = MemoryMap::read(pid_);
    for (const auto& one : map->list())
      if (one.is_vdso()) return one.end - mapping_site_size;
    return 0;
  }
  Registers registers() const {
    Registers regs{};
    get_registers(pid_, regs);
    return regs;
  }
  u64 blocked() const {
    u64 set = 0;
    ptrace(PTRACE_GETSIGMASK, pid_, sizeof set, &set);
    return set;
  }
  size_t files() const {
    auto folder = std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/fd");
    return static_cast<size_t>(std::distance(begin(folder), end(folder)));
  }

 private:
  pid_t pid_ = -1;
  bool stopped_ = false;
};

class ImageFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!child_.is_stopped()) GTEST_SKIP() << "ptrace is not permitted";
    for (u64 base : {first_base, second_base}) {
      Arena arena{.base = base, .shape = shape_of(CopyFor::windows, arenas_.empty())};
      void* at = mmap(reinterpret_cast<void*>(base), arena.shape.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      ASSERT_EQ(at, reinterpret_cast<void*>(base));
      arena.code_used = 6000, arena.slots_used = 80;
      std::memset(at, 0x11, arena.code_used);
      std::memset(reinterpret_cast<void*>(arena.slots()), 0x22, arena.slots_used);
      if (arena.shape.areas) std::memset(reinterpret_cast<void*>(arena.table()), 0x33, 4096);
      arenas_.push_back(arena);
    }
    auto own = ProcessMemory::open(getpid());
    auto childs = ProcessMemory::open(child_.pid());
    ASSERT_TRUE(own && childs);
    memory_ = std::move(*childs);
    auto file = ImageFile::read(*own, arenas_);
    ASSERT_TRUE(file);
    file_ = std::move(*file);
    thread_.tid = child_.pid(), thread_.alone = true;
  }
  void TearDown() override {
    for (const auto& arena : arenas_)
      munmap(reinterpret_cast<void*>(arena.base), arena.shape.size());
  }

  std::optional<MadeMappings> inject(std::string_view path) {
    return inject_mappings(*memory_, thread_, child_.site(), path, file_.mappings());
  }
  u8 byte_at(u64 address) {
    u8 byte = 0xee;
    memory_->read(address, &byte, 1);
    return byte;
  }

  TracedChild child_;
  StoppedThread thread_;
  std::vector<Arena> arenas_;
  ImageFile file_;
  std::optional<ProcessMemory> memory_;
};

TEST_F(ImageFileTest, HasWhatArenasHold) {
  EXPECT_EQ(file_.code(0).size(), 6000U);
  EXPECT_EQ(file_.code(1)[5999], 0x11);
  EXPECT_EQ(file_.slots(1)[79], 0x22);
  EXPECT_EQ(file_.table(0)[4095], 0x33);
  EXPECT_EQ(file_.table(0)[4096], 0);
  EXPECT_TRUE(file_.table(1).empty());
}

TEST_F(ImageFileTest, IsMappedInOneStop) {
  auto path = file_.path_for(child_.pid());
  ASSERT_FALSE(path.empty());
  auto before = child_.registers();
  auto files = child_.files();
  u64 blocked = child_.blocked();
  auto got = inject(path);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->made, 5U);
  EXPECT_EQ(thread_.deliver, 0);
  for (const auto& arena : arenas_) {
    EXPECT_EQ(byte_at(arena.base + 5999), 0x11);
    EXPECT_EQ(byte_at(arena.base + 6000), 0);
    EXPECT_EQ(byte_at(arena.slots() + 79), 0x22);
  }
  EXPECT_EQ(byte_at(arenas_[0].table() + 4095), 0x33);
  EXPECT_EQ(byte_at(arenas_[0].scratch(31)), 0);
  auto after = child_.registers();
  before.orig_rax = after.orig_rax;
  EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
  EXPECT_EQ(child_.files(), files);
  EXPECT_EQ(child_.blocked(), blocked);
}

TEST_F(ImageFileTest, StaysAsItIsWhereAProcessWrites) {
  ASSERT_TRUE(inject(file_.path_for(child_.pid())));
  const u8 other[] = {0x44};
  for (u64 at : {arenas_[0].base, arenas_[0].slots(), arenas_[0].table()}) {
    EXPECT_TRUE(memory_->write(at, other));
    EXPECT_EQ(byte_at(at), 0x44);
  }
  TargetMemory::Word word{arenas_[1].slots(), 7};
  EXPECT_TRUE(memory_->write_words({&word, 1}));
  EXPECT_EQ(file_.code(0)[0], 0x11);
  EXPECT_EQ(file_.slots(0)[0], 0x22);
  EXPECT_EQ(file_.table(0)[0], 0x33);
  EXPECT_EQ(file_.slots(1)[0], 0x22);
}

TEST_F(ImageFileTest, SaysWhatCouldNotBeMapped) {
  auto files = child_.files();
  auto got = inject("/nonexistent");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->made, 0U);
  EXPECT_EQ(got->result, static_cast<u64>(-ENOENT));
  auto path = file_.path_for(child_.pid());
  ASSERT_TRUE(inject(path));
  got = inject(path);  // everything is there
  ASSERT_TRUE(got);
  EXPECT_EQ(got->made, 0U);
  EXPECT_EQ(got->result, static_cast<u64>(-EEXIST));
  EXPECT_EQ(child_.files(), files);
}

TEST_F(ImageFileTest, SignalsComeAfterwards) {
  for (int signal : {SIGUSR1, SIGUSR2}) kill(child_.pid(), signal);
  ASSERT_EQ(inject(file_.path_for(child_.pid()))->made, 5U);
  EXPECT_EQ(thread_.deliver, 0);
  int status = 0;
  resume(child_.pid(), Resume::freely);
  ASSERT_EQ(waitpid(child_.pid(), &status, __WALL), child_.pid());
  EXPECT_EQ(Stop{status}.signal(), SIGUSR2) << "the other one is blocked";
}

TEST_F(ImageFileTest, OneThatCannotWaitIsKept) {
  kill(child_.pid(), SIGSEGV);
  ASSERT_EQ(inject(file_.path_for(child_.pid()))->made, 5U);
  EXPECT_EQ(thread_.deliver, SIGSEGV);
  siginfo_t info;
  ASSERT_TRUE(get_signal(child_.pid(), info));
  EXPECT_EQ(info.si_signo, SIGSEGV);
  EXPECT_EQ(info.si_pid, getpid());
}

// Whether the recorder is killed before the thread gets to its mark or after that.
TEST_F(ImageFileTest, AThreadGoesOnWithoutItsRecorder) {
  auto path = file_.path_for(child_.pid());
  auto files = child_.files();
  auto saved = child_.registers();
  u64 blocked = child_.blocked(), all = u64(-1);
  int signal = mark_signal_of(restrictions_of(child_.pid()));
  auto mark = stop_mark(signal);
  Bytes bytes(reinterpret_cast<const u8*>(&mark), sizeof mark);
  auto calls =
      code_to_map(child_.site(), saved, {.signal = signal, .mark = bytes, .blocked = blocked}, path,
                  file_.mappings());
  ASSERT_LE(calls.code.size(), mapping_site_size);
  for (bool at_mark : {false, true}) {
    ASSERT_TRUE(memory_->write(child_.site(), calls.code));
    auto regs = saved;
    regs.rip = child_.site(), regs.orig_rax = u64(-1);
    ASSERT_TRUE(set_registers(child_.pid(), regs));
    ptrace(PTRACE_SETSIGMASK, child_.pid(), sizeof all, &all);
    if (at_mark) {
      u64 no_mark = all & ~(u64{1} << (signal - 1));
      ptrace(PTRACE_SETSIGMASK, child_.pid(), sizeof all, &no_mark);
      resume(child_.pid(), Resume::freely);
      int status = 0;
      ASSERT_EQ(waitpid(child_.pid(), &status, __WALL), child_.pid());
      ASSERT_EQ(Stop{status}.signal(), signal);
      EXPECT_EQ(child_.registers().rip, calls.stop);
    }
    Registers now;
    for (bool asleep = false; !asleep; asleep = child_.stops_asleep(now)) {
      ASSERT_EQ(ptrace(PTRACE_DETACH, child_.pid(), nullptr, nullptr), 0);
      usleep(20'000);
      ASSERT_EQ(ptrace(PTRACE_SEIZE, child_.pid(), nullptr, nullptr), 0) << "it is there";
    }
    EXPECT_EQ(child_.blocked(), blocked);
    EXPECT_EQ(child_.files(), files);
    EXPECT_EQ(now.rbx, saved.rbx);
    EXPECT_EQ(now.rbp, saved.rbp);
    EXPECT_EQ(now.rsp, saved.rsp);
  }
  EXPECT_EQ(byte_at(arenas_[1].slots()), 0x22);
}

TEST_F(ImageFileTest, AThreadThatIsKilledIsGone) {
  kill(child_.pid(), SIGKILL);
  EXPECT_FALSE(inject(file_.path_for(child_.pid())));
}

}  // namespace
}  // namespace pgokit::record

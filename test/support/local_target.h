#pragma once

// The test program as its own target: translated code runs in the test's thread, and its windows
// end without a tracer, which is what happens to a program whose recorder was killed.

#include <asm/prctl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <vector>

#include "record/software/branch_drain.h"
#include "record/software/code_cache.h"
#include "record/x86/branch_log.h"

namespace pgokit::record {

class LocalMemory : public TargetMemory {
 public:
  bool read(u64 address, void* to, size_t size) override {
    std::copy_n(reinterpret_cast<const u8*>(address), size, static_cast<u8*>(to));
    return true;
  }
  bool write(u64 address, Bytes bytes) override {
    std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
    return true;
  }
  bool write_words(std::span<const Word> words) override {
    for (const auto& word : words)
      std::memcpy(reinterpret_cast<void*>(word.address), &word.value, 8);
    return true;
  }
};

class LocalTarget {
 public:
  // With an arena in reach of each of `places`; all code of the process may be translated.
  explicit LocalTarget(std::initializer_list<const void*> places,
                       CopyFor purpose = CopyFor::windows)
      : cache(
            memory_, [](u64 address) { return Bytes(reinterpret_cast<const u8*>(address), 512); },
            purpose) {
    for (const void* place : places)
      if (!cache.reaches(reinterpret_cast<u64>(place))) add_arena(reinterpret_cast<u64>(place));
  }
  ~LocalTarget() {
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
    for (const auto& arena : cache.arenas())
      munmap(reinterpret_cast<void*>(arena.base), arena.shape.size());
  }

  // The address to call in place of `function` for a window that records `branches`, after so many
  // passes but one that count `turns` each.
  template <class F>
  F* window(F* function, u32 branches, u32 passes = 1, u32 turns = 1) {
    u64 code = cache.enter(reinterpret_cast<u64>(function));
    EXPECT_NE(code, 0U);
    auto header = cache.header(branches, passes, turns);
    if (u64 next = this->header().next_pair) header.next_pair = next;  // what is there stays
    header.self = cache.scratch(0);
    header.logged = accesses_logged;
    header.patience = patience;
    syscall(SYS_arch_prctl, ARCH_GET_FS, &header.fs_base);
    std::memcpy(reinterpret_cast<void*>(cache.scratch(0)), &header, sizeof header);
    syscall(SYS_arch_prctl, ARCH_SET_GS, cache.scratch(0));
    branches_ = branches;
    return reinterpret_cast<F*>(code);
  }

  // What a tracer does for a thread in a window that asks for a block, or is at its end. False: it
  // does not ask.
  bool answer() {
    auto& header = *reinterpret_cast<scratch::Header*>(cache.scratch(0));
    std::atomic_ref<u64> request(header.request);
    if (request != scratch::request_made) return false;
    request = scratch::request_seen;
    auto edge = static_cast<u32>(header.edge);
    if (edge != scratch::no_edge) {
      Edge newest = edge_of(edge, header.target);
      ++answered[{newest.from, newest.to}];
    }
    if (header.left == 0) {
      auto way = cache.way_out(header.target, header.rcx);
      memory_.write_words(way.words);
      header.jump = way.code;
      request = cache.let_go();
      return true;
    }
    u64 code = cache.enter(header.target);
    header.jump = code;
    request = code ? cache.answered() : cache.refused();
    return true;
  }
  // Another thread's window may use the scratch area of one that was let go as soon as it says so.
  bool use_again() {
    auto& header = *reinterpret_cast<scratch::Header*>(cache.scratch(0));
    if (std::atomic_ref<u64>(header.patience) != 0) return false;
    u64 next_pair = header.next_pair;
    std::memset(&header, 0xcc, sizeof header);
    header.next_pair = next_pair;
    return true;
  }

  scratch::Header header() const {
    scratch::Header header;
    std::memcpy(&header, reinterpret_cast<void*>(cache.scratch(0)), sizeof header);
    return header;
  }

  // Oldest first.
  std::vector<Edge> recorded() const {
    std::vector<Edge> edges;
    if (!header().recorded) return edges;
    for (u64 n = branches_; n > header().left / scratch::entry_size; --n)
      edges.push_back(edge_at(n));
    return edges;
  }
  Edge edge_at(u64 n) const {
    scratch::Entry entry;
    std::memcpy(&entry,
                reinterpret_cast<void*>(cache.scratch(0) + scratch::ring + n * scratch::entry_size),
                sizeof entry);
    return edge_of(entry.edge, entry.target);
  }
  Edge edge_of(u32 number, u64 target) const {
    Edge edge = cache.edge(number);
    if (edge.to == 0) edge.to = target;
    return edge;
  }
  // Of copies that log: all that is in the log, oldest first.
  std::vector<Edge> logged() const {
    std::vector<Edge> edges;
    u64 used = header().left + 4;
    BranchLog log({reinterpret_cast<const u8*>(cache.scratch(0)) + scratch::contexts::log + used,
                   scratch::contexts::log_size - used});
    for (LoggedBranch one; log.next(one);) edges.push_back(edge_of(one.edge, one.target));
    return edges;
  }
  // How often each branch of (from, to) is in the counters, which are empty then.
  std::map<std::pair<u64, u64>, u64> counted() {
    std::vector<EdgeCount> counts;
    auto drain = cache.purpose() == CopyFor::whole_run ? drain_whole_run : drain_window;
    drain(memory_, cache.scratch(0), cache.edges(), counts);
    std::map<std::pair<u64, u64>, u64> sums;
    for (const auto& one : counts) {
      Edge edge = edge_of(one.edge, one.target);
      sums[{edge.from, edge.to}] += one.count;
    }
    return sums;
  }

 private:
  void add_arena(u64 place) {
    constexpr u64 step = u64{32} << 20;
    u64 hint = place & ~u64{0xfff};
    for (u64 distance = step; distance < cache.shape().reach(); distance += step)
      for (u64 at : {hint - distance, hint + distance}) {
        void* got = mmap(reinterpret_cast<void*>(at), cache.shape().size(),
                         PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == MAP_FAILED) continue;
        return cache.add_arena(at);
      }
  }

  LocalMemory memory_;
  u32 branches_ = 0;

 public:
  CodeCache cache;
  u64 accesses_logged = 0;  // the counter of accesses with which windows begin
  u64 patience = 0;
  // Branches that have led to what answer() was asked for, and are not counted.
  std::map<std::pair<u64, u64>, u64> answered;
};

}  // namespace pgokit::record

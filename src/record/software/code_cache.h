#pragma once

// The translated code of one address space: where it lies, how its blocks are linked, and what has
// to be written into the process for that.
//
//   CodeCache cache(memory, [&](u64 address) { return translatable_bytes_from(address); });
//   if (!cache.reaches(rip)) cache.add_arena(address);       // mapped by the caller, see Arena
//   u64 code = cache.enter(rip);                             // 0: this cannot be translated
//   ... the thread runs from `code` with gs at cache.scratch(n) and cache.header(branches) there
//   Edge edge = cache.edge(entry.edge);                      // for each entry of its ring
//
// Code is only ever added; slots and table entries are words that go from "not yet" to an address.
// So any number of threads may run in the cache while it grows. clear() needs all of them outside.

#include <tsl/robin_map.h>

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "record/system/target_memory.h"
#include "record/x86/recovery.h"
#include "record/x86/registers.h"
#include "record/x86/scratch.h"
#include "record/x86/translate.h"

namespace pgokit::record {

// A reserved piece of the address space: code (to be readable and executable), then data (to be
// readable and writable): slots, the table of indirect targets, scratch areas of threads.
struct Arena {
  static constexpr u64 code_size = 16 << 20;
  static constexpr u64 call_site = code_size - 4096;  // and what is above it is not for copies
  static constexpr u64 slots_size = 4 << 20;
  static constexpr u64 table_size = scratch::table_entries * 8;
  static constexpr u64 scratch_areas = 32;
  static constexpr u64 data_size = slots_size + table_size + scratch_areas * scratch::size;
  static constexpr u64 size = code_size + data_size;
  // Displacements of 32 bits reach from all of an arena to what is this near to its start.
  static constexpr u64 reach = (u64{1} << 31) - size - (1 << 20);

  u64 base = 0;
  u64 code_used = 0, slots_used = 0;  // bytes

  u64 slots() const { return base + code_size; }
  u64 table() const { return slots() + slots_size; }
  u64 scratch(u64 n) const { return table() + table_size + n * scratch::size; }
  bool reaches(u64 address) const {
    u64 distance = address > base ? address - base : base - address;
    return distance < reach;
  }
};

struct Recovered {
  bool was_inside = false;              // otherwise the registers were those of the program
  std::optional<Edge> unrecorded = {};  // the branch made last, where the ring does not have it
  // Entries of the ring that are in no counter yet: [uncounted, uncounted_end).
  u64 uncounted = 0, uncounted_end = 0;
};

// Those of a ring in this state, at the system call of `leave`.
inline Recovered recovered_at_leave(const scratch::Header& header) {
  bool counted = header.left == 0;
  return {.was_inside = true,
          .uncounted = header.left / scratch::entry_size + 1,
          .uncounted_end = counted ? 1 : header.pass / scratch::entry_size + 1};
}

class CodeCache {
 public:
  // The program's bytes from an address on, as far as they are code that may be translated; valid
  // until the next call.
  using Source = std::function<Bytes(u64 address)>;
  // Whether a branch to that address has been counted before, in whichever process.
  using HasRun = std::function<bool(u64 address)>;

  CodeCache(TargetMemory& memory, Source source);
  void set_has_run(HasRun has_run) { has_run_ = std::move(has_run); }

  bool reaches(u64 original) const { return near(original) != nullptr; }
  void add_arena(u64 base);
  const std::vector<Arena>& arenas() const { return arenas_; }

  // The copy of the code at `original`, translated now if need be together with some of what comes
  // next. 0: it may not be translated, no arena reaches it, or the arena is full.
  u64 enter(u64 original);
  // Makes indirect branches to `original` find its copy again: blocks share places in the table.
  void publish(u64 original);

  bool full() const { return full_; }
  // Forgets all code, keeps the arenas.
  void clear();

  bool contains(u64 address) const;
  Edge edge(u32 number) const {
    number &= ~scratch::indirect;
    return number < edges_.size() ? edges_[number] : Edge{};
  }
  size_t edges() const { return edges_.size(); }
  // In the routines, not in the copy of a block.
  bool in_routine(u64 address) const;
  // From the registers of a thread that has stopped in the cache, with `header` in its scratch
  // area, to those that the program would have outside.
  Recovered recover(Registers& regs, const scratch::Header& header) const;

  // Of a window of so many passes of so many branches, the last of which is recorded.
  scratch::Header header(u32 branches, u32 passes = 1) const;
  u64 scratch(u64 n) const { return arenas_.front().scratch(n); }
  u64 start() const { return routines_.start; }
  // Room for the code of a system call that a thread is to make; see RemoteCall.
  u64 call_site() const { return arenas_.front().base + Arena::call_site; }

  size_t blocks() const { return blocks_.size(); }

 private:
  struct KnownBlock {
    u64 original, code, code_end;
    u32 bytes_at, bytes_size;  // in bytes_
  };
  struct Batch;

  const Arena* near(u64 address) const;
  u64 find(u64 original) const;
  const KnownBlock* block_at(u64 pc) const;
  void know(u64 original, const Block& block, Bytes bytes, const Arena& arena);
  void add_routines();
  bool add(u64 original, Batch& batch);
  void link(const Exit& exit, Batch& batch);
  void commit(Batch& batch);
  static void follow(const Translation& copy, Batch& batch);

  TargetMemory& memory_;
  Source source_;
  HasRun has_run_;
  std::vector<Arena> arenas_;
  Routines routines_;
  tsl::robin_map<u64, u32> numbers_;  // of blocks, by original address
  std::deque<KnownBlock> blocks_;
  std::vector<std::vector<u32>> in_arena_;  // numbers of blocks, by address
  std::vector<u8> bytes_;                   // what the copies were made of
  std::vector<Edge> edges_;
  tsl::robin_map<u64, std::vector<u64>> waiting_;  // slots, by the target they wait for
  bool full_ = false;
};

}  // namespace pgokit::record

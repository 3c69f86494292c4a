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

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "record/software/code_range.h"
#include "record/system/target_memory.h"
#include "record/x86/recovery.h"
#include "record/x86/registers.h"
#include "record/x86/scratch.h"
#include "record/x86/translate.h"

namespace pgokit::record {

// A reserved piece of the address space: code (to be readable and executable), then data (to be
// readable and writable): slots, the table of indirect targets, scratch areas of threads.
struct ArenaShape {
  u64 code_size, slots_size, scratch_size;
  u64 areas;  // only the first arena has them, and a table

  static constexpr u64 scratch_areas = 32;
  constexpr u64 table_size() const { return areas ? scratch::table_entries * 8 : 0; }
  constexpr u64 call_site() const { return code_size - 4096; }  // what is above is not for copies
  constexpr u64 data_size() const { return slots_size + table_size() + areas * scratch_size; }
  constexpr u64 size() const { return code_size + data_size(); }
  // Displacements of 32 bits reach from all of an arena to what is this near to its start.
  constexpr u64 reach() const { return (u64{1} << 31) - size() - (1 << 20); }
};

// A recorder of windows sees little of a program, one that counts whole runs all that runs.
constexpr ArenaShape shape_of(CopyFor purpose, bool first = true) {
  constexpr u64 mib = 1 << 20;
  u64 areas = first ? ArenaShape::scratch_areas : 0;
  if (purpose == CopyFor::windows) return {24 * mib, 4 * mib, scratch::size, areas};
  if (purpose == CopyFor::contexts) return {48 * mib, 8 * mib, scratch::contexts::size, areas};
  if (purpose == CopyFor::memory) return {32 * mib, 4 * mib, scratch::memory::size, areas};
  return {32 * mib, 8 * mib, scratch::size, areas};
}

struct Arena {
  u64 base = 0;
  ArenaShape shape{};
  u64 code_used = 0, slots_used = 0;  // bytes

  u64 slots() const { return base + shape.code_size; }
  u64 table() const { return slots() + shape.slots_size; }
  u64 scratch(u64 n) const { return table() + shape.table_size() + n * shape.scratch_size; }
  bool reaches(u64 address) const {
    u64 distance = address > base ? address - base : base - address;
    return distance < shape.reach();
  }
};

struct Recovered {
  bool was_inside = false;              // otherwise the registers were those of the program
  std::optional<Edge> unrecorded = {};  // the branch made last, where it is recorded nowhere else
  std::optional<u64> blocked = {};      // signals: to be blocked again
};

// The translated code itself, without the process that it is in: an address space of which another
// one is a copy has the same.
class TranslatedCode {
 public:
  const std::vector<Arena>& arenas() const { return arenas_; }
  size_t blocks() const { return blocks_.size(); }

 private:
  friend class CodeCache;
  struct KnownBlock {
    u64 original, code, entry, code_end, call;
    u32 bytes_at, bytes_size;  // in bytes_
    u32 site;
    bool listed = false;  // in table_
  };

  std::vector<Arena> arenas_;
  Routines routines_;
  tsl::robin_map<u64, u32> numbers_;  // of blocks, by original address
  std::vector<KnownBlock> blocks_;
  std::vector<std::vector<u32>> in_arena_;  // numbers of blocks, by address
  std::vector<u8> bytes_;                   // what the copies were made of
  std::vector<Edge> edges_;
  std::vector<MemoryAccess> accesses_;
  // By the target they wait for: 1 + the number of the last one, in a list. All of this is copied
  // for each process, so there are few pieces.
  struct WaitingExit {
    Exit exit;
    u32 before;  // 1 + the number, 0: none
  };
  tsl::robin_map<u64, u32> waiting_;
  std::vector<WaitingExit> waiting_exits_;
  u32 unused_exit_ = 0;     // a list of them
  u32 sites_ = 0;           // indirect branches
  std::vector<u32> table_;  // of indirect targets: 1 + the number of the block at each place
  size_t listed_ = 0;
  std::vector<CodeRange> hidden_;
  // What was said is said again, as copies are made again to find their states.
  mutable tsl::robin_map<u64, bool> flags_die_;
  bool full_ = false;
};

class CodeCache : private TranslatedCode {
 public:
  // The program's bytes from an address on, as far as they are code that may be translated; valid
  // until the next call.
  using Source = std::function<Bytes(u64 address)>;
  // Whether a branch to that address has been counted before, in whichever process.
  using HasRun = std::function<bool(u64 address)>;

  CodeCache(TargetMemory& memory, Source source, CopyFor purpose = CopyFor::windows);
  void set_has_run(HasRun has_run) { has_run_ = std::move(has_run); }

  CopyFor purpose() const { return purpose_; }
  // Of the next arena.
  ArenaShape shape() const { return shape_of(purpose_, arenas_.empty()); }
  bool reaches(u64 original) const { return near(original) != nullptr; }
  void add_arena(u64 base);
  using TranslatedCode::arenas;

  // No thread is in the cache, so that code which is there may be changed.
  void set_alone(bool alone) { alone_ = alone; }

  // The copy of the code at `original`, translated now if need be together with some of what comes
  // next. 0: it may not be translated, no arena reaches it, or the arena is full.
  u64 enter(u64 original);
  // The same for a system call there, which the copy makes whatever it is. rcx is free.
  u64 enter_call(u64 original);
  // The copies for many places near the first, and what follows them without a branch.
  void enter_all(std::span<const u64> originals);
  // Makes indirect branches to `original` find its copy, if they have not so far.
  void publish(u64 original);

  // Of code that the program has unmapped: nothing leads to its copies until it has the same bytes
  // there again. Nobody is inside.
  void hide(CodeRange range);
  void show(CodeRange range);
  // The hidden ranges that lie there, wholly or in part, are forgotten.
  std::vector<CodeRange> forget_hidden(CodeRange range);

  bool full() const { return full_; }
  // Forgets all code, keeps the arenas.
  void clear();
  const TranslatedCode& code() const { return *this; }
  // It lies in this address space too.
  void set_code(TranslatedCode code) { static_cast<TranslatedCode&>(*this) = std::move(code); }

  bool contains(u64 address) const;
  Edge edge(u32 number) const {
    number &= ~scratch::indirect;
    return number < edges_.size() ? edges_[number] : Edge{};
  }
  size_t edges() const { return edges_.size(); }
  // Of a log, by its number there.
  MemoryAccess access(u32 number) const {
    return number < accesses_.size() ? accesses_[number] : MemoryAccess{};
  }
  // In the routines, not in the copy of a block.
  bool in_routine(u64 address) const;
  // Of a whole run: `leave` has stopped a thread that is there.
  bool at_stop(u64 address) const { return address == routines_.stop; }
  // From the registers of a thread that has stopped in the cache, with `header` in its scratch
  // area, to those that the program would have outside.
  Recovered recover(Registers& regs, const scratch::Header& header) const;

  // Of a window of so many passes: all but the last one count, and are of so many turns each, that
  // one records so many branches.
  scratch::Header header(u32 branches, u32 passes = 1, u32 turns = 1) const;
  u64 scratch(u64 n) const { return arenas_.front().scratch(n); }
  u64 start() const { return routines_.start; }
  u64 answered() const { return routines_.answered; }
  u64 refused() const { return routines_.refused; }
  u64 let_go() const { return routines_.let_go; }
  // For a thread that goes on at `original`, once the words are written. One of many: it is taken
  // again when the thread has left it for long.
  struct WayOut {
    u64 code;
    std::array<TargetMemory::Word, way_out_words> words;
  };
  WayOut way_out(u64 original, u64 rcx);
  // Room for the code of a system call that a thread is to make; see RemoteCall.
  u64 call_site() const { return arenas_.front().base + arenas_.front().shape.call_site(); }

  using TranslatedCode::blocks;

 private:
  struct Batch;

  const Arena* near(u64 address) const;
  Batch begin(const Arena& arena);
  u64 find(u64 original) const;
  const KnownBlock* block_at(u64 pc) const;
  void know(u64 original, const Block& block, Bytes bytes, const Arena& arena);
  void add_routines();
  Translation translate_at(u64 original, Bytes bytes, Place place) const;
  bool flags_die_at(u64 address) const;
  bool do_flags_die_at(u64 address) const;
  bool add(u64 original, Batch& batch);
  void link(const Exit& exit, Batch& batch);
  void wait(const Exit& exit);
  void link_waiting(u64 original, u64 code, Batch& batch);
  void jump_to(u64 code, const Exit& exit, Batch& batch) const;
  void commit(Batch& batch);
  TargetMemory::Word list(u32 number);
  void mark(CodeRange range, u64 mask);
  static void follow(const Translation& copy, Batch& batch);

  TargetMemory& memory_;
  Source source_;
  std::vector<u8> block_;  // the bytes of the one that is being added: `source_` is asked for more
  CopyFor purpose_;
  HasRun has_run_;
  u32 next_way_out_ = 0;
  bool alone_ = false;
};

}  // namespace pgokit::record

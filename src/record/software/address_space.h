#pragma once

// What the recorder knows of one address space: its mappings, its code, and the cache of translated
// code in it. Threads share it; so does a vfork()ed child until it calls exec().

#include <sys/types.h>
#include <tsl/robin_map.h>

#include <array>
#include <memory>
#include <vector>

#include "base/result.h"
#include "record/software/branch_drain.h"
#include "record/software/code_cache.h"
#include "record/software/inject.h"
#include "record/software/patched_pages.h"
#include "record/software/restartable.h"
#include "record/system/memory_map.h"
#include "record/system/process_memory.h"
#include "record/x86/registers.h"

namespace pgokit::record {

class AddressSpace {
 public:
  // By any of its threads.
  static Result<std::unique_ptr<AddressSpace>> open(pid_t tid);
  // That of a child which has just been forked: a copy of the parent's memory, arenas included.
  static Result<std::unique_ptr<AddressSpace>> open_forked(pid_t tid, const AddressSpace& parent);
  AddressSpace(const AddressSpace&) = delete;

  // A thread that lives, for /proc: the main thread may end before the others.
  void use(pid_t tid) { tid_ = tid, memory_.use(tid); }
  pid_t tid() const { return tid_; }
  ProcessMemory& memory() { return memory_; }
  CodeCache& cache() { return cache_; }
  const MemoryMap& map() const { return map_; }

  // Reads the mappings again; what was translated is given up if code has gone. Returns the
  // executable mappings that are new.
  std::vector<Mapping> refresh();
  // It is time to: `address` lies in no known mapping, or code has been mapped since.
  bool due_for_refresh(u64 address) const;
  // Code has been mapped: what is known is not to be trusted.
  void expire_map() { map_expired_ = true; }
  // Gives up what was translated if the program has patched code that it was made of.
  void check_copies();

  // The bytes of fixed code from `address` on (a few hundred), empty where there is none. Valid
  // until the next call.
  Bytes code_at(u64 address);

  // Makes a window at `address` possible by `thread`, which is stopped outside of system calls.
  // False: no windows at this place. May set the thread going and stop it again.
  bool prepare(StoppedThread& thread, u64 address);
  // A thread that has stopped with these registers may be sent elsewhere.
  bool can_leave(StoppedThread& thread, const Registers& regs);
  // It can read the time in translated code. `word` is for the answer; may set the thread going.
  bool may_read_time(StoppedThread& thread, u64 word);
  // Why there are no windows in this process, empty while there are.
  const std::string& obstacle() const { return obstacle_; }
  // Code has gone: no window may begin until all are over.
  bool stale() const { return stale_; }
  void give_up(std::string why);
  // The same, or all room is taken: the windows that there are should end. Threads can be in one for
  // long, in a system call.
  bool needs_room() const { return stale_ || cache_.full() || scratch_free_ == 0; }

  // In an arena, of an earlier recording perhaps whose recorder was killed.
  bool is_arena(u64 address) const;
  // Scratch areas; -1: all are in use, or the cache must be empty of threads first.
  int take_scratch();
  void release_scratch(int n);
  // What was counted there. False: the process is gone.
  bool take_counts(int n, std::vector<EdgeCount>& counts);
  // For whoever has numbers of his own for the edges of the cache; empty when that has forgotten its.
  std::vector<u32>& edge_numbers() { return edge_numbers_; }
  // Gives the memory of the cache back by the last thread that is left to itself, which is in no
  // system call that is to be made again. No window can begin afterwards.
  void unmap_arenas(StoppedThread& thread);

 private:
  AddressSpace(pid_t tid, ProcessMemory memory);
  bool add_arena(StoppedThread& thread, u64 address);
  bool map_arena(StoppedThread& thread, u64 site, u64 address);
  std::optional<u64> find_call_site();
  const u8* page(u64 address, bool vdso);
  void find_restartable();
  u64 end_of_translatable(u64 address, u64 end) const;

  pid_t tid_;
  ProcessMemory memory_;
  PatchedPages patched_;
  MemoryMap map_;
  bool map_expired_ = true;
  CodeCache cache_;
  tsl::robin_map<u64, std::unique_ptr<std::array<u8, 4096>>> pages_;
  std::vector<u64> page_list_;  // their addresses; sorted when it has as many
  std::vector<u8> line_;
  void clear_cache();
  bool clear_counts(int n);

  std::vector<u64> inherited_;  // arenas of the parent, not in use yet
  u64 half_mapped_ = 0;         // an arena whose data are not writable yet
  std::vector<u32> edge_numbers_;
  static constexpr u64 all_scratch = (u64{1} << Arena::scratch_areas) - 1;
  u64 scratch_free_ = all_scratch;
  u64 scratch_counted_ = 0;  // areas with counts that nobody has taken
  std::vector<CodeRange> restartable_;
  bool restartable_known_ = false;  // for the mappings of map_
  bool stale_ = false;              // code has gone: translate anew once no thread is inside
  std::string obstacle_;
};

}  // namespace pgokit::record

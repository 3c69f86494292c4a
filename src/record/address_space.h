#pragma once

// What the recorder knows of one address space: its mappings, its code, and the cache of translated
// code in it. Threads share it; so does a vfork()ed child until it calls exec().

#include <sys/types.h>
#include <tsl/robin_map.h>

#include <array>
#include <memory>
#include <vector>

#include "base/result.h"
#include "record/code_cache.h"
#include "record/memory_map.h"
#include "record/process_memory.h"
#include "record/ptrace.h"
#include "record/restartable.h"

namespace pgokit::record {

class AddressSpace {
 public:
  static Result<std::unique_ptr<AddressSpace>> open(pid_t pid);
  // That of a child which has just been forked: a copy of the parent's memory, arenas included.
  static Result<std::unique_ptr<AddressSpace>> open_forked(pid_t pid, const AddressSpace& parent);
  AddressSpace(const AddressSpace&) = delete;

  pid_t pid() const { return pid_; }
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

  // The bytes of fixed code from `address` on (a few hundred), empty where there is none. Valid
  // until the next call.
  Bytes code_at(u64 address);

  // Makes a window at `address` possible by thread `tid`, which is stopped outside of system calls.
  // False: no windows at this place. May set the thread going and stop it again.
  bool prepare(pid_t tid, u64 address, std::vector<siginfo_t>& held);
  // Why there are no windows in this process, empty while there are.
  const std::string& obstacle() const { return obstacle_; }
  // Code has gone: no window may begin until all are over.
  bool stale() const { return stale_; }
  void give_up(std::string why) { obstacle_ = std::move(why); }

  // Scratch areas; -1: all are in use, or the cache must be empty of threads first.
  int take_scratch();
  void release_scratch(int n);

 private:
  AddressSpace(pid_t pid, ProcessMemory memory);
  Status add_arena(pid_t tid, u64 address, std::vector<siginfo_t>& held);
  u64 find_system_call();
  const u8* page(u64 address);
  void find_restartable();
  u64 end_of_translatable(u64 address, u64 end) const;

  pid_t pid_;
  ProcessMemory memory_;
  MemoryMap map_;
  bool map_expired_ = true;
  CodeCache cache_;
  tsl::robin_map<u64, std::unique_ptr<std::array<u8, 4096>>> pages_;
  std::vector<u8> line_;
  std::vector<u64> inherited_;  // arenas of the parent, not in use yet
  u64 scratch_free_ = ~u64{0};
  std::vector<CodeRange> restartable_;
  bool restartable_known_ = false;  // for the mappings of map_
  bool stale_ = false;              // code has gone: translate anew once no thread is inside
  std::string obstacle_;
};

}  // namespace pgokit::record

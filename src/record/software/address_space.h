#pragma once

// What the recorder knows of one address space: its mappings, its code, and the cache of translated
// code in it. Threads share it; so does a vfork()ed child until it calls exec().

#include <sys/types.h>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/software/branch_drain.h"
#include "record/software/code_cache.h"
#include "record/software/image_file.h"
#include "record/software/inject.h"
#include "record/software/patched_pages.h"
#include "record/software/restartable.h"
#include "record/system/file_version.h"
#include "record/system/memory_map.h"
#include "record/system/process_memory.h"
#include "record/x86/registers.h"

namespace pgokit::record {

class AddressSpace {
 public:
  // Of code, by address.
  using Pages = tsl::robin_map<u64, std::shared_ptr<const std::array<u8, 4096>>>;

  // By any of its threads.
  static Result<std::unique_ptr<AddressSpace>> open(pid_t tid, CopyFor purpose = CopyFor::windows);
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
  // Those of data that have not been asked for yet as they are now, of the mappings known; without
  // those of files of which code is mapped too. `rsp`: of the thread `tid`, whose stack has a name
  // then.
  std::vector<Mapping> new_data(pid_t tid, u64 rsp);
  // It is time to: `address` lies in no known mapping, or code has been mapped since.
  bool due_for_refresh(u64 address) const;
  bool needs_refresh() const { return map_expired_; }
  // Code has been mapped: what is known is not to be trusted.
  void expire_map() { map_expired_ = true; }
  // A program whose name is not in the recording yet, nor that it has begun.
  void set_unnamed() { unnamed_ = true; }
  bool is_unnamed() const { return unnamed_; }
  bool take_unnamed() { return std::exchange(unnamed_, false); }
  // Gives up what was translated if the program has patched code that it was made of; notices where
  // such code is no longer mapped, which makes a refresh due.
  void check_copies();
  // Reads what is read of a stopped thread before its window, so that it takes less long then. This
  // one may run.
  void rehearse(StoppedThread& thread);

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
  // Their descriptions may have been written since they were looked for.
  void forget_sequences() { restartable_known_ = false; }
  // Why there are no windows in this process, empty while there are.
  const std::string& obstacle() const { return obstacle_; }
  // There are none at `address`: no room for an arena was found near it, as near the libraries of a
  // process with the stacks of hundreds of threads.
  bool is_crowded(u64 address) const { return crowded_ && !cache_.reaches(address); }
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
  // What all users of an area need is written there: which system calls copies make, and the signal
  // that stops its thread, as can_leave() has last found it. Its user is not in a copy.
  bool make_ready(int n);
  int mark_signal(int area) const { return area_signals_[static_cast<size_t>(area)]; }
  // What was counted there. False: the process is gone. The area has no counts then, until its user
  // makes more.
  bool take_counts(int n, std::vector<EdgeCount>& counts);
  // The same before its user releases it. Mostly the process ends with its last user, so that area
  // is emptied only if somebody takes it again.
  bool take_last_counts(int n, std::vector<EdgeCount>& counts);

  // What was translated in a process, for others that run the same program with the same addresses.
  // It is read while the process is there.
  struct CodeFile {
    Mapping mapping;
    std::optional<FileVersion> version;  // before its pages were read
  };
  struct Image {
    // Each process goes on with a copy of its own.
    struct Tables {
      TranslatedCode code;
      Pages pages;
      std::vector<CodeFile> files;  // that these are of
      std::vector<u32> edge_numbers;
    };
    ImageFile file;  // what the arenas hold
    Tables tables;
    std::vector<u64> page_list;  // the addresses of pages, sorted
    std::vector<CodeRange> restartable;
  };
  std::shared_ptr<const Image> image();
  // Where that is not to be had here, the cache is as it was, or has an arena. `spare`: a copy of
  // its tables, which is used up. False: the thread is in another stop, or the process gone.
  bool adopt(StoppedThread& thread, const Image& image, std::optional<Image::Tables>& spare);

  // What the system call that a thread is about to make does to code.
  struct CallEffect {
    bool on_mappings = false, changes_code = false, relocated = false;
  };
  CallEffect effect_of_call(const Registers& regs) const;
  // Where the copy makes that call; 0: it is to be made outside.
  u64 enter_call(const Registers& regs);

  // Asked for the first time of this mapping.
  bool first_time_in(const Mapping& mapping) { return entered_.insert(mapping.start).second; }

  // Of whole runs, whose threads keep their scratch areas while they are outside of the cache.
  // A thread goes in, with that area. False: code has gone.
  bool go_in(int area);
  void come_out() { --inside_; }
  bool nobody_inside() const {
    return is_whole_run(cache_.purpose()) ? inside_ == 0 : scratch_free_ == all_scratch;
  }
  // Code has gone, or there is no room for more.
  bool needs_all_outside() const { return stale_ || cache_.full(); }
  // Forgets all code, when nobody is inside any more; false as long as somebody is.
  bool make_room_when_empty();
  // Gets the counts of all areas before code goes, or the cache forgets what they are of.
  void set_counts_user(std::function<void(std::span<const EdgeCount>)> use) {
    counts_user_ = std::move(use);
  }

  // For whoever has numbers of his own for the edges of the cache; empty when that has forgotten its.
  std::vector<u32>& edge_numbers() { return edge_numbers_; }
  // Changes when it forgets them; no two address spaces have the same.
  u64 numbering() const { return numbering_; }
  // Gives the memory of the cache back by the last thread that is left to itself, which is in no
  // system call that is to be made again. No window can begin afterwards.
  void unmap_arenas(StoppedThread& thread);

 private:
  AddressSpace(pid_t tid, ProcessMemory memory, CopyFor purpose);
  bool add_arena(StoppedThread& thread, u64 address);
  void inherit();
  void inherit_code(const AddressSpace& parent);
  bool map_arena(StoppedThread& thread, u64 site, u64 base, ArenaShape shape);
  bool map_image(StoppedThread& thread, const Image& image);
  bool write_image(StoppedThread& thread, const Image& image);
  bool is_same(u64 address, const Mapping& mapping);
  void verify(std::span<const u64> addresses);
  void verify(const Mapping& mapping);
  void set_aside(const Mapping& gone);
  void forget_aside(const Mapping& mapping);
  void note_file(const Mapping& mapping);
  bool adopt_file(const Mapping& mapping);
  std::optional<u64> find_call_site(size_t size);
  const u8* page(u64 address, const Mapping& mapping);
  void find_restartable();
  std::vector<CodeRange> sequences_in(const Mapping& data, const Mapping& code);
  std::vector<CodeRange> read_sequences(const Mapping& data, const Mapping& code);
  u64 end_of_translatable(u64 address, u64 end) const;

  pid_t tid_;
  int mark_signal_ = 0;  // by which copies are to stop their threads; 0 before can_leave()
  ProcessMemory memory_;
  PatchedPages patched_;
  MemoryMap map_;
  bool map_expired_ = true;
  bool unnamed_ = false;
  std::vector<Mapping> told_data_;  // by new_data(), by address
  CodeCache cache_;
  Pages pages_;
  Pages
      adopted_;  // that copies in the cache were made of, and nobody has looked at in this process
  std::vector<CodeFile> files_;          // of pages_
  std::vector<CodeFile> adopted_files_;  // of adopted_
  std::vector<u64> page_list_;    // addresses of those that could be patched, sorted; made when
  size_t pages_listed_ = 0;       // there were so many
  std::vector<u64> code_in_use_;  // one of them in each mapping
  std::vector<u8> line_;
  void make_room();
  void clear_cache();
  void hand_over_counts();
  void forget_targets();
  bool clear_counts(int n);
  bool drain(int n, size_t edges, std::vector<EdgeCount>& counts);

  std::vector<u64> inherited_;  // arenas of the parent, not in use yet
  size_t inherited_edges_ = 0;  // what its cache had by then
  u64 half_mapped_ = 0;         // an arena whose data are not writable yet
  static u64 next_numbering();

  std::vector<u32> edge_numbers_;
  u64 numbering_ = next_numbering();
  tsl::robin_set<u64> entered_;  // mappings
  static constexpr u64 all_scratch = (u64{1} << ArenaShape::scratch_areas) - 1;
  u64 scratch_free_ = all_scratch;
  u64 scratch_counted_ = 0;  // areas with counts that nobody has taken
  u64 scratch_left_ = 0;     // areas whose counts were taken, and are still there
  u64 targets_known_ = 0;    // areas that know where indirect branches led to, without counts
  std::array<int, ArenaShape::scratch_areas> area_signals_{};  // 0: not made ready
  std::vector<CodeRange> restartable_;
  bool restartable_known_ = false;  // for the mappings of map_
  bool stale_ = false;              // code has gone: translate anew once no thread is inside
  int inside_ = 0;
  std::function<void(std::span<const EdgeCount>)> counts_user_;
  std::string obstacle_;
  bool crowded_ = false;
};

}  // namespace pgokit::record

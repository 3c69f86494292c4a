#pragma once

// What was translated in processes that have ended, by their programs: a program that is run again
// has its copies from the beginning, in place of a stop for each block that is missing.
//
//   images.keep(pid, space);                    // a process is about to end, or to be another one
//   images.adopt(thread, pid, space);           // before the first window of a process
//   images.prepare();                           // when there is nothing else to do
//
// The code must lie where it lay (Launch, `same_addresses`), and be the same.

#include <map>
#include <memory>
#include <optional>

#include "record/software/address_space.h"

namespace pgokit::record {

class ProgramImages {
 public:
  // Unless much the same is known already: it takes time.
  void keep(pid_t pid, AddressSpace& space);
  // `thread` is stopped and may be sent elsewhere (AddressSpace::can_leave); it may be set going and
  // stopped again. Nothing happens where there are copies already, or none to be had. False: it is
  // in another stop now, or gone.
  bool adopt(StoppedThread& thread, pid_t pid, AddressSpace& space);
  // For the next process that adopts an image, which waits meanwhile.
  void prepare();

 private:
  struct Known {
    std::shared_ptr<const AddressSpace::Image> image;
    std::optional<AddressSpace::Image::Tables> spare;
  };
  std::map<FileKey, Known, ByFile> images_;
  bool prepared_ = true;
};

}  // namespace pgokit::record

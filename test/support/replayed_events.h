#pragma once

// Rings for tests: files in memory, into which records are written as the kernel would, and events
// that own them.
//
//   ReplayedEvents events({.processors = 2, .seed = 7});
//   events.records = std::move(records);              // handed over in portions by wait()
//   events.when_all_are_out = [&] { kill(pid, SIGTERM); };
//   record_in_hardware(rung, settings, events);
//   events.opened[0].attr ...                         // what has been asked of the kernel

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "record/hardware/event_rings.h"

namespace pgokit::record::test {

using RawRecord = std::vector<u8>;

// The kernel's side of a ring.
class FedRing {
 public:
  // `begin`: as if so many bytes had gone through it already.
  explicit FedRing(size_t pages, u64 begin = 0)
      : file_(memfd_create("ring", MFD_CLOEXEC)), page_(page_size()), size_(pages * page_) {
    if (ftruncate(file_, static_cast<off_t>(size_ + page_)) != 0) return;
    void* at = mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (at == MAP_FAILED) return;
    memory_ = static_cast<u8*>(at);
    control().data_head = control().data_tail = begin;
  }
  FedRing(const FedRing&) = delete;
  ~FedRing() {
    munmap(memory_, size_ + page_);
    close(file_);
  }

  int file() const { return file_; }
  u64 unread() const { return control().data_head - control().data_tail; }

  // False: there is no room.
  bool write(Bytes record) {
    if (unread() + record.size() > size_) return false;
    u64 head = control().data_head;
    for (size_t i = 0; i < record.size(); ++i) memory_[page_ + (head + i) % size_] = record[i];
    control().data_head = head + record.size();
    return true;
  }

 private:
  static size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
  perf_event_mmap_page& control() const {
    return *reinterpret_cast<perf_event_mmap_page*>(memory_);
  }

  int file_;
  size_t page_, size_;
  u8* memory_ = nullptr;
};

class ReplayedEvents : public EventSource {
 public:
  struct Settings {
    int processors = 2;
    u32 seed = 1;
    size_t most_at_once = 500;  // records handed over between two looks of the recorder
    bool loses = false;         // what does not fit is lost, as in the kernel; else it waits
  };
  struct Opened {
    perf_event_attr attr;
    EventTarget target;
    int fd;
    bool enabled = false;
    int redirected_to = -1;
  };

  explicit ReplayedEvents(Settings settings) : settings_(settings), random_(settings.seed) {}

  std::vector<RawRecord> records;
  // errno of an event that there is not; 0: it is opened.
  std::function<int(const perf_event_attr&, const EventTarget&)> refuse;
  std::function<void()> when_all_are_out;
  std::function<void()> at_wait;
  std::vector<Opened> opened;
  size_t handed_over = 0;  // with those that were lost
  u64 lost = 0;

  int processors() const override { return settings_.processors; }

  int open(const perf_event_attr& attr, const EventTarget& target) override {
    if (int error = refuse ? refuse(attr, target) : 0) return -error;
    auto ring = std::make_unique<Ring>();
    int fd = dup(ring->fed.file());
    opened.push_back({attr, target, fd});
    rings_.push_back(std::move(ring));
    return fd;
  }

  u64 id_of(int fd) override { return first_id + index_of(fd); }

  bool redirect(int fd, int to) override {
    auto& from = opened[index_of(fd)];
    if (from.target.cpu != opened[index_of(to)].target.cpu) return errno = EINVAL, false;
    from.redirected_to = to;
    return true;
  }

  void enable(int fd, bool on) override { opened[index_of(fd)].enabled = on; }

  void wait(std::span<pollfd>, int) override {
    if (at_wait) at_wait();
    size_t n = random_() % (settings_.most_at_once + 1);
    for (; n > 0 && handed_over < records.size(); --n)
      if (!hand_over(records[handed_over])) break;
    if (handed_over == records.size() && when_all_are_out) std::exchange(when_all_are_out, {})();
  }

  // Lost, and no record tells it yet.
  u64 untold() const {
    u64 sum = 0;
    for (const auto& ring : rings_) sum += ring->lost;
    return sum;
  }

  // The id of the event opened first.
  static constexpr u64 first_id = 100;

 private:
  struct Ring {
    FedRing fed{EventRings::pages};
    u64 lost = 0;
  };

  size_t index_of(int fd) const {
    size_t i = 0;
    while (opened[i].fd != fd) ++i;
    return i;
  }

  // Into the ring of any processor. False: it has to wait for room.
  bool hand_over(const RawRecord& record) {
    std::vector<Ring*> own;
    for (size_t i = 0; i < opened.size(); ++i)
      if (opened[i].redirected_to < 0) own.push_back(rings_[i].get());
    auto& ring = *own[random_() % own.size()];
    if (ring.lost && ring.fed.write(lost_record(ring.lost))) ring.lost = 0;
    bool written = !ring.lost && ring.fed.write(record);
    if (!written && !settings_.loses) return false;
    if (!written) ++ring.lost, ++lost;
    return ++handed_over, true;
  }

  // As the kernel's, for events with sample_id_all and TID, TIME, IDENTIFIER.
  static RawRecord lost_record(u64 count) {
    struct {
      perf_event_header header;
      u64 id, lost;
      u32 pid, tid;
      u64 time, identifier;
    } body{{PERF_RECORD_LOST, 0, sizeof body}, first_id, count, 0, 0, 1, first_id};
    const auto* bytes = reinterpret_cast<const u8*>(&body);
    return {bytes, bytes + sizeof body};
  }

  Settings settings_;
  std::minstd_rand random_;
  std::vector<std::unique_ptr<Ring>> rings_;  // of all that are opened
};

}  // namespace pgokit::record::test

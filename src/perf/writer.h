#pragma once

// Writes a recording (perf.data, file mode) record by record, for the recorder and for tests.
//
//   Writer::Event event{.name = "cycles:u", .attr = {.sample_type = field::ip | field::tid}};
//   auto writer = TRY(Writer::create(path, {event}));
//   RecordId at{.pid = 7, .tid = 7, .time = 100};
//   writer.comm(at, "app", true);
//   writer.mmap2(at, {.start = 0x400000, .size = 0x2000, .path = "/bin/app", .build_id = id});
//   writer.sample({.id = at, .ip = 0x401000, .branches = lbr});
//   writer.features().cmdline = {"pgokit", "record", "./app"};
//   TRY(writer.commit());                        // without it nothing appears at `path`
//
// Times are in nanoseconds and should not fall by more than what lies between two finished_round().
// Records that the kernel wrote go in unchanged by raw().

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "perf/records.h"

namespace pgokit::perf {

class Writer {
 public:
  struct Event {
    std::string name;
    Attr attr;
    std::vector<u64> ids;
  };

  struct Mapping {
    u64 start = 0, size = 0, file_offset = 0;
    std::string_view path = {};
    Bytes build_id = {};  // up to 20 bytes; empty: none in the record
    u32 protection = 5;   // PROT_READ | PROT_EXEC
    u32 map_flags = 2;    // MAP_PRIVATE
    u16 mode = misc::user;
    i32 pid = -2;  // -2: that of the RecordId; the kernel's own mapping has -1
  };

  // Fields that the event's sample_type does not select are not written.
  struct Sample {
    RecordId id = {};
    u64 ip = 0;
    u64 addr = 0, data_src = 0;
    u64 period = 1;
    u16 mode = misc::user;
    bool exact_ip = false;
    size_t event = 0;
    std::span<const u64> callchain = {};         // leaf first, context markers included
    std::span<const BranchEntry> branches = {};  // newest first
  };

  struct BuildId {
    std::string path;
    std::vector<u8> id;
    u16 mode = misc::user;
    i32 pid = -1;
  };

  // Empty ones are left out.
  struct Features {
    std::string hostname, osrelease, version, arch, cpudesc, cpuid;
    u32 cpus_online = 0, cpus_available = 0;
    u64 total_mem_kb = 0;
    std::vector<std::string> cmdline;
    std::vector<BuildId> build_ids;
    std::string branch_counts;    // see branch_counts.h
    std::string branch_contexts;  // see branch_contexts.h
  };

  // `attr_size` is 112 or 120: what perf since Linux 4.10 or 5.5 wrote.
  static Result<Writer> create(const std::string& path, std::vector<Event> events,
                               u32 attr_size = 120);

  void comm(const RecordId& at, std::string_view name, bool exec);
  void mmap2(const RecordId& at, const Mapping& mapping);
  void mmap(const RecordId& at, const Mapping& mapping);
  void fork(const RecordId& at, u32 parent_pid, u32 parent_tid);
  void exit(const RecordId& at, u32 parent_pid, u32 parent_tid);
  void lost(const RecordId& at, u64 count);
  void lost_samples(const RecordId& at, u64 count);
  // What does not fit into a record (64 KiB) is cut off from the old end.
  void sample(const Sample& sample);
  // Everything older than this point has been written.
  void finished_round();
  // One whole record as it is.
  void raw(Bytes record);

  Features& features() { return features_; }
  u64 size() const { return out_.size(); }

  Status commit();

 private:
  Writer(OutputFile out, std::vector<Event> events, u32 attr_size);

  void begin(RecordType type, u16 misc_bits);
  void put_text(std::string_view text);  // with its NUL, padded to 8
  void put_trailer(const RecordId& at);
  void end();
  void note_time(u64 time);
  void write_header(u64 data_size, std::span<const u64> feature_bits);
  std::string attr_bytes(const Event& event) const;
  std::string event_desc() const;
  std::string build_ids() const;
  std::vector<std::pair<u32, std::string>> feature_sections() const;

  template <class T>
  void put(T value) {
    record_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  OutputFile out_;
  std::vector<Event> events_;
  u32 attr_size_;
  Features features_;
  u64 attrs_at_ = 0, data_at_ = 0;
  u64 first_time_ = u64(-1), last_time_ = 0;
  std::string record_;  // the one being built
};

}  // namespace pgokit::perf

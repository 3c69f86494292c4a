#pragma once

// The head of a recording, and what perf tells there about machine and run. For Recording, which
// offers all of it.

#include <optional>
#include <utility>

#include "base/result.h"
#include "perf/parser.h"

namespace pgokit::perf {

// Empty where the recording has no such feature.
struct Features {
  std::string_view hostname, osrelease, version, arch, cpudesc, cpuid;
  u32 cpus_online = 0, cpus_available = 0;
  u64 total_mem_kb = 0;
  std::vector<std::string_view> cmdline;
  u64 first_time = 0, last_time = 0;  // of the samples, ns
  std::vector<BuildId> build_ids;     // of the files that samples hit
  std::vector<u32> present;           // the numbers of all features, ascending
  Bytes branch_counts;                // of pgokit: see branch_counts.h
  Bytes branch_contexts;              // see branch_contexts.h
  // Of simpleperf: keys and values ("simpleperf_version", "event_type_info", ...).
  std::vector<std::pair<std::string_view, std::string_view>> meta;

  bool has(u32 number) const;
};

// "HOSTNAME", ...; empty for unknown numbers.
std::string_view feature_name(u32 number);

// Collects events and features, of a file's tables or of the records of a pipe.
class Head {
 public:
  void add_event(Bytes attr, std::span<const Le<u64>> ids);
  // `contents` as in a file; of a pipe's FEATURE record without its number.
  void add_feature(u32 number, Bytes contents);
  // Takes ATTR, FEATURE, BUILD_ID, EVENT_UPDATE and EVENT_TYPE; ignores others.
  void add_record(const Record& record);
  // Gives the names collected to the events.
  void finish();

  std::vector<Event> events;
  Features features;
  bool damaged = false;  // a table that could not be read to its end

 private:
  struct Name {
    u64 id = 0;          // of one of the event's counters; 0: not known
    bool typed = false;  // type and config are known
    u32 type = 0;
    u64 config = 0;
    std::string_view text;
  };
  void read_cmdline(Cursor in);
  void read_event_desc(Cursor in);
  void read_build_ids(Bytes contents);
  bool read_build_id(Bytes record);
  void read_meta(Cursor in);
  void add_simpleperf_names(std::string_view lines);

  std::vector<Name> names_;
  size_t ids_ = 0;
};

struct Section {
  u64 offset = 0, size = 0;
};

// Where the records are: everything in front of them and behind has gone to `head`.
struct Layout {
  bool pipe = false;
  Section data;
  u64 promised = 0;  // what the header says of the data's size; 0: not completed by the recorder
};

Result<Layout> read_layout(Bytes file, Head& head);

}  // namespace pgokit::perf

// The samples of a recording. All cores read them, each into a tree of its own, whose locations are
// mapped files and places in them; the trees become one, and at the end each module's file is
// looked into once for the names of what was hit.

#include <tsl/robin_map.h>

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "perf/call_chain.h"
#include "perf/process_maps.h"
#include "stacks/read/module_names.h"
#include "stacks/read/read.h"
#include "stacks/read/thread_names.h"

namespace pgokit::stacks {
namespace {

using perf::FrameMode;
using perf::ProcessMaps;

constexpr u32 no_module = ~u32{0};

// Before modules have numbers: by the name of what is mapped, or none.
struct Place {
  u32 mapped = no_module;
  Code code = Code::file;
  u64 address = 0;  // in the file; of the kernel, and where nothing is mapped, in memory
  auto operator<=>(const Place&) const = default;
};
struct PlaceHash {
  size_t operator()(const Place& place) const {
    return IntHash{}(place.address ^ u64{place.mapped} << 40 ^
                     u64{static_cast<u8>(place.code)} << 62);
  }
};

struct TrackKey {
  u32 pid, tid, event;
  NameId name;
  bool operator==(const TrackKey&) const = default;
};

// Numbers for things, in the order in which they were first seen.
template <class Thing, class Hash>
class Numbers {
 public:
  u32 of(const Thing& thing) {
    auto [found, is_new] = numbers_.try_emplace(thing, static_cast<u32>(things_.size()));
    if (is_new) things_.push_back(thing);
    return found->second;
  }
  const std::vector<Thing>& things() const { return things_; }

 private:
  tsl::robin_map<Thing, u32, Hash> numbers_;
  std::vector<Thing> things_;
};

struct TrackHash {
  size_t operator()(const TrackKey& key) const {
    return IntHash{}((u64{key.pid} << 32 | key.tid) ^ u64{static_cast<u32>(key.name)} << 20 ^
                     key.event);
  }
};

bool is_of_kernel(std::string_view path) { return path.starts_with("[kernel.kallsyms]"); }
bool is_generated(std::string_view path) {
  return path.empty() || path == "//anon" || path.starts_with("[anon") ||
         path.starts_with("/memfd:") || path.starts_with("/dev/zero") || path == "[heap]" ||
         path.starts_with("[stack");
}

class SampleReader {
 public:
  SampleReader(const perf::Recording& recording, const ProcessMaps& maps, const ThreadNames& names,
               NameId nameless, const ReadOptions& options)
      : collector(options.times),
        parser_(recording.parser()),
        maps_(maps),
        names_(names),
        nameless_(nameless),
        options_(options) {}

  void read(Bytes records) {
    perf::RecordWalk walk(records);
    perf::Sample sample;
    for (perf::Record record; walk.next(record);)
      if (record.type == perf::RecordType::sample && parser_.sample(record, sample, unreadable) &&
          !parser_.events()[sample.event].attr.only_of_memory() &&
          (!options_.pid || *options_.pid == sample.pid))
        add(sample);
  }

  Collector collector;
  Numbers<Place, PlaceHash> places;
  Numbers<TrackKey, TrackHash> tracks;
  perf::ReadCounts unreadable;

 private:
  void add(const perf::Sample& sample) {
    locations_.clear();
    bool is_leaf = true;
    perf::for_each_frame(sample.callchain, [&](u64 address, FrameMode mode) {
      // A return address: the call stands before it.
      locations_.push_back(places.of(place_of(sample, is_leaf ? address : address - 1, mode)));
      is_leaf = false;
    });
    if (locations_.empty())
      locations_.push_back(places.of(place_of(sample, sample.ip, mode_of(sample.mode))));
    u32 node = 0;
    for (size_t i = locations_.size(); i-- > 0;) node = collector.child(node, locations_[i]);
    const auto* name = names_.find(sample.tid, sample.time);
    u32 track = tracks.of({sample.pid, sample.tid, sample.event, name ? *name : nameless_});
    collector.add({sample.time, 1, sample.period, track, node});
  }

  static FrameMode mode_of(u16 mode) {
    if (mode == perf::misc::kernel) return FrameMode::kernel;
    return mode == perf::misc::user ? FrameMode::user : FrameMode::other;
  }

  Place place_of(const perf::Sample& sample, u64 address, FrameMode mode) const {
    if (mode == FrameMode::other) return {no_module, Code::file, address};
    bool in_kernel = mode == FrameMode::kernel;
    const auto* mapped =
        maps_.find(in_kernel ? ProcessMaps::kernel_pid : sample.pid, address, sample.time);
    Code code = in_kernel ? Code::kernel : Code::file;
    if (!mapped) return {no_module, code, address};
    auto path = maps_.path(mapped->name);
    u32 number = static_cast<u32>(mapped->name);
    if (in_kernel && is_of_kernel(path)) return {number, code, address};
    if (!in_kernel && is_generated(path)) return {number, Code::generated, address};
    return {number, code, address - mapped->start + mapped->file_offset};
  }

  const perf::Parser& parser_;
  const ProcessMaps& maps_;
  const ThreadNames& names_;
  NameId nameless_;
  const ReadOptions& options_;
  std::vector<u32> locations_;  // leaf first
};

// The readers' trees, as one.
class Joiner {
 public:
  Joiner(std::vector<SampleReader>& readers, const ProcessMaps& maps, Stacks& stacks)
      : readers_(readers), maps_(maps), stacks_(stacks) {}

  void join(Times times) {
    collect_places();
    Collector sum(times);
    Numbers<TrackKey, TrackHash> tracks;
    for (auto& reader : readers_) {
      std::vector<u32> node_now(reader.collector.nodes().size()), track_now;
      for (size_t i = 1; i < node_now.size(); ++i) {
        const auto& node = reader.collector.nodes()[i];
        node_now[i] =
            sum.child(node_now[node.parent], number_of(reader.places.things()[node.location]));
      }
      for (const auto& key : reader.tracks.things()) track_now.push_back(tracks.of(key));
      for (auto sample : reader.collector.samples()) {
        sample.node = node_now[sample.node];
        sample.track = track_now[sample.track];
        sum.add(sample);
      }
    }
    stacks_.nodes = sum.nodes();
    stacks_.samples = sum.samples();
    for (const auto& key : tracks.things())
      stacks_.tracks.push_back({key.pid, key.tid, true, key.name, key.event});
  }

 private:
  // In an order that does not depend on the readers: by number of what is mapped, then by address.
  void collect_places() {
    for (const auto& reader : readers_) {
      const auto& seen = reader.places.things();
      places_.insert(places_.end(), seen.begin(), seen.end());
    }
    std::ranges::sort(places_);
    auto same = std::ranges::unique(places_);
    places_.erase(same.begin(), same.end());
    for (const auto& place : places_) {
      bool is_new = stacks_.locations.empty() || place.mapped != last_mapped_;
      if (is_new) add_module(place.mapped);
      last_mapped_ = place.mapped;
      stacks_.locations.push_back(
          {static_cast<u32>(stacks_.modules.size() - 1), place.address, place.code, 0, 0});
    }
  }
  void add_module(u32 mapped) {
    Module module;
    if (mapped != no_module) {
      module.path = maps_.path(NameId(mapped));
      module.build_id = maps_.build_id(NameId(mapped));
    }
    stacks_.modules.push_back(std::move(module));
  }
  u32 number_of(const Place& place) const {
    return static_cast<u32>(std::ranges::lower_bound(places_, place) - places_.begin());
  }

  std::vector<SampleReader>& readers_;
  const ProcessMaps& maps_;
  Stacks& stacks_;
  std::vector<Place> places_;
  u32 last_mapped_ = 0;
};

// perf counts these in nanoseconds.
bool is_clock(std::string_view name) {
  return name.starts_with("cpu-clock") || name.starts_with("task-clock");
}

void add_events(const perf::Recording& recording, Stacks& stacks) {
  for (const auto& event : recording.events())
    stacks.events.push_back({event.name, is_clock(event.name) ? "nanoseconds" : "count", true});
}

}  // namespace

Result<Read> read_recording(const perf::Recording& recording, const ReadOptions& options) {
  Read read;
  auto& stacks = read.stacks;
  add_events(recording, stacks);
  ProcessMaps maps(recording, ProcessMaps::Kinds::code);
  ThreadNames names(recording, stacks.names);
  auto nameless = stacks.names.intern("");
  std::vector<SampleReader> readers(worker_count(options.threads),
                                    SampleReader(recording, maps, names, nameless, options));
  perf::ReadCounts unpacking;
  recording.for_each_piece(
      static_cast<unsigned>(readers.size()), unpacking,
      [&](const perf::Piece& piece, unsigned worker) { readers[worker].read(piece.records); });
  Joiner(readers, maps, stacks).join(options.times);
  for (const auto& reader : readers) read.unreadable += reader.unreadable.truncated_samples;
  for (auto& track : stacks.tracks)
    if (stacks.names.text(track.name).empty())
      track.name = stacks.names.intern(":" + std::to_string(track.tid));
  read.nameless = name_locations(stacks, options);
  read.cut_short = recording.damage();
  arrange(stacks);
  return read;
}

}  // namespace pgokit::stacks

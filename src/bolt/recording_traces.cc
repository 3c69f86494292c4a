#include "bolt/recording_traces.h"

#include "base/parallel.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::bolt {
namespace {

using samples::Fate;

constexpr u64 first_of_kernel = 0xffff800000000000;

// A program that ran, by its place among those that were asked for.
struct Found {
  size_t program = 0;
  AddressSpace space;
  samples::RecordedMaps mapped;
};

// One thread's share of the samples, for one program.
class Counter {
 public:
  Counter(const perf::Recording& recording, const Found& found,
          const samples::RecordingOptions& options, const samples::EventChoice& events)
      : walk(recording, found.mapped.maps, options, &events), space_(found.space) {}

  samples::SampleUse use;
  samples::SampleWalk walk;

 protected:
  AddressSpace::Place place(u64 address) const {
    BinaryAddr translated = walk.translate(address);
    return translated == samples::external ? AddressSpace::outside : space_.place_of(translated);
  }
  AddressSpace space_;
};

class TraceCounter : public Counter {
 public:
  TraceCounter(const perf::Recording& recording, const Found& found,
               const samples::RecordingOptions& options, const samples::EventChoice& events,
               bool with_kernel_entries)
      : Counter(recording, found, options, events),
        folder(found.space),
        with_kernel_(with_kernel_entries) {}

  Fate add(const perf::Sample& sample) {
    if (!walk.enter(sample)) return Fate::elsewhere;
    ++of_program;
    u64 taken = 0;
    for (const auto& entry : sample.branches) {
      bool kernel = entry.from >= first_of_kernel || entry.to >= first_of_kernel;
      if (kernel && !with_kernel_) continue;
      ++taken;
      folder.entry(place(entry.from), place(entry.to), entry.mispredicted());
    }
    entries += taken;
    without_branches += taken == 0;
    if (taken == 0) return Fate::without_branches;
    Fate fate = folder.end_sample() ? Fate::used : Fate::not_in_program;
    use.note_stack(fate, taken, 0);
    return fate;
  }

  TraceFolder folder;
  u64 of_program = 0, without_branches = 0, entries = 0;

 private:
  bool with_kernel_;
};

class AddressCounter : public Counter {
 public:
  AddressCounter(const perf::Recording& recording, const Found& found,
                 const samples::RecordingOptions& options, const samples::EventChoice& events)
      : Counter(recording, found, options, events), seen_events(recording.events().size()) {}

  Fate add(const perf::Sample& sample) {
    if (!walk.enter(sample)) return Fate::elsewhere;
    seen_events[sample.event] = true;
    auto at = place(sample.ip);
    if (at == AddressSpace::outside) {
      ++elsewhere;
      return Fate::not_in_program;
    }
    addresses.add(at, 1);
    return Fate::used;
  }

  samples::PairCounter addresses;
  u64 elsewhere = 0;  // of processes of the program, outside of it
  std::vector<bool> seen_events;
};

// One thread's share: each sample is parsed once, for all programs.
template <class Counter>
struct Reader {
  void read(Bytes records) {
    counters.front().walk.for_each_sample(records, passed_over, [&](const perf::Sample& sample) {
      for (auto& counter : counters) counter.use.count(counter.add(sample));
    });
  }

  std::vector<Counter> counters;  // in the order of the programs that were found
  samples::SampleUse passed_over;
};

// Where the programs were, and the event whose samples are read.
template <class Read>
Result<std::vector<Found>> look_up(const perf::Recording& recording, Programs programs,
                                   const samples::RecordingOptions& options, samples::EventUse use,
                                   std::vector<Read>& reads) {
  std::vector<Found> found;
  reads.resize(programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    auto space = TRY(AddressSpace::of(programs[i]->file()));
    auto& read = reads[i];
    auto mapped = samples::map_program(recording, *programs[i], options.ignore_build_id,
                                       options.kernel, read.unreadable);
    read.mappings = mapped.mappings;
    read.other_build = mapped.other_build;
    read.matched_by_name = mapped.matched_by_name;
    read.processes = mapped.maps.pids().size();
    if (!mapped.maps.empty()) found.push_back({i, space, std::move(mapped)});
  }
  if (found.empty()) return found;
  auto events = TRY(samples::choose_event(recording, use, options.event, options.threads));
  for (const auto& one : found) reads[one.program].events = events;
  return found;
}

// What all threads counted; the programs' shares of what was read have been added up.
template <class Counter, class Read>
std::vector<Reader<Counter>> read_all(const perf::Recording& recording,
                                      std::vector<Counter> counters,
                                      const samples::RecordingOptions& options,
                                      std::span<const Found> found, std::vector<Read>& reads) {
  unsigned workers = worker_count(options.threads);
  std::vector<Reader<Counter>> readers(workers, {std::move(counters), {}});
  perf::ReadCounts unreadable;
  recording.for_each_piece(workers, unreadable, [&](const perf::Piece& piece, unsigned worker) {
    readers[worker].read(piece.records);
    if (options.progress) options.progress->advance(piece.records.size());
  });
  for (const auto& reader : readers) unreadable.add(reader.counters.front().walk.unreadable);
  for (size_t i = 0; i < found.size(); ++i) {
    auto& read = reads[found[i].program];
    read.unreadable.add(unreadable);
    for (const auto& reader : readers) {
      read.use.add(reader.counters[i].use);
      read.use.add(reader.passed_over);
    }
  }
  return readers;
}

void take(std::vector<Reader<AddressCounter>>& readers, size_t number, const AddressSpace& space,
          const perf::Recording& recording, RecordingAddresses& read) {
  samples::PairCounter all;
  u64 elsewhere = 0;
  std::vector<bool> seen(recording.events().size());
  for (const auto& reader : readers) {
    const auto& counter = reader.counters[number];
    all.merge(counter.addresses);
    elsewhere += counter.elsewhere;
    for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || counter.seen_events[i];
  }
  all.for_each([&](u64 place, u64 count) {
    read.counts.push_back({space.address_of(static_cast<u32>(place)), count});
  });
  if (elsewhere) read.counts.push_back({samples::external, elsewhere});
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) read.event_names.emplace_back(recording.events()[i].name);
}

}  // namespace

Result<std::vector<RecordingTraces>> read_traces(const perf::Recording& recording,
                                                 Programs programs,
                                                 const samples::RecordingOptions& options,
                                                 bool with_kernel_entries) {
  TRY(samples::check_branch_stacks(recording));
  std::vector<RecordingTraces> reads;
  auto found = TRY(look_up(recording, programs, options, samples::EventUse::branches, reads));
  if (found.empty()) return reads;
  std::vector<TraceCounter> counters;
  for (const auto& one : found)
    counters.emplace_back(recording, one, options, reads[one.program].events,
                          with_kernel_entries || options.kernel);
  auto readers = read_all(recording, std::move(counters), options, found, reads);
  for (size_t i = 0; i < found.size(); ++i) {
    auto& read = reads[found[i].program];
    std::vector<TraceFolder> folders;
    for (auto& reader : readers) {
      auto& counter = reader.counters[i];
      folders.push_back(std::move(counter.folder));
      read.of_program += counter.of_program;
      read.without_branches += counter.without_branches;
      read.entries += counter.entries;
    }
    read.traces = merge(std::move(folders));
  }
  return reads;
}

Result<RecordingTraces> read_traces(const perf::Recording& recording,
                                    const program::Program& program,
                                    const samples::RecordingOptions& options,
                                    bool with_kernel_entries) {
  const program::Program* programs[] = {&program};
  return std::move(TRY(read_traces(recording, programs, options, with_kernel_entries)).front());
}

Result<std::vector<RecordingAddresses>> read_addresses(const perf::Recording& recording,
                                                       Programs programs,
                                                       const samples::RecordingOptions& options) {
  std::vector<RecordingAddresses> reads;
  auto found = TRY(look_up(recording, programs, options, samples::EventUse::addresses, reads));
  if (found.empty()) return reads;
  std::vector<AddressCounter> counters;
  for (const auto& one : found)
    counters.emplace_back(recording, one, options, reads[one.program].events);
  auto readers = read_all(recording, std::move(counters), options, found, reads);
  for (size_t i = 0; i < found.size(); ++i)
    take(readers, i, found[i].space, recording, reads[found[i].program]);
  return reads;
}

Result<RecordingAddresses> read_addresses(const perf::Recording& recording,
                                          const program::Program& program,
                                          const samples::RecordingOptions& options) {
  const program::Program* programs[] = {&program};
  return std::move(TRY(read_addresses(recording, programs, options)).front());
}

}  // namespace pgokit::bolt

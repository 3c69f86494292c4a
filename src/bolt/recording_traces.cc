#include "bolt/recording_traces.h"

#include "base/parallel.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::bolt {
namespace {

using samples::Fate;

constexpr u64 first_of_kernel = 0xffff800000000000;

class TraceReader {
 public:
  TraceReader(const perf::Recording& recording, const AddressSpace& space,
              const samples::ProgramMaps& maps, const samples::RecordingOptions& options,
              const samples::EventChoice& events, bool with_kernel_entries)
      : folder(space),
        walk(recording, maps, options, &events),
        space_(space),
        with_kernel_(with_kernel_entries) {}

  void read(Bytes records) {
    walk.for_each(records, use, [&](const perf::Sample& sample) { return add(sample); });
  }

  TraceFolder folder;
  samples::SampleUse use;
  samples::SampleWalk walk;
  u64 of_program = 0, without_branches = 0, entries = 0;

 private:
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

  TraceFolder::Place place(u64 address) const {
    BinaryAddr translated = walk.translate(address);
    return translated == samples::external ? AddressSpace::outside : space_.place_of(translated);
  }

  AddressSpace space_;
  bool with_kernel_;
};

class AddressReader {
 public:
  AddressReader(const perf::Recording& recording, const AddressSpace& space,
                const samples::ProgramMaps& maps, const samples::RecordingOptions& options,
                const samples::EventChoice& events)
      : walk(recording, maps, options, &events),
        seen_events(recording.events().size()),
        space_(space) {}

  void read(Bytes records) {
    walk.for_each(records, use, [&](const perf::Sample& sample) { return add(sample); });
  }

  samples::SampleUse use;
  samples::SampleWalk walk;
  samples::PairCounter addresses;
  u64 elsewhere = 0;  // of processes of the program, outside of it
  std::vector<bool> seen_events;

 private:
  Fate add(const perf::Sample& sample) {
    if (!walk.enter(sample)) return Fate::elsewhere;
    seen_events[sample.event] = true;
    BinaryAddr at = walk.translate(sample.ip);
    auto place = at == samples::external ? AddressSpace::outside : space_.place_of(at);
    if (place == AddressSpace::outside) {
      ++elsewhere;
      return Fate::not_in_program;
    }
    addresses.add(place, 1);
    return Fate::used;
  }

  AddressSpace space_;
};

template <class Read>
void take_facts(samples::RecordedMaps& mapped, Read& read) {
  read.mappings = mapped.mappings;
  read.other_build = mapped.other_build;
  read.matched_by_name = mapped.matched_by_name;
  read.processes = mapped.maps.pids().size();
}

// Where the program was, and the event whose samples are read; without the latter if it was nowhere.
template <class Read>
Result<samples::RecordedMaps> look_up(const perf::Recording& recording,
                                      const program::Program& program,
                                      const samples::RecordingOptions& options,
                                      samples::EventUse use, Read& read) {
  auto mapped = samples::map_program(recording, program, options.ignore_build_id, options.kernel,
                                     read.unreadable);
  take_facts(mapped, read);
  if (!mapped.maps.empty())
    read.events = TRY(samples::choose_event(recording, use, options.event, options.threads));
  return mapped;
}

template <class Reader>
std::vector<Reader> read_all(const perf::Recording& recording, const Reader& empty,
                             const samples::RecordingOptions& options, perf::ReadCounts& unreadable,
                             samples::SampleUse& use) {
  unsigned workers = worker_count(options.threads);
  std::vector<Reader> readers(workers, empty);
  recording.for_each_piece(workers, unreadable, [&](const perf::Piece& piece, unsigned worker) {
    readers[worker].read(piece.records);
    if (options.progress) options.progress->advance(piece.records.size());
  });
  for (auto& reader : readers) {
    unreadable.add(reader.walk.unreadable);
    use.add(reader.use);
  }
  return readers;
}

}  // namespace

Result<RecordingTraces> read_traces(const perf::Recording& recording,
                                    const program::Program& program,
                                    const samples::RecordingOptions& options,
                                    bool with_kernel_entries) {
  TRY(samples::check_branch_stacks(recording));
  auto space = TRY(AddressSpace::of(program.file()));
  RecordingTraces result;
  auto mapped = TRY(look_up(recording, program, options, samples::EventUse::branches, result));
  if (mapped.maps.empty()) return result;
  auto readers = read_all(recording,
                          TraceReader(recording, space, mapped.maps, options, result.events,
                                      with_kernel_entries || options.kernel),
                          options, result.unreadable, result.use);
  std::vector<TraceFolder> folders;
  for (auto& reader : readers) {
    folders.push_back(std::move(reader.folder));
    result.of_program += reader.of_program;
    result.without_branches += reader.without_branches;
    result.entries += reader.entries;
  }
  result.traces = merge(std::move(folders));
  return result;
}

Result<RecordingAddresses> read_addresses(const perf::Recording& recording,
                                          const program::Program& program,
                                          const samples::RecordingOptions& options) {
  auto space = TRY(AddressSpace::of(program.file()));
  RecordingAddresses result;
  auto mapped = TRY(look_up(recording, program, options, samples::EventUse::addresses, result));
  if (mapped.maps.empty()) return result;
  auto readers =
      read_all(recording, AddressReader(recording, space, mapped.maps, options, result.events),
               options, result.unreadable, result.use);
  samples::PairCounter all;
  u64 elsewhere = 0;
  std::vector<bool> seen(recording.events().size());
  for (const auto& reader : readers) {
    all.merge(reader.addresses);
    elsewhere += reader.elsewhere;
    for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || reader.seen_events[i];
  }
  all.for_each([&](u64 place, u64 count) {
    result.counts.push_back({space.address_of(static_cast<u32>(place)), count});
  });
  if (elsewhere) result.counts.push_back({samples::external, elsewhere});
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) result.event_names.emplace_back(recording.events()[i].name);
  return result;
}

}  // namespace pgokit::bolt

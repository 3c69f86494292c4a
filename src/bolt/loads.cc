#include "bolt/loads.h"

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "base/sort_and_sum.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::bolt {
namespace {

// Of `pgokit record --memory`, which samples stores too.
constexpr std::string_view own_event = "memory-accesses:u";

bool has_loads(const perf::Event& event) {
  return (event.attr.sample_type & perf::field::addr) &&
         (event.name.contains("mem-loads") || event.name == own_event);
}

// One thread's share of the samples, for one program. Keys are two places: of code and of data.
struct LoadCounter {
  LoadCounter(const perf::Recording& recording, const samples::ProgramMaps& maps,
              const samples::RecordingOptions& options, const samples::EventChoice& events,
              const AddressSpace& addresses)
      : walk(recording, maps, options, &events), space(addresses) {}

  void add(const perf::Sample& sample) {
    if (!walk.enter(sample)) return;
    BinaryAddr at = walk.translate(sample.ip);
    if (at == samples::external) return;
    // Data lie as far from where they were linked as the code does.
    u64 from = space.place_of(at), to = space.place_of({sample.addr - (sample.ip - at.value)});
    if (from != AddressSpace::outside && to != AddressSpace::outside) pairs.add(from << 32 | to, 1);
  }

  samples::SampleWalk walk;
  AddressSpace space;
  samples::PairCounter pairs;
};

}  // namespace

Result<std::vector<std::vector<Load>>> read_loads(const perf::Recording& recording,
                                                  Programs programs,
                                                  const samples::RecordingOptions& options) {
  std::vector<std::vector<Load>> all(programs.size());
  samples::EventChoice events;
  for (const auto& event : recording.events()) events.taken.push_back(has_loads(event));
  if (std::ranges::count(events.taken, true) == 0) return all;

  perf::ReadCounts unreadable;
  std::vector<samples::RecordedMaps> mapped;
  std::vector<LoadCounter> empty;
  for (const auto* program : programs)
    mapped.push_back(samples::map_program(recording, *program, options.ignore_build_id,
                                          options.kernel, unreadable));
  for (size_t i = 0; i < programs.size(); ++i)
    empty.emplace_back(recording, mapped[i].maps, options, events,
                       TRY(AddressSpace::of(programs[i]->file())));
  std::vector<std::vector<LoadCounter>> counters(worker_count(options.threads), empty);
  recording.for_each_piece(
      static_cast<unsigned>(counters.size()), unreadable,
      [&](const perf::Piece& piece, unsigned worker) {
        auto& own = counters[worker];
        samples::SampleUse use;
        own.front().walk.for_each_sample(piece.records, use, [&](const perf::Sample& sample) {
          bool loads = recording.events()[sample.event].name != own_event ||
                       (sample.data_src & perf::data_src::load);
          if (!loads) return;
          for (auto& counter : own) counter.add(sample);
        });
      });
  for (size_t i = 0; i < programs.size(); ++i) {
    samples::PairCounter sums;
    for (const auto& own : counters) sums.merge(own[i].pairs);
    const auto& space = empty[i].space;
    sums.for_each([&](u64 pair, u64 count) {
      all[i].push_back({space.address_of(static_cast<u32>(pair >> 32)),
                        space.address_of(static_cast<u32>(pair)), count});
    });
  }
  return all;
}

DataObjects::DataObjects(const object::File& file, const Functions& functions) {
  // Of one address the first name counts, and the largest size.
  for (const auto& symbol : functions.data()) {
    if (!objects_.empty() && objects_.back().address == symbol.address)
      objects_.back().end = std::max(objects_.back().end, symbol.end);
    else
      objects_.push_back(symbol);
  }
  nest();
  for (const auto& section : file.sections())
    if (section.loaded && !section.executable && !section.thread_local_data && section.size)
      fill_gaps(section);
  std::ranges::sort(objects_, {}, &Functions::Data::address);
  nest();
}

// Those around an object end after it begins.
void DataObjects::nest() {
  around_.assign(objects_.size(), none);
  std::vector<u32> open;
  for (u32 i = 0; i < objects_.size(); ++i) {
    while (!open.empty() && objects_[open.back()].end <= objects_[i].address) open.pop_back();
    if (!open.empty()) around_[i] = open.back();
    open.push_back(i);
  }
}

// What follows an object at the end of which nothing begins is an object of its own; one without a
// size has it.
void DataObjects::fill_gaps(const object::Section& section) {
  u64 end = section.address, section_end = section.address + section.size;
  if (section_end < end) return;
  size_t known = around_.size();
  auto fill = [&](u64 until) {
    if (end >= until) return;
    auto same = std::ranges::lower_bound(objects_.begin(), objects_.begin() + std::ptrdiff_t(known),
                                         end, {}, &Functions::Data::address);
    if (same != objects_.begin() + std::ptrdiff_t(known) && same->address == end)
      same->end = until;
    else
      objects_.push_back({end, until, {}, 0, section.index});
  };
  auto first = std::ranges::lower_bound(objects_.begin(), objects_.begin() + std::ptrdiff_t(known),
                                        section.address, {}, &Functions::Data::address);
  for (auto i = static_cast<size_t>(first - objects_.begin());
       i < known && objects_[i].address < section_end; ++i) {
    if (around_[i] != none || objects_[i].section != section.index) continue;
    fill(objects_[i].address);
    end = std::max(end, objects_[i].end);
  }
  fill(section_end);
}

u32 DataObjects::index_of(u64 address) const {
  auto next = std::ranges::upper_bound(objects_, address, {}, &Functions::Data::address);
  if (next == objects_.begin()) return none;
  auto at = static_cast<u32>(next - objects_.begin()) - 1;
  constexpr int most_nested = 64;  // more is damage
  for (int depth = 0; at != none && depth < most_nested; ++depth, at = around_[at])
    if (objects_[at].address == address || objects_[at].end > address) return at;
  return none;
}

std::string DataObjects::name(u32 object) const {
  const auto& data = objects_[object];
  if (data.name.empty()) return fmt::format("HOLEat0x{:x}", data.address);
  return data.number ? fmt::format("{}/{}", data.name, data.number) : std::string(data.name);
}

std::vector<LoadRow> load_profile(const Functions& functions, const DataObjects& objects,
                                  const std::vector<Load>& loads) {
  std::vector<LoadRow> rows;
  for (const auto& load : loads) {
    u32 function = functions.index_of(load.at.value), object = objects.index_of(load.data.value);
    if (function == Functions::none || object == DataObjects::none) continue;
    u64 offset = load.at.value - functions.all()[function].address;
    rows.push_back({{function, static_cast<u32>(offset)},
                    object,
                    load.data.value - objects.address(object),
                    load.count});
  }
  auto place = [](const LoadRow& row) { return std::tuple(row.at, row.object, row.offset); };
  std::ranges::sort(rows, {}, place);
  sum_equal(rows, place);
  return rows;
}

}  // namespace pgokit::bolt

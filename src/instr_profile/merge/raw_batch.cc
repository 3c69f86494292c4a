#include "instr_profile/merge/raw_batch.h"

#include <algorithm>

#include "base/parallel.h"
#include "instr_profile/model/value_data.h"

namespace pgokit::instr_profile {
namespace {

constexpr size_t records_at_once = 1024;
constexpr u64 most_counted = u64{1} << 56;

size_t offset_in(Bytes section, Bytes part) {
  return static_cast<size_t>(part.data() - section.data());
}

u64 largest_of(Bytes counters) {
  u64 all = 0, count;
  for (size_t at = 0; at + 8 <= counters.size(); at += 8) {
    std::memcpy(&count, counters.data() + at, sizeof count);
    all |= count;
  }
  return all;
}

}  // namespace

bool RawLayout::is_simple(const RawPart& part) {
  bool times = part.version_and_kind() & Kind::temporal;
  return part.size() > 0 && !part.big_endian() && part.counter_size() == 8 && !times;
}

RawLayout::RawLayout(const RawPart& part, std::vector<u32> functions)
    : part_(part), functions_(std::move(functions)), addresses_(part) {
  places_.reserve(part.size());
  for (size_t i = 0; i < part.size(); ++i) {
    auto record = part.record(i);
    // The part was read before, so that all is inside.
    auto counters = part.counters_of(record, i);
    auto bitmap = part.bitmap_of(record, i);
    Place place{};
    if (counters) place.counters_at = offset_in(part.counters(), counters->bytes);
    if (bitmap && !bitmap->empty()) place.bitmap_at = offset_in(part.bitmap(), *bitmap);
    places_.push_back(place);
    if (record.has_values()) with_values_.push_back(static_cast<u32>(i));
  }
}

bool RawLayout::check_values(RawFile& file) const {
  size_t at = file.part.values_begin();
  file.values_at.reserve(with_values_.size());
  for (size_t i = 0; i < with_values_.size(); ++i) {
    auto size = pgokit::instr_profile::check_values(file.bytes.subspan(at), false);
    if (!size) return false;
    file.values_at.push_back(at);
    at += *size;
  }
  auto next = next_part(file.bytes, at, file.part);
  return next && *next == file.bytes.size();
}

std::optional<RawFile> RawLayout::check(Bytes bytes) const {
  auto part = RawPart::parse(bytes, 0);
  if (!part || !is_simple(*part)) return std::nullopt;
  auto slide = part->slide_from(part_);
  if (!slide) return std::nullopt;
  RawFile file{.bytes = bytes, .part = *std::move(part), .slide = *slide, .values_at = {}};
  // Strange counts are told, which the general way does.
  if (largest_of(file.part.counters()) > most_counted) return std::nullopt;
  if (!check_values(file)) return std::nullopt;
  return file;
}

void RawLayout::add_records(std::span<const RawFile> files, size_t begin, size_t end, Sum& sum,
                            std::vector<Event>& events) const {
  auto first = std::ranges::lower_bound(with_values_, begin) - with_values_.begin();
  std::vector<u64> counts;
  SiteValues values;
  struct {
    Event next;
    bool told;
  } now{};
  TakeMismatch mismatch = [&now, &events](Mismatch what) {
    if (now.told) return;
    now.next.what = what;
    events.push_back(now.next);
    now.told = true;
  };
  for (size_t f = 0; f < files.size(); ++f) {
    const auto& file = files[f];
    auto next_value = static_cast<size_t>(first);
    for (size_t i = begin; i < end; ++i) {
      now = {{f, static_cast<u32>(i), Mismatch::overflow}, false};
      u32 function = functions_[i];
      auto place = places_[i];
      counts.resize(sum.profile().functions[function].counters);
      std::memcpy(counts.data(), file.part.counters().data() + place.counters_at,
                  8 * counts.size());
      sum.add_counters(function, counts.data(), file.weight, mismatch);
      auto bits = sum.profile().bitmap_of(function);
      const u8* more = file.part.bitmap().data() + place.bitmap_at;
      for (size_t bit = 0; bit < bits.size(); ++bit) bits[bit] |= more[bit];
      if (next_value == with_values_.size() || with_values_[next_value] != i) continue;
      auto decoded = decode_values(file.bytes.subspan(file.values_at[next_value++]), false, values);
      if (!decoded) continue;  // it was checked
      addresses_.resolve(values, file.slide);
      sum.add_values(function, values, file.weight, mismatch);
    }
  }
}

void RawLayout::add(std::span<const RawFile> files, Sum& sum, unsigned threads,
                    const TakeFileMismatch& mismatch) const {
  Chunks chunks{part_.size(), records_at_once};
  std::vector<std::vector<Event>> events(chunks.count());
  parallel_for(chunks.count(), threads, [&](size_t piece, unsigned) {
    add_records(files, chunks.begin(piece), chunks.end(piece), sum, events[piece]);
  });
  std::vector<Event> all;
  for (auto& some : events) all.insert(all.end(), some.begin(), some.end());
  std::ranges::stable_sort(all, [](const Event& a, const Event& b) {
    return std::pair(a.file, a.record) < std::pair(b.file, b.record);
  });
  for (const auto& event : all)
    mismatch(files[event.file], event.what, sum.profile().record(functions_[event.record]).name);
}

}  // namespace pgokit::instr_profile

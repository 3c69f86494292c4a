#include "record/software/branch_counter.h"

#include <algorithm>

namespace pgokit::record {
namespace {

constexpr u32 no_number = u32(-1);

// Two places of the same key do no harm.
u64 key_of(const perf::BranchCounts::Place& place) { return place.offset ^ u64{place.file} << 48; }

}  // namespace

size_t BranchCounter::EndsHash::operator()(const Ends& ends) const {
  u64 files = u64{ends.from.file} << 32 | ends.to.file;
  return IntHash{}(IntHash{}(ends.from.offset ^ files) + ends.to.offset);
}

BranchCounter::Place BranchCounter::place_of(const AddressSpace& space, u64 address) {
  const auto* mapping = space.map().find(address);
  if (!mapping || !mapping->is_fixed_code()) return {};
  auto file = files_.find(*mapping);
  if (file == files_.end())
    file = files_.emplace(FileKey::of(*mapping), static_cast<u32>(files_.size())).first;
  return {.file = file->second, .offset = address - mapping->start + mapping->offset};
}

bool BranchCounter::has_run(const AddressSpace& space, u64 address) const {
  const auto* mapping = space.map().find(address);
  auto file = mapping ? files_.find(*mapping) : files_.end();
  if (file == files_.end()) return false;
  return run_.contains(key_of({file->second, address - mapping->start + mapping->offset}));
}

u32 BranchCounter::number_of(const Ends& ends) {
  auto [it, is_new] = numbers_.try_emplace(ends, static_cast<u32>(counts_.size()));
  if (!is_new) return it->second;
  counts_.push_back(0), of_odd_.push_back(0);
  if (run_.insert(key_of(ends.to)).second && ends.to.file != Place::nowhere) {
    if (ends.to.file >= targets_.size()) targets_.resize(ends.to.file + 1);
    targets_[ends.to.file].push_back(ends.to.offset);
  }
  return it->second;
}

std::vector<u64> BranchCounter::targets_in(const Mapping& mapping) const {
  auto file = files_.find(mapping);
  if (file == files_.end() || file->second >= targets_.size()) return {};
  std::vector<u64> addresses;
  for (u64 offset : targets_[file->second])
    if (offset - mapping.offset < mapping.size())
      addresses.push_back(offset - mapping.offset + mapping.start);
  return addresses;
}

// Only direct branches have one target for each number.
u32 BranchCounter::number_of(AddressSpace& space, const EdgeCount& one) {
  Edge edge = space.cache().edge(one.edge);
  bool indirect = one.edge & scratch::indirect;
  auto look_up = [&] {
    return number_of(
        {place_of(space, edge.from), place_of(space, indirect ? one.target : edge.to)});
  };
  if (indirect) return look_up();
  auto& known = space.edge_numbers();
  if (one.edge >= known.size()) known.resize(one.edge + 1, no_number);
  if (known[one.edge] == no_number) known[one.edge] = look_up();
  return known[one.edge];
}

u32 BranchCounter::number_of(const AddressSpace& space, const Edge& edge) {
  return number_of({place_of(space, edge.from), place_of(space, edge.to)});
}

std::vector<BranchCounter::Ends> BranchCounter::branches() const {
  std::vector<Ends> branches(numbers_.size());
  for (const auto& [ends, number] : numbers_) branches[number] = ends;
  return branches;
}

void BranchCounter::add(AddressSpace& space, const Window& window, u64 weight) {
  if (window.counts.empty() && !window.last_taken) return;
  add(space, window.counts, weight);
  if (window.last_taken) add(space, *window.last_taken, weight);
  ++windows_;
  begins(space, window.begun_at, weight);
  ends(space, window.regs.rip, weight);
}

void BranchCounter::add(AddressSpace& space, std::span<const EdgeCount> counts, u64 weight) {
  for (const auto& one : counts) count(number_of(space, one), one.count * weight);
}

void BranchCounter::add(AddressSpace& space, const Edge& edge, u64 weight) {
  count(number_of(space, edge), weight);
}

void BranchCounter::begins(const AddressSpace& space, u64 address, u64 weight) {
  begun_[place_of(space, address)] += weight;
}

void BranchCounter::ends(const AddressSpace& space, u64 address, u64 weight) {
  ended_[place_of(space, address)] += weight;
}

double BranchCounter::likeness_of_halves() const {
  double odd = 0, even = 0, alike = 0;
  for (size_t n = 0; n < counts_.size(); ++n) {
    odd += static_cast<double>(of_odd_[n]);
    even += static_cast<double>(counts_[n] - of_odd_[n]);
  }
  for (size_t n = 0; odd > 0 && even > 0 && n < counts_.size(); ++n)
    alike += std::min(static_cast<double>(of_odd_[n]) / odd,
                      static_cast<double>(counts_[n] - of_odd_[n]) / even);
  return alike;
}

perf::BranchCounts BranchCounter::counts(u64 scale) const {
  perf::BranchCounts all;
  all.scale = scale, all.windows.number = windows_;
  all.files.resize(files_.size());
  for (const auto& [key, number] : files_) all.files[number].path = key.path;
  all.branches.reserve(numbers_.size());
  for (const auto& [ends, number] : numbers_)
    all.branches.push_back({ends.from, ends.to, counts_[number]});
  std::ranges::sort(all.branches);
  for (const auto& [place, count] : begun_) all.begun.push_back({place, count});
  for (const auto& [place, count] : ended_) all.ended.push_back({place, count});
  return all;
}

std::vector<FileKey> BranchCounter::files() const {
  std::vector<FileKey> list(files_.size());
  for (const auto& [key, number] : files_) list[number] = key;
  return list;
}

}  // namespace pgokit::record

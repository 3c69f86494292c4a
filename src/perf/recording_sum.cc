#include "perf/recording_sum.h"

#include <algorithm>
#include <numeric>

#include "base/cursor.h"
#include "base/saturated.h"
#include "base/sort_and_sum.h"
#include "base/version.h"
#include "perf/build_ids.h"
#include "perf/software_event.h"

namespace pgokit::perf {
namespace {

using Place = BranchCounts::Place;

constexpr u64 largest_scale = u64{1} << 32;

void sum_up(BranchCounts& counts) {
  sort_and_sum(counts.branches, [](const auto& one) { return std::pair(one.from, one.to); });
  sort_and_sum(counts.begun, &BranchCounts::Limit::at);
  sort_and_sum(counts.ended, &BranchCounts::Limit::at);
}

template <class Each>
void for_each_list(BranchCounts& counts, Each each) {
  each(counts.branches), each(counts.begun), each(counts.ended);
}

void multiply(BranchCounts& counts, u64 factor) {
  if (factor == 1) return;
  for_each_list(counts, [&](auto& list) {
    for (auto& one : list) one.count = multiply_saturated(one.count, factor);
  });
}

// Files get other numbers; nowhere remains.
void renumber(BranchCounts& counts, std::span<const u32> numbers) {
  auto rename = [&](Place& place) {
    if (place.file < numbers.size()) place.file = numbers[place.file];
  };
  for (auto& branch : counts.branches) rename(branch.from), rename(branch.to);
  for (auto& limit : counts.begun) rename(limit.at);
  for (auto& limit : counts.ended) rename(limit.at);
}

// The list has one build of each path; which one is meant, the mappings tell.
void drop_ambiguous(std::vector<Writer::BuildId>& sorted) {
  auto same = [](const auto& a, const auto& b) { return a.path == b.path; };
  for (auto at = sorted.begin(); at != sorted.end();) {
    auto end = std::find_if_not(at, sorted.end(), [&](const auto& one) { return same(one, *at); });
    at = end - at > 1 ? sorted.erase(at, end) : end;
  }
}

}  // namespace

Status RecordingSum::add(const Recording& recording, BranchCounts counts, u64 weight) {
  TRY(check(counts));
  TRY(bring_to_scale(counts));
  take(std::move(counts), weight);
  take_mappings(recording);
  take_facts(recording.features());
  ++recordings_;
  return {};
}

Status RecordingSum::check(const BranchCounts& counts) const {
  if (counts.branches.empty())
    return fail("no branch is counted in it: record a command that runs for longer");
  if (empty() || counts.of_all() == all_.of_all()) return {};
  auto kind = [](const BranchCounts& one) {
    return one.of_all() ? "every branch (--exact)" : "the branches of windows";
  };
  return fail("it counts {}, and those before it count {}: merge each kind by itself", kind(counts),
              kind(all_));
}

Status RecordingSum::bring_to_scale(BranchCounts& counts) {
  u64 known = empty() ? 1 : all_.scale;
  u64 factor = counts.scale / std::gcd(known, counts.scale);
  u64 scale = multiply_saturated(known, factor);
  if (scale > largest_scale)
    return fail("its counts are in units of 1 / {}, and those before it in 1 / {}: too far apart",
                counts.scale, known);
  multiply(all_, factor);
  multiply(counts, scale / counts.scale);
  all_.scale = counts.scale = scale;
  return {};
}

void RecordingSum::take(BranchCounts counts, u64 weight) {
  std::vector<u32> numbers;
  for (const auto& file : counts.files) {
    FileId id{std::string(file.path), std::string(as_text(file.build_id))};
    File fresh{.number = static_cast<u32>(files_.size()), .parts = {}};
    numbers.push_back(files_.try_emplace(std::move(id), std::move(fresh)).first->second.number);
  }
  renumber(counts, numbers);
  multiply(counts, weight);
  auto append = [](auto& all, const auto& list) {
    all.insert(all.end(), list.begin(), list.end());
  };
  append(all_.branches, counts.branches);
  append(all_.begun, counts.begun), append(all_.ended, counts.ended);
  all_.windows.add(counts.windows, weight);
  all_.part_of_run |= counts.part_of_run;
  // Rarely enough that many recordings cost hardly more than their bytes.
  if (all_.branches.size() < 2 * summed_) return;
  sum_up(all_);
  summed_ = all_.branches.size();
}

void RecordingSum::take_mappings(const Recording& recording) {
  BuildIds listed(recording.features().build_ids);
  ReadCounts unreadable;
  recording.for_each_other([&](const Record& record) {
    Mapping mapping;
    bool maps = record.type == RecordType::mmap || record.type == RecordType::mmap2;
    if (!maps || !recording.parser().mapping(record, mapping, unreadable) || !mapping.executable)
      return;
    Bytes id = mapping.build_id.empty() ? listed.of(mapping.path) : mapping.build_id;
    auto file = files_.find({std::string(mapping.path), std::string(as_text(id))});
    if (file == files_.end()) return;
    auto [at, is_new] =
        file->second.parts.try_emplace({mapping.file_offset, mapping.size}, mapping.start);
    if (!is_new) at->second = std::min(at->second, mapping.start);
  });
}

void RecordingSum::take_facts(const Features& features) {
  bool first = empty();
  auto text = [&](std::string& known, std::string_view here) {
    if (first) known = here;
    if (known != here) known.clear();
  };
  text(facts_.hostname, features.hostname), text(facts_.osrelease, features.osrelease);
  text(facts_.arch, features.arch);
  text(facts_.cpudesc, features.cpudesc), text(facts_.cpuid, features.cpuid);
  if (first) facts_.cpus_online = facts_.cpus_available = features.cpus_online;
  if (facts_.cpus_online != features.cpus_online) facts_.cpus_online = facts_.cpus_available = 0;
  std::vector<std::string> command(features.cmdline.begin(), features.cmdline.end());
  if (first) facts_.cmdline = command;
  if (facts_.cmdline != command) facts_.cmdline = {"pgokit", "merge"};
}

// With files in the order of their names.
BranchCounts RecordingSum::sums() const {
  BranchCounts sums = all_;
  std::vector<u32> numbers(files_.size());
  for (const auto& [id, file] : files_) {
    numbers[file.number] = static_cast<u32>(sums.files.size());
    sums.files.push_back({id.path, as_bytes(id.build_id)});
  }
  renumber(sums, numbers);
  sum_up(sums);
  return sums;
}

// Each file is mapped in a process of its own, where nothing else is in its way.
Status RecordingSum::write(const std::string& path) const {
  auto writer = TRY(Writer::create(path, {software_event(1, false)}));
  auto& features = writer.features();
  features = facts_;
  features.version = std::string("pgokit ") + version;
  u32 process = 0;
  for (const auto& [id, file] : files_) {
    ++process;
    Bytes build_id = as_bytes(id.build_id);
    RecordId at{.pid = process, .tid = process, .time = process};
    for (const auto& [part, start] : file.parts)
      writer.mmap2(at, {.start = start,
                        .size = part.size,
                        .file_offset = part.file_offset,
                        .path = id.path,
                        .build_id = build_id});
    if (!build_id.empty())
      features.build_ids.push_back({.path = id.path, .id = {build_id.begin(), build_id.end()}});
  }
  drop_ambiguous(features.build_ids);
  features.branch_counts = encode(sums());
  return writer.commit();
}

}  // namespace pgokit::perf

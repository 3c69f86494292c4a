#include "instr_profile/model/profile.h"

#include <algorithm>
#include <utility>

namespace pgokit::instr_profile {
namespace {

constexpr u32 short_list = 16;

}  // namespace

u32 Profile::first_of_name(NameId name) const {
  auto i = static_cast<u32>(name);
  return i < by_name_.size() ? by_name_[i].first : nothing;
}

u32 Profile::find(NameId name, u64 hash) const {
  auto i = static_cast<u32>(name);
  if (i >= by_name_.size()) return nothing;
  if (by_name_[i].size > short_list) {
    auto found = of_long_lists_.find({name, hash});
    return found == of_long_lists_.end() ? nothing : found->second;
  }
  for (u32 at = by_name_[i].first; at != nothing; at = functions[at].next_of_name)
    if (functions[at].hash == hash) return at;
  return nothing;
}

void Profile::append_to_list(u32 index) {
  auto name = functions[index].name;
  if (by_name_.size() <= static_cast<u32>(name)) by_name_.resize(static_cast<u32>(name) + 1);
  auto& list = by_name_[static_cast<u32>(name)];
  (list.last == nothing ? list.first : functions[list.last].next_of_name) = index;
  list.last = index;
  ++list.size;
  if (list.size == short_list + 1)
    for (u32 at = list.first; at != nothing; at = functions[at].next_of_name)
      of_long_lists_.insert({{name, functions[at].hash}, at});
  else if (list.size > short_list)
    of_long_lists_.insert({{name, functions[index].hash}, index});
}

Profile::Found Profile::find_or_add(NameId name, u64 hash, size_t count) {
  if (u32 found = find(name, hash); found != nothing) return {found, false};
  auto index = static_cast<u32>(functions.size());
  functions.push_back({.hash = hash,
                       .first_counter = counters.size(),
                       .name = name,
                       .counters = static_cast<u32>(count)});
  counters.resize(counters.size() + count);
  append_to_list(index);
  return {index, true};
}

std::span<u64> Profile::counters_of(u32 function) {
  const auto& f = functions[function];
  return std::span(counters).subspan(f.first_counter, f.counters);
}

std::span<u8> Profile::bitmap_of(u32 function) {
  const auto& f = functions[function];
  return std::span(bitmap).subspan(f.first_bitmap_byte, f.bitmap_bytes);
}

Record Profile::record(u32 function) const {
  const auto& f = functions[function];
  return {.name = names.text(f.name),
          .hash = f.hash,
          .counters = std::span(counters).subspan(f.first_counter, f.counters),
          .bitmap = std::span(bitmap).subspan(f.first_bitmap_byte, f.bitmap_bytes),
          .values = f.values == nothing ? nullptr : &values[f.values]};
}

Profile::Kept Profile::keep_names(const std::function<bool(std::string_view)>& keep) {
  auto old = std::exchange(functions, {});
  auto lists = std::exchange(by_name_, {});
  by_name_.resize(lists.size());
  of_long_lists_.clear();
  Kept kept{};
  for (size_t name = 0; name < lists.size(); ++name) {
    if (lists[name].first == nothing) continue;
    ++kept.before;
    if (keep(names.text(NameId{static_cast<u32>(name)})))
      ++kept.after;
    else
      lists[name].first = nothing;
  }
  for (auto& function : old) {
    if (lists[static_cast<u32>(function.name)].first == nothing) continue;
    function.next_of_name = nothing;
    functions.push_back(function);
    append_to_list(static_cast<u32>(functions.size() - 1));
  }
  return kept;
}

bool Profile::ran(u32 function) const {
  auto one = record(function);
  auto is_set = [](auto n) { return n != 0; };
  return std::ranges::any_of(one.counters, is_set) || std::ranges::any_of(one.bitmap, is_set);
}

}  // namespace pgokit::instr_profile

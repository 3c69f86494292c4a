#include "order/from_mip.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/saturated.h"
#include "instrument/facts.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "instrument/trace.h"
#include "profile/model/function_samples.h"
#include "report/function_names.h"
#include "report/numbers.h"

namespace pgokit::order {

Status MipInputs::see(const std::string& path, Bytes bytes, u64 weight) {
  if (instrument::is_profile(bytes)) {
    auto profile = TRY_IN(path, instrument::read_profile(bytes));
    add_means(profile, weight, path);
    merger_.add_profile(profile, weight);
    return {};
  }
  if (instrument::DumpReader::recognizes(bytes)) {
    auto number = static_cast<u32>(dumps_.size());
    auto facts = merger_.see_dumps(number, bytes, weight);
    if (facts.damaged)
      damage_.push_back(fmt::format("{}: {} records are damaged and were skipped; the first at {}",
                                    path, facts.damaged, facts.first_damage));
    dumps_.push_back({path, bytes, number});
    return {};
  }
  auto map = TRY_IN(path, instrument::read_map(path, bytes));
  if (map.facts.damaged)
    damage_.push_back(fmt::format("{}: {} records of the map were skipped; the first: {}", path,
                                  map.facts.damaged, map.facts.first_damage));
  merger_.add_map(std::move(map.module));
  return {};
}

u32 MipInputs::number_of(const instrument::Module& module, const instrument::Function& function) {
  u32 number = model_.function(module.name(function));
  auto& known = model_.functions[number];
  known.size = std::max<u64>(known.size, function.size);
  if (known.address == 0) known.address = function.address;
  return number;
}

std::vector<u32> MipInputs::numbers_of(const instrument::Module& module) {
  std::vector<u32> numbers;
  for (const auto& function : module.functions) numbers.push_back(number_of(module, function));
  return numbers;
}

void MipInputs::add_trace(const instrument::Module& module, const instrument::Dump& dump,
                          u64 weight, const std::string& source) {
  auto trace = instrument::trace_of(module, dump);
  const auto& runs = trace.runs;
  facts_.lost += trace.lost;
  facts_.traces_with_losses += trace.lost > 0;
  facts_.unknown += trace.unknown;
  facts_.ambiguous += trace.ambiguous;
  if (runs.empty()) {
    ++facts_.without_order;
    return;
  }
  ++facts_.dumps;
  auto numbers = numbers_of(module);
  std::vector<Touch> touches;
  for (const auto& run : runs) touches.push_back({numbers[run.function], run.microseconds});
  std::vector<Mark> marks;
  for (size_t i = 0; i < dump.marks.size(); ++i) {
    const auto& mark = dump.marks[i];
    auto behind = std::ranges::find_if(
        runs, [&](const instrument::TracedRun& run) { return run.sequence > mark.sequence; });
    marks.push_back({mark.number, static_cast<u64>(behind - runs.begin())});
  }
  model_.traces.push_back(
      {cut_.apply(touches, marks, trace.has_times, model_, cuts_), weight, source});
}

void MipInputs::add_means(const instrument::Profile& profile, u64 weight,
                          const std::string& source) {
  for (const auto& module : profile.modules) {
    auto order = instrument::by_first_run(module);
    if (order.empty()) continue;
    ++facts_.merged_profiles;
    auto numbers = numbers_of(module);
    std::vector<Touch> touches;
    for (u32 i : order) {
      const auto& first = module.data.first[i];
      touches.push_back({numbers[i], first.microseconds / first.dumps});
    }
    model_.traces.push_back({cut_.apply(touches, {}, true, model_, cuts_),
                             multiply_saturated(std::max<u64>(1, module.data.dumps), weight),
                             source});
  }
}

void MipInputs::add_weights(const instrument::Module& module) {
  // Where first runs are known, that a function ran at all says nothing more.
  constexpr u32 tells_runs = MIP_COVERAGE | MIP_BLOCK_COVERAGE;
  constexpr u32 tells_order = MIP_ORDER | MIP_ORDER_LOG | MIP_ORDER_CALLS;
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& function = module.functions[i];
    u64 weight = module.data.calls[i];
    if (weight == 0 && (function.kinds & tells_runs) && !(function.kinds & tells_order))
      weight = module.data.ran[i];
    if (weight == 0) continue;
    facts_.has_weights = true;
    auto& known = model_.functions[number_of(module, function)];
    known.weight = add_saturated(known.weight, weight);
  }
}

void MipInputs::add_calls(const instrument::Profile& profile) {
  for (const auto& module : profile.modules) {
    add_weights(module);
    for (u32 i = 0; i < module.sites.size(); ++i)
      if (module.sites[i].kind == MIP_TARGETS)
        facts_.dropped_targets =
            add_saturated(facts_.dropped_targets, module.data.values_dropped[i]);
  }
  for (const auto& value : profile.values) {
    const auto& module = profile.modules[value.module];
    const auto& site = module.sites[value.site];
    if (site.kind != MIP_TARGETS) continue;
    ++facts_.calls;
    const auto* to = value.to_module == instrument::SiteValue::nowhere
                         ? nullptr
                         : profile.modules[value.to_module].find(value.value);
    if (!to) {
      ++facts_.outside_calls;
      continue;
    }
    model_.calls.push_back({number_of(module, module.functions[site.function]),
                            number_of(profile.modules[value.to_module], *to), value.count});
  }
  for (const auto& edge : profile.edges) {
    const auto &from_module = profile.modules[edge.from_module],
               &to_module = profile.modules[edge.to_module];
    const auto *from = from_module.find(edge.from - 1), *to = to_module.find(edge.to);
    ++facts_.calls;
    if (!from || !to) {
      ++facts_.outside_calls;
      continue;
    }
    model_.calls.push_back({number_of(from_module, *from), number_of(to_module, *to), edge.calls});
  }
}

void MipInputs::note_losses(std::vector<std::string>& notes) const {
  const auto& merged = merger_.facts();
  for (const auto& text : damage_) notes.push_back(text);
  if (merged.without_map)
    notes.push_back(fmt::format("{} of programs without a map; the first of {}",
                                report::counted(merged.without_map, "dump is", "dumps are"),
                                merged.first_without_map));
  if (merged.misfits)
    notes.push_back(
        fmt::format("the map of their build id does not fit {}: another build? left out",
                    report::counted(merged.misfits, "dump")));
  if (merged.mismatched)
    notes.push_back(fmt::format("{} described differently for one build id; the first: {} of {}",
                                report::counted(merged.mismatched, "function is", "functions are"),
                                report::function_name(merged.first_mismatch),
                                merged.first_mismatch_in));
  if (facts_.lost)
    notes.push_back(
        fmt::format("the logs of {} were full or wrapped: {} lost (a larger buffer: "
                    "'pgokit flags --help')",
                    report::counted(facts_.traces_with_losses, "dump"),
                    report::counted(facts_.lost, "first run is", "first runs are")));
  if (facts_.unknown)
    notes.push_back(
        fmt::format("{} of logs of functions that the map does not have: a map of "
                    "another build? left out",
                    report::counted(facts_.unknown, "entry", "entries")));
  if (facts_.ambiguous)
    notes.push_back(fmt::format("{} of logs with an id that two functions share: left out",
                                report::counted(facts_.ambiguous, "entry", "entries")));
  if (facts_.dropped_targets)
    notes.push_back(fmt::format("{} of sites with more targets than were kept: left out",
                                report::counted(facts_.dropped_targets, "indirect call")));
  if (facts_.without_order)
    notes.push_back(
        fmt::format("{} of programs that do not collect the order of first "
                    "runs ('pgokit flags order')",
                    report::counted(facts_.without_order, "dump is", "dumps are")));
}

Status MipInputs::finish(std::vector<std::string>& notes) {
  if (!dumps_.empty() && !merger_.has_maps())
    return fail(
        "{}: a dump tells numbers, not names; give the map too (the unstripped program, or "
        "'pgokit map PROGRAM')",
        dumps_.front().path);
  for (const auto& file : dumps_)
    merger_.add_dumps(file.number, file.bytes,
                      [&](const instrument::Module& module, const instrument::Dump& dump,
                          u64 weight) { add_trace(module, dump, weight, file.path); });
  bool any_dump = merger_.facts().dumps > 0;
  auto profile = merger_.finish();
  add_calls(profile);
  if (!any_dump && !dumps_.empty() && model_.traces.empty() && model_.calls.empty()) {
    note_losses(notes);
    return fail("no dump could be used{}{}", notes.empty() ? "" : ": ",
                notes.empty() ? "" : notes.front());
  }
  // What programs with calls or counts alone collect is no order, and nobody missed one.
  if (!model_.calls.empty() || facts_.has_weights) facts_.without_order = 0;
  note_losses(notes);
  return {};
}

}  // namespace pgokit::order

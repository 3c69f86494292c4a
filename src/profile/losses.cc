#include "profile/losses.h"

#include <algorithm>
#include <atomic>

#include "profile/model/each_function.h"
#include "report/numbers.h"

namespace pgokit::profile {
namespace {

// `visit(const FunctionSamples&)` of a function and all its inlinees; true ends it.
template <class Visit>
bool any_of_tree(const FunctionSamples& samples, Visit& visit) {
  if (visit(samples)) return true;
  for (const auto& [location, callees] : samples.inlinees.unordered())
    for (const auto& [name, inlinee] : callees.unordered())
      if (any_of_tree(*inlinee, visit)) return true;
  return false;
}

template <class Visit>
bool any_of_all(const Profile& profile, Visit visit) {
  return std::ranges::any_of(profile.functions(), [&](const Function& function) {
    return any_of_tree(function.samples, visit);
  });
}

// Virtual tables that the text form, as LLVM writes it, leaves out or tells twice.
u64 misplaced_vtables(const Profile& profile) {
  u64 places = 0;
  any_of_all(profile, [&](const FunctionSamples& samples) {
    if (samples.vtables)
      for (const auto& [location, counts] : *samples.vtables)
        places += (samples.body.find(location) != nullptr) ==
                  (samples.inlinees.find(location) != nullptr);
    return false;
  });
  return places;
}

// Places that have no 16 bits for line or discriminator.
u64 far_places(const Profile& profile) {
  u64 places = 0;
  auto is_far = [](LineLocation at) {
    return at.line_offset > 0xffff || at.discriminator > 0xffff;
  };
  any_of_all(profile, [&](const FunctionSamples& samples) {
    for (const auto& place : samples.body.unordered()) places += is_far(place.key);
    for (const auto& place : samples.inlinees.unordered()) places += is_far(place.key);
    return false;
  });
  return places;
}

u64 hashed_names(const Profile& profile) {
  u64 n = 0;
  for (u32 i = 0; i < profile.names.size(); ++i) n += profile.names.is_guid(NameId{i});
  return n;
}

}  // namespace

bool has_vtables(const Profile& profile, unsigned threads) {
  auto has = [](const FunctionSamples& samples) {
    return samples.vtables && !samples.vtables->empty();
  };
  std::atomic<bool> any = false;
  for_each_function(profile, threads, [&](const Function& function) {
    if (!any && any_of_tree(function.samples, has)) any = true;
  });
  return any;
}

std::vector<std::string> losses(const Profile& profile, Format format,
                                const WriteOptions& options) {
  std::vector<std::string> found;
  auto form = format_name(format);
  auto lose = [&](bool lost, std::string_view what) {
    if (lost) found.push_back(fmt::format("the {} form has no place for {}", form, what));
  };
  const Flags& flags = profile.flags;
  bool extensible = format == Format::extbinary;
  lose(!extensible && profile.symbols.size() != 0, "the list of functions (symbol list)");
  lose(options.notes && !extensible && format != Format::text && !profile.notes.empty(),
       "notes of where the profile comes from");
  lose(!extensible && flags.partial, "the mark of partial profiles");
  lose(!extensible && flags.fs_discriminators, "the mark of flow-sensitive discriminators");
  if (options.no_vtables && has_vtables(profile))
    found.emplace_back("virtual tables are left out: this version of the compiler knows none");
  else if (format != Format::text)
    lose((!extensible || !options.vtables) && has_vtables(profile), "virtual tables");
  if (u64 n = format == Format::text && !options.no_vtables ? misplaced_vtables(profile) : 0)
    found.push_back(
        fmt::format("the text form loses or doubles the virtual tables of {} when it is read",
                    report::counted(n, "place")));
  if (u64 n = extensible ? 0 : hashed_names(profile))
    found.push_back(fmt::format("the {} form has no hashes: {} numbers", form,
                                report::counted(n, "name becomes", "names become")));
  if (extensible && !options.md5_names && hashed_names(profile) != 0)
    found.push_back("names known by their hashes only become numbers: give --md5 to keep hashes");
  if (format == Format::binary || format == Format::gcov)
    lose(
        any_of_all(profile, [](const FunctionSamples& samples) { return samples.attributes != 0; }),
        "attributes");
  if (u64 n = format == Format::gcov ? far_places(profile) : 0)
    found.push_back(
        fmt::format("the gcov form has 16 bits for lines and discriminators: {} left out",
                    report::counted(n, "place is", "places are")));
  return found;
}

}  // namespace pgokit::profile

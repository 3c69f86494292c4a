#include "profile/model/file_order.h"

#include "profile/model/each_function.h"

namespace pgokit::profile {

FileOrder::FileOrder(const Profile& profile, bool vtables, unsigned threads)
    : index_(profile.names.size()) {
  for_each_function(profile, threads, [&](const Function& function) {
    use(function.samples.name);
    for (auto id = function.context; id != ContextId::none; id = profile.contexts.node(id).parent)
      use(profile.contexts.node(id).function);
    use_names_of(function.samples, vtables);
  });
  number(profile.names);
  functions_ = profile.ordered(index_);
}

void FileOrder::use_names_of(const FunctionSamples& samples, bool vtables) {
  for (const auto& [location, record] : samples.body.unordered())
    if (record.targets)
      for (const auto& target : record.targets->unordered()) use(target.key);
  for (const auto& [location, callees] : samples.inlinees.unordered())
    for (const auto& [name, inlinee] : callees.unordered()) {
      use(name);
      use_names_of(*inlinee, vtables);
    }
  if (!vtables || !samples.vtables) return;
  for (const auto& [location, counts] : samples.vtables->unordered())
    for (const auto& [name, count] : counts.unordered()) use(name);
}

void FileOrder::number(const NameTable& names) {
  for (u32 i = 0; i < index_.size(); ++i)
    if (index_[i]) names_.push_back(NameId{i});
  names.sort(names_);
  for (u32 i = 0; i < names_.size(); ++i) index_[static_cast<size_t>(names_[i])] = i;
}

std::span<const NameCount> FileOrder::targets(const NameCounts& counts,
                                              std::vector<NameCount>& list) const {
  list.clear();
  for (const auto& [name, count] : counts.unordered()) list.push_back({name, count});
  std::sort(list.begin(), list.end(), [&](const NameCount& a, const NameCount& b) {
    return a.count != b.count ? a.count > b.count : index(a.name) < index(b.name);
  });
  return list;
}

std::span<const NameCount> FileOrder::by_name(const NameCounts& counts,
                                              std::vector<NameCount>& list) const {
  list.clear();
  for (const auto& [name, count] : counts.unordered()) list.push_back({name, count});
  std::sort(list.begin(), list.end(),
            [&](const NameCount& a, const NameCount& b) { return index(a.name) < index(b.name); });
  return list;
}

}  // namespace pgokit::profile

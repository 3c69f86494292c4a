#include "stacks/write/functions.h"

#include <map>
#include <tuple>

namespace pgokit::stacks {

FunctionList::FunctionList(const Stacks& stacks) : stacks_(stacks), numbers_(stacks.frames.size()) {
  std::map<std::tuple<NameId, NameId, u32>, u32> known;
  for (const auto& location : stacks.locations)
    for (u32 i = location.first_frame; i < location.first_frame + location.frames; ++i) {
      const auto& frame = stacks.frames[i];
      auto [found, is_new] = known.try_emplace({frame.function, frame.file, location.module},
                                               static_cast<u32>(list_.size()));
      numbers_[i] = found->second;
      if (is_new)
        list_.push_back({stacks.shown_name(frame, location), stacks.names.text(frame.function),
                         stacks.names.text(frame.file), frame.start_line, location.module});
    }
}

std::string track_name(const Stacks& stacks, const Track& track) {
  std::string name(stacks.names.text(track.name));
  if (track.tid != 0 || track.pid != 0) {
    name += name.empty() ? "" : " ";
    if (track.knows_pid) name += std::to_string(track.pid) + "/";
    name += std::to_string(track.tid);
  }
  const auto& event = stacks.events[track.event].name;
  return stacks.events.size() > 1 && !event.empty() ? name + " " + event : name;
}

}  // namespace pgokit::stacks

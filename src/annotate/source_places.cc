#include "annotate/source_places.h"

#include <algorithm>
#include <filesystem>

#include "base/function_name.h"
#include "generate/functions/hit_functions.h"

namespace pgokit::annotate {
namespace {

using Names = std::set<std::string, std::less<>>;

std::string file_of(const program::Program& program, const dwarf::FramePart& part,
                    const dwarf::Frame& frame) {
  if (frame.file == dwarf::Frame::no_file) return {};
  std::filesystem::path path = program.debug()->file_name(part, frame);
  return path.lexically_normal().string();
}

// Lines before the first one are large numbers (dwarf/line_offset.h).
std::optional<u32> line_at(u32 start, u32 offset) {
  constexpr u32 first_before = 0x8000;
  if (start == 0 || offset >= first_before) return std::nullopt;
  return start + offset;
}

}  // namespace

Result<SourcePlaces> SourcePlaces::of(const program::Program& program, const Names& names) {
  SourcePlaces places;
  if (!program.debug() || names.empty()) return places;
  places.by_probes_ = program.has_probes();
  if (places.by_probes_) {
    TRY(places.fill_probes(program, names));
    return places;
  }
  dwarf::FrameCursor cursor(*program.debug());
  for (const auto& range : program.functions().ranges()) {
    if (places.starts_.size() == names.size()) break;
    for (u64 at = range.start; at < range.end;) {
      const auto& part = cursor.at(at);
      for (const auto& frame : part.frames) {
        auto name = canonical_function_name(frame.function);
        if (!names.contains(name) || places.starts_.contains(name)) continue;
        places.starts_.emplace(name, Line{file_of(program, part, frame), frame.start_line});
      }
      if (part.end <= at) break;
      at = part.end;
    }
  }
  return places;
}

Status SourcePlaces::fill_probes(const program::Program& program, const Names& names) {
  auto table = TRY_IN(program.path(), program.probe_table());
  auto probes =
      generate::decode_probes(program, table, std::vector<bool>(program.functions().size(), true));
  dwarf::FrameCursor cursor(*program.debug());
  for (const auto& probe : probes.probes()) {
    auto name = canonical_function_name(probes.name_of(probes.nodes()[probe.node]));
    if (!names.contains(name)) continue;
    const auto& part = cursor.at(probe.address);
    for (const auto& frame : part.frames) {
      if (canonical_function_name(frame.function) != name || frame.line == 0) continue;
      probes_.try_emplace({std::string(name), probe.index},
                          Line{file_of(program, part, frame), frame.line});
    }
  }
  return {};
}

std::optional<SourcePlaces::Line> SourcePlaces::find(std::string_view function,
                                                     profile::LineLocation at) const {
  if (by_probes_) {
    auto found = probes_.find({std::string(function), at.line_offset});
    return found == probes_.end() ? std::nullopt : std::optional(found->second);
  }
  auto start = starts_.find(function);
  if (start == starts_.end()) return std::nullopt;
  auto line = line_at(start->second.line, at.line_offset);
  if (!line) return std::nullopt;
  return Line{start->second.file, *line};
}

}  // namespace pgokit::annotate

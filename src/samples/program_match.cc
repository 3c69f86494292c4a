#include "samples/program_match.h"

#include <algorithm>

namespace pgokit::samples {

bool same_build_id(Bytes a, Bytes b) {
  if (a.size() > b.size()) std::swap(a, b);
  constexpr size_t shortest = 4;
  return a.size() >= shortest && std::ranges::equal(a, b.first(a.size())) &&
         std::ranges::all_of(b.subspan(a.size()), [](u8 byte) { return byte == 0; });
}

std::string_view file_name(std::string_view path) {
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return path.substr(path.rfind('/') + 1);
}

Bytes ProgramMatch::recorded_id(const perf::Mapping& mapping) const {
  return mapping.build_id.empty() ? recorded_.of(mapping.path) : mapping.build_id;
}

bool ProgramMatch::is_program(std::string_view path, Bytes build_id, bool any_build) const {
  perf::Mapping mapping;
  mapping.path = path, mapping.build_id = build_id;
  auto verdict = (*this)(mapping);
  return verdict == Verdict::program || (any_build && verdict == Verdict::other_build);
}

ProgramMatch::Verdict ProgramMatch::operator()(const perf::Mapping& mapping) const {
  bool same_name = kernel_ ? perf::is_kernel(mapping.path) : file_name(mapping.path) == name_;
  if (kernel_ && !same_name) return Verdict::other_program;
  Bytes recorded = recorded_id(mapping);
  if (recorded.empty() || id_.empty()) return same_name ? Verdict::program : Verdict::other_program;
  if (same_build_id(recorded, id_)) return Verdict::program;
  return same_name ? Verdict::other_build : Verdict::other_program;
}

}  // namespace pgokit::samples

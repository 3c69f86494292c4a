#include "profile/function_reader.h"

#include <algorithm>

namespace pgokit::profile {

LineLocation FunctionReader::read_location() {
  auto line = static_cast<u32>(in_.uleb128());
  auto discriminator = static_cast<u32>(in_.uleb128());
  return {line, discriminator};
}

Result<NameId> FunctionReader::read_name() {
  u64 index = in_.uleb128();
  if (!in_.ok()) return fail("ends inside a function");
  if (index >= names_.size())
    return fail("name index {} is past the table of {} names", index, names_.size());
  return names_[index];
}

Status FunctionReader::read(FunctionSamples& samples, unsigned depth) {
  if (depth > max_inline_depth) return fail("inlined more than {} levels deep", max_inline_depth);
  samples.add_total(in_.uleb128());
  u64 places = in_.uleb128();
  // Four bytes each at least; a count that is not kept ends all reading, so no more than one lies.
  samples.body.reserve(samples.body.size() + std::min<u64>(places, in_.left() / 4));
  for (u64 n = places; n > 0 && in_.ok(); --n) {
    LineLocation location = read_location();
    samples.add_body(location, in_.uleb128());
    TRY(read_targets(samples, location));
  }
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    LineLocation location = read_location();
    NameId name = TRY(read_name());
    TRY(read(samples.inlinee(location, name), depth + 1));
  }
  if (vtables_) TRY(read_vtables(samples));
  if (!in_.ok()) return fail("ends inside a function");
  return {};
}

Status FunctionReader::read_targets(FunctionSamples& samples, LineLocation location) {
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    NameId name = TRY(read_name());
    samples.add_target(location, name, in_.uleb128());
  }
  return {};
}

Status FunctionReader::read_vtables(FunctionSamples& samples) {
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    LineLocation location = read_location();
    for (u64 vtables = in_.uleb128(); vtables > 0 && in_.ok(); --vtables) {
      NameId name = TRY(read_name());
      samples.add_vtable(location, name, in_.uleb128());
    }
  }
  return {};
}

void skip_summary(Cursor& in) {
  for (int i = 0; i < 5; ++i) in.uleb128();
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n)
    for (int i = 0; i < 3; ++i) in.uleb128();
}

std::vector<NameId> read_names(Cursor& in, NameTable& names) {
  std::vector<NameId> ids;
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) ids.push_back(names.intern(in.cstring()));
  return ids;
}

}  // namespace pgokit::profile

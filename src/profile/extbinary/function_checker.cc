#include "profile/extbinary/function_checker.h"

namespace pgokit::profile {

Status FunctionChecker::verdict() const {
  if (!in_.ok()) return fail("ends early");
  if (wrong_name_)
    return fail("name index {} is past the table of {} names", *wrong_name_, limits_.names);
  if (wide_ >> 32) return fail("a line or discriminator of more than 32 bits");
  if (far_ > largest_line) return fail("a line of more than 16 bits");
  return {};
}

Result<u32> FunctionChecker::subject() {
  u64 index = in_.uleb128();
  if (!in_.ok()) return fail("ends early");
  if (limits_.context_sensitive && index >= limits_.contexts)
    return fail("context {} is past the table of {}", index, limits_.contexts);
  if (!limits_.context_sensitive && index >= limits_.names)
    return fail("name index {} is past the table of {} names", index, limits_.names);
  return static_cast<u32>(index);
}

void FunctionChecker::name_counts() {
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    name();
    in_.uleb128();
  }
}

Status FunctionChecker::function(unsigned depth) {
  if (depth > max_inline_depth) return fail("inlined more than {} levels deep", max_inline_depth);
  in_.uleb128();  // total
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    place();
    in_.uleb128();
    name_counts();
  }
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    location();
    name();
    TRY(verdict());
    TRY(function(depth + 1));
  }
  if (limits_.vtables)
    for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
      place();
      name_counts();
    }
  return verdict();
}

Status FunctionChecker::metadata(const BinaryIndex& index, unsigned depth) {
  if (depth > max_inline_depth) return fail("inlined more than {} levels deep", max_inline_depth);
  if (index.metadata_checksums) in_.uleb128();
  if (index.metadata_attributes) wide_ |= in_.uleb128();
  if (limits_.context_sensitive) return verdict();
  for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
    location();
    name();
    TRY(metadata(index, depth + 1));
  }
  return verdict();
}

Status FunctionChecker::context() {
  u64 frames = in_.uleb128();
  if (in_.ok() && frames == 0) return fail("a context without frames");
  for (; frames > 0 && in_.ok(); --frames) {
    name();
    place();
  }
  return verdict();
}

Result<NameList> read_name_list(Cursor& in, NameList::Kind kind) {
  NameList list{kind, {}, {}};
  u64 n = in.uleb128();
  list.bytes = in.rest();
  if (in.left() > ~u32{0}) return fail("more than 4 GB of names");
  size_t least = kind == NameList::Kind::fixed_guids ? sizeof(u64) : 1;
  if (n > in.left() / least) return fail("{} names do not fit into {} bytes", n, in.left());
  list.starts.reserve(n);
  size_t start = in.position();
  for (; n > 0 && in.ok(); --n) {
    list.starts.push_back(static_cast<u32>(in.position() - start));
    if (kind == NameList::Kind::texts)
      in.cstring();
    else if (kind == NameList::Kind::fixed_guids)
      in.skip(sizeof(u64));
    else
      in.uleb128();
  }
  if (!in.ok()) return fail("ends early");
  return list;
}

void skip_summary(Cursor& in) {
  for (int i = 0; i < 5; ++i) in.uleb128();
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n)
    for (int i = 0; i < 3; ++i) in.uleb128();
}

}  // namespace pgokit::profile

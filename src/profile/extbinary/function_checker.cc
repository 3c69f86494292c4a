#include "profile/extbinary/function_checker.h"

#include "base/saturated.h"

namespace pgokit::profile {
namespace {

struct MetadataVisitor {
  NumberChecker& numbers;

  bool values(u64, u64 attributes) { return numbers.number(attributes), true; }
  WalkEnd inlinee(RawLocation at, u64 name, auto enter) {
    numbers.inlinee(at, name);
    return enter(*this);
  }
  bool end() const { return numbers.good(); }
};

struct ContextVisitor {
  NumberChecker& numbers;
  bool empty = true;

  bool frame(u64 name, RawLocation at) {
    empty = false;
    numbers.name(name);
    return numbers.place(at);
  }
  bool end() const { return numbers.good(); }
};

}  // namespace

Status NumberChecker::verdict() const {
  if (wrong_name_) return fail("name index {} is past the table of {} names", *wrong_name_, names_);
  if (wide_ >> 32) return fail("a line or discriminator of more than 32 bits");
  if (far_ > largest_line) return fail("a line of more than 16 bits");
  return {};
}

Status FunctionChecker::verdict(WalkEnd end) const {
  if (end == WalkEnd::too_deep) return fail("inlined more than {} levels deep", max_inline_depth);
  if (end == WalkEnd::cut_off) return fail("ends early");
  return numbers_.verdict();
}

Result<u32> FunctionChecker::subject(u64 index) const {
  if (!in_.ok()) return fail("ends early");
  if (limits_.context_sensitive && index >= limits_.contexts)
    return fail("context {} is past the table of {}", index, limits_.contexts);
  if (!limits_.context_sensitive && index >= limits_.names)
    return fail("name index {} is past the table of {} names", index, limits_.names);
  return static_cast<u32>(index);
}

Result<u32> FunctionChecker::function() {
  u32 about = TRY(subject(read_function_head(in_).subject));
  TRY(verdict(walk_function(in_, numbers_, {.vtables = limits_.vtables})));
  return about;
}

Result<u32> FunctionChecker::metadata(MetadataParts parts, const u8*& at) {
  u32 about = TRY(subject(in_.uleb128()));
  at = in_.rest().data();
  TRY(verdict(walk_metadata(in_, MetadataVisitor{numbers_}, parts)));
  return about;
}

Status FunctionChecker::context() {
  ContextVisitor visitor{numbers_};
  WalkEnd end = walk_context(in_, visitor);
  if (end != WalkEnd::cut_off && visitor.empty) return fail("a context without frames");
  return verdict(end);
}

namespace {

Result<NameList> read_names(Cursor& in, NameList::Kind kind, u64 n) {
  NameList list{kind, {}, {}};
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

}  // namespace

Result<NameList> read_name_list(Cursor& in, NameList::Kind kind) {
  u64 n = in.uleb128();
  return read_names(in, kind, n);
}

Result<NameList> read_name_spans(Cursor& in) {
  Cursor packed = in;
  u64 n = 0;
  for (int span = 0; span < 3; ++span) n = add_saturated(n, packed.uleb128());
  if (packed.ok() && packed.left() % sizeof(u64) == 0 && packed.left() / sizeof(u64) == n) {
    in = packed;
  } else {
    n = 0;
    for (int span = 0; span < 3; ++span) n = add_saturated(n, in.get<u64>());
  }
  return read_names(in, NameList::Kind::fixed_guids, n);
}

u64 skip_summary(Cursor& in) {
  u64 total = in.uleb128();
  for (int i = 1; i < 5; ++i) in.uleb128();
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n)
    for (int i = 0; i < 3; ++i) in.uleb128();
  return total;
}

}  // namespace pgokit::profile

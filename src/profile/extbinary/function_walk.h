#pragma once

// The layout of functions, their metadata and contexts in the binary forms, known here only. All numbers
// are ULEB128, names are indices into the name table.
//
//   entry    := head subject function               subject: a name, or a context by its number
//   function := total  n (place samples counts)*n  n (place name function)*n  [n (place counts)*n]
//   counts   := n (name count)*n                    the last list: virtual tables, where flagged
//   place    := line discriminator
//   metadata := [checksum] [attributes] [n (place name metadata)*n]
//   context  := n (name place)*n                     frames from the outermost on
//
//   struct BodySum {
//     u64 samples = 0;
//     bool place(RawLocation, u64 count) { return samples += count, true; }
//   } sum;
//   FunctionHead head = read_function_head(in);
//   WalkEnd end = walk_function(in, sum, {.vtables = false});
//
// A visitor is of one function; for what is inlined there the walk goes on with another one, or the
// same. It has of these hooks what it needs, the rest is read over; false ends the walk.
//
//   bool begin(u64 total, u64 places)        places: how many follow in the body
//   ... body(), inlinees(), vtables()        visitors of the lists, gone after each; or itself
//   bool place(RawLocation, u64 samples)     of a body
//   bool place(RawLocation)                  of virtual tables
//   void begin_counts()                      of that place, where there are any
//   bool count(u64 name, u64 count)
//   bool end_counts()
//   WalkEnd inlinee(RawLocation, u64 name, auto enter)    return enter(visitor), or refused
//   bool end()
//
// Nothing is checked but the end of the bytes and the depth.

#include "profile/model/function_samples.h"

namespace pgokit::profile {

struct RawLocation {
  u64 line = 0, discriminator = 0;

  u64 bits() const { return line | discriminator; }
  LineLocation narrow() const { return {static_cast<u32>(line), static_cast<u32>(discriminator)}; }
};

enum class WalkEnd { whole, cut_off, too_deep, refused };

// Numbers that a walk with a Cursor has been through: no end is in sight of these.
class KnownNumbers {
 public:
  explicit KnownNumbers(const u8* at) : at_(at) {}

  static constexpr bool ok() { return true; }
  u64 uleb128() {
    u64 value = *at_++;
    if (value < 0x80) [[likely]]
      return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
      u64 byte = *at_++;
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  const u8* at_;
};

// A visitor that asks for nothing.
struct SkipFunction {};

struct FunctionParts {
  bool vtables = false;
};

struct FunctionHead {
  u64 samples = 0, subject = 0;
};

FunctionHead read_function_head(auto& in) {
  u64 samples = in.uleb128();
  return {samples, in.uleb128()};
}

RawLocation read_location(auto& in) {
  u64 line = in.uleb128();
  return {line, in.uleb128()};
}

bool walk_counts(auto& in, auto& visit) {
  u64 n = in.uleb128();
  if (n == 0) [[likely]]
    return true;
  if constexpr (requires { visit.begin_counts(); }) visit.begin_counts();
  for (; n > 0 && in.ok(); --n) {
    [[maybe_unused]] u64 name = in.uleb128(), count = in.uleb128();
    if constexpr (requires { visit.count(name, count); })
      if (!visit.count(name, count)) return false;
  }
  if constexpr (requires { visit.end_counts(); }) return visit.end_counts();
  return true;
}

bool walk_body(auto& in, auto&& visit, u64 n) {
  for (; n > 0 && in.ok(); --n) {
    [[maybe_unused]] RawLocation at = read_location(in);
    [[maybe_unused]] u64 samples = in.uleb128();
    if constexpr (requires { visit.place(at, samples); })
      if (!visit.place(at, samples)) return false;
    if (!walk_counts(in, visit)) return false;
  }
  return true;
}

bool walk_vtables(auto& in, auto&& visit) {
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    [[maybe_unused]] RawLocation at = read_location(in);
    if constexpr (requires { visit.place(at); })
      if (!visit.place(at)) return false;
    if (!walk_counts(in, visit)) return false;
  }
  return true;
}

// enter(visitor) reads what follows each place and name.
WalkEnd walk_inlinees(auto& in, auto&& visit, auto enter) {
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    RawLocation at = read_location(in);
    u64 name = in.uleb128();
    if (!in.ok()) break;
    auto end = WalkEnd::whole;
    if constexpr (requires { visit.inlinee(at, name, enter); })
      end = visit.inlinee(at, name, enter);
    else
      end = enter(SkipFunction());
    if (end != WalkEnd::whole) return end;
  }
  return in.ok() ? WalkEnd::whole : WalkEnd::cut_off;
}

WalkEnd ended(const auto& in, auto& visit) {
  if (!in.ok()) return WalkEnd::cut_off;
  if constexpr (requires { visit.end(); }) return visit.end() ? WalkEnd::whole : WalkEnd::refused;
  return WalkEnd::whole;
}

// The visitor of each list, which the function's gives or is.
decltype(auto) body_of(auto& visit) {
  if constexpr (requires { visit.body(); })
    return visit.body();
  else
    return visit;
}
decltype(auto) inlinees_of(auto& visit) {
  if constexpr (requires { visit.inlinees(); })
    return visit.inlinees();
  else
    return visit;
}
decltype(auto) vtables_of(auto& visit) {
  if constexpr (requires { visit.vtables(); })
    return visit.vtables();
  else
    return visit;
}

WalkEnd walk_function(auto& in, auto&& visit, FunctionParts parts, unsigned depth = 1) {
  if (depth > max_inline_depth) return WalkEnd::too_deep;
  [[maybe_unused]] u64 total = in.uleb128(), places = in.uleb128();
  if constexpr (requires { visit.begin(total, places); })
    if (!visit.begin(total, places)) return WalkEnd::refused;
  if (!walk_body(in, body_of(visit), places)) return WalkEnd::refused;
  auto enter = [&](auto&& inlinee) -> WalkEnd {
    return walk_function(in, inlinee, parts, depth + 1);
  };
  WalkEnd end = walk_inlinees(in, inlinees_of(visit), enter);
  if (end != WalkEnd::whole) return end;
  if (parts.vtables && !walk_vtables(in, vtables_of(visit))) return WalkEnd::refused;
  return ended(in, visit);
}

struct MetadataParts {
  bool checksums = false, attributes = false;
  bool inlinees = false;  // not where functions have contexts
  bool operator==(const MetadataParts&) const = default;
};

// Visitors have values(checksum, attributes), zero where there is none, and maybe inlinee() and
// end().
WalkEnd walk_metadata(auto& in, auto&& visit, MetadataParts parts, unsigned depth = 1) {
  if (depth > max_inline_depth) return WalkEnd::too_deep;
  u64 checksum = parts.checksums ? in.uleb128() : 0;
  if (!visit.values(checksum, parts.attributes ? in.uleb128() : 0)) return WalkEnd::refused;
  auto enter = [&](auto&& inlinee) -> WalkEnd {
    return walk_metadata(in, inlinee, parts, depth + 1);
  };
  WalkEnd end = parts.inlinees ? walk_inlinees(in, visit, enter) : WalkEnd::whole;
  return end == WalkEnd::whole ? ended(in, visit) : end;
}

// Visitors have frame(name, location), and maybe end().
WalkEnd walk_context(auto& in, auto&& visit) {
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    u64 name = in.uleb128();
    if (!visit.frame(name, read_location(in))) return WalkEnd::refused;
  }
  return ended(in, visit);
}

}  // namespace pgokit::profile

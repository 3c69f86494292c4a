#pragma once

// Compressed bytes: gzip, zlib, zstd and xz. All of it passes through here, except for perf's own
// compressed records, which are one stream in many pieces (perf/unpack.h).
//
//   if (auto packing = packing_of(bytes))                              // by their first bytes
//     TRY(unpack(bytes, *packing, limit, [&](Bytes piece) { return parser.add(piece); }));
//   std::string text = TRY(unpack_section(bytes, Packing::zlib, claimed_size));
//
// Input is hostile, and a kilobyte can claim to be a terabyte. What may come out is said here, and
// nowhere else: `free` bytes in any case, beyond that so many times the packed size, and never more
// than `most`. Nothing is allocated by a size that the input claims; dictionaries have at most
// 128 MiB.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit {

enum class Packing { gzip, zlib, zstd, xz };
std::string_view packing_name(Packing packing);

struct UnpackLimits {
  u64 free, ratio, most;

  u64 allowed(u64 packed) const {
    u64 grown = packed > most / ratio ? most : packed * ratio;
    return grown > free ? grown : free;
  }
};
// Whole files, which go to a temporary file where they are large. Text of perf script shrinks to a
// hundredth.
inline constexpr UnpackLimits file_limits{u64{256} << 20, 400, u64{1} << 40};
// Sections of programs: they are held in memory.
inline constexpr UnpackLimits section_limits{u64{16} << 20, 200, u64{32} << 30};
// Sections of profiles: they do not repeat themselves hundreds of times, and a model of them takes
// many times their bytes.
inline constexpr UnpackLimits profile_limits{u64{2} << 20, 100, u64{32} << 30};

// gzip, zstd or xz by the first bytes; nullopt: neither.
std::optional<Packing> packing_of(Bytes bytes);

// Hands over what comes out, piece by piece; `take` may stop it all. Several streams behind each
// other are one. Fails after `most` bytes.
using TakePiece = std::function<Status(Bytes piece)>;
Status unpack(Bytes packed, Packing packing, u64 most, const TakePiece& take);

// What is to be `size` bytes.
Result<std::string> unpack_section(Bytes packed, Packing packing, u64 size,
                                   const UnpackLimits& limits = section_limits);

}  // namespace pgokit

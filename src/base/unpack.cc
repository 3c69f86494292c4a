#include "base/unpack.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace pgokit {
namespace {

constexpr unsigned largest_dictionary_log = 27;
constexpr u64 largest_dictionary = u64{1} << largest_dictionary_log;

// One step of a stream.
struct Step {
  size_t consumed = 0, produced = 0;
  bool end = false;      // of a stream; another one may follow
  std::string_view why;  // it cannot go on
};

class Zlib {
 public:
  explicit Zlib(Packing packing) {
    constexpr int gzip_header = 16;
    good_ =
        inflateInit2(&stream_, MAX_WBITS + (packing == Packing::gzip ? gzip_header : 0)) == Z_OK;
  }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
  ~Zlib() { inflateEnd(&stream_); }

  Step step(Bytes in, std::span<u8> out) {
    if (!good_) return {.why = "zlib does not start"};
    stream_.next_in = const_cast<u8*>(in.data());
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(in.size(), 1u << 30));
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    int state = ::inflate(&stream_, Z_NO_FLUSH);
    Step step{.consumed = static_cast<size_t>(stream_.next_in - in.data()),
              .produced = out.size() - stream_.avail_out,
              .end = state == Z_STREAM_END,
              .why = {}};
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) step.why = "is damaged";
    if (step.end) good_ = inflateReset(&stream_) == Z_OK;
    return step;
  }

 private:
  z_stream stream_{};
  bool good_ = false;
};

class Zstd {
 public:
  Zstd() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_dictionary_log);
  }

  Step step(Bytes in, std::span<u8> out) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    size_t state = ZSTD_decompressStream(context_.get(), &to, &from);
    Step step{.consumed = from.pos, .produced = to.pos, .end = state == 0, .why = {}};
    if (ZSTD_isError(state)) step = {.why = "is damaged, or wants more than 128 MiB of memory"};
    return step;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
};

class Xz {
 public:
  Xz() { good_ = lzma_stream_decoder(&stream_, largest_dictionary, 0) == LZMA_OK; }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  ~Xz() { lzma_end(&stream_); }

  Step step(Bytes in, std::span<u8> out) {
    if (!good_) return {.why = "cannot be started"};
    stream_.next_in = in.data();
    stream_.avail_in = in.size();
    stream_.next_out = out.data();
    stream_.avail_out = out.size();
    lzma_ret state = lzma_code(&stream_, LZMA_RUN);
    Step step{.consumed = in.size() - stream_.avail_in,
              .produced = out.size() - stream_.avail_out,
              .end = state == LZMA_STREAM_END,
              .why = {}};
    if (state == LZMA_MEMLIMIT_ERROR) step.why = "wants more than 128 MiB of memory";
    if (state != LZMA_OK && !step.end && state != LZMA_BUF_ERROR && step.why.empty())
      step.why = "is damaged";
    if (step.end) good_ = lzma_stream_decoder(&stream_, largest_dictionary, 0) == LZMA_OK;
    return step;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool good_ = false;
};

bool is_padding(Bytes bytes) {
  return std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; });
}

template <class Stream>
Status run(Stream& stream, Bytes packed, Packing packing, u64 most, const TakePiece& take) {
  auto name = packing_name(packing);
  std::vector<u8> buffer(1 << 18);
  Bytes left = packed;
  u64 total = 0;
  while (true) {
    size_t room = static_cast<size_t>(std::min<u64>(buffer.size(), most - total));
    // A byte more than there may be tells the end from too much.
    auto step = stream.step(left, std::span(buffer).first(std::max<size_t>(room, 1)));
    if (!step.why.empty())
      return fail("its {} data {} (offset {:#x})", name, step.why, packed.size() - left.size());
    if (step.produced > room)
      return fail("its {} data goes on after {} bytes, the most that is unpacked of it", name,
                  most);
    left = left.subspan(step.consumed);
    total += step.produced;
    if (step.produced) TRY(take(Bytes(buffer).first(step.produced)));
    if (step.end && is_padding(left)) return {};
    if (step.consumed == 0 && step.produced == 0 && !step.end)
      return fail("its {} data is cut short after {} bytes", name, packed.size());
  }
}

bool starts_with(Bytes bytes, std::initializer_list<u8> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

}  // namespace

std::string_view packing_name(Packing packing) {
  switch (packing) {
    case Packing::gzip:
      return "gzip";
    case Packing::zlib:
      return "zlib";
    case Packing::zstd:
      return "zstd";
    case Packing::xz:
      return "xz";
  }
  __builtin_unreachable();
}

std::optional<Packing> packing_of(Bytes bytes) {
  if (starts_with(bytes, {0x1f, 0x8b, 8})) return Packing::gzip;
  if (starts_with(bytes, {0x28, 0xb5, 0x2f, 0xfd})) return Packing::zstd;
  if (starts_with(bytes, {0xfd, '7', 'z', 'X', 'Z', 0})) return Packing::xz;
  return std::nullopt;
}

Status unpack(Bytes packed, Packing packing, u64 most, const TakePiece& take) {
  if (packing == Packing::zstd) {
    Zstd stream;
    return run(stream, packed, packing, most, take);
  }
  if (packing == Packing::xz) {
    Xz stream;
    return run(stream, packed, packing, most, take);
  }
  Zlib stream(packing);
  return run(stream, packed, packing, most, take);
}

Result<std::string> unpack_section(Bytes packed, Packing packing, u64 size,
                                   const UnpackLimits& limits) {
  if (size > limits.allowed(packed.size()))
    return fail("{} compressed bytes cannot hold {}", packed.size(), size);
  std::string contents;
  TRY(unpack(packed, packing, size, [&](Bytes piece) -> Status {
    contents.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  }));
  if (contents.size() != size)
    return fail("its {} data has {} bytes in place of {}", packing_name(packing), contents.size(),
                size);
  return contents;
}

}  // namespace pgokit

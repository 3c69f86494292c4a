#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace pgokit {

struct Gzip::Stream {
  z_stream zlib{};
  std::array<char, 1 << 16> out;
};

Gzip::Gzip(Take take) : take_(std::move(take)), stream_(std::make_unique<Stream>()) {
  constexpr int largest_window_as_gzip = 15 + 16, default_memory = 8;
  // It fails only where there is no memory.
  if (deflateInit2(&stream_->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_as_gzip,
                   default_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    std::abort();
}

Gzip::~Gzip() { deflateEnd(&stream_->zlib); }

void Gzip::run(std::string_view bytes, int flush) {
  auto& zlib = stream_->zlib;
  auto& out = stream_->out;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    deflate(&zlib, flush);
    take_({out.data(), out.size() - zlib.avail_out});
  } while (zlib.avail_out == 0);
}

void Gzip::write(std::string_view bytes) {
  constexpr size_t most = size_t{1} << 30;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size())))
    run(bytes.substr(0, most), Z_NO_FLUSH);
}

void Gzip::finish() { run({}, Z_FINISH); }

}  // namespace pgokit

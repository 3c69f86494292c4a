#pragma once

// Small recordings for tests, in memory: written by Writer, then turned into the other modes.

#include <unistd.h>
#include <zstd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "perf/writer.h"

namespace pgokit::perf::test {

using Image = std::vector<u8>;

inline Image read_image(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Writer::Event branch_event(std::vector<u64> ids = {11}) {
  Writer::Event event;
  event.name = "cycles:u";
  event.attr.sample_type = field::ip | field::tid | field::time | field::period |
                           field::branch_stack | field::identifier;
  event.attr.branch_sample_type = branch::user | branch::any;
  event.attr.period = 1000;
  event.attr.flags = attr_flag::sample_id_all | attr_flag::mmap | attr_flag::comm;
  event.ids = std::move(ids);
  return event;
}

// Whatever `fill` writes.
template <class Fill>
Image recording(std::vector<Writer::Event> events, Fill fill) {
  std::string path = (std::filesystem::temp_directory_path() / "pgokit-test-XXXXXX").string();
  close(mkstemp(path.data()));
  auto writer = Writer::create(path, std::move(events));
  fill(*writer);
  if (!writer->commit()) return {};
  Image image = read_image(path);
  unlink(path.c_str());
  return image;
}

// One process, one mapping, `samples` samples with two branches each.
inline Image branch_recording(size_t samples) {
  return recording({branch_event()}, [&](Writer& writer) {
    std::array<u8, 20> id;
    id.fill(0xab);
    RecordId at{.pid = 7, .tid = 8, .time = 100, .id = 11};
    writer.comm(at, "app", true);
    writer.mmap2(at, {.start = 0x400000, .size = 0x2000, .path = "/bin/app", .build_id = id});
    const BranchEntry branches[] = {{0x401100, 0x401000, 2}, {0x401080, 0x401040, 1}};
    for (size_t i = 0; i < samples; ++i) {
      at.time += 10;
      writer.sample({.id = at, .ip = 0x401000 + i, .branches = branches});
    }
    writer.features().hostname = "testhost";
    writer.features().cmdline = {"pgokit", "record"};
    writer.features().build_ids = {{"/bin/app", {id.begin(), id.end()}}};
  });
}

template <class T>
T value_at(const Image& image, size_t at) {
  T value;
  std::memcpy(&value, image.data() + at, sizeof value);
  return value;
}

template <class T>
void set(Image& image, size_t at, T value) {
  std::memcpy(image.data() + at, &value, sizeof value);
}

template <class T>
void add(Image& image, T value) {
  const auto* bytes = reinterpret_cast<const u8*>(&value);
  image.insert(image.end(), bytes, bytes + sizeof value);
}

inline void add(Image& image, const Image& bytes) {
  image.insert(image.end(), bytes.begin(), bytes.end());
}

inline Image record(u32 type, u16 misc_bits, const Image& body) {
  Image bytes;
  add(bytes, type);
  add(bytes, misc_bits);
  add(bytes, static_cast<u16>(body.size() + sizeof(RecordHeader)));
  add(bytes, body);
  return bytes;
}

// Places in the header of a file.
inline constexpr size_t attrs_section = 24, data_section = 40, feature_bits = 72;

inline Image data_of(const Image& file) {
  auto begin = file.begin() + static_cast<std::ptrdiff_t>(value_at<u64>(file, data_section));
  return {begin, begin + static_cast<std::ptrdiff_t>(value_at<u64>(file, data_section + 8))};
}

// The same with other records; features are lost.
inline Image with_data(const Image& file, const Image& data) {
  Image image(file.begin(),
              file.begin() + static_cast<std::ptrdiff_t>(value_at<u64>(file, data_section)));
  set(image, data_section + 8, static_cast<u64>(data.size()));
  for (size_t i = 0; i < 4; ++i) set(image, feature_bits + i * 8, u64(0));
  add(image, data);
  return image;
}

// One event, as perf record -o - writes it.
inline Image as_pipe(const Image& file) {
  Image image(file.begin(), file.begin() + 8);
  add(image, u64(16));
  auto attr_at = file.begin() + static_cast<std::ptrdiff_t>(value_at<u64>(file, attrs_section));
  Image body(attr_at, attr_at + 120);
  add(body, u64(11));  // its id
  add(image, record(64, 0, body));
  Image host;
  add(host, u64(feature::hostname));
  add(host, u32(16));
  host.insert(host.end(), {'p', 'i', 'p', 'e', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  add(image, record(80, 0, host));
  add(image, data_of(file));
  return image;
}

// All records as one zstd stream, cut into pieces without regard to where records end.
inline Image packed(const Image& data, u32 type, size_t piece) {
  Image result;
  ZSTD_CStream* stream = ZSTD_createCStream();
  for (size_t at = 0; at < data.size(); at += piece) {
    size_t size = std::min(piece, data.size() - at);
    Image out(ZSTD_compressBound(size) + 64);
    ZSTD_inBuffer from{data.data() + at, size, 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush);
    out.resize(to.pos);
    if (type == 83) {
      Image body;
      add(body, static_cast<u64>(out.size()));
      add(body, out);
      body.resize((body.size() + 7) / 8 * 8);
      out = body;
    }
    add(result, record(type, 0, out));
  }
  ZSTD_freeCStream(stream);
  return result;
}

}  // namespace pgokit::perf::test

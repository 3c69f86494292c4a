#pragma once

// Raw profiles as the runtimes of LLVM 13 to 22 write them, of any byte order and pointer size.
//
//   RawBuilder raw({.version = 9, .big_endian = true, .pointer_size = 4});
//   raw.function({.name = "main", .hash = 7, .counters = {1, 2}});
//   std::string file = raw.file();

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/function_name.h"
#include "base/leb128.h"

namespace pgokit::test {

struct RawFunction {
  std::string name;
  u64 hash = 1;
  std::vector<u64> counters = {1};
  std::vector<u8> bitmap = {};
  u64 address = 0;
  // Of each kind its sites, of each site (value, count).
  std::array<std::vector<std::vector<std::pair<u64, u64>>>, 3> sites = {};
};

struct RawShape {
  u32 version = 10;
  u64 kind = u64{1} << 56;  // IR
  bool big_endian = false;
  size_t pointer_size = 8;
  std::string binary_id = {};
};

class RawBuilder {
 public:
  explicit RawBuilder(RawShape shape = {}) : shape_(std::move(shape)) {}

  void function(RawFunction function) { functions_.push_back(std::move(function)); }

  std::string file() const {
    bool bytes = shape_.kind >> 60 & 1;
    std::string ids, data, counters, bitmap, names, values;
    if (!shape_.binary_id.empty()) {
      put(ids, shape_.binary_id.size(), 8);
      ids += shape_.binary_id;
      pad(ids);
    }
    u64 counter_base = shape_.version >= 8 ? 0x100 : 0x5000, bitmap_base = 0x900;
    for (size_t i = 0; i < functions_.size(); ++i) {
      const auto& f = functions_[i];
      size_t begin = data.size(), p = shape_.pointer_size;
      u64 back = shape_.version >= 8 ? data.size() : 0;
      put(data, function_guid(f.name), 8);
      put(data, f.hash, 8);
      put(data, counter_base + counters.size() - back, p);
      if (shape_.version >= 9) put(data, bitmap_base + bitmap.size() - back, p);
      put(data, f.address, p);
      put(data, 0, p);
      put(data, f.counters.size(), 4);
      for (size_t kind = 0; kind < (shape_.version >= 10 ? 3 : 2); ++kind)
        put(data, f.sites[kind].size(), 2);
      if (shape_.version >= 9) {
        while ((data.size() - begin) % 4) data += '\0';
        put(data, f.bitmap.size(), 4);
      }
      while ((data.size() - begin) % 8) data += '\0';
      for (u64 count : f.counters) put(counters, bytes ? count == 0 : count, bytes ? 1 : 8);
      for (u8 byte : f.bitmap) put(bitmap, byte, 1);
      names += (i ? "\1" : "") + f.name;
      append_sites(values, f);
    }
    return joined(ids, data, counters, bitmap, names, values, counter_base, bitmap_base);
  }

 private:
  void put(std::string& out, u64 value, size_t size) const {
    for (size_t i = 0; i < size; ++i)
      out += static_cast<char>(value >> 8 * (shape_.big_endian ? size - 1 - i : i));
  }
  static void pad(std::string& out) {
    while (out.size() % 8) out += '\0';
  }

  void append_sites(std::string& out, const RawFunction& f) const {
    std::string kinds;
    u32 count = 0;
    for (u32 kind = 0; kind < 3; ++kind) {
      if (f.sites[kind].empty()) continue;
      ++count;
      put(kinds, kind, 4);
      put(kinds, f.sites[kind].size(), 4);
      for (const auto& site : f.sites[kind]) put(kinds, site.size(), 1);
      pad(kinds);
      for (const auto& site : f.sites[kind])
        for (auto [value, times] : site) put(kinds, value, 8), put(kinds, times, 8);
    }
    if (count == 0) return;
    put(out, 8 + kinds.size(), 4);
    put(out, count, 4);
    out += kinds;
  }

  std::string joined(const std::string& ids, const std::string& data, std::string counters,
                     std::string bitmap, const std::string& plain_names, const std::string& values,
                     u64 counter_base, u64 bitmap_base) const {
    std::string names, file;
    put_uleb128(plain_names.size(), [&](u8 byte) { names += static_cast<char>(byte); });
    names += '\0';
    names += plain_names;
    size_t counter_size = shape_.kind >> 60 & 1 ? 1 : 8, count = counters.size() / counter_size,
           bits = bitmap.size();
    pad(counters), pad(bitmap);
    size_t after_counters = counters.size() - count * counter_size,
           after_bitmap = bitmap.size() - bits, name_size = names.size();
    pad(names);
    u64 magic = 0;
    for (char c : {'\xff', 'l', 'p', 'r', 'o', 'f', shape_.pointer_size == 8 ? 'r' : 'R', '\x81'})
      magic = magic << 8 | static_cast<u8>(c);
    std::vector<u64> header{
        magic,         shape_.version | shape_.kind, ids.size(), functions_.size(), 0, count,
        after_counters};
    if (shape_.version >= 9) header.insert(header.end(), {bits, after_bitmap});
    header.insert(header.end(), {name_size, counter_base});
    if (shape_.version >= 9) header.push_back(bitmap_base);
    header.push_back(0x7000);
    if (shape_.version >= 10) header.insert(header.end(), {0, 0});
    header.push_back(shape_.version >= 10 ? 2 : 1);
    for (u64 field : header) put(file, field, 8);
    return file + ids + data + counters + bitmap + names + values;
  }

  RawShape shape_;
  std::vector<RawFunction> functions_;
};

}  // namespace pgokit::test

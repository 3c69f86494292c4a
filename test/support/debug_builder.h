#pragma once

// Debug sections written by hand, for what no compiler writes.
//
//   DebugBuilder d;
//   u64 function = d.abbrev(tag::subprogram, false, {{attr::name, form::string}, ...});
//   d.begin_unit(5);
//   d.info.uleb(function).text("f")...
//   d.end_unit();
//   std::string image = d.image();

#include <initializer_list>
#include <string>
#include <utility>

#include "test/support/elf_builder.h"

namespace pgokit::test {

class ByteBuilder {
 public:
  template <class T>
  ByteBuilder& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  ByteBuilder& u1(u64 value) { return put(static_cast<u8>(value)); }
  ByteBuilder& u2(u64 value) { return put(static_cast<u16>(value)); }
  ByteBuilder& u4(u64 value) { return put(static_cast<u32>(value)); }
  ByteBuilder& u8s(u64 value) { return put(value); }
  ByteBuilder& uleb(u64 value) {
    for (; value >= 0x80; value >>= 7) u1(value | 0x80);
    return u1(value);
  }
  ByteBuilder& text(std::string_view text) {
    bytes_ += text;
    return u1(0);
  }
  ByteBuilder& bytes(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  void set_u4(size_t at, u64 value) {
    auto little = static_cast<u32>(value);
    bytes_.replace(at, 4, reinterpret_cast<const char*>(&little), 4);
  }

  size_t size() const { return bytes_.size(); }
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

class DebugBuilder {
 public:
  using Spec = std::pair<u64, u64>;

  ByteBuilder info, abbrevs, ranges, rnglists, line, aranges;

  // Declares a kind of entry and returns its code.
  u64 abbrev(u64 tag, bool children, std::initializer_list<Spec> specs) {
    abbrevs.uleb(++codes_).uleb(tag).u1(children);
    for (auto [attribute, form] : specs) abbrevs.uleb(attribute).uleb(form);
    abbrevs.uleb(0).uleb(0);
    return codes_;
  }

  // Returns the unit's offset. The first entry comes next.
  size_t begin_unit(unsigned version) {
    unit_ = info.size();
    info.u4(0).u2(version);
    if (version >= 5) {
      info.u1(1).u1(8).u4(0);
    } else {
      info.u4(0).u1(8);
    }
    return unit_;
  }
  void end_unit() { info.set_u4(unit_, info.size() - unit_ - 4); }

  std::string image() const {
    return ElfBuilder()
        .section(".debug_info", info.str())
        .section(".debug_abbrev", abbrevs.str() + '\0')
        .section(".debug_ranges", ranges.str())
        .section(".debug_rnglists", rnglists.str())
        .section(".debug_line", line.str())
        .section(".debug_aranges", aranges.str())
        .image();
  }

 private:
  u64 codes_ = 0;
  size_t unit_ = 0;
};

}  // namespace pgokit::test

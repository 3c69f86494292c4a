#pragma once

// The probe sections for tests, byte by byte.
//
//   SectionBuilder out;
//   out.record("main", 2, 1).probe(1, 0, 0).probe(2, 2, 5);
//   out.inlinee(2, "leaf", 1, 0).probe(1, 0, 1);

#include <string>
#include <string_view>
#include <vector>

#include "base/function_name.h"
#include "base/leb128.h"
#include "base/types.h"

namespace pgokit::probe {

class SectionBuilder {
 public:
  SectionBuilder& record(std::string_view name, u64 probes, u64 inlinees) {
    return u64le(function_guid(name)).uleb(probes).uleb(inlinees);
  }
  SectionBuilder& inlinee(u64 call_site, std::string_view name, u64 probes, u64 inlinees) {
    return uleb(call_site).record(name, probes, inlinees);
  }
  SectionBuilder& probe(u64 index, u8 type, i64 delta) {
    return uleb(index).byte(static_cast<u8>(0x80 | type)).sleb(delta);
  }
  SectionBuilder& probe_with_discriminator(u64 index, u8 type, i64 delta, u64 discriminator) {
    return uleb(index).byte(static_cast<u8>(0xc0 | type)).sleb(delta).uleb(discriminator);
  }
  SectionBuilder& absolute(u64 index, u8 type, u64 address) {
    return uleb(index).byte(type).u64le(address);
  }
  SectionBuilder& sentinel(std::string_view symbol) {
    return uleb(0).byte(0x20).u64le(function_guid(symbol));
  }
  SectionBuilder& descriptor(std::string_view name, u64 hash) {
    u64le(function_guid(name)).u64le(hash).uleb(name.size());
    for (char c : name) byte(static_cast<u8>(c));
    return *this;
  }
  SectionBuilder& drop_last(size_t n) {
    bytes_.resize(bytes_.size() - n);
    return *this;
  }
  Bytes bytes() const { return bytes_; }

  SectionBuilder& byte(u8 value) {
    bytes_.push_back(value);
    return *this;
  }
  SectionBuilder& u64le(u64 value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<u8>(value >> 8 * i));
    return *this;
  }
  SectionBuilder& uleb(u64 value) {
    put_uleb128(value, [&](u8 one) { byte(one); });
    return *this;
  }
  SectionBuilder& sleb(i64 value) {
    put_sleb128(value, [&](u8 one) { byte(one); });
    return *this;
  }

 private:
  std::vector<u8> bytes_;
};

}  // namespace pgokit::probe

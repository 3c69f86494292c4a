#include "instr_profile/model/value_data.h"

#include "base/cursor.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/ordered_bytes.h"

namespace pgokit::instr_profile {
namespace {

constexpr size_t head_size = 8, kind_head_size = 8;

size_t rounded(size_t n) { return (n + 7) & ~size_t{7}; }

// The number of bytes of a kind; 0 where it does not fit into `bytes`.
size_t size_of_kind(Bytes bytes, u32 sites) {
  size_t numbers_end = rounded(kind_head_size + size_t{sites});
  if (numbers_end > bytes.size()) return 0;
  size_t count = 0;
  for (u32 i = 0; i < sites; ++i) count += bytes[kind_head_size + i];
  size_t size = numbers_end + count * sizeof(ValueCount);
  return size > bytes.size() ? 0 : size;
}

void decode_kind(const OrderedBytes& in, u32 sites, size_t size, SiteValues& values) {
  size_t numbers_end = rounded(kind_head_size + size_t{sites}),
         count = (size - numbers_end) / sizeof(ValueCount);
  values.sizes.reserve(values.sizes.size() + sites);
  for (u32 i = 0; i < sites; ++i) values.sizes.emplace_back(in.bytes[kind_head_size + i]);
  values.values.reserve(values.values.size() + count);
  for (size_t at = numbers_end; at < size; at += sizeof(ValueCount))
    values.values.emplace_back({in.at<u64>(at), in.at<u64>(at + 8)});
}

// visit(kind, sites, the bytes from there on, size)
template <class Visit>
Result<size_t> each_kind(Bytes bytes, bool big_endian, Visit visit) {
  if (bytes.size() < head_size) return fail("{}: value data", problem::truncated);
  OrderedBytes in{bytes, big_endian};
  size_t size = in.at<u32>(0);
  u32 kinds = in.at<u32>(4);
  if (size > bytes.size()) return fail("{}: {} bytes of value data", problem::too_large, size);
  if (kinds > value_kinds) return fail("{}: {} kinds of values", problem::malformed, kinds);
  if (size < head_size || size % 8 != 0)
    return fail("{}: {} bytes of value data", problem::malformed, size);
  size_t at = head_size;
  u32 last_kind = 0;
  for (u32 i = 0; i < kinds; ++i) {
    if (size - at < kind_head_size)
      return fail("{}: a kind of values ends past the value data", problem::malformed);
    OrderedBytes rest{bytes.subspan(at, size - at), big_endian};
    u32 kind = rest.at<u32>(0), sites = rest.at<u32>(4);
    if (kind >= value_kinds) return fail("{}: values of kind {}", problem::malformed, kind);
    if (i > 0 && kind <= last_kind)
      return fail("{}: values of kind {} after those of {}", problem::malformed, kind, last_kind);
    size_t used = size_of_kind(rest.bytes, sites);
    if (used == 0)
      return fail("{}: {} sites with values end past the value data", problem::malformed, sites);
    visit(kind, sites, rest, used);
    last_kind = kind;
    at += used;
  }
  return size;
}

}  // namespace

Result<size_t> check_values(Bytes bytes, bool big_endian) {
  return each_kind(bytes, big_endian, [](u32, u32, const OrderedBytes&, size_t) {});
}

Result<size_t> decode_values(Bytes bytes, bool big_endian, SiteValues& values) {
  values.clear();
  return each_kind(bytes, big_endian,
                   [&](u32 kind, u32 sites, const OrderedBytes& in, size_t size) {
                     values.sites[kind] = sites;
                     decode_kind(in, sites, size, values);
                   });
}

size_t encoded_size(const SiteValues* values) {
  size_t size = head_size;
  if (!values) return size;
  for (u32 sites : values->sites)
    if (sites) size += rounded(kind_head_size + sites);
  return size + values->values.size() * sizeof(ValueCount);
}

void append_values(const SiteValues* values, std::string& out) {
  auto put = [&](auto number) {
    Le little(number);
    out.append(reinterpret_cast<const char*>(&little), sizeof little);
  };
  put(static_cast<u32>(encoded_size(values)));
  put(static_cast<u32>(values ? values->kinds() : 0));
  if (!values) return;
  size_t site = 0;
  const ValueCount* at = values->values.begin();
  for (u32 kind = 0; kind < value_kinds; ++kind) {
    u32 sites = values->sites[kind];
    if (sites == 0) continue;
    put(kind), put(sites);
    size_t count = 0;
    for (u32 i = 0; i < sites; ++i, ++site) {
      out.push_back(static_cast<char>(values->sizes[site]));
      count += values->sizes[site];
    }
    out.append(rounded(kind_head_size + sites) - kind_head_size - sites, '\0');
    for (size_t i = 0; i < count; ++i, ++at) put(at->value), put(at->count);
  }
}

}  // namespace pgokit::instr_profile

#include "profile/model/llvm_hash.h"

#include <bit>
#include <unordered_map>

namespace pgokit::profile {
namespace {

// The hash of a list of words that LLVM keys contexts by: a relative of CityHash64 with a fixed
// seed. Source of truth: llvm/ADT/Hashing.h.
constexpr u64 seed = 0xff51afd7ed558ccd;
constexpr u64 k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f,
              k3 = 0xc949d7c7509e6557;

u64 folded(u64 x) { return x ^ (x >> 47); }

u64 hash_pair(u64 low, u64 high) {
  constexpr u64 multiplier = 0x9ddfea08eb382d69;
  u64 a = folded((low ^ high) * multiplier);
  return folded((high ^ a) * multiplier) * multiplier;
}

u64 hash_up_to_four(std::span<const u64> w) {
  size_t n = w.size();
  u64 bytes = 8 * n;
  if (n == 0) return k2 ^ seed;
  if (n == 1) return hash_pair(bytes + ((w[0] & 0xffffffff) << 3), seed ^ (w[0] >> 32));
  if (n == 2)
    return hash_pair(seed ^ w[0], std::rotr(w[1] + bytes, static_cast<int>(bytes))) ^ w[1];
  u64 a = w[0] * k1, b = w[1], c = w[n - 1] * k2, d = w[n - 2] * k0;
  return hash_pair(std::rotr(a - b, 43) + std::rotr(c ^ seed, 30) + d,
                   a + std::rotr(b ^ k3, 20) - c + bytes + seed);
}

u64 hash_up_to_eight(std::span<const u64> w) {
  size_t n = w.size();
  auto half = [](u64 first, u64 second, u64 third, u64 last) {
    u64 b = std::rotr(first + last, 52), c = std::rotr(first, 37);
    first += second;
    c += std::rotr(first, 7);
    first += third;
    return std::pair(first + last, b + std::rotr(first, 31) + c);
  };
  auto [front, front_mixed] = half(w[0] + (8 * n + w[n - 2]) * k0, w[1], w[2], w[3]);
  auto [back, back_mixed] = half(w[2] + w[n - 4], w[n - 3], w[n - 2], w[n - 1]);
  u64 r = folded((front + back_mixed) * k2 + (back + front_mixed) * k0);
  return folded((seed ^ (r * k0)) + front_mixed) * k2;
}

class LongHash {
 public:
  void mix(const u64* w) {
    h_[0] = std::rotr(h_[0] + h_[1] + h_[3] + w[1], 37) * k1;
    h_[1] = std::rotr(h_[1] + h_[4] + w[6], 42) * k1;
    h_[0] ^= h_[6];
    h_[1] += h_[3] + w[5];
    h_[2] = std::rotr(h_[2] + h_[5], 33) * k1;
    h_[3] = h_[4] * k1;
    h_[4] = h_[0] + h_[5];
    mix_half(w, h_[3], h_[4]);
    h_[5] = h_[2] + h_[6];
    h_[6] = h_[1] + w[2];
    mix_half(w + 4, h_[5], h_[6]);
    std::swap(h_[2], h_[0]);
  }
  u64 finish(u64 bytes) const {
    return hash_pair(hash_pair(h_[3], h_[5]) + folded(h_[1]) * k1 + h_[2],
                     hash_pair(h_[4], h_[6]) + folded(bytes) * k1 + h_[0]);
  }

 private:
  static void mix_half(const u64* w, u64& a, u64& b) {
    a += w[0];
    b = std::rotr(b + a + w[3], 21);
    u64 before = a;
    a += w[1] + w[2];
    b += std::rotr(a, 44) + before;
    a += w[3];
  }

  u64 h_[7] = {0,
               seed,
               hash_pair(seed, k1),
               std::rotr(seed ^ k1, 49),
               seed* k1,
               folded(seed),
               hash_pair(seed* k1, folded(seed))};
};

}  // namespace

u64 llvm_hash(std::span<const u64> words) {
  if (words.size() <= 4) return hash_up_to_four(words);
  if (words.size() <= 8) return hash_up_to_eight(words);
  LongHash hash;
  size_t done = 0;
  for (; done + 8 <= words.size(); done += 8) hash.mix(&words[done]);
  if (done < words.size()) hash.mix(&words[words.size() - 8]);
  return hash.finish(8 * words.size());
}

std::vector<u32> llvm_table_order(std::span<const u64> keys) {
  std::unordered_map<u64, u32> table;  // the same one as theirs, filled in the same order
  for (u32 i = 0; i < keys.size(); ++i) table.emplace(keys[i], i);
  std::vector<u32> order;
  order.reserve(table.size());
  for (const auto& [key, place] : table) order.push_back(place);
  return order;
}

u64 LlvmKeys::guid(NameId name) {
  auto at = static_cast<size_t>(name);
  if (at >= guids_.size()) guids_.resize(profile_.names.size());
  if (!guids_[at]) guids_[at] = profile_.names.guid(name);
  return *guids_[at];
}

std::vector<u64> LlvmKeys::all() {
  std::vector<u64> keys;
  for (const auto& function : profile_.functions()) keys.push_back(key(function.context));
  return keys;
}

u64 LlvmKeys::key(ContextId context) {
  if (!profile_.flags.context_sensitive) return guid(profile_.contexts.node(context).function);
  std::vector<u64> words;
  for (const auto& [function, location] : profile_.contexts.frames(context)) {
    u64 place = u64{location.discriminator} << 32 | location.line_offset;
    words.push_back(guid(function) + (place << 5) + place);
  }
  return llvm_hash(words);
}

}  // namespace pgokit::profile

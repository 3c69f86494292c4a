#include "bolt/entering.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/parallel.h"
#include "isa/decoder.h"

namespace pgokit::bolt {
namespace {

// Which code was hit, by pieces of 64 bytes: most of what looks like a branch is ruled out by one
// bit.
class HitCode {
 public:
  HitCode(const Functions& functions, std::span<const u32> hit) : functions_(functions), hit_(hit) {
    if (hit.empty()) return;
    auto all = functions.all();
    low_ = all[hit.front()].address / piece;
    u64 end = all[hit.back()].address + all[hit.back()].size;
    u64 pieces = std::min<u64>(end / piece - low_ + 1, most_pieces);
    bits_.resize(pieces);
    for (u32 function : hit)
      for (u64 at = all[function].address / piece - low_,
               last = (all[function].address + all[function].size) / piece - low_;
           at <= last && at < pieces; ++at)
        bits_[at] = true;
  }

  bool may_hold(u64 address) const {
    u64 at = address / piece - low_;
    return at < bits_.size() && bits_[at];
  }
  // The function at `from`, if it was not hit and `to` is in the middle of one that was.
  u32 entering(u64 from, u64 to) const {
    u32 target = functions_.index_of(to);
    if (target == Functions::none || !is_hit(target)) return Functions::none;
    const auto& function = functions_.all()[target];
    if (to == function.address || !function.holds(to)) return Functions::none;
    u32 source = functions_.index_of(from);
    return source == Functions::none || is_hit(source) ? Functions::none : source;
  }

 private:
  bool is_hit(u32 function) const { return std::ranges::binary_search(hit_, function); }

  static constexpr u64 piece = 64, most_pieces = 1 << 26;  // 4 GB of code
  const Functions& functions_;
  std::span<const u32> hit_;
  u64 low_ = 0;
  std::vector<bool> bits_;
};

// x86-64: at every byte, whether or not an instruction begins there.
void search_x86(Bytes code, u64 address, size_t begin, size_t end, const HitCode& hit,
                std::vector<u32>& found) {
  auto look = [&](size_t at, u64 target) {
    if (!hit.may_hold(target)) return;
    if (u32 source = hit.entering(address + at, target); source != Functions::none)
      found.push_back(source);
  };
  auto distance = [&](size_t at) {
    return static_cast<u64>(i64{Cursor(code.subspan(at, 4)).get<i32>()});
  };
  for (size_t at = begin; at < end; ++at) {
    u8 byte = code[at];
    if (byte == 0xe8 || byte == 0xe9) {
      if (code.size() - at >= 5) look(at, address + at + 5 + distance(at + 1));
    } else if (byte == 0x0f) {
      if (code.size() - at >= 6 && (code[at + 1] & 0xf0) == 0x80)
        look(at, address + at + 6 + distance(at + 2));
    } else if (byte == 0xeb || (byte & 0xf0) == 0x70 || (byte & 0xfc) == 0xe0) {
      if (code.size() - at >= 2)
        look(at, address + at + 2 + static_cast<u64>(i64{static_cast<signed char>(code[at + 1])}));
    }
  }
}

void search_words(const isa::Decoder& decoder, Bytes code, u64 address, size_t begin, size_t end,
                  const HitCode& hit, std::vector<u32>& found) {
  for (size_t at = begin; at < end; at += 4) {
    auto one = decoder.decode(code.subspan(at), address + at);
    if (!one.has_target || !hit.may_hold(one.target)) continue;
    if (u32 source = hit.entering(address + at, one.target); source != Functions::none)
      found.push_back(source);
  }
}

}  // namespace

std::vector<u32> entering_functions(const object::File& file, const Functions& functions,
                                    std::span<const u32> hit, unsigned threads) {
  auto decoder = isa::Decoder::for_machine(file.machine());
  if (!decoder || hit.empty()) return {};
  HitCode code_hit(functions, hit);
  std::vector<std::vector<u32>> found(worker_count(threads));
  for (const auto& section : file.sections()) {
    if (!section.is_code() || !section.loaded) continue;
    Chunks chunks{section.contents.size(), 1 << 18};
    parallel_for(chunks.count(), threads, [&](size_t chunk, unsigned worker) {
      size_t begin = chunks.begin(chunk), end = chunks.end(chunk);
      if (file.machine() == EM_X86_64)
        search_x86(section.contents, section.address, begin, end, code_hit, found[worker]);
      else
        search_words(*decoder, section.contents, section.address, begin, end, code_hit,
                     found[worker]);
    });
  }
  std::vector<u32> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

}  // namespace pgokit::bolt

// Numbers are ULEB128. Places are told by their distance from the one before, as those that are
// sorted lie close together.
#include "perf/branch_counts.h"

#include "base/cursor.h"

namespace pgokit::perf {
namespace {

constexpr u64 version = 1;

class Encoder {
 public:
  void number(u64 value) {
    for (; value >= 0x80; value >>= 7) text.push_back(static_cast<char>(value | 0x80));
    text.push_back(static_cast<char>(value));
  }
  void bytes(std::string_view bytes) {
    number(bytes.size());
    text.append(bytes);
  }
  void place(const BranchCounts::Place& place, u64& before) {
    number(place.file == BranchCounts::Place::nowhere ? 0 : u64{place.file} + 1);
    auto distance = static_cast<i64>(place.offset - before);
    number(static_cast<u64>(distance) << 1 ^ static_cast<u64>(distance >> 63));
    before = place.offset;
  }
  void limits(const std::vector<BranchCounts::Limit>& list) {
    u64 before = 0;
    number(list.size());
    for (const auto& one : list) place(one.at, before), number(one.count);
  }

  std::string text;
};

class Decoder {
 public:
  Decoder(Bytes bytes, const BranchCounts& counts) : in(bytes), counts_(counts) {}

  Bytes bytes() { return in.bytes(in.uleb128()); }
  BranchCounts::Place place(u64& before) {
    u64 file = in.uleb128(), distance = in.uleb128();
    before += distance >> 1 ^ (0 - (distance & 1));
    known_ &= file <= counts_.files.size();
    return {.file = static_cast<u32>(file) - 1, .offset = before};
  }
  std::vector<BranchCounts::Limit> limits() {
    std::vector<BranchCounts::Limit> list;
    u64 before = 0;
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      auto at = place(before);
      list.push_back({at, in.uleb128()});
    }
    return list;
  }
  bool ok() const { return in.ok() && known_; }

  Cursor in;

 private:
  const BranchCounts& counts_;
  bool known_ = true;  // all files are in the list
};

}  // namespace

std::string encode(const BranchCounts& counts) {
  Encoder out;
  out.number(version);
  out.number(counts.scale), out.number(counts.windows);
  out.number(counts.files.size());
  for (const auto& file : counts.files) out.bytes(file.path), out.bytes(as_text(file.build_id));
  u64 from = 0, to = 0;
  out.number(counts.branches.size());
  for (const auto& branch : counts.branches) {
    out.place(branch.from, from), out.place(branch.to, to);
    out.number(branch.count);
  }
  out.limits(counts.begun), out.limits(counts.ended);
  return std::move(out.text);
}

Result<BranchCounts> decode_branch_counts(Bytes bytes) {
  BranchCounts counts;
  Decoder in(bytes, counts);
  if (u64 found = in.in.uleb128(); found != version)
    return fail("its branch counts are of version {}, which this pgokit does not know", found);
  counts.scale = in.in.uleb128(), counts.windows = in.in.uleb128();
  for (u64 n = in.in.uleb128(); n > 0 && in.ok(); --n) {
    auto path = as_text(in.bytes());
    counts.files.push_back({path, in.bytes()});
  }
  u64 from = 0, to = 0;
  for (u64 n = in.in.uleb128(); n > 0 && in.ok(); --n) {
    auto source = in.place(from), target = in.place(to);
    counts.branches.push_back({source, target, in.in.uleb128()});
  }
  counts.begun = in.limits(), counts.ended = in.limits();
  if (!in.ok() || counts.scale == 0) return fail("its branch counts are damaged");
  return counts;
}

}  // namespace pgokit::perf

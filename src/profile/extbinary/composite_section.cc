#include "profile/extbinary/composite_section.h"

#include <algorithm>
#include <optional>

#include "profile/extbinary_format.h"
#include "profile/model/byte_writer.h"

namespace pgokit::profile {
namespace {

constexpr size_t most_unknown = 16;

// The block with the counts; none: there are no counts of this function.
Result<std::optional<Bytes>> read_blocks(Cursor& in, std::vector<u64>& unknown_kinds) {
  std::optional<Bytes> counts;
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    u64 kind = in.uleb128();
    Bytes block = in.bytes(in.uleb128());
    if (!in.ok()) break;
    if (kind == composite_counts) {
      if (counts) return fail("two blocks of counts of one function");
      counts = block;
    } else if (unknown_kinds.size() < most_unknown && !std::ranges::count(unknown_kinds, kind)) {
      unknown_kinds.push_back(kind);
    }
  }
  if (!in.ok()) return fail("ends early");
  return counts;
}

}  // namespace

Result<PlainFunctions> read_composite(Cursor& in) {
  PlainFunctions plain;
  ByteWriter out;
  while (!in.at_end()) {
    size_t start = in.position();
    u64 subject = in.uleb128();
    auto counts = TRY_IN(fmt::format("function at offset {:#x}", start),
                         read_blocks(in, plain.unknown_kinds));
    if (!counts) continue;
    Cursor block(*counts);
    out.uleb128(block.uleb128());  // its head
    out.uleb128(subject);
    out.text(as_text(block.rest()));
    plain.ends.push_back(out.size());
  }
  plain.bytes = std::move(out).take();
  return plain;
}

}  // namespace pgokit::profile

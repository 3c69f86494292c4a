#include "generate/context/lines/leaf_lines.h"

#include <algorithm>

#include "base/parallel.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"

namespace pgokit::generate {
namespace {

struct Span {
  u32 first, last;
};

// The code that is touched, as spans that neither overlap nor touch.
std::vector<Span> touched(std::span<const unwind::Range> ranges,
                          std::span<const unwind::Branch> branches, u64 code_size) {
  // How far the code is touched from each place on, where something starts.
  std::vector<u32> reach(code_size);
  auto touch = [&](program::CodeIndex first, program::CodeIndex last) {
    u32& end = reach[static_cast<u32>(first)];
    end = std::max(end, static_cast<u32>(last) + 1);
  };
  for (const auto& range : ranges) touch(range.first, range.last);
  for (const auto& branch : branches)
    if (branch.from != program::no_code) touch(branch.from, branch.from);
  std::vector<Span> spans;
  for (u32 at = 0; at < code_size; ++at) {
    if (reach[at] == 0) continue;
    Span span{at, reach[at] - 1};
    for (u32 next = at + 1; next <= span.last + 1 && next < code_size; ++next)
      if (reach[next] > 0) span.last = std::max(span.last, reach[next] - 1);
    spans.push_back(span);
    at = span.last;
  }
  return spans;
}

// The code of a span has one section, where indexes and addresses run in parallel.
void read_span(const program::CodeMap& code, dwarf::FrameCursor& cursor, Span span,
               std::vector<LeafLines::Part>& parts) {
  u64 base = code.address_of(program::CodeIndex(span.first)).value - span.first;
  for (u64 at = span.first; at <= span.last;) {
    const auto& part = cursor.at(base + at);
    u64 end = std::min<u64>(part.end - base, u64{span.last} + 1);
    if (!part.frames.empty()) {
      const auto& leaf = part.frames.back();
      parts.push_back({static_cast<u32>(at), static_cast<u32>(end), dwarf::line_offset(leaf),
                       leaf.discriminator, 0});
    }
    at = end;
  }
}

}  // namespace

LeafLines::LeafLines(const program::Program& program, std::span<const unwind::Range> ranges,
                     std::span<const unwind::Branch> branches, LocationTable& locations,
                     unsigned threads) {
  if (!program.debug()) return;
  const auto& code = program.code();
  auto spans = touched(ranges, branches, code.size());
  Chunks chunks{spans.size(), 64};
  std::vector<std::vector<Part>> found(chunks.count());
  parallel_for(found.size(), threads, [&](size_t group, unsigned) {
    dwarf::FrameCursor cursor(*program.debug());
    for (const auto& span : chunks.of(spans, group)) read_span(code, cursor, span, found[group]);
  });
  for (const auto& group : found) parts_.insert(parts_.end(), group.begin(), group.end());
  for (auto& part : parts_)
    part.location =
        locations.intern({part.line_offset,
                          dwarf::base_discriminator(part.discriminator, program.discriminators())});
  first_behind_.resize((code.size() >> block_bits) + 1);
  u32 part = 0;
  for (size_t block = 0; block < first_behind_.size(); ++block) {
    while (part < parts_.size() && parts_[part].end <= block << block_bits) ++part;
    first_behind_[block] = part;
  }
}

const LeafLines::Part* LeafLines::at(program::CodeIndex at) const {
  auto place = static_cast<u32>(at);
  u32 part = first_behind_.empty() ? 0 : first_behind_[block_of(at)];
  while (part < parts_.size() && parts_[part].end <= place) ++part;
  return part < parts_.size() && parts_[part].first <= place ? &parts_[part] : nullptr;
}

}  // namespace pgokit::generate

#include "generate/functions/code_functions.h"

namespace pgokit::generate {

CodeFunctions::CodeFunctions(const program::Program& program) {
  const auto& code = program.code();
  for (const auto& range : program.functions().ranges()) {
    auto start = code.index_of({range.start}), last = code.index_of({range.end - 1});
    if (start == program::no_code || last == program::no_code) continue;
    ranges_.push_back({static_cast<u32>(start), static_cast<u32>(last) + 1, range.function});
  }
  size_t blocks = (code.size() >> block_bits) + 1;
  first_after_.resize(blocks);
  u32 range = 0;
  for (size_t block = 0; block < blocks; ++block) {
    while (range < ranges_.size() && ranges_[range].start <= block << block_bits) ++range;
    first_after_[block] = range;
  }
}

u32 CodeFunctions::range_at(program::CodeIndex at) const {
  auto place = static_cast<u32>(at);
  u32 next = first_after_[place >> block_bits];
  while (next < ranges_.size() && ranges_[next].start <= place) ++next;
  return next > 0 && place < ranges_[next - 1].end ? next - 1 : none;
}

}  // namespace pgokit::generate

#include "record/restartable.h"

#include <algorithm>
#include <optional>

#include "base/cursor.h"

namespace pgokit::record {
namespace {

constexpr u64 announcement = 64;  // bytes of code before a sequence
constexpr u64 most_bytes = 1 << 16;

struct Sequence {
  Le<u32> version, flags;
  Le<u64> start, length, abort;
};

std::optional<u64> load_bias(const Mapping& mapping, const elf::File& file) {
  for (const auto& segment : file.segments())
    if (segment.is_code() && mapping.offset + 4096 > segment.offset &&
        mapping.offset < segment.offset + segment.file_size)
      return mapping.start - (segment.address - segment.offset + mapping.offset);
  return std::nullopt;
}

}  // namespace

std::vector<CodeRange> restartable_code(TargetMemory& memory, const Mapping& mapping,
                                        const elf::File& file) {
  std::vector<CodeRange> ranges;
  const auto* section = file.section("__rseq_cs");
  if (!section) return ranges;
  auto bias = load_bias(mapping, file);
  std::vector<u8> bytes(std::min(section->size, most_bytes));
  // in memory the addresses are relocated
  if (!bias || !memory.read(*bias + section->address, bytes.data(), bytes.size())) return ranges;
  Cursor in(bytes);
  for (const auto& one : in.array<Sequence>(bytes.size() / sizeof(Sequence)))
    if (one.start >= announcement)
      ranges.push_back({one.start - announcement, one.start + one.length});
  return ranges;
}

}  // namespace pgokit::record

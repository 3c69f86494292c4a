#include "instr_profile/model/memory_section.h"

#include <array>
#include <span>

#include "base/cursor.h"
#include "instr_profile/model/facts.h"

namespace pgokit::instr_profile {
namespace {

// The number of its offset, in version 4.
constexpr size_t accessed_data = 3;

constexpr size_t version_size = 8, offset_size = 8, counts_size = 16;

struct Layout {
  size_t offsets;                  // behind the version
  std::span<const size_t> tables;  // which of them are those of tables, that of functions first
};

constexpr std::array<size_t, 3> tables_2 = {0, 2, 4};
constexpr std::array<size_t, 1> tables_3 = {2};

Result<Layout> layout_of(u64 version) {
  if (version == 2) return Layout{5, tables_2};
  if (version == 3 || version == 4) return Layout{version, tables_3};
  return fail("{}: memory profile of version {}, known are 2 to 4", problem::version, version);
}

u64 number_at(std::string_view section, size_t at) {
  Le<u64> number;
  std::memcpy(&number, section.data() + at, sizeof number);
  return number;
}

// visit(position of an offset in the section); those that are 0 lead nowhere. Each that is visited
// is inside.
template <class Visit>
Status each_offset(std::string_view section, u64 begin, Visit visit) {
  auto bad = [&](std::string_view what, u64 value) {
    return fail("{}: the memory profile at {:#x} has {} {:#x}", problem::malformed, begin, what,
                value);
  };
  auto inside = [&](size_t at) {
    u64 offset = number_at(section, at);
    return offset >= begin && offset - begin <= section.size();
  };
  if (section.size() < version_size) return bad("the size", section.size());
  auto layout = TRY(layout_of(number_at(section, 0)));
  if (section.size() < version_size + layout.offsets * offset_size)
    return bad("the size", section.size());
  for (size_t i = 0; i < layout.offsets; ++i) {
    size_t at = version_size + i * offset_size;
    if (i == accessed_data && layout.tables.size() == 1 && number_at(section, at) == 0) continue;
    if (!inside(at)) return bad("an offset", number_at(section, at));
    visit(at);
  }
  for (size_t table : layout.tables) {
    u64 at = number_at(section, version_size + table * offset_size) - begin;
    if (section.size() - at < counts_size) return bad("a table at", begin + at);
    u64 buckets = number_at(section, at);
    at += counts_size;
    if (buckets > (section.size() - at) / offset_size) return bad("a table of size", buckets);
    for (u64 i = 0; i < buckets; ++i, at += offset_size) {
      if (number_at(section, at) == 0) continue;
      if (!inside(at)) return bad("a bucket at", number_at(section, at));
      visit(at);
    }
  }
  return {};
}

}  // namespace

Result<MemorySection> read_memory(Bytes section, u64 begin) {
  auto bytes = as_text(section);
  TRY(each_offset(bytes, begin, [](size_t) {}));
  auto layout = TRY(layout_of(number_at(bytes, 0)));
  u64 functions =
      number_at(bytes, version_size + layout.tables[0] * offset_size) - begin + offset_size;
  bool has_data =
      number_at(bytes, 0) == 4 && number_at(bytes, version_size + accessed_data * offset_size) != 0;
  return MemorySection{bytes, begin, number_at(bytes, functions) == 0 && !has_data};
}

std::string moved(std::string_view section, u64 from, u64 to) {
  std::string copy(section);
  // Positions are those of the original, which was read.
  [[maybe_unused]] auto result = each_offset(section, from, [&](size_t at) {
    Le<u64> offset(number_at(section, at) - from + to);
    std::memcpy(copy.data() + at, &offset, sizeof offset);
  });
  return copy;
}

}  // namespace pgokit::instr_profile

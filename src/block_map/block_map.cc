#include "block_map/block_map.h"

#include <limits>

#include "base/cursor.h"
#include "object/relocations.h"

namespace pgokit::block_map {
namespace {

constexpr std::string_view section_name = ".llvm_bb_addr_map";
constexpr u8 oldest_version = 2, newest_version = 5;
constexpr u16 known_features = 0xff;
constexpr u32 known_flags = 0x1f;

Features features_of(u32 bits) {
  return {.entry_count = (bits & 1) != 0,
          .frequencies = (bits & 2) != 0,
          .probabilities = (bits & 4) != 0,
          .several_ranges = (bits & 8) != 0,
          .omitted_blocks = (bits & 16) != 0,
          .call_sites = (bits & 32) != 0,
          .hashes = (bits & 64) != 0,
          .post_link = (bits & 128) != 0};
}

// The number of the version that brought a feature.
u8 version_with(const Features& features) {
  return features.post_link ? 5 : features.hashes ? 4 : features.call_sites ? 3 : 2;
}

class FunctionReader {
 public:
  FunctionReader(Bytes section, u8 address_size) : in_(section), address_size_(address_size) {}

  bool at_end() const { return in_.at_end(); }
  const Function& function() const { return function_; }

  Status read() {
    clear();
    start_ = in_.position();
    function_.version = in_.get<u8>();
    if (in_.ok() && (function_.version < oldest_version || function_.version > newest_version))
      return fail("version {} of the block map is not known: {} to {} are", function_.version,
                  oldest_version, newest_version);
    u32 bits = function_.version < 5 ? in_.get<u8>() : in_.get<u16>();
    function_.features = features_of(bits);
    if ((bits & ~known_features) != 0 || version_with(function_.features) > function_.version)
      return damaged();
    read_ranges();
    if (function_.features.entry_count) function_.entry_count = in_.uleb128();
    if (function_.features.frequencies || function_.features.probabilities) read_beliefs();
    return in_.ok() && ok_ ? Status() : damaged();
  }

 private:
  // Reserved by what the rest can hold at least, so that nothing grows by doubling.
  template <class T>
  void reserve(std::vector<T>& list, u64 count, size_t least_bytes) const {
    list.reserve(list.size() + std::min<u64>(count, in_.left() / least_bytes));
  }

  void clear() {
    function_.entry_count = 0;
    function_.addresses.clear();
    function_.blocks.clear();
    auto& columns = function_.columns;
    for (auto* list :
         {&columns.hashes, &columns.frequencies, &columns.post_link_counts, &columns.edge_counts})
      list->clear();
    for (auto* list : {&columns.first_call, &columns.first_successor, &columns.calls,
                       &columns.successors, &columns.probabilities})
      list->clear();
  }

  std::unexpected<Error> damaged() const {
    return fail("the block map is damaged at offset {:#x}", start_);
  }

  // Of 32 bits, as LLVM reads it.
  u32 number() {
    u64 value = in_.uleb128();
    ok_ &= value <= std::numeric_limits<u32>::max();
    return static_cast<u32>(value);
  }

  void read_ranges() {
    u32 ranges = 1;
    if (function_.features.several_ranges) {
      ranges = number();
      ok_ &= ranges != 0 && ranges <= std::numeric_limits<u16>::max();
    }
    reserve(function_.addresses, ranges, address_size_);
    for (u32 range = 0; range < ranges && in_.ok() && ok_; ++range) {
      function_.addresses.push_back(address_size_ == 8 ? in_.get<u64>() : in_.get<u32>());
      u32 blocks = number();
      if (!function_.features.omitted_blocks) read_blocks(static_cast<u16>(range), blocks);
    }
    if (function_.features.call_sites)
      function_.columns.first_call.push_back(static_cast<u32>(function_.columns.calls.size()));
  }

  void read_blocks(u16 range, u32 blocks) {
    constexpr size_t least_bytes = 4;
    reserve(function_.blocks, blocks, least_bytes);
    if (function_.features.hashes)
      reserve(function_.columns.hashes, blocks, least_bytes + sizeof(u64));
    u32 end = 0;
    for (u32 i = 0; i < blocks && in_.ok() && ok_; ++i) {
      Block block;
      block.range = range;
      block.id = number();
      block.offset = end + number();
      u32 last_call = function_.features.call_sites ? read_calls() : 0;
      block.size = last_call + number();
      end = block.offset + block.size;
      u32 flags = number();
      ok_ &= (flags & ~known_flags) == 0;
      block.flags = static_cast<u8>(flags);
      if (function_.features.hashes) function_.columns.hashes.push_back(in_.get<u64>());
      function_.blocks.push_back(block);
    }
  }

  // The end of the block's last call.
  u32 read_calls() {
    auto& columns = function_.columns;
    columns.first_call.push_back(static_cast<u32>(columns.calls.size()));
    u32 calls = number(), end = 0;
    for (u32 i = 0; i < calls && in_.ok() && ok_; ++i) columns.calls.push_back(end += number());
    return end;
  }

  void read_beliefs() {
    const auto& features = function_.features;
    auto& columns = function_.columns;
    for (size_t i = 0; i < function_.blocks.size() && in_.ok() && ok_; ++i) {
      if (features.frequencies) {
        columns.frequencies.push_back(in_.uleb128());
        if (features.post_link) columns.post_link_counts.push_back(in_.uleb128());
      }
      if (features.probabilities) read_successors();
    }
    if (features.probabilities)
      columns.first_successor.push_back(static_cast<u32>(columns.successors.size()));
  }

  void read_successors() {
    auto& columns = function_.columns;
    columns.first_successor.push_back(static_cast<u32>(columns.successors.size()));
    u64 count = in_.uleb128();
    for (u64 i = 0; i < count && in_.ok() && ok_; ++i) {
      columns.successors.push_back(number());
      columns.probabilities.push_back(number());
      if (function_.features.post_link) columns.edge_counts.push_back(in_.uleb128());
    }
  }

  Cursor in_;
  u8 address_size_;
  size_t start_ = 0;
  bool ok_ = true;
  Function function_;
};

std::span<const u32> part_of(const std::vector<u32>& list, const std::vector<u32>& first,
                             size_t block) {
  if (block + 1 >= first.size()) return {};
  return std::span(list).subspan(first[block], first[block + 1] - first[block]);
}

}  // namespace

std::span<const u32> Function::calls_of(size_t block) const {
  return part_of(columns.calls, columns.first_call, block);
}
std::span<const u32> Function::successors_of(size_t block) const {
  return part_of(columns.successors, columns.first_successor, block);
}
std::span<const u32> Function::probabilities_of(size_t block) const {
  return part_of(columns.probabilities, columns.first_successor, block);
}

Status each_function(Bytes section, u8 address_size, const Visitor& visit) {
  FunctionReader reader(section, address_size);
  while (!reader.at_end()) {
    TRY(reader.read());
    visit(reader.function());
  }
  return {};
}

Status each_function(const object::File& file, const Visitor& visit) {
  if (!has_block_map(file))
    return fail("has no block map: compile with {} ({})", options_for_beliefs, options_with_lto);
  object::Layout layout(file);
  object::Relocations relocations(file);
  std::vector<object::Symbol> symbols;
  for (const auto& section : file.sections()) {
    if (section.name != section_name) continue;
    if (!file.is_relocatable() || !relocations.any(section)) {
      Bytes contents = TRY(file.contents(section));
      TRY(each_function(contents, file.address_size(), visit));
      continue;
    }
    if (symbols.empty()) symbols = file.symbols();
    auto relocated = TRY(relocations.apply(section, layout, symbols));
    TRY(each_function(relocated, file.address_size(), visit));
  }
  return {};
}

bool has_block_map(const object::File& file) { return file.section(section_name) != nullptr; }

}  // namespace pgokit::block_map

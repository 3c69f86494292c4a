#include "samples/data_accesses.h"

#include <algorithm>
#include <map>

#include "base/parse_number.h"
#include "perf/script.h"
#include "samples/data_symbols.h"
#include "samples/load_address.h"
#include "samples/program_match.h"

namespace pgokit::samples {
namespace {

struct Access {
  u32 pid = 0;
  u64 ip = 0, address = 0;
};

// Takes what it finds from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  void literal(std::string_view word) {
    ok_ = ok_ && rest_.starts_with(word);
    if (ok_) rest_.remove_prefix(word.size());
  }
  void word() {
    size_t length = 0;
    while (length < rest_.size() && ((rest_[length] | 32) >= 'a' && (rest_[length] | 32) <= 'z'))
      ++length;
    ok_ = ok_ && length > 0;
    if (ok_) rest_.remove_prefix(length);
  }
  template <class Number>
  Number number(int base) {
    Number value{};
    ok_ = ok_ && take_number(rest_, value, base);
    return value;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::string_view sample_mark = "PERF_RECORD_SAMPLE(";

std::optional<Access> parse_access(std::string_view line) {
  for (size_t at = line.find(sample_mark); at != line.npos; at = line.find(sample_mark, at + 1)) {
    Scanner in(line.substr(at + sample_mark.size()));
    Access access;
    in.word();
    in.literal(", 0x");
    in.number<u64>(16);
    in.literal("): ");
    access.pid = in.number<u32>(10);
    in.literal("/");
    in.number<u64>(10);
    in.literal(": 0x");
    access.ip = in.number<u64>(16);
    in.literal(" period: ");
    in.number<u64>(10);
    in.literal(" addr: 0x");
    access.address = in.number<u64>(16);
    if (in.ok()) return access;
  }
  return std::nullopt;
}

// Where the data of the program lies, by start.
class DataMaps {
 public:
  explicit DataMaps(const object::File& file) : file_(file) {}

  Status add(const perf::MmapLine& event) {
    auto next = maps_.lower_bound(event.start);
    bool overlaps = next != maps_.end() && next->first - event.start < event.size;
    if (next != maps_.begin()) {
      const auto& [start, before] = *std::prev(next);
      overlaps |= event.start - start < before.size;
    }
    if (overlaps)
      return fail("Non-text mmap event overlaps with existing event at address: {:x}", event.start);
    maps_.emplace(event.start, Map{event.size, event.file_offset});
    return {};
  }

  // As linked.
  u64 translate(u64 address) const {
    auto next = maps_.upper_bound(address);
    if (next == maps_.begin()) return address;
    const auto& [start, map] = *std::prev(next);
    if (address - start >= map.size) return address;
    u64 offset = map.file_offset + (address - start);
    for (const auto& segment : file_.segments())
      if (offset - segment.offset < segment.file_size)
        return offset - segment.offset + segment.address;
    return address;
  }

 private:
  struct Map {
    u64 size = 0, file_offset = 0;
  };
  const object::File& file_;
  std::map<u64, Map> maps_;
};

}  // namespace

Result<std::vector<VtableAccess>> read_vtable_accesses(std::string_view text,
                                                       const program::Program& program,
                                                       const DataAccessOptions& options) {
  DataMaps maps(program.file());
  DataSymbols symbols(program.file());
  LoadAddress load{options.base.value_or(program.text_base().value)};
  std::map<std::pair<BinaryAddr, std::string_view>, u64> counts;
  for (perf::Lines lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    if (line.contains("PERF_RECORD_MMAP2")) {
      auto event = perf::parse_mmap_line(line);
      if (!event.parsed || file_name(event.path) != program.name()) continue;
      if (!event.protection.contains('x'))
        TRY(maps.add(event));
      else if (auto start = start_of_text(event, program); start && !options.base)
        load.base = *start;
      continue;
    }
    auto access = parse_access(line);
    if (!access || (options.pid && *options.pid != access->pid)) continue;
    const auto* symbol = symbols.at(maps.translate(access->address));
    auto vtable = symbol ? symbol->name : std::string_view{};
    if (vtable.starts_with("_ZTV")) ++counts[{load.translate(access->ip, program), vtable}];
  }
  std::vector<VtableAccess> accesses;
  for (const auto& [place, count] : counts)
    accesses.push_back({place.first, std::string(place.second), count});
  return accesses;
}

}  // namespace pgokit::samples

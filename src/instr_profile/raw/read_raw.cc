#include "instr_profile/raw/read_raw.h"

#include <algorithm>
#include <array>
#include <optional>

#include "instr_profile/model/binary_ids.h"
#include "instr_profile/model/name_strings.h"
#include "instr_profile/model/value_data.h"
#include "instr_profile/raw/addresses.h"

namespace pgokit::instr_profile {
namespace {

// The runtime counts up to this; more is damage.
constexpr u64 most_counted = u64{1} << 56;

constexpr std::string_view without_times =
    "it has no times of first runs, which -pgo-function-entry-coverage leaves out: its coverage is "
    "read";

class PartReader {
 public:
  PartReader(Bytes file, const RawPart& part, Facts& facts, std::vector<std::pair<u64, u64>>& times)
      : file_(file), part_(part), facts_(facts), times_(times) {}

  // Where the values end.
  Result<size_t> read(const TakeRecord& take) {
    facts_.version = part_.version_and_kind();
    // Of several parts the first one's counts, as in llvm-profdata.
    // Where its functions were does not matter any more.
    if (part_.begin() == 0)
      // Memory profiles have raw files of their own: the bit is of a damaged file.
      facts_.kind =
          part_.version_and_kind() & Kind::of_version & ~(Kind::correlated | Kind::memory);
    if (lacks_times() && !facts_.as_llvm) {
      facts_.kind &= ~Kind::temporal;
      if (facts_.warning.empty()) facts_.warning = without_times;
    }
    TRY(read_binary_ids(part_.binary_ids(), part_.big_endian(), facts_.binary_ids));
    auto add = [&](std::string_view name) {
      if (name.empty()) return;
      names_.add(name);
      if (facts_.wants_names) facts_.names.add(name);
    };
    if (facts_.correlation) std::ranges::for_each(facts_.correlation->names, add);
    TRY(each_name(part_.names(), most_names(file_.size()), facts_.texts, add));
    TRY(each_name(part_.vtable_names(), most_names(file_.size()), facts_.texts, add));
    size_t values_at = part_.values_begin();
    for (size_t i = 0; i < part_.size(); ++i) TRY(read_record(i, values_at, take));
    return values_at;
  }

 private:
  Status read_record(size_t i, size_t& values_at, const TakeRecord& take) {
    auto raw = part_.record(i);
    Record record{.name = names_.find(raw.name_hash), .hash = raw.hash};
    auto counters = TRY(part_.counters_of(raw, i));
    TRY(check_sharing(counters.bytes.size()));
    TRY(read_counters(counters, raw.name_hash));
    record.counters = counters_;
    record.bitmap = TRY(part_.bitmap_of(raw, i));
    if (raw.has_values()) {
      auto size = decode_values(file_.subspan(values_at), part_.big_endian(), values_);
      if (!size)
        return fail("{}, of function {} (offset {:#x})", size.error().message, i, values_at);
      values_at += *size;
      if (!addresses_) addresses_.emplace(part_);
      addresses_->resolve(values_);
      if (!values_.empty()) record.values = &values_;
    }
    return take(record);
  }

  // Each function has counters of its own; if all had the same ones, the profile would be larger
  // than the file by far.
  Status check_sharing(size_t size) {
    taken_ += size;
    if (taken_ <= most_sharing * part_.counters().size()) return {};
    return fail("{}: its functions have the same counters", problem::malformed);
  }

  // Functions of which only the entry is covered have one byte, whatever the header says of times.
  bool lacks_times() const {
    constexpr u64 kinds = Kind::temporal | Kind::byte_coverage | Kind::entry_only;
    return (part_.version_and_kind() & kinds) == kinds;
  }

  // llvm-profdata takes the byte and the seven after it, of other functions, for the time.
  u64 bytes_as_time(const OrderedBytes& in) const {
    std::array<u8, 8> time{};
    auto rest = file_.subspan(static_cast<size_t>(in.bytes.data() - file_.data()));
    std::copy_n(rest.begin(), std::min(rest.size(), time.size()), time.begin());
    return OrderedBytes{time, part_.big_endian()}.at<u64>(0);
  }

  void add_time(u64 time, u64 name_hash) {
    if (time != 0 && time != ~u64{0}) times_.emplace_back(time, name_hash);
  }

  // Where times of first runs are recorded, one has the place of the first counter.
  Status read_counters(const OrderedBytes& in, u64 name_hash) {
    counters_.clear();
    bool bytes = part_.counter_size() == 1;
    size_t at = 0;
    if (lacks_times()) {
      if (facts_.as_llvm) return add_time(bytes_as_time(in), name_hash), Status();
    } else if (part_.version_and_kind() & Kind::temporal) {
      if (in.bytes.size() < 8)
        return fail("{}: the time of a function's first run is cut short", problem::malformed);
      add_time(in.at<u64>(0), name_hash);
      at = 8;
    }
    for (; at < in.bytes.size(); at += part_.counter_size()) {
      u64 count = bytes ? in.bytes[at] == 0 : in.at<u64>(at);
      if (count > most_counted && facts_.warning.empty())
        facts_.warning = fmt::format("{}: {}", problem::strange_count, count);
      counters_.push_back(count);
    }
    if (counters_.empty())
      return fail("{}: a function has a time of its first run and no counters", problem::malformed);
    return {};
  }

  static constexpr size_t most_sharing = 4;

  Bytes file_;
  const RawPart& part_;
  Facts& facts_;
  std::vector<std::pair<u64, u64>>& times_;
  NameIndex names_;
  std::optional<Addresses> addresses_;
  size_t taken_ = 0;  // bytes of counters
  std::vector<u64> counters_;
  SiteValues values_;
};

}  // namespace

Status read_raw(Bytes bytes, Facts& facts, const TakeRecord& take) {
  std::vector<std::pair<u64, u64>> times;
  size_t at = 0;
  while (true) {
    auto part = TRY(RawPart::parse(bytes, at, facts.correlation));
    at = TRY(PartReader(bytes, part, facts, times).read(take));
    at = TRY(next_part(bytes, at, part));
    if (at == bytes.size()) break;
  }
  if (times.empty()) return {};
  std::ranges::sort(times);
  Trace trace;
  trace.functions.reserve(times.size());
  for (auto [time, name] : times) trace.functions.push_back(name);
  facts.traces.push_back(std::move(trace));
  facts.traces_seen = 1;
  return {};
}

}  // namespace pgokit::instr_profile

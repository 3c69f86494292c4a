#include "instr_profile/memory/accessed_data.h"

#include "base/cursor.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/name_strings.h"

namespace pgokit::instr_profile {
namespace {

std::unexpected<Error> bad(std::string_view what) {
  return fail("{}: {} of accessed data", problem::malformed, what);
}

class Reader {
 public:
  explicit Reader(Bytes bytes) : in_(bytes) {}

  Result<AccessedData> read() && {
    u64 sampled = in_.get<u64>(), cold = in_.get<u64>(), size = in_.get<u64>();
    Bytes names = in_.bytes(size);
    in_.skip(7 & (8 - size % 8));
    if (!in_.ok()) return bad("names");
    TRY(each_name(names, (u64{1} << 20) + 8 * u64{names.size()}, texts_,
                  [&](std::string_view name) { names_.push_back(name); }));
    if (sampled > names_.size() || cold > names_.size() - sampled) return bad("numbers of symbols");
    for (u64 i = 0; i < cold; ++i) data_.cold_symbols.emplace_back(names_[sampled + i]);
    auto hashes = in_.array<Le<u64>>(in_.get<u64>());
    data_.cold_hashes.assign(hashes.begin(), hashes.end());
    for (u64 n = in_.get<u64>(); n > 0 && in_.ok(); --n) TRY(read_record());
    if (!in_.ok()) return bad("records");
    return std::move(data_);
  }

 private:
  Status read_record() {
    AccessedData::Record record;
    u64 symbol = in_.get<u64>();
    bool is_literal = in_.get<u8>() != 0;
    record.count = in_.get<u64>();
    if (is_literal)
      record.hash = symbol;
    else if (symbol < names_.size())
      record.symbol = names_[symbol];
    else
      return bad("the number of a symbol");
    for (u64 n = in_.get<u64>(); n > 0 && in_.ok(); --n) {
      u64 file = in_.get<u64>();
      if (file >= names_.size()) return bad("the number of a file");
      record.places.push_back({std::string(names_[file]), in_.get<u32>()});
    }
    data_.records.push_back(std::move(record));
    return {};
  }

  Cursor in_;
  std::deque<std::string> texts_;
  std::vector<std::string_view> names_;
  AccessedData data_;
};

}  // namespace

Result<AccessedData> read_accessed_data(Bytes bytes) { return Reader(bytes).read(); }

}  // namespace pgokit::instr_profile

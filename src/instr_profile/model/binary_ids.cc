#include "instr_profile/model/binary_ids.h"

#include "base/cursor.h"
#include "instr_profile/model/facts.h"
#include "instr_profile/model/ordered_bytes.h"

namespace pgokit::instr_profile {

Status read_binary_ids(Bytes section, bool big_endian, std::vector<std::string_view>& ids) {
  size_t at = 0;
  while (at < section.size()) {
    Bytes rest = section.subspan(at);
    u64 size = rest.size() < 8 ? 0 : OrderedBytes{rest, big_endian}.at<u64>(0);
    if (size == 0 || size > rest.size() - 8 || ((size + 7) & ~u64{7}) > rest.size() - 8)
      return fail("{}: the binary id at byte {} of its section has {} bytes", problem::malformed,
                  at, size);
    ids.push_back(as_text(rest.subspan(8, size)));
    at += 8 + ((size + 7) & ~u64{7});
  }
  return {};
}

}  // namespace pgokit::instr_profile

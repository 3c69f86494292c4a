#include "instr_profile/model/name_strings.h"

#include "base/cursor.h"
#include "base/unpack.h"
#include "instr_profile/model/facts.h"

namespace pgokit::instr_profile {

Result<std::vector<std::string_view>> unpack_names(Bytes section, u64 most,
                                                   std::deque<std::string>& texts) {
  std::vector<std::string_view> pieces;
  u64 left = most;
  Cursor in(section);
  while (!in.at_end()) {
    size_t begin = in.position();
    u64 size = in.uleb128(), packed_size = in.uleb128();
    Bytes bytes = in.bytes(packed_size ? packed_size : size);
    if (!in.ok())
      return fail("{}: names (byte {} of them) end past their section", problem::malformed, begin);
    if (packed_size) {
      // The whole of it is a limit that hostile input cannot repeat.
      auto text = unpack_section(bytes, Packing::zlib, size, {left, 1, left});
      if (!text)
        return fail("{}: names (byte {} of them): {}", problem::unpack, begin,
                    text.error().message);
      left -= size;
      pieces.push_back(texts.emplace_back(*std::move(text)));
    } else {
      pieces.push_back(as_text(bytes));
    }
    while (!in.at_end() && in.rest()[0] == 0) in.skip(1);
  }
  return pieces;
}

}  // namespace pgokit::instr_profile

#pragma once

// Lists of names as programs and files carry them:
//
//   u size unpacked, u size packed (0: not packed), text      once or several times, zeros between
//
// (u: ULEB128), where a byte 1 is between two names, and the text is packed by zlib.
//
//   std::deque<std::string> texts;               // what the names are in
//   TRY(each_name(section, limit, texts, [&](std::string_view name) { index.add(name); }));
//
// Source of truth: llvm/lib/ProfileData/InstrProf.cpp (collectGlobalObjectNameStrings).

#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::instr_profile {

// `most`: how much all of it may be, unpacked. Text that is not packed stays where it is.
template <class Visit>
Status each_name(Bytes section, u64 most, std::deque<std::string>& texts, Visit visit);

// The pieces of text, unpacked.
Result<std::vector<std::string_view>> unpack_names(Bytes section, u64 most,
                                                   std::deque<std::string>& texts);

template <class Visit>
Status each_name(Bytes section, u64 most, std::deque<std::string>& texts, Visit visit) {
  auto unpacked = unpack_names(section, most, texts);
  if (!unpacked) return std::unexpected(std::move(unpacked).error());
  for (std::string_view piece : *unpacked)
    while (true) {
      size_t end = piece.find('\1');
      visit(piece.substr(0, end));
      if (end == piece.npos) break;
      piece.remove_prefix(end + 1);
    }
  return {};
}

}  // namespace pgokit::instr_profile

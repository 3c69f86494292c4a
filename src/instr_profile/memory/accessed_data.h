#pragma once

// Which data was accessed how often: a part of memory profiles of version 4, which is kept as it is
// when they are merged.
//
//   AccessedData data = TRY(read_accessed_data(as_bytes(profile.accessed_data)));
//
//   u64  number of symbols with samples, u64 of those known to be cold
//   u64  size of the names, and these as in model/name_strings.h, padded to 8 bytes; files, too
//   u64  number of hashes of string literals known to be cold, and these
//   u64  number of records, each: u64 number of a symbol, or hash of a literal, u8 which of them,
//        u64 how often, u64 number of places, each: u64 number of a file, u32 line

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::instr_profile {

struct AccessedData {
  struct Place {
    std::string file;
    u32 line = 0;
  };
  struct Record {
    std::string symbol;  // empty: a string literal
    u64 hash = 0;
    u64 count = 0;
    std::vector<Place> places;
  };
  std::vector<Record> records;
  std::vector<std::string> cold_symbols;
  std::vector<u64> cold_hashes;
};

Result<AccessedData> read_accessed_data(Bytes bytes);

}  // namespace pgokit::instr_profile

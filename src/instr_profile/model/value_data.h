#pragma once

// The values of a function's sites as raw and indexed files have them, in the file's byte order:
//
//   u32 size of all this; u32 number of kinds
//   for each kind: u32 kind; u32 sites; u8 number of values[sites]; zeros up to a multiple of 8
//                  (u64 value, u64 count)[sum of these numbers]
//
//   size_t size = TRY(decode_values(rest, big_endian, values));   // of the bytes that they take
//   append_values(record.values, out);                            // little endian
//
// Source of truth: llvm/include/llvm/ProfileData/InstrProfData.inc (ValueProfData).

#include <string>

#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

// The same without keeping them.
Result<size_t> check_values(Bytes bytes, bool big_endian);
Result<size_t> decode_values(Bytes bytes, bool big_endian, SiteValues& values);

// How many bytes they are encoded: 8 where there are none.
size_t encoded_size(const SiteValues* values);
void append_values(const SiteValues* values, std::string& out);

}  // namespace pgokit::instr_profile

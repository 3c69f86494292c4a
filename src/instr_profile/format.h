#pragma once

// LLVM's instrumentation profiles (-fprofile-generate, -fprofile-instr-generate): .profraw, .profdata
// and text, recognized by content.
//
//   TRY(read(bytes, facts, [&](const Record& record) -> Status { return {}; }));
//
// Reading streams: it takes memory for one function, and for the names of a raw file. merge/sum.h
// makes a Profile of any number of files.

#include <optional>
#include <string_view>

#include "instr_profile/model/facts.h"
#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

enum class Form { raw, indexed, text };

// Anything that begins with eight printable characters is text.
std::optional<Form> form_of(Bytes bytes);
// Whether text has what only text of instrumentation profiles has.
bool looks_like_instr_text(Bytes bytes);

// What -fmemory-profile writes: its addresses mean nothing without the program. It is not read.
bool is_raw_memory_profile(Bytes bytes);
inline constexpr std::string_view raw_memory_profile =
    "a raw memory profile: 'llvm-profdata merge --profiled-binary PROGRAM' makes an indexed one of "
    "it, which can be merged with others";

Status read(Bytes bytes, Facts& facts, const TakeRecord& take);

}  // namespace pgokit::instr_profile

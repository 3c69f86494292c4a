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

// What -fmemory-profile writes (memory/read_raw_memory.h) is no list of functions before it is
// merged with its program.
inline constexpr std::string_view raw_memory_profile =
    "a raw memory profile: 'pgokit llvm-profdata merge --profiled-binary PROGRAM' makes an indexed "
    "one of it, which can be merged with others";
inline constexpr std::string_view raw_memory_wants_program =
    "Path to profiled binary is empty (--profiled-binary), expected binary with one of the "
    "following build ids:";

Status read(Bytes bytes, Facts& facts, const TakeRecord& take);

}  // namespace pgokit::instr_profile

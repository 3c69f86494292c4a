#pragma once

// The readers behind read_profile(); each is given a file of its form.

#include "profile/extbinary_format.h"
#include "profile/format.h"

namespace pgokit::profile {

// Whether the first line that is neither empty nor a comment is the head of a function.
bool looks_like_text(std::string_view text);
Result<ReadProfile> read_text(std::string_view text, const ReadOptions& options = {});
Notes read_notes_of_text(std::string_view text);
Result<ReadProfile> read_binary(Bytes bytes, const ReadOptions& options = {});
Result<ReadProfile> read_extbinary(Bytes bytes, const ReadOptions& options = {});
Notes read_notes_of_extbinary(Bytes bytes);
Result<ReadProfile> read_gcov(Bytes bytes);

}  // namespace pgokit::profile

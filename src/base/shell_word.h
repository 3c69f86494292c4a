#pragma once

// Words of commands that are shown, so that they can be pasted into a shell.
//
//   print("pgokit show {}", shell_word("my file"));     // pgokit show 'my file'

#include <string>
#include <string_view>

namespace pgokit {

// Quoted where that is needed.
std::string shell_word(std::string_view word);

}  // namespace pgokit

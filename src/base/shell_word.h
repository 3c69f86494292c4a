#pragma once

// Words of commands that are shown, so that they can be pasted into a shell, and the way back.
//
//   print("pgokit show {}", shell_word("my file"));     // pgokit show 'my file'
//   auto words = shell_words("-O2 '-DNAME=a b'");       // -O2, -DNAME=a b

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pgokit {

// Quoted where that is needed.
std::string shell_word(std::string_view word);

// The words of a command in one line.
std::string shell_line(std::span<const std::string> words);

// By blanks, quotes and backslashes alone; nullopt: a quote is not closed.
std::optional<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace pgokit

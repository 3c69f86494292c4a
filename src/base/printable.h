#pragma once

// Text for a terminal that holds what files say: names, paths, commands. A file may be made to hold
// escape sequences, which would move the cursor, recolour the screen or type into the shell.
//
//   printable("a\x1b[2J")              // a\x1b[2J, of eight printable characters
//
// Kept are letters of all scripts in valid UTF-8, line ends and tabs. Everything else, which is
// control characters (C0, DEL, C1), marks that reverse the direction of text, and bytes that are no
// UTF-8, becomes \xNN for each byte. Commands print by report/print.h, which calls this.

#include <string>
#include <string_view>

namespace pgokit {

std::string printable(std::string_view text);

// The same for what has to stay in one line: line ends and tabs are written as \n and \t.
std::string printable_line(std::string_view text);

// Whether a name can stand in a line of a file for linkers, compilers and coverage tools, which have
// no way to write it otherwise: without line ends and other control characters (C0, DEL).
bool fits_in_line(std::string_view name);

// JSON whose strings leave nothing to escape: what would be \xNN is \uNNNN.
std::string printable_json(std::string_view json);

}  // namespace pgokit

#pragma once

// Manual pages in troff, with the macros of man(7).
//
//   std::string text = man_page(command, program);     // pgokit-show(1); of the program pgokit(1)
//   auto file = TRY(OutputFile::create(man_page_name(command) + ".1"));

#include <string>

#include "cli/command_table.h"

namespace pgokit::cli {

// "pgokit-probes-dump" of "pgokit probes dump".
std::string man_page_name(const CommandText& command);
// `program` is named under SEE ALSO; for the page of the program it is the same.
std::string man_page(const CommandText& command, const CommandText& program);

}  // namespace pgokit::cli

#pragma once

// Where the file of a program may be that a recording names, and whether one found there is of the
// build that ran.
//
//   for (const auto& path : places_of("/usr/bin/app", "3c5cc98c", "/tmp/app.perf"))
//     if (is_same_build(id_of(path), "3c5cc98c")) ...

#include <string>
#include <string_view>
#include <vector>

namespace pgokit::samples {

// Where it ran, beside the recording, in the current folder, among the builds of pgokit optimize, in
// perf's cache (~/.debug).
std::vector<std::string> places_of(std::string_view program, std::string_view build_id,
                                   std::string_view recording);

// Where distributions put the symbols and debug information of what they strip; empty: without a
// build id nobody can tell.
std::string debug_file_of(std::string_view build_id);

// By build ids in hexadecimal. One that is not known does not contradict, and one may be cut off or
// padded with zeros.
bool is_same_build(std::string_view id, std::string_view wanted);

}  // namespace pgokit::samples

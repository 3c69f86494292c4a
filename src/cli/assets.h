#pragma once

// Texts that are embedded by cmake/Embed.cmake.
//
//   text.append(linked_file_cmake);

#include <string_view>

namespace pgokit::cli {

extern const std::string_view linked_file_cmake;

}  // namespace pgokit::cli

#pragma once

// Text of files inside HTML and SVG.
//
//   out += "<title>" + as_markup(name) + "</title>";

#include <string>
#include <string_view>

namespace pgokit::report {

// Between elements, not inside of a quoted attribute.
std::string as_markup(std::string_view text);

}  // namespace pgokit::report

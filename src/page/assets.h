#pragma once

// The script and the style sheet of the page: page.js and page.css, embedded by cmake/Embed.cmake.
//
//   html.append(page_js);

#include <string_view>

namespace pgokit::page {

extern const std::string_view page_js, page_css;

}  // namespace pgokit::page

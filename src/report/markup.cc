#include "report/markup.h"

namespace pgokit::report {

std::string as_markup(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

}  // namespace pgokit::report

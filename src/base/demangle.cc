#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace pgokit {

std::string demangle(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z")) return text;
  // What compilers put behind the name (".__uniq.1", ".cold") is no part of the mangling.
  size_t dot = text.find('.');
  std::string suffix = dot == std::string::npos ? "" : text.substr(dot);
  std::string core = text.substr(0, dot);
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(core.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? plain.get() + suffix : text;
}

}  // namespace pgokit

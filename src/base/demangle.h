#pragma once

#include <string>
#include <string_view>

namespace pgokit {

// As people write it: "add(int, int)" for "_Z3addii". What is no mangled name stays as it is.
std::string demangle(std::string_view name);

}  // namespace pgokit

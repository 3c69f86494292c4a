#pragma once

// Turns a script into functions and the statements of its main part.
//
//   Script script = parse(source);      // throws ScriptError
//   script.main->call(...)

#include <memory>
#include <string_view>

#include "ast.h"

namespace sprig {

struct Script {
  std::vector<std::pair<Value, Value>> functions;  // name and function
  std::unique_ptr<ScriptFunction> main;
};

Script parse(std::string_view source);

}  // namespace sprig

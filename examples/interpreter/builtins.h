#pragma once

// The functions every script has: print, len, push, keys, has, code, char, floor, sqrt, text.

#include "value.h"

namespace sprig {

void add_builtins(Map& globals);

}  // namespace sprig

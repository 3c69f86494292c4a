#pragma once

// The program that recordings under test are counted over: main and leaf of test/support's
// tiny_program, opened once.

#include <cstdlib>

#include "program/program.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::fuzz {

inline const program::Program& opened_program() {
  static const auto opened = [] {
    test::ScratchDir dir;
    dir.write("tiny", test::tiny_program().image());
    auto tiny = program::Program::open(fmt::format("{}/tiny", dir.path()), {});
    if (!tiny || !tiny->load_functions(1)) std::abort();
    return std::move(*tiny);
  }();
  return opened;
}

}  // namespace pgokit::fuzz

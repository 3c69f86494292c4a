#pragma once

// Which compiler built a program.
//
//   Compiler compiler = compiler_of("Debian clang version 22.1.8 (1~deb12u1)");
//   if (compiler.family == CompilerFamily::clang) use(compiler.version);      // 22

#include <string>
#include <string_view>

namespace pgokit::compilers {

enum class CompilerFamily { unknown, clang, gcc, rustc, other };

struct Compiler {
  CompilerFamily family = CompilerFamily::unknown;
  unsigned version = 0;  // the first number; 0: not told
  bool cplusplus = false, nightly = false;
  std::string name = {};  // of other ones, for people
};

// `producer`: as program::producer_of() gives it.
Compiler compiler_of(std::string_view producer);

// The producer without the options that GCC and clang may add, and never a whole screen of it.
std::string short_producer(std::string_view producer);

}  // namespace pgokit::compilers

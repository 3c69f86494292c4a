#include "compilers/compiler.h"

#include "base/parse_number.h"
#include "program/producer.h"

namespace pgokit::compilers {
namespace {

// The number behind `mark`; 0 where there is none.
unsigned number_after(std::string_view text, std::string_view mark) {
  size_t at = text.find(mark);
  if (at == text.npos) return 0;
  text.remove_prefix(at + mark.size());
  unsigned number = 0;
  take_number(text, number);
  return number;
}

}  // namespace

Compiler compiler_of(std::string_view producer) {
  Compiler compiler;
  using enum CompilerFamily;
  // "clang LLVM (rustc version 1.95.0 (...))"
  if (producer.contains("rustc version ")) {
    compiler.family = rustc;
    compiler.nightly = producer.contains("-nightly");
  } else if (producer.contains("clang")) {
    compiler.family = clang;
    compiler.version = number_after(producer, "clang version ");
  } else if (auto version = program::gcc_version(producer)) {
    compiler.family = gcc;
    compiler.version = *version;
    compiler.cplusplus = producer.starts_with("GNU C++");
  } else if (!producer.empty()) {
    compiler.family = other;
    compiler.name = short_producer(producer);
  }
  return compiler;
}

std::string short_producer(std::string_view producer) {
  constexpr size_t most = 100;
  // "GNU C17 12.2.0 -mtune=generic -O2", "clang version 22.1.8 /usr/bin/clang -O2"
  size_t end = producer.find(" -");
  if (end != producer.npos)
    if (size_t command = producer.find(" /"); command < end) end = command;
  std::string text(producer.substr(0, end));
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

}  // namespace pgokit::compilers

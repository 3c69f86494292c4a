#pragma once

// A program of one C file that clang compiles for the occasion, without a C library.
//
//   if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
//   auto program = test::compile(dir, "int _start(int x) { return x; }", "-O1 -g");
//   ASSERT_TRUE(program);                     // the compiler has said why not
//   auto start = test::code_of(*program, "_start");

#include <optional>
#include <vector>

#include "program/program.h"
#include "test/support/shell.h"

namespace pgokit::test {

inline std::optional<program::Program> compile(const ScratchDir& dir, std::string_view source,
                                               std::string_view options) {
  dir.write("a.c", source);
  auto made =
      run(fmt::format("cd {} && clang-22 --target=x86_64-linux-gnu {} -fno-pie -ffreestanding "
                      "-nostdlib -static -fuse-ld=lld-22 a.c -o app 2>&1",
                      dir.path(), options));
  if (made.status != 0) return fmt::print(stderr, "{}", made.output), std::nullopt;
  auto program = program::Program::open(dir.file("app"), {});
  if (!program || !program->load_functions(1)) return std::nullopt;
  return std::move(*program);
}

// The instructions of a function.
inline std::vector<program::CodeIndex> code_of(const program::Program& program,
                                               std::string_view function) {
  std::vector<program::CodeIndex> instructions;
  const auto& code = program.code();
  for (const auto& range : program.functions().ranges())
    if (program.functions().name(range.function) == function)
      for (u64 at = range.start; at < range.end; ++at)
        if (auto index = code.index_of({at}); code.is_instruction(index))
          instructions.push_back(index);
  return instructions;
}

}  // namespace pgokit::test

#pragma once

// Assembly text for GNU as and clang, split into statements as an assembler splits it.
//
//   assembly::StatementReader reader(text, assembly::guess_dialect(text));
//   assembly::Statement one;
//   while (reader.next(one))
//     if (one.name == ".section") use(one.operands, one.line);
//
// Gives labels and directives; instructions are passed over and counted. Statements end at ';' and
// at the end of the line; comments ('#', '//', '/* */'), strings and character constants are known,
// so that what looks like a directive inside of them is none. Macros are not expanded: the lines of
// their bodies come as they stand.
//
// Any text goes in, nothing is copied. Source of truth: the manual of GNU as ("Syntax"), and
// llvm/lib/MC/MCParser/AsmLexer.cpp where the two differ.

#include <string_view>

#include "base/types.h"

namespace pgokit::assembly {

// What a '#' behind the beginning of a line means: a comment on x86, an immediate on AArch64.
enum class Dialect : u8 { x86, aarch64 };

// The kind of object that the assembly is for.
enum class ObjectFormat : u8 { elf, coff, mach_o };

// By the operands of the first instructions; x86 where there are none.
Dialect guess_dialect(std::string_view text);

struct Statement {
  std::string_view label;     // "foo" or "\"a b\"" of `foo:`; empty for directives
  std::string_view name;      // ".section", as written; empty for labels
  std::string_view operands;  // without the blanks and comments around it
  u64 line = 0;               // from 1: where it begins

  bool is_label() const { return !label.empty(); }
};

class StatementReader {
 public:
  StatementReader(std::string_view text, Dialect dialect);

  // False: the text is at its end.
  bool next(Statement& out);

  // Instructions (and uses of macros, and assignments) passed over so far.
  u64 instructions() const { return instructions_; }
  u64 line() const { return line_; }
  // At the end: a comment was never closed.
  bool in_comment() const { return in_comment_; }

 private:
  void skip_blanks();
  void skip_line();
  bool skip_block_comment();
  void skip_string();
  void skip_character();
  std::string_view take_word();
  bool take_colon();
  // Up to the end of the statement, which is left to be read; gives the end of what it says.
  const char* skip_statement();

  const char* begin_;
  const char* at_;
  const char* end_;
  u64 line_ = 1;
  u64 instructions_ = 0;
  bool line_start_ = true;
  bool in_comment_ = false;
  bool hash_is_comment_;
};

// The text between quotes, escapes as they stand; other text as it is.
std::string_view without_quotes(std::string_view word);

// Characters of names that stand without quotes.
bool is_word(char c);

// Two words as assemblers compare the names of directives; `lower` is in lower case.
bool is_directive(std::string_view name, std::string_view lower);

}  // namespace pgokit::assembly

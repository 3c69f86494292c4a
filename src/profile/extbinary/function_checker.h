#pragma once

// Goes through functions and names of the binary forms and says what is wrong with them.
//
//   FunctionChecker checker(in, {.names = 812, .vtables = false});
//   while (!in.at_end()) subjects.push_back(TRY(checker.function()));

#include "base/cursor.h"
#include "base/result.h"
#include "profile/extbinary/binary_index.h"
#include "profile/extbinary/function_walk.h"

namespace pgokit::profile {

struct CheckLimits {
  u64 names = 0;     // the size of the name table
  u64 contexts = 0;  // and of that of contexts
  bool vtables = false;
  bool context_sensitive = false;
};

// Notes what is wrong with the numbers of functions.
class NumberChecker {
 public:
  explicit NumberChecker(u64 names) : names_(names) {}

  bool good() const { return !wrong_name_ && wide_ >> 32 == 0 && far_ <= largest_line; }
  Status verdict() const;

  bool end() const { return good(); }
  // llvm-profdata checks the lines of all places but those of inlinees.
  bool place(RawLocation at) {
    far_ |= at.line;
    wide_ |= at.bits();
    return true;
  }
  bool place(RawLocation at, u64) { return place(at); }
  bool count(u64 index, u64) {
    name(index);
    return true;
  }
  WalkEnd inlinee(RawLocation at, u64 index, auto enter) {
    inlinee(at, index);
    return good() ? enter(*this) : WalkEnd::refused;
  }

  void inlinee(RawLocation at, u64 index) {
    wide_ |= at.bits();
    name(index);
  }
  void name(u64 index) {
    if (index >= names_ && !wrong_name_) [[unlikely]]
      wrong_name_ = index;
  }
  void number(u64 value) { wide_ |= value; }

 private:
  u64 names_;
  u64 wide_ = 0;  // all numbers that must fit into 32 bits, or'ed
  u64 far_ = 0;   // all that must be within largest_line
  std::optional<u64> wrong_name_;
};

// After any failure the rest of the section makes no sense.
class FunctionChecker {
 public:
  FunctionChecker(Cursor& in, const CheckLimits& limits)
      : in_(in), limits_(limits), numbers_(limits.names) {}

  // A function; its subject, a name or a context.
  Result<u32> function();
  // Metadata; `at` becomes what follows its subject.
  Result<u32> metadata(MetadataParts parts, const u8*& at);
  // n frames.
  Status context();

 private:
  Result<u32> subject(u64 index) const;
  Status verdict(WalkEnd end) const;

  Cursor& in_;
  CheckLimits limits_;
  NumberChecker numbers_;
};

// Reads n and where each of n names begins.
Result<NameList> read_name_list(Cursor& in, NameList::Kind kind);

// Newer LLVM's: hashes in three spans, of functions with inlined ones, without, and of those that
// are only inlined, each in the order of a binary search. LLVM's documents do not say how the three
// numbers before them are written: ULEB128, as other numbers here, or u64, whichever is of the
// section's size.
Result<NameList> read_name_spans(Cursor& in);

// Passes over a summary, which is made anew from the functions: the sum of all counts by it.
u64 skip_summary(Cursor& in);

}  // namespace pgokit::profile

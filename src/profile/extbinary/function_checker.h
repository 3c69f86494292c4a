#pragma once

// Goes through functions and names of the binary forms and says what is wrong with them.
//
//   FunctionChecker checker(in, {.names = 812, .vtables = false});
//   while (!in.at_end()) TRY(checker.function());

#include "base/cursor.h"
#include "base/result.h"
#include "profile/extbinary/binary_index.h"

namespace pgokit::profile {

struct CheckLimits {
  u64 names = 0;     // the size of the name table
  u64 contexts = 0;  // and of that of contexts
  bool vtables = false;
  bool context_sensitive = false;
};

// After any failure the rest of the section makes no sense.
class FunctionChecker {
 public:
  FunctionChecker(Cursor& in, const CheckLimits& limits) : in_(in), limits_(limits) {}

  // A name or a context; what the next function is about.
  Result<u32> subject();
  // All behind the subject, inlinees included.
  Status function(unsigned depth = 1);
  // Metadata behind its subject.
  Status metadata(const BinaryIndex& index, unsigned depth = 1);
  // n frames.
  Status context();

 private:
  void location() { wide_ |= in_.uleb128() | in_.uleb128(); }
  // One whose line llvm-profdata checks: all but those of inlinees.
  void place() {
    u64 line = in_.uleb128();
    far_ |= line;
    wide_ |= line | in_.uleb128();
  }
  void name() {
    u64 index = in_.uleb128();
    if (index >= limits_.names && !wrong_name_) [[unlikely]]
      wrong_name_ = index;
  }
  void name_counts();
  Status verdict() const;

  Cursor& in_;
  CheckLimits limits_;
  u64 wide_ = 0;  // all numbers that must fit into 32 bits, or'ed
  u64 far_ = 0;   // all that must be within largest_line
  std::optional<u64> wrong_name_;
};

// Reads n and where each of n names begins.
Result<NameList> read_name_list(Cursor& in, NameList::Kind kind);

// Passes over a summary: it is made anew from the functions.
void skip_summary(Cursor& in);

}  // namespace pgokit::profile

// The file of -pgokit-use: what is known of functions in the source, their hotness and the targets
// of their indirect calls, as `pgokit export` writes it (docs/formats/use.md).
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotness.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "weights.h"

namespace pgokit::plugin {

struct CalledTarget {
  llvm::StringRef name;  // as in the source; of a copy or fill the number of bytes
  uint64_t count = 0;
};

struct CallTargets {
  uint64_t total = 0;
  std::vector<CalledTarget> targets;
};

// One version of a function.
struct FunctionProfile {
  std::optional<uint64_t> checksum;           // none: a recording does not tell it
  std::map<uint32_t, CallTargets> by_number;  // as SiteNumbers gives them
  std::map<std::pair<uint32_t, uint32_t>, CallTargets>
      by_line;  // after the function's, and column: calls whose number is not known

  std::map<uint32_t, CallTargets> sizes;   // of copies and fills, by number
  std::map<uint32_t, CallTargets> tables;  // that calls go through: "NAME+OFFSET", by number
  FunctionHotness hotness;
  RanPlaces places;  // of blocks

  const CallTargets* find(uint32_t number) const;
  // A column that is not known (0) fits the only call of the line.
  const CallTargets* find(uint32_t line, uint32_t column) const;
};

class UseFile {
 public:
  // Null: there is no such file, or it is another; `error` says what is wrong.
  static std::unique_ptr<UseFile> read(llvm::StringRef path, std::string& error);

  struct Found {
    const FunctionProfile* function = nullptr;
    bool changed = false;  // there are only other versions of it
  };
  // Of a function with this name in the source. A local one may have been compiled from another
  // path: one of the same name, from a file of the same name, is taken unless its checksum differs.
  Found find(llvm::StringRef source_name, uint64_t checksum) const;
  // One whose file and checksum are not known, as those of sample profiles; null: none.
  const FunctionProfile* find_by_name(llvm::StringRef name) const;

  bool tells_hotness() const { return tells_hotness_; }
  bool tells_tables() const { return tells_tables_; }

 private:
  using Versions = std::vector<FunctionProfile>;

  bool parse(std::string& error);
  bool take(llvm::StringRef line);
  bool take_function(llvm::StringRef rest);
  bool take_hotness(llvm::StringRef line);
  bool take_places(llvm::StringRef line);
  bool take_call(llvm::StringRef rest);
  bool take_target(llvm::StringRef rest);
  FunctionProfile& enter(llvm::StringRef name, std::optional<uint64_t> checksum);
  const Versions* moved(llvm::StringRef source_name) const;

  std::unique_ptr<llvm::MemoryBuffer> text_;
  // 1: local functions have no file; before 3: calls have no numbers; before 4: no hotness
  unsigned version_ = 0;
  bool tells_hotness_ = false, tells_tables_ = false;
  std::map<llvm::StringRef, Versions> functions_;
  std::map<llvm::StringRef, std::vector<llvm::StringRef>> local_;  // by what follows FILE;
  FunctionProfile* function_ = nullptr;                            // that lines are read of
  CallTargets* call_ = nullptr;
};

}  // namespace pgokit::plugin

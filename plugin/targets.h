// The file of -pgokit-use: targets of the indirect calls of functions in the source, as
// `pgokit export --targets` writes them (docs/targets.md).
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace pgokit::plugin {

struct CalledTarget {
  llvm::StringRef name;  // as in the source; of a copy or fill the number of bytes
  uint64_t count = 0;
};

struct CallTargets {
  uint64_t total = 0;
  std::vector<CalledTarget> targets;
};

// The calls of one version of a function.
struct FunctionTargets {
  std::optional<uint64_t> checksum;           // none: a recording does not tell it
  std::map<uint32_t, CallTargets> by_number;  // as SiteNumbers gives them
  std::map<std::pair<uint32_t, uint32_t>, CallTargets>
      by_line;  // after the function's, and column: calls whose number is not known

  std::map<uint32_t, CallTargets> sizes;  // of copies and fills, by number

  const CallTargets* find(uint32_t number) const;
  // A column that is not known (0) fits the only call of the line.
  const CallTargets* find(uint32_t line, uint32_t column) const;
};

class TargetsFile {
 public:
  // Null: there is no such file, or it is another; `error` says what is wrong.
  static std::unique_ptr<TargetsFile> read(llvm::StringRef path, std::string& error);

  struct Found {
    const FunctionTargets* function = nullptr;
    bool changed = false;  // there are only other versions of it
  };
  // Of a function with this name in the source. A local one may have been compiled from another
  // path: one of the same name, from a file of the same name, is taken unless its checksum differs.
  Found find(llvm::StringRef source_name, uint64_t checksum) const;

 private:
  using Versions = std::vector<FunctionTargets>;

  bool parse(std::string& error);
  bool take(llvm::StringRef line);
  bool take_function(llvm::StringRef rest);
  bool take_call(llvm::StringRef rest);
  bool take_target(llvm::StringRef rest);
  FunctionTargets& enter(llvm::StringRef name, std::optional<uint64_t> checksum);
  const Versions* moved(llvm::StringRef source_name) const;

  std::unique_ptr<llvm::MemoryBuffer> text_;
  unsigned version_ = 0;  // 1: local functions have no file; before 3: calls have no numbers
  std::map<llvm::StringRef, Versions> functions_;
  std::map<llvm::StringRef, std::vector<llvm::StringRef>> local_;  // by what follows FILE;
  FunctionTargets* function_ = nullptr;                            // that lines are read of
  CallTargets* call_ = nullptr;
};

// "FILE;NAME": the file is empty if there is none.
std::pair<llvm::StringRef, llvm::StringRef> split_source_name(llvm::StringRef name);

}  // namespace pgokit::plugin

// Which functions are instrumented, by name: a list of patterns and a group of many.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

namespace pgokit::plugin {

// One pattern a line (*, ?, [a-z]); `-pattern` excludes; the last line that matches decides. Where
// only exclusions are listed everything else is in. Lines of white space and after '#' do not
// count.
class Selection {
 public:
  static llvm::Expected<Selection> parse(llvm::StringRef text);
  bool has(llvm::StringRef name) const;

 private:
  struct Line {
    llvm::GlobPattern pattern;
    bool include;
  };
  std::vector<Line> lines_;
  bool default_ = true;
};

// Groups are the same in all builds that have the function.
bool in_group(llvm::StringRef name, uint32_t groups, uint32_t group);

}  // namespace pgokit::plugin

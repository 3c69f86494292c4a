#include "selection.h"

#include "llvm/Support/MD5.h"

namespace pgokit::plugin {

using namespace llvm;

Expected<Selection> Selection::parse(StringRef text) {
  Selection result;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    if (line.empty()) continue;
    const bool include = !line.consume_front("-");
    Expected<GlobPattern> pattern = GlobPattern::create(line.trim());
    if (!pattern) return pattern.takeError();
    result.lines_.push_back({std::move(*pattern), include});
    if (include) result.default_ = false;
  }
  return result;
}

bool Selection::has(StringRef name) const {
  bool included = default_;
  for (const Line& line : lines_) {
    if (line.include != included && line.pattern.match(name)) included = line.include;
  }
  return included;
}

bool in_group(StringRef name, uint32_t groups, uint32_t group) {
  return groups <= 1 || MD5Hash(name) % groups == group;
}

}  // namespace pgokit::plugin

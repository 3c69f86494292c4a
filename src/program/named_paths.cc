#include "program/named_paths.h"

#include "base/unique_names.h"

namespace pgokit::program {

std::string absolute_named_path(const Program& program) {
  constexpr unsigned most_asked = 64;  // static functions of headers do not tell
  if (!program.debug()) return {};
  dwarf::FrameCursor cursor(*program.debug());
  unsigned asked = 0;
  for (const auto& range : program.functions().ranges()) {
    auto name = split_unique_name(program.functions().name(range.function));
    if (!name) continue;
    if (++asked > most_asked) break;
    const auto& part = cursor.at(range.start);
    if (part.frames.empty()) continue;
    auto file = program.debug()->file_name(part, part.frames.front());
    if (file.starts_with('/') && path_number(file) == name->path) return file;
  }
  return {};
}

}  // namespace pgokit::program

#include "program/producer.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::program {
namespace {

// The start-up files of the C library bring a line of GCC into every program, and linkers add
// theirs: what can only come from the program's own code is asked for first.
constexpr std::string_view by_rank[] = {"rustc version", "clang version", "GCC:"};

std::string from_comment(const object::File& file) {
  const auto* section = file.section(".comment");
  if (!section) return {};
  auto contents = file.contents(*section);
  if (!contents) return {};
  for (auto mark : by_rank) {
    Cursor in(*contents);
    while (in.left() > 0 && in.ok())
      if (auto line = in.cstring(); line.contains(mark) && !line.starts_with("Linker:"))
        return std::string(line);
  }
  return {};
}

}  // namespace

std::string producer_of(const object::File& file, const dwarf::DebugInfo* debug) {
  std::string producer(debug ? debug->producer() : std::string_view());
  return producer.empty() ? from_comment(file) : producer;
}

bool has_cplusplus(const object::File& file, const dwarf::DebugInfo* debug) {
  if (auto told = debug ? debug->has_cplusplus() : std::nullopt) return *told;
  return std::ranges::any_of(file.symbols(), [](const object::Symbol& symbol) {
    return symbol.section != 0 && symbol.kind == object::SymbolKind::function &&
           symbol.name.starts_with("_Z");
  });
}

}  // namespace pgokit::program

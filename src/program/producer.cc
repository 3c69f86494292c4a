#include "program/producer.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/parse_number.h"

namespace pgokit::program {
namespace {

// The start-up files of the C library bring a line of GCC into every program, and linkers add
// theirs: what can only come from the program's own code is asked for first.
constexpr std::string_view by_rank[] = {"rustc version", "clang version", "GCC:"};

constexpr std::string_view of_linker = "Linker:";

std::vector<std::string_view> comment_lines(const object::File& file) {
  const auto* section = file.section(".comment");
  if (!section) return {};
  auto contents = file.contents(*section);
  if (!contents) return {};
  std::vector<std::string_view> lines;
  Cursor in(*contents);
  while (in.left() > 0 && in.ok()) lines.push_back(in.cstring());
  return lines;
}

std::string from_comment(const object::File& file) {
  auto lines = comment_lines(file);
  for (auto mark : by_rank)
    for (auto line : lines)
      if (line.contains(mark) && !line.starts_with(of_linker)) return std::string(line);
  return {};
}

// Of "GNU C17" and "GNU GIMPLE" (LTO); others call themselves GNU too, as GNU AS.
constexpr std::string_view gcc_marks[] = {"GNU C", "GNU GIMPLE ", "GNU Fortran"};

}  // namespace

std::optional<unsigned> gcc_version(std::string_view producer) {
  constexpr std::string_view of_comment = "GCC: (";
  unsigned version = 0;
  if (producer.starts_with(of_comment)) {
    // GCC: (Debian 12.2.0-14) 12.2.0
    size_t at = producer.find(") ");
    if (at == producer.npos) return 0;
    producer.remove_prefix(at + 2);
  } else {
    auto begins = [&](std::string_view mark) { return producer.starts_with(mark); };
    if (std::ranges::none_of(gcc_marks, begins)) return std::nullopt;
    producer.remove_prefix(std::string_view("GNU ").size());
    producer.remove_prefix(std::min(producer.find(' ') + 1, producer.size()));
  }
  take_number(producer, version);
  return version;
}

bool is_linked_by_lld(const object::File& file) {
  return std::ranges::any_of(comment_lines(file), [](std::string_view line) {
    return line.starts_with(of_linker) && line.contains("LLD");
  });
}

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

#include "program/named_paths.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/unique_names.h"

namespace pgokit::program {
namespace {

struct Part {
  std::string_view whole;
  size_t begin;  // what stands in front of it was taken off
};

using Parts = tsl::robin_map<std::string, Part>;  // by the number that names have of it

// All ends of a path that begin with a folder or the file. One that is a whole path of another file
// is that.
void add_parts(std::string_view path, Parts& parts) {
  for (size_t begin = 0; begin < path.size();) {
    auto& part =
        parts.try_emplace(path_number(path.substr(begin)), Part{path, begin}).first.value();
    if (begin == 0) part = {path, 0};
    size_t slash = path.find('/', begin);
    begin = slash == path.npos ? path.size() : slash + 1;
  }
}

}  // namespace

NamedPaths named_paths(const Program& program) {
  constexpr u64 most_units = 4096;
  NamedPaths paths;
  std::vector<std::string_view> numbers;
  for (const auto& range : program.functions().ranges())
    if (auto name = split_unique_name(program.functions().name(range.function)))
      numbers.push_back(name->path);
  std::ranges::sort(numbers);
  auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  paths.unique = !numbers.empty();
  if (numbers.empty() || !program.debug()) return paths;
  Parts parts;
  for (u32 unit = 0; unit < std::min(program.debug()->facts().units, most_units); ++unit)
    add_parts(program.debug()->unit_name(unit), parts);
  for (auto number : numbers) {
    auto found = parts.find(std::string(number));
    if (found == parts.end()) continue;
    auto [whole, begin] = found->second;
    auto before = std::string(whole.substr(0, begin));
    if (begin == 0 && whole.starts_with('/')) paths.absolute = whole;
    if (begin > 0 && std::ranges::count(paths.taken_off, before) == 0)
      paths.taken_off.push_back(std::move(before));
  }
  std::ranges::sort(paths.taken_off, std::ranges::greater(), &std::string::size);
  return paths;
}

}  // namespace pgokit::program

#include "cli/llvm/symbol_remapping.h"

#include "base/cursor.h"

namespace pgokit::cli {

Result<SymbolRemapping> SymbolRemapping::read(const std::string& path) {
  SymbolRemapping remapping(TRY(MappedFile::open(path)));
  auto text = as_text(remapping.file_.bytes());
  for (size_t number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    size_t space = std::min(line.find(' '), line.size());
    auto old_name = line.substr(0, space), new_name = line.substr(std::min(space + 1, line.size()));
    if (old_name.empty() || new_name.empty() || new_name.contains(' '))
      return fail(
          "{}:{}: unexpected line in remapping file\nnote: expected 'old_symbol new_symbol'", path,
          number);
    remapping.new_names_.emplace(old_name, new_name);
  }
  return remapping;
}

Result<std::optional<SymbolRemapping>> SymbolRemapping::read_if_given(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return TRY(read(path));
}

}  // namespace pgokit::cli

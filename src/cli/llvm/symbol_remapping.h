#pragma once

// The file of llvm-profdata's --remapping-file: a line "OLD NEW" for each function with another
// name; lines that begin with # are comments. Of several lines for one name the first counts.
//
//   auto remapping = TRY(SymbolRemapping::read(path));
//   std::string_view name = remapping("_Z3oldv");          // itself where no line has it

#include <optional>
#include <string>
#include <unordered_map>

#include "base/file.h"

namespace pgokit::cli {

class SymbolRemapping {
 public:
  static Result<SymbolRemapping> read(const std::string& path);
  // Of an option's value: empty stands for none.
  static Result<std::optional<SymbolRemapping>> read_if_given(const std::string& path);

  std::string_view operator()(std::string_view name) const {
    auto found = new_names_.find(name);
    return found == new_names_.end() ? name : found->second;
  }

 private:
  explicit SymbolRemapping(MappedFile file) : file_(std::move(file)) {}

  MappedFile file_;  // the names are in it
  std::unordered_map<std::string_view, std::string_view> new_names_;
};

}  // namespace pgokit::cli

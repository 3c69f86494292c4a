#include "base/output_folder.h"

#include <unistd.h>

#include <filesystem>
#include <ranges>

namespace pgokit {

namespace fs = std::filesystem;

Result<OutputFolder> OutputFolder::create(const std::string& path) {
  OutputFolder folder;
  fs::path part;
  std::error_code error;
  for (const auto& name : fs::path(path)) {
    part /= name;
    if (part.filename().empty()) continue;  // of the slash at the end
    if (fs::create_directory(part, error)) folder.made_.push_back(part.string());
    if (error) return fail("{}: {}", part.string(), error.message());
  }
  if (!fs::is_directory(path, error)) return fail("{}: it is no folder", path);
  return folder;
}

OutputFolder::~OutputFolder() {
  for (const auto& made : std::views::reverse(made_)) rmdir(made.c_str());
}

}  // namespace pgokit

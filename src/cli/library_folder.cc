#include "cli/library_folder.h"

#include <fmt/format.h>

#include <vector>

namespace pgokit::cli {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> library_places(const std::string& given) {
  if (!given.empty()) return {given};
  std::error_code error;
  fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {bin.parent_path() / "lib" / "pgokit", bin.parent_path() / "lib64" / "pgokit", bin};
}

}  // namespace

Result<fs::path> library_folder(const std::string& given, const fs::path& file) {
  std::string looked;
  for (const auto& place : library_places(given)) {
    std::error_code error;
    if (fs::exists(place / file, error)) return fs::absolute(place, error);
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  return fail("{} is not in {}", file.string(), looked);
}

}  // namespace pgokit::cli

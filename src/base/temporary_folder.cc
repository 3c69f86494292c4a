#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pgokit {

std::string place_of_temporaries() {
  const char* place = std::getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::string path = fmt::format("{}/pgokit-XXXXXX", place_of_temporaries());
  if (!mkdtemp(path.data()))
    return fail("{}: cannot make a folder: {} (TMPDIR chooses another place)", path,
                std::strerror(errno));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

std::string TemporaryFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

}  // namespace pgokit

#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pgokit {

Result<TemporaryFolder> TemporaryFolder::create() {
  const char* above = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/pgokit-XXXXXX", above && *above ? above : "/tmp");
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

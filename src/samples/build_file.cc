#include "samples/build_file.h"

#include <unistd.h>

#include "samples/program_places.h"

namespace pgokit::samples {

std::optional<BuildFile> open_build(const std::string& path, const std::string& build_id,
                                    bool name_is_enough) {
  if (path.empty() || access(path.c_str(), R_OK) != 0) return std::nullopt;
  auto image = MappedFile::open_regular(path);
  if (!image) return std::nullopt;
  auto file = object::File::parse(image->bytes());
  if (!file) return std::nullopt;
  auto id = object::hex(file->build_id());
  if (!is_same_build(id, build_id) || (id.empty() && !name_is_enough)) return std::nullopt;
  return BuildFile{std::make_unique<MappedFile>(std::move(*image)),
                   std::make_unique<object::File>(std::move(*file))};
}

std::optional<BuildFile> open_debug_file(const std::string& build_id) {
  return open_build(debug_file_of(build_id), build_id, false);
}

}  // namespace pgokit::samples

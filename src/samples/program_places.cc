#include "samples/program_places.h"

#include <fmt/format.h>

#include <cstdlib>

#include "samples/program_match.h"

namespace pgokit::samples {

std::vector<std::string> places_of(std::string_view program, std::string_view build_id,
                                   std::string_view recording) {
  std::string name(file_name(program)), beside(recording.substr(0, recording.rfind('/') + 1));
  std::vector<std::string> places{std::string(program), beside + name, name};
  // Where pgokit optimize keeps what it recorded.
  for (const char* build : {"recorded", "plain"})
    places.push_back(fmt::format("{}{}/{}", beside, build, name));
  const char* home = std::getenv("HOME");
  if (home && build_id.size() > 2)
    places.push_back(fmt::format("{}/.debug/.build-id/{}/{}/elf", home, build_id.substr(0, 2),
                                 build_id.substr(2)));
  return places;
}

std::string debug_file_of(std::string_view build_id) {
  if (build_id.size() <= 2) return {};
  return fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build_id.substr(0, 2),
                     build_id.substr(2));
}

bool is_same_build(std::string_view id, std::string_view wanted) {
  return id.empty() || wanted.empty() || id.starts_with(wanted) || wanted.starts_with(id);
}

}  // namespace pgokit::samples

#include "pipeline/library_names.h"

#include <algorithm>

#include "base/cursor.h"
#include "object/code_symbols.h"
#include "samples/build_file.h"
#include "samples/program_places.h"

namespace pgokit::pipeline {
namespace {

// The file with most names.
std::optional<samples::BuildFile> find_symbols(const instrument::Module& module,
                                               const std::vector<std::string>& given,
                                               const std::string& profile_path) {
  auto id = object::hex(as_bytes(module.build_id));
  if (id.empty()) return std::nullopt;
  auto places = given;
  for (auto& place : samples::places_of(module.path, id, profile_path))
    places.push_back(std::move(place));
  std::optional<samples::BuildFile> stripped;
  for (const auto& path : places) {
    auto found = samples::open_build(path, id, false);
    if (!found) continue;
    if (found->file->has_symtab()) return found;
    if (!stripped) stripped = std::move(found);
  }
  if (auto debug = samples::open_debug_file(id)) return debug;
  return stripped;
}

void name_symbols(instrument::Module& module, const std::vector<u64>& addresses,
                  const object::File& file) {
  object::CodeSymbols symbols(file);
  for (u64 address : addresses)
    if (const auto* symbol = symbols.starting_at(address))
      module.symbols.push_back(
          {address, std::string(object::without_version(symbol->name)), symbol->is_local});
}

}  // namespace

void name_libraries(instrument::Profile& profile, const std::vector<std::string>& given,
                    const std::string& profile_path) {
  std::vector<std::vector<u64>> called(profile.modules.size());
  for (const auto& value : profile.values)
    if (value.to_module != instrument::SiteValue::nowhere)
      called[value.to_module].push_back(value.value);
  for (size_t i = 0; i < called.size(); ++i) {
    auto& module = profile.modules[i];
    if (module.has_map() || called[i].empty()) continue;
    auto found = find_symbols(module, given, profile_path);
    if (!found) continue;
    std::ranges::sort(called[i]);
    auto same = std::ranges::unique(called[i]);
    called[i].erase(same.begin(), same.end());
    name_symbols(module, called[i], *found->file);
  }
}

}  // namespace pgokit::pipeline

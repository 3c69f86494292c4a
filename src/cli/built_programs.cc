#include "cli/built_programs.h"

namespace pgokit::cli {

Result<BuiltPrograms> open_built(BuiltOptions options) {
  const auto& debug = options.program.debug_path;
  if (options.files.size() > 1 && !debug.empty())
    return usage_error("--debug is of one program: give one --binary");
  options.program.use_dwarf = !options.probes;
  BuiltPrograms built;
  analysis::ShapeReader reader(options.probes, options.threads);
  for (const auto& file : options.files) {
    auto& program = built.programs.emplace_back(TRY(program::Program::open(file, options.program)));
    TRY(program.load_functions(options.threads));
    TRY_IN(options.probes || debug.empty() ? file : debug, reader.add(program));
  }
  built.shape = std::move(reader).shape();
  return built;
}

void add_programs(report::Json& json, const std::vector<std::string>& files) {
  if (files.size() == 1) {
    json.set("program", files[0]);
    return;
  }
  auto list = report::Json::array();
  for (const auto& file : files) list.push(file);
  json.set("programs", std::move(list));
}

std::string names_of_built(const std::vector<std::string>& files) {
  return files.size() == 1 ? files[0] : fmt::format("{} and {} more", files[0], files.size() - 1);
}

}  // namespace pgokit::cli

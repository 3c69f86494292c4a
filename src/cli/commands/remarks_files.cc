#include "cli/commands/remarks_files.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/function_name.h"
#include "remarks/read.h"
#include "report/numbers.h"

namespace pgokit::cli {

namespace fs = std::filesystem;

Result<std::vector<std::string>> remarks_files(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (remarks::is_remarks_name(at->path().filename().string()) && at->is_regular_file(error))
      files.push_back(at->path().string());
  if (error) return fail("{}: {}", path, error.message());
  if (files.empty())
    return fail(
        "{}: has no remarks (*.opt.yaml, *.opt.bitstream): compile with "
        "-fsave-optimization-record",
        path);
  std::ranges::sort(files);
  return files;
}

Status read_remarks(const std::string& path, const program::Program& program, unsigned threads,
                    annotate::FunctionRemarks& remarks) {
  if (path.empty()) return {};
  for (const auto& file : TRY(remarks_files(path))) {
    auto bytes = TRY(MappedFile::open(file));
    TRY_IN(file, remarks.add(bytes.bytes()));
  }
  auto symbols = function_symbols(program.file().symbols());
  auto fit = check_remarks(path, program.path(), remarks.functions(), symbols, nullptr);
  // All code is looked at only where symbols do not answer it.
  if (fit || !(program.has_probes() || program.debug())) return fit;
  auto shape = TRY_IN(program.path(), analysis::read_shape(program, program.has_probes(), threads));
  return check_remarks(path, program.path(), remarks.functions(), symbols, &shape);
}

std::unordered_set<std::string> function_symbols(const std::vector<object::Symbol>& symbols) {
  std::unordered_set<std::string> names;
  for (const auto& symbol : symbols)
    if (symbol.kind == object::SymbolKind::function && symbol.section)
      names.emplace(canonical_function_name(symbol.name));
  return names;
}

Status check_remarks(const std::string& remarks, const std::string& binary,
                     const std::unordered_set<std::string>& functions,
                     const std::unordered_set<std::string>& symbols,
                     const analysis::ProgramShape* shape) {
  auto there = static_cast<size_t>(std::ranges::count_if(functions, [&](const std::string& name) {
    return symbols.contains(name) || (shape && shape->find(name));
  }));
  if (functions.empty() || there * 2 > functions.size()) return {};
  if (shape && there * 2 > shape->functions.size()) return {};
  return fail(
      "{}: remarks of another build: {} has {} of their {} functions; give those of the build "
      "that made it, or the folder in there that it was made in",
      remarks, binary, report::grouped(there), report::grouped(functions.size()));
}

std::vector<std::string> remarks_beside(const std::string& program) {
  std::vector<std::string> files;
  fs::path path(program);
  std::error_code error;
  auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    auto name = at->path().filename().string();
    if (!name.starts_with(path.filename().string())) continue;
    auto rest = std::string_view(name).substr(path.filename().string().size());
    bool is_of_program = rest.starts_with(".opt.") || rest.starts_with("-opt.ld.");
    if (is_of_program && remarks::is_remarks_name(name) && at->is_regular_file(error))
      files.push_back((path.parent_path() / name).string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace pgokit::cli

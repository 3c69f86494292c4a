#include "cli/commands/remarks_files.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "remarks/read.h"

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

Status read_remarks(const std::string& path, annotate::FunctionRemarks& remarks) {
  if (path.empty()) return {};
  for (const auto& file : TRY(remarks_files(path))) {
    auto bytes = TRY(MappedFile::open(file));
    TRY_IN(file, remarks.add(bytes.bytes()));
  }
  return {};
}

std::vector<std::string> remarks_beside(const std::string& program) {
  std::vector<std::string> files;
  std::error_code error;
  for (const char* end : {".opt.yaml", ".opt.bitstream", ".opt.ld.yaml"})
    if (fs::is_regular_file(program + end, error)) files.push_back(program + end);
  return files;
}

}  // namespace pgokit::cli

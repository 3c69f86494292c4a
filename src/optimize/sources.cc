#include "optimize/sources.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/blake3.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "optimize/toolchain.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

// A line for each source: the hash of its contents in 16 digits, a blank, its path.
constexpr char noted[] = "sources";
constexpr size_t hash_digits = 16;

// Makefiles are not among them: configure scripts write the options of each build into these.
bool is_source(const fs::path& path) {
  static const std::set<std::string, std::less<>> endings = {
      ".c",   ".cc",  ".cpp", ".cxx", ".c++",   ".h",     ".hh",   ".hpp", ".hxx",
      ".inc", ".inl", ".ipp", ".tcc", ".def",   ".S",     ".s",    ".asm", ".m",
      ".mm",  ".rs",  ".d",   ".f",   ".f90",   ".y",     ".l",    ".td",  ".go",
      ".zig", ".jl",  ".ml",  ".nim", ".swift", ".proto", ".cmake"};
  auto name = path.filename().string();
  return endings.contains(path.extension().string()) || name == "CMakeLists.txt" ||
         name == "meson.build";
}

// Of tools, not of the user.
bool is_passed_over(const fs::path& folder, const WorkFolder& work) {
  std::error_code error;
  auto name = folder.filename().string();
  return name.starts_with('.') || name == "CMakeFiles" || name == "node_modules" ||
         fs::equivalent(folder, work.path(), error);
}

void add_folder(const fs::path& folder, const WorkFolder& work, std::set<std::string>& sources) {
  constexpr size_t most = 50'000;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && sources.size() < most;
       at.increment(error)) {
    std::error_code none;
    if (at->is_directory(none) && is_passed_over(at->path(), work))
      at.disable_recursion_pending();
    else if (at->is_regular_file(none) && is_source(at->path()))
      sources.insert(at->path().lexically_normal().string());
  }
}

// Nothing where it cannot be read.
std::string hash_of(const std::string& path) {
  auto file = MappedFile::open_regular(path);
  return file ? fmt::format("{:016x}", blake3_u64(file->bytes())) : "";
}

}  // namespace

Status note_sources(const WorkFolder& work, const std::string& build) {
  std::set<std::string> sources;
  for (auto& source : sources_compiled(work, build)) sources.insert(std::move(source));
  add_folder(".", work, sources);
  std::string text;
  for (const auto& source : sources)
    if (auto hash = hash_of(source); !hash.empty() && fits_in_line(source))
      text += fmt::format("{} {}\n", hash, source);
  return work.write(noted, text);
}

Result<std::string> edited_source(const WorkFolder& work) {
  std::error_code error;
  if (!fs::exists(work.file(noted), error)) return "";
  auto file = TRY(MappedFile::open_regular(work.file(noted)));
  auto text = as_text(file.bytes());
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() <= hash_digits + 1) continue;
    std::string source(line.substr(hash_digits + 1));
    auto now = hash_of(source);
    if (!now.empty() && now != line.substr(0, hash_digits)) return source;
  }
  return "";
}

}  // namespace pgokit::optimize

#include "pipeline/input_files.h"

#include <algorithm>
#include <filesystem>

#include "base/cursor.h"
#include "base/file.h"
#include "base/parse_number.h"
#include "report/numbers.h"

namespace pgokit::pipeline {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view line) {
  constexpr const char* blanks = " \t\r\v\f";
  size_t first = line.find_first_not_of(blanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

template <class Visit>
Status each_line(const std::string& path, Visit visit) {
  auto file = TRY(MappedFile::open(path));
  std::string_view rest = as_text(file.bytes());
  for (u64 number = 1; !rest.empty(); ++number) {
    size_t end = std::min(rest.find('\n'), rest.size());
    TRY(visit(trimmed(rest.substr(0, end)), number));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

Status add_folder(Inputs& inputs, const std::string& path, u64 weight) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error)) files.push_back(at->path().string());
  if (error) return fail("{}: {}", path, error.message());
  std::ranges::sort(files);
  for (auto& file : files) inputs.push_back({std::move(file), weight});
  return {};
}

}  // namespace

Status add_input(Inputs& inputs, const std::string& path, u64 weight, bool files_only) {
  std::error_code error;
  if (path != "-" && fs::is_directory(path, error)) return add_folder(inputs, path, weight);
  if (path != "-" && files_only) {
    if (!fs::exists(path, error))
      return fail("{}{}No such file or directory", path, path.empty() ? "" : ": ");
    if (!fs::is_regular_file(path, error)) return {};
  }
  inputs.push_back({path, weight});
  return {};
}

Status add_named(Inputs& inputs, const std::string& file) {
  size_t equal = file.rfind('=');
  u64 weight = 0;
  if (equal != file.npos && equal > 0) {
    if (parse_number(std::string_view(file).substr(equal + 1), weight) && !fs::exists(file)) {
      if (weight == 0)
        return usage_error("'{}': FILE=WEIGHT is wanted, the weight from 1 on", file);
      return add_input(inputs, file.substr(0, equal), weight, false);
    }
  }
  return add_input(inputs, file, 1, false);
}

Status add_weighted(Inputs& inputs, const std::string& text, bool files_only) {
  u64 weight = 0;
  size_t comma = std::min(text.find(','), text.size());
  bool good = parse_number(std::string_view(text).substr(0, comma), weight);
  if (!good || weight == 0 || comma == text.size())
    return files_only ? fail("input weight must be a positive integer: '{}'", text)
                      : usage_error("'{}': WEIGHT,FILE is wanted, the weight from 1 on", text);
  return add_input(inputs, text.substr(comma + 1), weight, files_only);
}

// A line that is cut short, or damaged, may be the name of a folder with everything in it.
Status refuse_folder(std::string_view path) {
  std::error_code error;
  if (path.ends_with('/') || !fs::is_directory(path, error)) return {};
  return fail("{} is a folder: with a / at its end it stands for the files in it", path);
}

Status add_list(Inputs& inputs, const std::string& path, bool files_only) {
  return each_line(path, [&](std::string_view line, u64 number) -> Status {
    if (line.empty() || line.starts_with('#')) return {};
    auto add = [&]() -> Status {
      if (!files_only) TRY(refuse_folder(line.substr(line.find(',') + 1)));
      if (!line.contains(',')) return add_input(inputs, std::string(line), 1, files_only);
      return add_weighted(inputs, std::string(line), files_only);
    };
    auto status = add();
    if (status) return {};
    auto place = fmt::format("{}: line {}", path, number);
    // llvm-profdata names no place; its sentence stays in front.
    if (files_only) return fail("{} ({})", status.error().message, place);
    return std::unexpected(std::move(status).error().in(place));
  });
}

std::string names_of(const Inputs& inputs) {
  if (inputs.empty()) return "the inputs";
  if (inputs.size() == 1) return inputs[0].path;
  return fmt::format("{} and {} more", inputs[0].path, report::grouped(inputs.size() - 1));
}

Status add_symbols(profile::Profile& profile, const std::string& path) {
  return each_line(path, [&](std::string_view line, u64) -> Status {
    if (!line.empty()) profile.symbols.intern(line);
    return {};
  });
}

}  // namespace pgokit::pipeline

#include "annotate/source_text.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::annotate {
namespace {

constexpr size_t largest_source = size_t{16} << 20;

}  // namespace

SourceText::SourceText(MappedFile file) {
  std::string_view rest = as_text(file.bytes());
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  file_.push_back(std::move(file));
}

std::string_view SourceText::line(u32 number) const {
  return number > 0 && number <= lines_.size() ? lines_[number - 1] : std::string_view();
}

SourceText read_source(const std::string& path) {
  auto file = MappedFile::open_regular(path);
  if (!file) return SourceText(file.error().message);
  auto text = as_text(file->bytes());
  if (text.size() > largest_source)
    return SourceText(fmt::format("{}: it is too large for a source file", path));
  if (text.find('\0') != text.npos) return SourceText(fmt::format("{}: it is no text", path));
  return SourceText(std::move(*file));
}

}  // namespace pgokit::annotate

#include "cli/views/source_listing.h"

#include "cli/views/source_rows.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::FunctionRemark;
using report::grouped;

constexpr size_t count_width = SourceRows::count_width;

std::string words_of(const FunctionRemark& one) {
  auto text = report::format("{} {}: {}", one.pass, annotate::word_of(one.kind), one.text);
  return one.times > 1 ? text + fmt::format(" ({} times)", grouped(one.times)) : text;
}

}  // namespace

RemarkRows::RemarkRows(const annotate::FunctionRemarks* remarks,
                       const std::vector<std::string_view>& functions) {
  if (!remarks) return;
  for (auto function : functions)
    for (const auto& one : remarks->of(function)) left_.push_back(&one);
}

void RemarkRows::append_of(const std::string& path, u32 line, std::string& text) {
  std::erase_if(left_, [&](const FunctionRemark* one) {
    if (one->line != line || !annotate::is_file(one->file, path)) return false;
    SourceRows::append_note(words_of(*one), text);
    return true;
  });
}

void RemarkRows::append_rest(std::string& text) const {
  if (left_.empty()) return;
  text += report::format("\n{:>{}}  other remarks\n", "", count_width);
  for (const auto* one : left_) {
    auto place = one->file.empty() ? "" : report::format("{}:{}: ", one->file, one->line);
    text += fmt::format("{:>{}}  {}{}\n", "", count_width, place, words_of(*one));
  }
}

void add_source_lines(const std::string& path, const std::vector<annotate::SourceLine>& lines,
                      RemarkRows& remarks, std::string& text) {
  auto source = annotate::read_source(path);
  text += report::format("source     {}\n", path);
  SourceRows rows(source);
  text += rows.heading();
  for (const auto& line : lines)
    rows.append(line.line, grouped(line.count), text,
                [&](u32 number, std::string& out) { remarks.append_of(path, number, out); });
}

report::Json lines_json(const std::vector<annotate::SourceLine>& lines) {
  auto list = report::Json::array();
  for (const auto& line : lines)
    list.push(std::move(report::Json::object().set("line", line.line).set("count", line.count)));
  return list;
}

}  // namespace pgokit::cli

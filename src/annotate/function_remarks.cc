#include "annotate/function_remarks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "base/function_name.h"
#include "remarks/read.h"

namespace pgokit::annotate {
namespace {

using remarks::Kind;
using remarks::Remark;

constexpr size_t longest_text = 1000;

bool tells_a_decision(const Remark& remark) {
  constexpr std::array<std::string_view, 5> passes = {"asm-printer", "prologepilog", "size-info",
                                                      "stack-frame-layout", "annotation-remarks"};
  return remark.name != "AppliedSamples" && std::ranges::count(passes, remark.pass) == 0;
}

auto key_of(const FunctionRemark& one) {
  return std::tie(one.line, one.column, one.file, one.pass, one.kind, one.text);
}

}  // namespace

void FunctionRemarks::add(const Remark& remark) {
  auto name = canonical_function_name(remark.function);
  all_.emplace(name);
  auto function = wanted_.find(name);
  if (function == wanted_.end() || !tells_a_decision(remark)) return;
  FunctionRemark one{.kind = remark.kind};
  if (remark.at) {
    one.file = remark.at->file;
    one.line = remark.at->line;
    one.column = remark.at->column;
  }
  one.pass = remark.pass;
  for (const auto& argument : remark.arguments) {
    one.text += argument.value;
    if (one.text.size() > longest_text) break;
  }
  if (one.text.size() > longest_text) one.text.resize(longest_text);
  auto& list = by_function_[*function];
  auto same = std::ranges::find_if(
      list, [&](const FunctionRemark& other) { return key_of(other) == key_of(one); });
  if (same != list.end())
    ++same->times;
  else if (list.size() == most_remarks)
    ++left_out_;
  else
    list.push_back(std::move(one));
}

Status FunctionRemarks::add(Bytes file) {
  TRY(remarks::each_remark(file, [&](const Remark& remark) { add(remark); }));
  for (auto& [name, list] : by_function_)
    std::ranges::stable_sort(
        list, {}, [](const FunctionRemark& one) { return std::pair(one.line, one.column); });
  return {};
}

const std::vector<FunctionRemark>& FunctionRemarks::of(std::string_view function) const {
  static const std::vector<FunctionRemark> none;
  auto found = by_function_.find(canonical_function_name(function));
  return found == by_function_.end() ? none : found->second;
}

bool is_file(std::string_view of_remark, std::string_view path) {
  if (of_remark.empty()) return false;
  std::filesystem::path wanted = of_remark;
  auto text = wanted.lexically_normal().string();
  if (wanted.is_absolute()) return text == path;
  while (text.starts_with("../")) text.erase(0, 3);
  return path.ends_with(text) &&
         (path.size() == text.size() || path[path.size() - text.size() - 1] == '/');
}

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::passed:
      return "passed";
    case Kind::missed:
      return "missed";
    case Kind::failure:
      return "failed";
    default:
      return "analysis";
  }
}

}  // namespace pgokit::annotate

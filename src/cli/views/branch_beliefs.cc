#include "cli/views/branch_beliefs.h"

#include <filesystem>
#include <unordered_map>

#include "base/function_name.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::BranchBelief;
using report::as_percent;
using report::grouped;
using report::Json;

// What is wrong with the whole function explains its branches.
class Causes {
 public:
  explicit Causes(const analysis::Explanation& told) {
    for (const auto& function : told.functions) {
      auto cause = function.cause;
      if (analysis::is_loss(cause) && cause != analysis::Cause::thin)
        of_function_.emplace(canonical_function_name(function.name),
                             analysis::description_of(cause).name);
    }
  }

  std::string_view of(const BranchBelief& belief) const {
    auto found = of_function_.find(std::string(canonical_function_name(belief.source)));
    return found == of_function_.end() ? annotate::description_of(belief.cause).name
                                       : found->second;
  }

 private:
  std::unordered_map<std::string, std::string_view> of_function_;
};

struct Shown {
  std::vector<const BranchBelief*> list;
  size_t others = 0;  // that --top leaves out
};

Shown shown_of(const BeliefsView& view) {
  Shown shown;
  for (const auto& belief : view.told->wrong) {
    if (!report::has_in_name(belief.source, view.function) &&
        !report::has_in_name(belief.function, view.function))
      continue;
    if (view.top && shown.list.size() == view.top && view.function.empty())
      ++shown.others;
    else
      shown.list.push_back(&belief);
  }
  return shown;
}

std::string place_of(const BranchBelief& belief) {
  if (belief.file.empty()) return report::format("{:#x}", belief.address);
  auto name = std::filesystem::path(belief.file).filename().string();
  return belief.line ? report::format("{}:{}", name, belief.line) : name;
}

}  // namespace

std::string beliefs_text(const BeliefsView& view) {
  const auto& told = *view.told;
  if (told.judged == 0) return "";
  std::string text = report::format(
      "\nbranches   {} by {}: {} held otherwise than measured, in {} of the times that they ran\n",
      grouped(told.judged), view.measure, grouped(told.wrong.size()),
      report::percent(told.worth, told.ran));
  auto shown = shown_of(view);
  if (shown.list.empty())
    return view.function.empty() || told.wrong.empty() ? text : text + "  none of them is there\n";
  text += report::format("  {:>15}  {:>8}  {:>8}  {}{:<18} {}\n", "times", "measured", "clang",
                         view.by_counts ? " profile  " : "", "why", "where");
  report::FunctionNames names(view.mangled);
  for (const auto* belief : shown.list) names.add(belief->source);
  Causes causes(*view.explanation);
  for (const auto* one : shown.list) {
    const auto& belief = *one;
    std::string profiled;
    if (view.by_counts)
      profiled = report::format("{:>8}  ",
                                belief.profiled ? as_percent(*belief.profiled) : std::string("-"));
    text += report::format("  {:>15}  {:>8}  {:>8}  {}{:<18} {} {}\n", grouped(belief.worth),
                           as_percent(belief.measured), as_percent(belief.believed), profiled,
                           causes.of(belief), place_of(belief), names.of(belief.source));
  }
  if (shown.others)
    text += report::format("  ... and {} more (--top 0 shows all)\n", grouped(shown.others));
  return text;
}

Json beliefs_json(const BeliefsView& view) {
  const auto& told = *view.told;
  Json list = Json::array();
  Causes causes(*view.explanation);
  auto shown = shown_of(view);
  for (const auto* belief : shown.list) {
    Json one = Json::object();
    one.set("function", belief->function)
        .set("source", belief->source)
        .set("file", belief->file)
        .set("line", belief->line)
        .set("address", belief->address)
        .set("target", belief->target)
        .set("measured", belief->measured)
        .set("believed", belief->believed)
        .set("profiled", belief->profiled ? Json(*belief->profiled) : Json())
        .set("cause", causes.of(*belief))
        .set("ran", belief->ran)
        .set("worth", belief->worth);
    list.push(std::move(one));
  }
  return std::move(Json::object()
                       .set("measure", view.measure)
                       .set("judged", told.judged)
                       .set("ran", told.ran)
                       .set("held_otherwise", told.wrong.size())
                       .set("worth", told.worth)
                       .set("list", std::move(list)));
}

}  // namespace pgokit::cli

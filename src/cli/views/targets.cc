#include "cli/views/targets.h"

#include <algorithm>

#include "base/saturated.h"
#include "generate/branch_targets.h"
#include "instrument/values.h"
#include "pipeline/read_input.h"
#include "profile/model/function_samples.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::grouped;
using report::Json;
using report::percent;

struct Kind {
  u32 kind;
  const char *one, *many, *values, *name;
};
constexpr Kind kinds[] = {{MIP_TARGETS, "indirect call", "indirect calls", "targets", "targets"},
                          {MIP_TABLES, "call through tables of functions",
                           "calls through tables of functions", "tables", "tables"},
                          {MIP_SIZES, "copy or fill", "copies and fills", "sizes", "sizes"}};

std::string_view file_in(std::string_view source_name) {
  auto end = source_name.rfind(';');
  return source_name.substr(0, end == source_name.npos ? 0 : end);
}

// Functions of the sites that are shown, and those that would look like them.
class SiteNames {
 public:
  SiteNames(const instrument::Profile& profile, const ShowInstrumented& options)
      : profile_(profile), names_(options.mangled) {}

  void add(const instrument::Module& module, const instrument::Site& site) {
    const auto& function = module.functions[site.function];
    names_.add(module.name(function), source_file(module, function));
    auto source = module.source_name(site);
    names_.add(module.name(site), file_in(source));
    auto end = source.rfind(';');
    if (end == source.npos) return;
    for (const auto& other : module.sources)
      if (auto name = module.name(other); name.ends_with(source.substr(end)))
        names_.add(module.name(site), file_in(name));
  }
  void add(const instrument::SiteValue& value) {
    instrument::value_name(profile_, value, [&](std::string_view name) {
      names_.add(name);
      return std::string();
    });
  }

  std::string of(const instrument::Module& module, const instrument::Function& function) const {
    return names_.of(module.name(function), source_file(module, function));
  }
  std::string of(const instrument::Module& module, const instrument::Site& site) const {
    return names_.of(module.name(site), file_in(module.source_name(site)));
  }
  std::string of(const instrument::SiteValue& value) const {
    return instrument::value_name(profile_, value,
                                  [&](std::string_view name) { return names_.of(name); });
  }

 private:
  const instrument::Profile& profile_;
  report::FunctionNames names_;
};

// As in profiles of samples: lines are counted from the function's.
std::string place_of(const instrument::Module& module, const instrument::Site& site,
                     const SiteNames& names, MipPrograms& programs) {
  const auto& function = module.functions[site.function];
  std::string text = names.of(module, site);
  if (site.line == MIP_NO_LINE && site.number)
    text += report::format(", number {}", site.number);
  else if (site.line == MIP_NO_LINE)
    text += report::format("+{:#x}", site.address - function.address);
  else
    text += report::format(":{}:{}", site.line, site.column);
  if (module.name(site) != module.name(function))
    text += ", inlined into " + names.of(module, function);
  auto* known = programs.of(module);
  auto* places = known ? known->places() : nullptr;
  auto line = places ? places->of(site.address, site.address + 1).text() : "";
  return line.empty() ? text : text + "  at " + line;
}

// The values of a site that are listed.
std::span<const instrument::SiteValue> shown_values(const instrument::SiteSummary& summary,
                                                    const ShowInstrumented& options) {
  std::span values(summary.values);
  return options.per_site ? values.first(std::min<size_t>(options.per_site, values.size()))
                          : values;
}

void print_site(std::string& text, const instrument::Profile& profile,
                const instrument::SiteSummary& summary, const ShowInstrumented& options,
                const SiteNames& names, MipPrograms& programs) {
  const auto& module = profile.modules[summary.module];
  text += report::format("{:>15}          {}\n", grouped(summary.total),
                         place_of(module, module.sites[summary.site], names, programs));
  u64 rest = summary.total - summary.dropped;
  auto shown = shown_values(summary, options);
  for (const auto& value : shown) {
    text += report::format("{:>15} {:>7}    {}\n", grouped(value.count),
                           percent(value.count, summary.total), names.of(value));
    rest -= std::min(rest, value.count);
  }
  if (shown.size() < summary.values.size())
    text += report::format("{:>15} {:>7}    {} more\n", grouped(rest), percent(rest, summary.total),
                           grouped(summary.values.size() - shown.size()));
  if (summary.dropped)
    text += report::format("{:>15} {:>7}    not kept\n", grouped(summary.dropped),
                           percent(summary.dropped, summary.total));
}

void print_kind(std::string& text, const instrument::Profile& profile, const Kind& kind,
                const ShowInstrumented& options, MipPrograms& programs) {
  u64 all = 0, total = 0;
  for (const auto& module : profile.modules)
    all += static_cast<u64>(std::ranges::count(module.sites, kind.kind, &instrument::Site::kind));
  if (all == 0) return;
  auto sites = instrument::summaries_of(profile, kind.kind);
  for (const auto& site : sites) total = add_saturated(total, site.total);
  if (!text.empty()) text += "\n";
  text += report::format("{}, {} of them reached, {}\n", report::counted(all, kind.one, kind.many),
                         grouped(sites.size()), report::counted(total, "time"));
  if (total) {
    text += "covered   ";
    for (size_t most : {1, 2, 3, 4})
      text += report::format("{} {} by {}", most == 1 ? "" : ",",
                             percent(instrument::covered(sites, most), total), most);
    text += report::format(" {} of each\n\n", kind.values);
  }
  auto shown = std::span(sites);
  if (options.most_hot()) shown = shown.first(std::min<size_t>(shown.size(), options.most_hot()));
  SiteNames names(profile, options);
  for (const auto& site : shown) {
    names.add(profile.modules[site.module], profile.modules[site.module].sites[site.site]);
    for (const auto& value : shown_values(site, options)) names.add(value);
  }
  for (const auto& site : shown) print_site(text, profile, site, options, names, programs);
  if (shown.size() < sites.size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           grouped(sites.size() - shown.size()));
}

Json site_json(const instrument::Profile& profile, const instrument::SiteSummary& summary,
               const Kind& kind, MipPrograms& programs) {
  const auto& module = profile.modules[summary.module];
  const auto& site = module.sites[summary.site];
  Json json = Json::object(), values = Json::array();
  json.set("kind", kind.name)
      .set("program", summary.module)
      .set("function", module.name(module.functions[site.function]))
      .set("address", site.address)
      .set("written_in", module.name(site));
  if (site.line != MIP_NO_LINE) json.set("line_offset", site.line).set("column", site.column);
  if (site.number) json.set("number", site.number);
  auto* known = programs.of(module);
  auto* places = known ? known->places() : nullptr;
  if (auto place = places ? places->of(site.address, site.address + 1) : instrument::Place{};
      !place.file.empty())
    json.set("file", place.file).set("line", place.line);
  for (const auto& value : summary.values) {
    Json one = Json::object();
    one.set("name", instrument::value_name(profile, value)).set("count", value.count);
    one.set(kind.kind == MIP_SIZES ? "size" : "address", value.value);
    if (value.to_module != instrument::SiteValue::nowhere) one.set("program", value.to_module);
    values.push(std::move(one));
  }
  json.set("total", summary.total).set("dropped", summary.dropped).set("values", std::move(values));
  return json;
}

}  // namespace

std::string_view source_file(const instrument::Module& module,
                             const instrument::Function& function) {
  return file_in(module.source_name(function));
}

std::string targets_text(const instrument::Profile& profile, const ShowInstrumented& options,
                         MipPrograms& programs) {
  std::string text;
  for (const auto& kind : kinds) print_kind(text, profile, kind, options, programs);
  return text;
}

Json targets_json(const instrument::Profile& profile, MipPrograms& programs) {
  Json list = Json::array(), sites = Json::array(), covered = Json::object();
  for (const auto& module : profile.modules)
    list.push(std::move(Json::object()
                            .set("path", module.path)
                            .set("build_id", object::hex(as_bytes(module.build_id)))));
  for (const auto& kind : kinds) {
    auto found = instrument::summaries_of(profile, kind.kind);
    u64 total = 0;
    for (const auto& site : found) {
      total = add_saturated(total, site.total);
      sites.push(site_json(profile, site, kind, programs));
    }
    if (found.empty()) continue;
    Json counts = Json::array();
    for (size_t most : {1, 2, 3, 4}) counts.push(instrument::covered(found, most));
    covered.set(
        kind.name,
        std::move(Json::object().set("total", total).set("by_most_frequent", std::move(counts))));
  }
  Json json = Json::object();
  json.set("programs", std::move(list))
      .set("covered", std::move(covered))
      .set("sites", std::move(sites));
  return json;
}

Result<instrument::Profile> recorded_targets(const std::string& path,
                                             const std::string& program_path) {
  if (program_path.empty())
    return usage_error("targets of a recording are those of one program: -b PROGRAM");
  pipeline::ReadOptions options;
  options.inputs = {path};
  auto program = TRY(program::Program::open(program_path, {}));
  TRY(program.load_functions(options.threads));
  auto input = TRY(pipeline::read_input(program, options));
  if (input.ip_only || input.counts.branches.empty())
    return fail("{}: it has no branches of {}: record them with 'pgokit record'", path,
                program.path());
  auto targets = generate::branch_targets(program, input.counts);
  if (targets.modules[0].sites.empty())
    return fail(
        "{}: none of the branches of {} in it is an indirect call: record for longer, or "
        "all of it (pgokit record --exact)",
        path, program.path());
  return targets;
}

}  // namespace pgokit::cli

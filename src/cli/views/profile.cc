#include "cli/views/profile.h"

#include <fmt/ranges.h>

#include <map>
#include <set>

#include "base/free_memory.h"
#include "base/named_function.h"
#include "base/saturated.h"
#include "cli/views/density.h"
#include "cli/views/llvm_dump.h"
#include "cli/views/notes.h"
#include "profile/format.h"
#include "profile/model/coverage.h"
#include "profile/model/summary.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using namespace profile;
using report::grouped;
using report::Json;
using report::percent;

std::vector<std::string_view> kinds(const ReadProfile& read) {
  const Flags& flags = read.profile.flags;
  std::vector<std::string_view> kinds{flags.probe_based ? "probe-based" : "line-based"};
  if (flags.context_sensitive) kinds.emplace_back("context-sensitive");
  if (flags.pre_inlined) kinds.emplace_back("pre-inlined");
  if (flags.fs_discriminators) kinds.emplace_back("flow-sensitive discriminators");
  if (flags.partial) kinds.emplace_back("partial");
  if (read.md5_names) kinds.emplace_back("hashed names");
  if (is_coverage(read.profile)) kinds.emplace_back("coverage");
  return kinds;
}

std::string name_of(const Profile& profile, const Function& function) {
  auto text = profile.contexts.text(function.context, profile.names);
  return profile.flags.context_sensitive ? report::format("[{}]", text) : text;
}

// As name_of, for people; of functions that are shown together.
class ShownNames {
 public:
  ShownNames(const Profile& profile, bool mangled) : profile_(profile), names_(mangled) {}

  void add(const Function& function) { names_.add_context(text(function)); }
  std::string of(const Function& function) const {
    auto shown = names_.of_context(text(function));
    return profile_.flags.context_sensitive ? report::format("[{}]", shown) : shown;
  }
  // After the table.
  std::string_view note() const {
    return names_.has_swift()
               ? "names of Swift are shown as they are: 'swift demangle' reads them\n"
               : "";
  }

 private:
  std::string text(const Function& function) const {
    return profile_.contexts.text(function.context, profile_.names);
  }

  const Profile& profile_;
  report::FunctionNames names_;
};

// What both outputs tell.
struct Facts {
  static constexpr unsigned all_cores = 0;
  Summary summary;
  Density density;
  std::vector<const Function*> shown;
  std::vector<HotFunction> hot;
  u64 totals = 0;

  Facts(const Profile& profile, u64 top)
      : summary(summarize(profile, false, all_cores)), shown(profile.ordered()) {
    auto weights = profile::weigh(shown, all_cores);
    density = profile::density(weights);
    hot = hot_functions(shown, weights, summary);
    for (const auto* function : shown) totals = add_saturated(totals, function->samples.total);
    if (top && top < shown.size()) shown.resize(top);
  }
};

std::string cutoffs_text(const Summary& summary) {
  std::string text = report::format("\n{:>15} {:>10} {:>15}\n", "of all samples", "places", "from");
  for (const auto& entry : summary.entries)
    text += report::format("{:>13g} % {:>10} {:>15}\n", static_cast<double>(entry.cutoff) / 10000,
                           grouped(entry.num_counts), grouped(entry.min_count));
  return text;
}

std::string sections_text(const ReadProfile& read) {
  if (read.sections.empty())
    return report::format("\nno sections: only extbinary files have them, this is {}\n",
                          format_name(read.format));
  std::string text = report::format("\n{:>12} {:>12}  section\n", "offset", "bytes");
  for (const auto& section : read.sections) {
    auto flags = section_flags(section);
    text += report::format("{:>#12x} {:>12}  {}{}\n", section.offset, grouped(section.size),
                           section_name(section.type), flags.empty() ? "" : ": " + flags);
  }
  return text;
}

std::string symbols_text(const Profile& profile, bool mangled) {
  std::string text = profile.symbols.size() ? "\n" : "\nno list of symbols\n";
  report::FunctionNames names(mangled);
  for (u32 i = 0; i < profile.symbols.size(); ++i) names.add(profile.symbols.text(NameId{i}));
  for (u32 i = 0; i < profile.symbols.size(); ++i)
    text += report::format("symbol     {}\n", names.of(profile.symbols.text(NameId{i})));
  return text;
}

std::string hot_text(const Profile& profile, const Facts& facts, const ShowProfile& options) {
  size_t lines = facts.hot.size();
  if (options.hot > 0) lines = std::min(lines, static_cast<size_t>(options.hot));
  std::string text = report::format("\n{:>15} {:>8} {:>15} {:>15}  hot function\n", "total",
                                    "share", "hottest place", "entries");
  ShownNames names(profile, options.mangled);
  auto shown = std::span(facts.hot).first(lines);
  for (const auto& hot : shown) names.add(*hot.function);
  for (const auto& [function, max_count] : shown)
    text +=
        report::format("{:>15} {:>8} {:>15} {:>15}  {}\n", grouped(function->samples.total),
                       percent(function->samples.total, facts.totals, 2), grouped(max_count),
                       grouped(function->samples.entry_estimate(profile.flags.context_sensitive)),
                       names.of(*function));
  if (lines < facts.hot.size())
    text +=
        report::format("... and {} more (--hot 0 shows all)\n", grouped(facts.hot.size() - lines));
  text += names.note();
  return text;
}

std::string coverage_text(const std::string& path, const ReadProfile& read,
                          const ShowProfile& options) {
  std::string text =
      report::format("profile    {}\nformat     {}; coverage\n", path, format_name(read.format));
  text += report::format("never ran  {}, on the list of symbols (--symbols); it has no counts\n",
                         report::counted(read.profile.symbols.size(), "function"));
  if (options.sections) text += sections_text(read);
  if (options.symbols) text += symbols_text(read.profile, options.mangled);
  return text;
}

std::string as_text(const std::string& path, const ReadProfile& read, const Facts& facts,
                    const ShowProfile& options) {
  const Profile& profile = read.profile;
  const Summary& summary = facts.summary;
  if (is_coverage(profile)) return coverage_text(path, read, options);
  std::string text;
  text += report::format("profile    {}\n", path);
  text +=
      report::format("format     {}; {}\n", format_name(read.format), fmt::join(kinds(read), ", "));
  text += report::format("functions  {}, {} of them hot\n", grouped(profile.functions().size()),
                         grouped(facts.hot.size()));
  text += report::format("samples    {} in {}; the largest has {}\n", grouped(summary.total),
                         report::counted(summary.num_counts, "place"), grouped(summary.max_count));
  text += report::format("hot        from {} on: 99 % of all samples\n",
                         report::counted(summary.count_at(hot_cutoff), "sample"));
  text += report::format("density    {}\n",
                         density_text(facts.density.density, evidence_of(read.profile.notes)));
  if (profile.symbols.size())
    text += report::format("symbols    {}\n", grouped(profile.symbols.size()));
  constexpr size_t few_notes = 3;
  text += notes_text(profile.notes, options.top ? few_notes : Notes::most_kept);
  for (u64 type : read.unknown_sections)
    text += report::format("not read   data of the unknown type {}\n", type);
  if (options.detailed_summary) text += cutoffs_text(summary);
  if (options.sections) text += sections_text(read);
  if (options.symbols) text += symbols_text(profile, options.mangled);
  if (options.hot >= 0) return text + hot_text(profile, facts, options);
  if (options.summary || facts.shown.empty()) return text;
  text += report::format("\n{:>15} {:>8} {:>15}  function\n", "total", "share", "entries");
  ShownNames names(profile, options.mangled);
  for (const auto* function : facts.shown) names.add(*function);
  for (const auto* function : facts.shown)
    text += report::format("{:>15} {:>8} {:>15}  {}\n", grouped(function->samples.total),
                           percent(function->samples.total, facts.totals, 2),
                           grouped(function->samples.head), names.of(*function));
  if (facts.shown.size() < profile.functions().size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           grouped(profile.functions().size() - facts.shown.size()));
  text += names.note();
  return text;
}

Json location_json(LineLocation location) {
  return std::move(Json::object()
                       .set("line", location.line_offset)
                       .set("discriminator", location.discriminator));
}

Json counts_json(const Profile& profile, const NameCounts& counts) {
  Json list = Json::array();
  for (const auto& [name, count] : counts)
    list.push(std::move(Json::object().set("name", profile.names.text(name)).set("count", count)));
  return list;
}

Json samples_json(const Profile& profile, const FunctionSamples& samples) {
  Json json = Json::object();
  json.set("name", profile.names.text(samples.name))
      .set("total", samples.total)
      .set("head", samples.head);
  if (samples.checksum) json.set("checksum", samples.checksum);
  if (samples.attributes) json.set("attributes", samples.attributes);
  Json body = Json::array(), inlinees = Json::array();
  for (const auto& [location, record] : samples.body) {
    Json place = location_json(location);
    place.set("samples", record.samples);
    if (record.targets) place.set("targets", counts_json(profile, *record.targets));
    body.push(std::move(place));
  }
  for (const auto& [location, callees] : samples.inlinees)
    for (const auto& [name, inlinee] : callees) {
      Json place = location_json(location);
      place.set("samples", samples_json(profile, *inlinee));
      inlinees.push(std::move(place));
    }
  json.set("body", std::move(body)).set("inlinees", std::move(inlinees));
  return json;
}

Json hot_json(const ReadProfile& read, const Facts& facts, const ShowProfile& options) {
  Json list = Json::array();
  i64 left = options.hot;
  for (const auto& [function, max_count] : facts.hot) {
    if (options.hot > 0 && left-- == 0) break;
    list.push(std::move(Json::object()
                            .set("name", name_of(read.profile, *function))
                            .set("total", function->samples.total)
                            .set("hottest_place", max_count)
                            .set("head", function->samples.head)));
  }
  return list;
}

Json cutoffs_json(const Summary& summary) {
  Json list = Json::array();
  for (const auto& entry : summary.entries)
    list.push(std::move(Json::object()
                            .set("cutoff", entry.cutoff)
                            .set("min_count", entry.min_count)
                            .set("places", entry.num_counts)));
  return list;
}

Json facts_json(const std::string& path, const ReadProfile& read, const Facts& facts,
                const ShowProfile& options) {
  Json kind = Json::array(), hottest = Json::array(), sections = Json::array();
  for (auto text : kinds(read)) kind.push(text);
  for (const auto* function : facts.shown)
    hottest.push(std::move(Json::object()
                               .set("name", name_of(read.profile, *function))
                               .set("total", function->samples.total)
                               .set("head", function->samples.head)));
  for (const auto& section : read.sections)
    sections.push(std::move(Json::object()
                                .set("section", section_name(section.type))
                                .set("type", section.type)
                                .set("flags", section.flags)
                                .set("flag_names", section_flags(section))
                                .set("offset", section.offset)
                                .set("size", section.size)));
  Json json = Json::object();
  json.set("profile", path)
      .set("format", format_name(read.format))
      .set("kind", std::move(kind))
      .set("functions", read.profile.functions().size())
      .set("hot_functions", facts.hot.size())
      .set("samples", facts.summary.total)
      .set("places", facts.summary.num_counts)
      .set("max_count", facts.summary.max_count)
      .set("max_function_count", facts.summary.max_function_count)
      .set("hot_count", facts.summary.count_at(hot_cutoff))
      .set("density", facts.density.density)
      .set("symbols", read.profile.symbols.size())
      .set("hottest", std::move(hottest))
      .set("sections", std::move(sections));
  if (!read.profile.notes.empty()) add_notes(json, read.profile.notes);
  if (options.hot >= 0) json.set("hot", hot_json(read, facts, options));
  if (options.detailed_summary) json.set("cutoffs", cutoffs_json(facts.summary));
  if (options.symbols) {
    Json symbols = Json::array();
    for (u32 i = 0; i < read.profile.symbols.size(); ++i)
      symbols.push(read.profile.symbols.text(NameId{i}));
    json.set("symbol_names", std::move(symbols));
  }
  return json;
}

void collect_inlinees(const FunctionSamples& samples, std::set<NameId>& names) {
  for (const auto& [location, callees] : samples.inlinees)
    for (const auto& [name, inlinee] : callees) {
      names.insert(name);
      collect_inlinees(*inlinee, names);
    }
}

// Where a function that has no samples of its own is: in callers. Empty: nowhere.
std::string inlined_into(const Profile& profile, const std::string& wanted) {
  constexpr size_t most = 5;
  std::map<NameId, std::vector<const Function*>> callers;
  for (const auto* function : profile.ordered()) {
    std::set<NameId> inside;
    collect_inlinees(function->samples, inside);
    for (NameId name : inside) callers[name].push_back(function);
  }
  std::vector<FunctionNamed> names;
  std::vector<NameId> ids;
  for (const auto& [name, list] : callers) {
    names.push_back(
        {profile.names.text(name), profile.names.is_guid(name) ? profile.names.guid(name) : 0});
    ids.push_back(name);
  }
  auto found = functions_meant(wanted, names);
  if (!found) return {};
  const auto& list = callers.at(ids[found->front()]);
  std::string text;
  for (size_t i = 0; i < std::min(most, list.size()); ++i)
    text += fmt::format("{}{}", i ? ", " : "",
                        report::function_name(profile.names.text(list[i]->samples.name)));
  return list.size() > most ? fmt::format("{} and {} more", text, list.size() - most) : text;
}

// By their numbers in the profile.
Result<std::vector<size_t>> functions_wanted(const Profile& profile, const std::string& wanted) {
  std::vector<FunctionNamed> names;
  for (const auto& function : profile.functions()) {
    NameId name = function.samples.name;
    u64 guid = profile.names.is_guid(name) ? profile.names.guid(name) : 0;
    names.push_back({profile.names.text(name), guid});
  }
  auto found = functions_meant(wanted, names);
  if (found) return found;
  auto callers = inlined_into(profile, wanted);
  if (callers.empty()) return found;
  return fail("holds no function '{}' of its own; it is inlined into {}", wanted, callers);
}

// All names as people read them: for text that is looked at, not read again.
void demangle_names(Profile& profile) {
  report::FunctionNames names;
  for (u32 i = 0; i < profile.names.size(); ++i)
    if (!profile.names.is_guid(NameId{i})) names.add(profile.names.text(NameId{i}));
  NameTable shown;
  for (u32 i = 0; i < profile.names.size(); ++i) {
    if (profile.names.is_guid(NameId{i}))
      shown.intern_guid(profile.names.guid(NameId{i}));
    else
      shown.intern(names.of(profile.names.text(NameId{i})));
  }
  if (shown.size() == profile.names.size()) profile.names = std::move(shown);
}

Result<std::string> one_function(ReadProfile read, const ShowProfile& options, bool json) {
  Profile& profile = read.profile;
  std::vector<bool> meant(profile.names.size());
  for (size_t i : TRY(functions_wanted(profile, options.function)))
    meant[static_cast<size_t>(profile.functions()[i].samples.name)] = true;
  profile.keep_if(
      [&](const Function& function) { return meant[static_cast<size_t>(function.samples.name)]; });
  if (!json && !options.mangled) demangle_names(profile);
  if (!json) return write_profile(profile, profile::Format::text, {});
  Json list = Json::array();
  for (const auto* function : profile.ordered()) {
    Json record = samples_json(profile, function->samples);
    if (profile.flags.context_sensitive) record.set("context", name_of(profile, *function));
    list.push(std::move(record));
  }
  return list.text() + "\n";
}

}  // namespace

Status show_profile(const MappedFile& file, const ShowProfile& options, bool json) {
  auto read = TRY_IN(file.path(), read_profile(file.bytes()));
  if (!options.function.empty()) {
    report::print("{}",
                  report::lines(TRY_IN(file.path(), one_function(std::move(read), options, json))));
    return {};
  }
  Facts facts(read.profile, options.top);
  report::print("{}",
                report::lines(json ? facts_json(file.path(), read, facts, options).text() + "\n"
                                   : as_text(file.path(), read, facts, options)));
  leave_to_exit(std::move(read.profile));
  return {};
}

}  // namespace pgokit::cli

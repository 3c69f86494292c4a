#include "cli/views/instr_profile.h"

#include <algorithm>

#include "base/saturated.h"
#include "instr_profile/format.h"
#include "instr_profile/model/summary.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using instr_profile::Facts;
using instr_profile::Record;
using report::grouped;
using report::Json;
namespace Kind = instr_profile::Kind;

struct Row {
  std::string name;
  u64 hash, largest, sum;
  size_t counters;
};

struct Shown {
  Facts facts;
  instr_profile::Summary summary;
  u64 ran = 0, not_zero = 0;
  std::vector<Row> rows;  // from the largest count down
};

Result<Shown> read(Bytes file) {
  Shown shown;
  TRY(instr_profile::read(file, shown.facts, [&](const Record& record) -> Status {
    shown.summary.add(record);
    Row row{std::string(record.name), record.hash, 0, 0, record.counters.size()};
    for (u64 count : record.counters) {
      row.largest = std::max(row.largest, count);
      row.sum = add_saturated(row.sum, count);
      shown.not_zero += count != 0;
    }
    shown.ran += row.largest != 0;
    shown.rows.push_back(std::move(row));
    return {};
  }));
  std::ranges::stable_sort(shown.rows, std::greater(), &Row::largest);
  return shown;
}

std::string_view form_name(Bytes file) {
  auto form = instr_profile::form_of(file);
  if (form == instr_profile::Form::raw) return "raw";
  return form == instr_profile::Form::indexed ? "indexed" : "text";
}

std::string_view maker(const Shown& shown) {
  if (shown.facts.only_memory) return "clang -fmemory-profile";
  u64 kind = shown.facts.kind;
  if (kind & Kind::context_sensitive) return "clang -fcs-profile-generate";
  return kind & Kind::ir ? "clang -fprofile-generate" : "clang -fprofile-instr-generate";
}

// "dir/a.c;name" and "a.c:name" of static functions.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  size_t at = name.find(';');
  if (at == name.npos && !name.starts_with('_')) at = name.find(':');
  if (at == name.npos) return {{}, name};
  return {name.substr(0, at), name.substr(at + 1)};
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{:02x}", static_cast<u8>(c));
  return text;
}

void print_json(std::string_view path, Bytes file, const Shown& shown) {
  Json functions = Json::array(), ids = Json::array();
  for (const auto& row : shown.rows)
    functions.push(std::move(Json::object()
                                 .set("name", row.name)
                                 .set("hash", row.hash)
                                 .set("counters", u64{row.counters})
                                 .set("largest", row.largest)
                                 .set("sum", row.sum)));
  for (auto id : shown.facts.binary_ids) ids.push(hex(id));
  Json json = Json::object();
  json.set("kind", "instrumentation profile")
      .set("path", path)
      .set("bytes", u64{file.size()})
      .set("form", form_name(file))
      .set("version", static_cast<u32>(shown.facts.version))
      .set("made_by", maker(shown))
      .set("counters", shown.summary.counters)
      .set("counters_not_zero", shown.not_zero)
      .set("sum", shown.summary.total)
      .set("memory_bytes", u64{shown.facts.memory.bytes.size()})
      .set("binary_ids", std::move(ids))
      .set("functions", std::move(functions));
  report::print("{}\n", report::lines(json.text()));
}

void print_whole(std::string_view path, Bytes file, const Shown& shown, const ShowInstr& options) {
  const auto& [facts, summary, ran, not_zero, rows] = shown;
  report::print("profile    {} ({}), {}{}, of {}\n", path, report::file_size(file.size()),
                form_name(file),
                facts.version ? fmt::format(" version {}", static_cast<u32>(facts.version)) : "",
                maker(shown));
  report::print("functions  {}, {} ran\n", grouped(rows.size()), grouped(ran));
  report::print("counters   {}, {} are not zero\n", grouped(summary.counters), grouped(not_zero));
  report::print("counts     {} in all, the largest {}\n", grouped(summary.total),
                grouped(summary.largest_count));
  if (facts.kind & Kind::temporal)
    report::print("traces     {} of {}\n", grouped(facts.traces.size()),
                  grouped(facts.traces_seen));
  if (!facts.memory.is_empty)
    report::print("memory     {} of a memory profile (llvm-profdata show --memory lists it)\n",
                  report::file_size(facts.memory.bytes.size()));
  for (auto id : facts.binary_ids) report::print("build id   {}\n", hex(id));
  size_t shown_rows = options.top ? std::min<size_t>(options.top, rows.size()) : rows.size();
  if (shown_rows == 0) return;
  report::FunctionNames names(options.mangled);
  for (size_t i = 0; i < shown_rows; ++i) {
    auto [of_file, name] = split(rows[i].name);
    names.add(name, of_file);
  }
  report::print("\n{:>15} {:>15} {:>9}  function\n", "largest count", "sum", "counters");
  for (size_t i = 0; i < shown_rows; ++i) {
    auto [of_file, name] = split(rows[i].name);
    report::print("{:>15} {:>15} {:>9}  {}\n", grouped(rows[i].largest), grouped(rows[i].sum),
                  grouped(rows[i].counters), names.of(name, of_file));
  }
  if (shown_rows < rows.size())
    report::print("... {} more: --top 0 lists all\n", grouped(rows.size() - shown_rows));
}

struct SiteText {
  std::string_view name, before_value, unknown;
};
constexpr SiteText site_texts[] = {{"indirect call", "to", "functions not counted"},
                                   {"memory operation", "of", ""},
                                   {"virtual table", "of", "tables not known"}};

void print_sites(const Record& record, const instr_profile::NameIndex& names) {
  using instr_profile::ValueKind;
  if (!record.values) return;
  auto print_site = [&](ValueKind kind, std::span<const instr_profile::ValueCount> site) {
    const auto& text = site_texts[static_cast<size_t>(kind)];
    report::print("  {}", text.name);
    for (size_t i = 0; i < site.size(); ++i) {
      auto [value, count] = site[i];
      auto what = kind == ValueKind::memop_size ? report::counted(value, "byte")
                                                : std::string(names.find(value));
      report::print("{} {} {} {}", i ? "," : ":", grouped(count), text.before_value,
                    what.empty() ? std::string(text.unknown) : what);
    }
    report::print("\n");
  };
  record.values->each_site(print_site);
}

Status print_function(std::string_view path, Bytes file, const ShowInstr& options) {
  Facts names, facts;
  names.wants_names = true;
  TRY_IN(path, instr_profile::read(file, names, [](const Record&) -> Status { return {}; }));
  bool any = false;
  report::FunctionNames shown(options.mangled);
  TRY_IN(path, instr_profile::read(file, facts, [&](const Record& record) -> Status {
           auto name = shown.of(split(record.name).second);
           if (!record.name.contains(options.function) && !name.contains(options.function))
             return {};
           any = true;
           report::print("{}\n  hash {:#x}\n  counts", name, record.hash);
           for (u64 count : record.counters) report::print(" {}", grouped(count));
           report::print("\n");
           print_sites(record, names.names);
           return {};
         }));
  if (!any) return fail("{}: no function's name has '{}' in it", path, options.function);
  return {};
}

}  // namespace

Status show_instr_profile(std::string_view path, Bytes file, const ShowInstr& options) {
  if (!options.function.empty()) return print_function(path, file, options);
  auto shown = TRY_IN(path, read(file));
  if (options.json)
    print_json(path, file, shown);
  else
    print_whole(path, file, shown, options);
  return {};
}

}  // namespace pgokit::cli

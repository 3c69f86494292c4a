#include "cli/views/order_ids.h"

#include "base/cursor.h"
#include "instrument/dump.h"
#include "instrument/trace.h"
#include "object/file.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using instrument::Dump;
using instrument::LoggedFunctions;
using report::grouped;
using report::Json;

// One entry of a log: an id, or a call with its time.
struct Entry {
  u64 place;  // in the order of first runs, from 1
  std::optional<instrument::DumpOrderId> id;
  std::optional<instrument::DumpOrderCall> call;
  u32 function;  // of the map, or one of LoggedFunctions' reasons
};

struct Logs {
  const instrument::Module* module = nullptr;  // null: no map of this build is known
  u64 lost = 0;
  std::vector<Entry> entries;
};

Logs logs_of(const Dump& dump, const instrument::Profile& maps) {
  Logs logs{.module = maps.find(dump.build_id),
            .lost = dump.header.dropped[MIP_DROPPED_ORDER],
            .entries = {}};
  std::optional<LoggedFunctions> functions;
  if (logs.module) functions.emplace(*logs.module);
  auto function_of = [&](const auto& entry) {
    return functions ? functions->of(entry) : LoggedFunctions::unknown;
  };
  for (size_t i = 0; i < dump.order_ids.size(); ++i) {
    const auto& id = dump.order_ids[i];
    if (id.module != 0) logs.entries.push_back({logs.lost + i + 1, id, {}, function_of(id)});
  }
  for (size_t i = 0; i < dump.order_calls.size(); ++i) {
    const auto& call = dump.order_calls[i];
    if (call.return_address != 0) logs.entries.push_back({i + 1, {}, call, function_of(call)});
  }
  return logs;
}

bool has_function(const Entry& entry) {
  return entry.function != LoggedFunctions::unknown && entry.function != LoggedFunctions::several;
}

std::string_view linkage_name(const Logs& logs, const Entry& entry) {
  return logs.module->name(logs.module->functions[entry.function]);
}

// As linked; without the map only the distance from the raw section is known.
std::string returns_to(const instrument::DumpOrderCall& call, const Logs& logs) {
  i64 distance = i32{call.return_address};
  return logs.module ? fmt::format("{:#x}", logs.module->raw_address + static_cast<u64>(distance))
                     : fmt::format("{:+#x}", distance);
}

std::string text_of(const Dump& dump, const Logs& logs, const ShowInstrumented& options) {
  std::string text = report::format("process    {}, {}build id {}\n", u32{dump.header.pid},
                                    dump.path.empty() ? "" : report::format("{}, ", dump.path),
                                    object::hex(as_bytes(dump.build_id)));
  if (!options.programs.empty() && !logs.module)
    text += report::format("map        {} is of another build: no names\n", options.program());
  if (logs.lost) text += report::format("lost       {}\n", report::counted(logs.lost, "first run"));
  u64 most = options.most_listed();
  auto listed =
      std::span(logs.entries)
          .first(most ? std::min<size_t>(most, logs.entries.size()) : logs.entries.size());
  report::FunctionNames names(options.mangled);
  for (const auto& entry : listed)
    if (has_function(entry)) names.add(linkage_name(logs, entry));
  bool any_call = !logs.entries.empty() && logs.entries.front().call;
  text += report::format("{:>10} {:>12} {:>12}  function\n", "place",
                         any_call ? "returns to" : "module", any_call ? "seconds" : "id");
  for (const auto& entry : listed) {
    std::string name = has_function(entry) ? names.of(linkage_name(logs, entry))
                       : entry.function == LoggedFunctions::several ? "(several have this id)"
                       : logs.module                                ? "(not in the map)"
                                                                    : "";
    if (entry.id)
      text += report::format("{:>10} {:>12} {:>12}  {}\n", grouped(entry.place),
                             fmt::format("{:08x}", u32{entry.id->module}), u32{entry.id->function},
                             name);
    else
      text +=
          report::format("{:>10} {:>12} {:>12.6f}  {}\n", grouped(entry.place),
                         returns_to(*entry.call, logs), u32{entry.call->microseconds} / 1e6, name);
  }
  if (listed.size() < logs.entries.size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           grouped(logs.entries.size() - listed.size()));
  return text;
}

Json json_of(const Dump& dump, const Logs& logs) {
  Json entries = Json::array();
  for (const auto& entry : logs.entries) {
    Json one = Json::object();
    one.set("place", entry.place);
    if (entry.id) one.set("module", u32{entry.id->module}).set("function", u32{entry.id->function});
    if (entry.call)
      one.set("return_address", i32{entry.call->return_address})
          .set("microseconds", u32{entry.call->microseconds});
    if (has_function(entry)) one.set("name", linkage_name(logs, entry));
    entries.push(std::move(one));
  }
  Json json = Json::object();
  json.set("pid", u32{dump.header.pid})
      .set("build_id", object::hex(as_bytes(dump.build_id)))
      .set("map_fits", logs.module != nullptr)
      .set("lost", logs.lost)
      .set("entries", std::move(entries));
  return json;
}

}  // namespace

Status show_order_ids(const MappedFile& file, const ShowInstrumented& options, bool json) {
  instrument::Profile maps;
  if (!options.programs.empty()) {
    auto map = TRY(MappedFile::open(options.program()));
    maps = TRY_IN(options.program(), profile_or_map(map.bytes()));
  }
  instrument::DumpReader reader(file.bytes());
  Json list = Json::array();
  std::string text;
  bool any = false;
  while (auto dump = reader.next()) {
    auto logs = logs_of(*dump, maps);
    if (logs.entries.empty() && logs.lost == 0) continue;
    if (json)
      list.push(json_of(*dump, logs));
    else
      text += (any ? "\n" : "") + text_of(*dump, logs, options);
    any = true;
  }
  const auto& facts = reader.facts();
  if (facts.damaged)
    report::print(stderr, "warning   {}: {}; the first at {}\n", file.path(),
                  report::counted(facts.damaged, "damaged record"), facts.first_damage);
  if (!any)
    return fail(
        "{}: no log of first runs is in it; 'pgokit flags order-log' and 'order-calls' tell how to "
        "have one{}",
        file.path(),
        facts.records ? "; times of 'order' are shown by 'pgokit merge' and 'show --order'" : "");
  report::print("{}", report::lines(json ? list.text() + "\n" : text));
  if (!json && options.programs.empty())
    report::print(stderr,
                  "next      -b MAP names the functions (the unstripped program, or what "
                  "'pgokit map' wrote)\n");
  return {};
}

}  // namespace pgokit::cli

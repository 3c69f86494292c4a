#include "cli/views/instrumented_json.h"

#include "base/cursor.h"
#include "instrument/blocks.h"
#include "instrument/facts.h"

namespace pgokit::cli {
namespace {

using report::Json;

Json kinds_json(u32 kinds) {
  struct Named {
    u32 kind;
    const char* name;
  };
  constexpr Named named[] = {{MIP_COVERAGE, "coverage"},
                             {MIP_BLOCK_COVERAGE, "block_coverage"},
                             {MIP_CALLS32, "calls32"},
                             {MIP_ORDER, "order"},
                             {MIP_CALLS64, "calls64"},
                             {MIP_BLOCKS64, "blocks64"},
                             {MIP_EDGES, "edges"},
                             {MIP_ORDER_LOG, "order_log"},
                             {MIP_ORDER_CALLS, "order_calls"},
                             {MIP_TARGETS, "targets"},
                             {MIP_TABLES, "tables"},
                             {MIP_SIZES, "sizes"}};
  Json list = Json::array();
  for (const auto& [kind, name] : named)
    if (kinds & kind) list.push(name);
  return list;
}

Json blocks_json(const instrument::Module& module, const instrument::Function& function) {
  auto counts = instrument::block_counts(module, function);
  auto blocks = module.blocks_of(function);
  Json list = Json::array();
  for (u32 b = 0; b < blocks.size(); ++b) {
    Json json = Json::object(), successors = Json::array();
    json.set("address", blocks[b].address);
    if (!counts.executions.empty()) json.set("executions", counts.executions[b]);
    if (!counts.ran.empty()) json.set("ran", counts.ran[b]);
    for (u32 successor : module.successors_of(blocks[b])) successors.push(successor);
    json.set("successors", std::move(successors));
    list.push(std::move(json));
  }
  return list;
}

Json function_json(const instrument::Module& module, const instrument::FunctionFacts& facts,
                   const ShowInstrumented& options, instrument::Places* places) {
  const auto& function = module.functions[facts.function];
  auto name = module.name(function);
  Json json = Json::object();
  json.set("name", name);
  json.set("address", function.address)
      .set("size", function.size)
      .set("signature", function.signature)
      .set("kinds", kinds_json(function.kinds))
      .set("ran", facts.ran_dumps)
      .set("calls", facts.calls)
      .set("block_count", function.block_count);
  if (facts.blocks) json.set("blocks_ran", facts.blocks_ran).set("work", facts.work);
  if (auto rank = instrument::mean_rank(module.data.first[facts.function])) json.set("rank", *rank);
  if (places) {
    auto place = places->of_function(function);
    if (!place.file.empty()) json.set("file", place.file).set("line", place.line);
  }
  if (!options.function.empty()) json.set("blocks", blocks_json(module, function));
  return json;
}

Json module_json(const instrument::Module& module, const ShowInstrumented& options,
                 MipPrograms& programs) {
  auto facts = instrument::facts_of(module);
  Json functions = Json::array();
  auto* program = programs.of(module);
  auto* places = program ? program->places() : nullptr;
  for (const auto& one : facts.functions) {
    auto name = module.name(module.functions[one.function]);
    if (!options.function.empty() && !options.meant.contains(name)) continue;
    if (options.never && one.ran) continue;
    functions.push(function_json(module, one, options, places));
  }
  Json json = Json::object();
  json.set("path", module.path)
      .set("build_id", object::hex(as_bytes(module.build_id)))
      .set("kinds", kinds_json(module.all_kinds()))
      .set("dumps", module.data.dumps)
      .set("function_count", module.functions.size())
      .set("functions_ran", facts.ran)
      .set("code_bytes", facts.code)
      .set("code_bytes_ran", facts.code_ran)
      .set("block_count", facts.blocks)
      .set("blocks_ran", facts.blocks_ran)
      .set("calls", facts.calls)
      .set("dropped_edges", module.data.dropped[MIP_DROPPED_EDGES])
      .set("functions", std::move(functions));
  return json;
}

}  // namespace

std::string profile_json(const instrument::Profile& profile, const ShowInstrumented& options,
                         MipPrograms& programs) {
  Json list = Json::array(), edges = Json::array();
  for (const auto& module : profile.modules) list.push(module_json(module, options, programs));
  for (const auto& e : profile.edges)
    edges.push(std::move(Json::object()
                             .set("from_program", e.from_module)
                             .set("from", e.from)
                             .set("to_program", e.to_module)
                             .set("to", e.to)
                             .set("samples", e.samples)
                             .set("calls", e.calls)));
  Json json = Json::object();
  json.set("programs", std::move(list)).set("edges", std::move(edges));
  return json.text() + "\n";
}

Json dump_json(const instrument::Dump& dump) {
  const auto& h = dump.header;
  Json json = Json::object();
  json.set("path", dump.path)
      .set("build_id", object::hex(as_bytes(dump.build_id)))
      .set("pid", h.pid)
      .set("parent", h.parent)
      .set("sequence", h.sequence)
      .set("start_time_ns", h.start_time)
      .set("dump_time_ns", h.dump_time)
      .set("kinds", kinds_json(h.kinds))
      .set("raw_address", h.raw_address)
      .set("raw_size", h.raw_size)
      .set("load_bias", h.load_bias)
      .set("edges", dump.edges.size())
      .set("edge_rate", h.edge_rate)
      .set("dropped_edges", h.dropped[MIP_DROPPED_EDGES])
      .set("continuous", dump.is_continuous());
  return json;
}

}  // namespace pgokit::cli

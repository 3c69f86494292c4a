#include "cli/views/memory.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

using report::percent;
using samples::DataUse;
using Kind = DataUse::Kind;

struct OpenedFile {
  MappedFile file;
  object::File elf;
};

Result<std::unique_ptr<OpenedFile>> open_program(const std::string& path) {
  auto file = TRY(MappedFile::open_regular(path));
  auto elf = TRY_IN(path, object::File::parse(file.bytes()));
  return std::make_unique<OpenedFile>(std::move(file), std::move(elf));
}

bool is_build(const object::File& elf, std::string_view wanted) {
  auto id = object::hex(elf.build_id());
  return id.empty() || wanted.empty() || id.starts_with(wanted) || wanted.starts_with(id);
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::symbol:
      return "symbol";
    case Kind::unnamed:
      return "unnamed";
    case Kind::file:
      return "file";
    case Kind::stack:
      return "stack";
    case Kind::heap:
      return "heap";
    case Kind::anonymous:
      return "anonymous";
    case Kind::special:
      return "special";
    case Kind::unknown:
      return "unknown";
  }
  __builtin_unreachable();
}

std::string name_of(const DataUse& data, const report::FunctionNames& names) {
  auto file = samples::file_name(data.file);
  switch (data.kind) {
    case Kind::symbol:
      return report::format("{}  of {}", names.of(data.symbol), file);
    case Kind::unnamed:
      return report::format("[without a symbol]  of {}", file);
    case Kind::file:
      return report::format("[file]  {}", data.file);
    case Kind::special:
      return data.file;
    case Kind::stack:
      return "[stack]";
    case Kind::heap:
      return "[heap]";
    case Kind::anonymous:
      return "[anonymous memory]";
    case Kind::unknown:
      return "[unknown]";
  }
  __builtin_unreachable();
}

report::Json sums_json(const samples::AccessSums& sums) {
  auto json = report::Json::object();
  json.set("samples", sums.samples).set("accesses", sums.accesses);
  json.set("loads", sums.loads).set("stores", sums.stores);
  return json;
}

}  // namespace

bool has_accesses(const perf::Recording& recording) {
  return std::ranges::any_of(recording.events(), [](const perf::Event& event) {
    return event.attr.has(perf::field::addr) && event.attr.has(perf::field::data_src);
  });
}

Result<samples::MemoryUse> read_memory(const perf::Recording& recording,
                                       const ShowMemory& options) {
  std::vector<std::unique_ptr<OpenedFile>> opened;
  bool met = false, other_build = false;
  if (!options.program.empty()) opened.push_back(TRY(open_program(options.program)));
  auto open = [&](std::string_view path, std::string_view build_id) -> const object::File* {
    bool given =
        !options.program.empty() && samples::file_name(path) == samples::file_name(options.program);
    if (given) {
      met = true, other_build |= !is_build(opened[0]->elf, build_id);
      return &opened[0]->elf;
    }
    auto file = open_program(std::string(path));
    if (!file || !is_build((*file)->elf, build_id)) return nullptr;
    opened.push_back(std::move(*file));
    return &opened.back()->elf;
  };
  auto use = samples::memory_use(recording, open);
  if (other_build) return fail("{}: what was recorded is another build of it", options.program);
  if (!options.program.empty() && !met)
    return fail("{}: no data of a program of that name were accessed", options.program);
  return use;
}

std::string memory_text(const samples::MemoryUse& use, const ShowMemory& options) {
  size_t most = options.top ? static_cast<size_t>(options.top) : use.data.size();
  auto shown = std::span(use.data).first(std::min(most, use.data.size()));
  report::FunctionNames names(options.mangled);
  for (const auto& data : shown)
    if (data.kind == Kind::symbol) names.add(data.symbol);
  const auto& all = use.all;
  std::string text =
      report::format("{:>10} {:>9} {:>9}   {:<14}data\n", "accesses", "loads", "stores", "section");
  for (const auto& data : shown)
    text += report::format(
        "{:>10} {:>9} {:>9}   {:<13} {}\n", percent(data.sums.accesses, all.accesses),
        percent(data.sums.loads, all.accesses), percent(data.sums.stores, all.accesses),
        data.section, name_of(data, names));
  if (shown.size() < use.data.size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           report::grouped(use.data.size() - shown.size()));
  return text;
}

report::Json memory_json(const samples::MemoryUse& use) {
  auto list = report::Json::array();
  for (const auto& data : use.data) {
    auto one = sums_json(data.sums);
    one.set("kind", kind_name(data.kind)).set("symbol", data.symbol);
    one.set("section", data.section).set("file", data.file);
    list.push(std::move(one));
  }
  auto json = sums_json(use.all);
  json.set("data", std::move(list));
  return json;
}

}  // namespace pgokit::cli

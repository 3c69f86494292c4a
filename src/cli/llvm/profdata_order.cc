// llvm-profdata order: the same options, the same text.
#include <tsl/robin_map.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "cli/llvm/profdata_options.h"
#include "instr_profile/format.h"
#include "order/llvm_partition.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using instr_profile::Facts;
using instr_profile::Record;

struct Settings {
  std::string input, output = "-";
  u64 test_traces = 0;
  LibraryOptions library;
};

OptionTable options_of(Settings& s) {
  OptionTable table{"llvm-profdata order",
                    "Put functions in the order that the traces of a temporal profile want.",
                    {{"FILE", "", "the profile", &s.input},
                     {"--output,-o", "FILE", "output file", &s.output},
                     {"--num-test-traces", "N",
                      "the last N traces judge the order, and do not make it", &s.test_traces}},
                    ""};
  add_library_options(table, s.library);
  return table;
}

// How many pages the traces have touched so far, summed over their functions. Sizes are not known:
// a page has 32 functions.
u64 page_fault_area(std::span<const u64> order, std::span<const std::vector<u64>> traces) {
  constexpr u64 functions_per_page = 32;
  tsl::robin_map<u64, u64, IntHash> page_of;
  for (u64 i = 0; i < order.size(); ++i) page_of[order[i]] = i / functions_per_page;
  u64 area = 0;
  for (const auto& trace : traces) {
    std::vector<bool> touched(order.size() / functions_per_page + 1);
    u64 pages = 0;
    for (u64 function : trace) {
      auto page = page_of.find(function);
      if (page == page_of.end()) continue;
      if (!touched[page->second]) touched[page->second] = true, ++pages;
      area += pages;
    }
  }
  return area;
}

std::string order_text(std::span<const u64> order, const Facts& facts) {
  std::string text;
  for (u64 function : order) {
    auto name = facts.names.find(function);
    auto file_end = name.find(';');
    if (file_end != name.npos && file_end + 1 < name.size()) {
      text.append("# ").append(name.substr(0, file_end)).append("\n");
      name.remove_prefix(file_end + 1);
    }
    text.append(name).append("\n");
  }
  return text;
}

Status order(const Settings& s) {
  if (s.input.empty()) return fail("Not enough positional command line arguments specified!");
  auto file = TRY(MappedFile::open(s.input));
  Facts facts;
  facts.wants_names = true;
  facts.as_llvm = true;
  TRY_IN(s.input,
         instr_profile::read(file.bytes(), facts, [](const Record&) -> Status { return {}; }));
  std::vector<std::vector<u64>> traces;
  for (auto& trace : facts.traces) traces.push_back(std::move(trace.functions));
  if (s.test_traces && s.test_traces >= traces.size())
    return fail(
        "--num-test-traces must be smaller than the total number of traces: expected: < {}, "
        "actual: {}",
        traces.size(), s.test_traces);
  auto all = std::span(std::as_const(traces));
  auto order = order::llvm_partition(all.first(all.size() - s.test_traces));
  auto output = TRY(OutputFile::create(s.output));
  output.write(fmt::format("# Ordered {} functions\n", order.size()));
  if (s.test_traces) {
    auto area =
        static_cast<double>(static_cast<float>(page_fault_area(order, all.last(s.test_traces))));
    output.write(fmt::format("# Total area under the page fault curve: {:e}\n", area));
  }
  output.write(
      "# Warning: Mach-O may prefix symbols with \"_\" depending on the linkage and this output "
      "does not take that into account. Some post-processing may be required before passing to the "
      "linker via -order_file.\n");
  output.write(order_text(order, facts));
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings s;
  if (auto exit = parse_llvm_options(options_of(s), arguments)) return *exit;
  auto status = order(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

constexpr Command profdata_order_command{
    "order", "put functions in order by the traces of a temporal profile", run};

}  // namespace pgokit::cli

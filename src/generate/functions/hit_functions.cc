#include "generate/functions/hit_functions.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "base/function_name.h"
#include "base/hash.h"

namespace pgokit::generate {

std::vector<bool> functions_hit(const program::FunctionTable& functions,
                                const samples::Counts& counts) {
  std::vector<bool> hit(functions.size());
  auto mark = [&](BinaryAddr address) {
    if (const auto* range = functions.find(address.value)) hit[range->function] = true;
  };
  for (const auto& range : counts.ranges) mark(range.start);
  for (const auto& branch : counts.branches) mark(branch.from), mark(branch.to);
  return hit;
}

std::vector<bool> functions_hit(const program::FunctionTable& functions,
                                const CodeFunctions& function_of_code,
                                const unwind::ContextCounts& counts) {
  std::vector<bool> hit(functions.size());
  auto mark = [&](program::CodeIndex at) {
    if (at == program::no_code) return;
    if (u32 function = function_of_code.at(at); function != CodeFunctions::none)
      hit[function] = true;
  };
  for (const auto& range : counts.touched_ranges()) mark(range.first);
  for (const auto& branch : counts.touched_branches()) mark(branch.from), mark(branch.to);
  if (counts.kind() != unwind::ContextCounts::Kind::probes) return hit;
  std::vector<bool> seen(counts.paths.end());
  seen[0] = true;
  for (size_t i = 0; i < counts.size(); ++i)
    for (auto path = counts.path(i); !seen[static_cast<u32>(path)];
         path = counts.paths.parent(path)) {
      seen[static_cast<u32>(path)] = true;
      mark(counts.paths.call(path));
    }
  return hit;
}

probe::Decoded decode_probes(const program::Program& program, const probe::Table& table,
                             const std::vector<bool>& hit) {
  tsl::robin_set<u64, IntHash> wanted;
  tsl::robin_map<u64, u64, IntHash> addresses;  // of symbols, by the GUID of their names
  const auto& functions = program.functions();
  for (u32 function = 0; function < functions.size(); ++function) {
    if (!hit[function]) continue;
    wanted.insert(function_guid(functions.name(function)));
    for (auto name : functions.other_names(function)) wanted.insert(function_guid(name));
    for (const auto& range : functions.ranges_of(function))
      for (const auto& symbol : program.symbols().inside(range.start, range.start + 1))
        addresses[function_guid(symbol.name)] = range.start;
  }
  return table.decode([&](u64 guid) { return wanted.contains(guid); },
                      [&](u64 guid) -> std::optional<u64> {
                        auto found = addresses.find(guid);
                        if (found == addresses.end()) return std::nullopt;
                        return found->second;
                      });
}

}  // namespace pgokit::generate

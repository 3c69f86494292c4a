#include "base/cursor.h"
#include "instr_profile/correlate/collector.h"
#include "instr_profile/model/name_strings.h"
#include "instr_profile/raw/read_raw.h"

namespace pgokit::instr_profile {
namespace {

// A function in raw files of version 10 (docs/formats/instrumentation-profile.md).
constexpr size_t record_size = 64, number_at = 48;

}  // namespace

Result<Correlation> correlate_by_sections(const object::File& program,
                                          CorrelationWarnings& warnings) {
  auto collector = TRY(Collector::of(program));
  Bytes data = TRY(section_contents(program, "__llvm_covdata"));
  Bytes names = TRY(section_contents(program, "__llvm_covnames"));
  for (size_t at = 0; at + record_size <= data.size(); at += record_size) {
    Cursor in(data.subspan(at));
    u64 name_hash = in.get<u64>(), hash = in.get<u64>(), counters = in.get<u64>();
    in.skip(number_at - in.position());
    if (!collector.is_counter(counters))
      warnings.add(
          fmt::format("CounterPtr out of range for function: Actual={:#x} Expected=[{:#x}, {:#x}) "
                      "at data offset={:#x}",
                      counters, collector.counters_begin(), collector.counters_end(), at));
    collector.add(name_hash, hash, counters, in.get<u32>());
  }
  auto& found = collector.found();
  TRY(each_name(names, most_names(program.image().size()), found.texts,
                [&](std::string_view name) { found.names.push_back(name); }));
  return std::move(collector).finish();
}

}  // namespace pgokit::instr_profile

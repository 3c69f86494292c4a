#include "cli/llvm/mapping_events.h"

#include "base/cursor.h"
#include "base/file.h"
#include "perf/recording.h"
#include "perf/script.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

void print_event(std::string_view path, u64 start) {
  report::print("Mmap: Binary {} loaded at {:#x}: \n", path, start);
}

Status print_recorded(Bytes bytes, unsigned threads) {
  auto recording = TRY(perf::Recording::open(bytes, threads));
  perf::ReadCounts unreadable;
  recording.for_each_other([&](const perf::Record& record) {
    perf::Mapping mapping;
    bool maps = record.type == perf::RecordType::mmap || record.type == perf::RecordType::mmap2;
    if (maps && recording.parser().mapping(record, mapping, unreadable))
      print_event(mapping.path, mapping.start);
  });
  return {};
}

}  // namespace

Status print_mapping_events(const pipeline::ReadOptions& options) {
  for (const auto& path : options.inputs) {
    auto file = TRY(MappedFile::open(path));
    const auto* kind =
        options.insist ? options.insist : TRY_IN(path, pipeline::identify_counts(file.bytes()));
    if (kind == &pipeline::inputs::recording)
      TRY_IN(path, print_recorded(file.bytes(), options.threads));
    if (kind == &pipeline::inputs::script)
      perf::for_each_mmap_line(as_text(file.bytes()), perf::MmapRule::llvm_profgen,
                               [](const perf::MmapLine& event) {
                                 if (event.parsed) print_event(event.path, event.start);
                               });
  }
  return {};
}

}  // namespace pgokit::cli

#include "cli/views/code_listing.h"

#include "base/parallel.h"

namespace pgokit::cli {
namespace {

// Text is some thirty times as long as code.
constexpr size_t piece_size = size_t{32} << 10, piece_regions = 4096;

using Regions = std::span<const program::CodeRegion>;

// The longest start of `regions` that makes one piece; never empty.
Regions first_piece(Regions regions) {
  size_t bytes = 0, count = 0;
  while (count < regions.size() && count < piece_regions) {
    bytes += regions[count].code.size();
    if (count > 0 && bytes > piece_size) break;
    ++count;
  }
  return regions.first(count);
}

}  // namespace

void print_regions(Regions regions, unsigned threads,
                   const std::function<std::unique_ptr<RegionPrinter>()>& make_printer,
                   OutputFile& output) {
  unsigned workers = worker_count(threads);
  std::vector<std::unique_ptr<RegionPrinter>> printers(workers);
  auto print = [&](Regions piece, unsigned worker, ListingSink& sink) {
    if (!printers[worker]) printers[worker] = make_printer();
    for (const auto& region : piece) printers[worker]->print(region, sink);
  };
  while (!regions.empty()) {
    std::vector<Regions> batch;
    while (!regions.empty() && batch.size() < size_t{8} * workers) {
      Regions piece = first_piece(regions);
      bool large = piece.front().code.size() > 4 * piece_size;
      if (large && !batch.empty()) break;
      batch.push_back(piece);
      regions = regions.subspan(piece.size());
      if (large) break;
    }
    if (batch.size() == 1) {
      ListingSink sink(&output);
      print(batch[0], 0, sink);
      sink.flush();
      continue;
    }
    std::vector<ListingSink> sinks(batch.size(), ListingSink(nullptr));
    parallel_for(batch.size(), workers,
                 [&](size_t i, unsigned worker) { print(batch[i], worker, sinks[i]); });
    for (auto& sink : sinks) output.write(sink.text());
  }
}

}  // namespace pgokit::cli

#include "cli/views/order_picture.h"

#include <algorithm>

#include "base/file.h"
#include "report/numbers.h"

namespace pgokit::cli {

void OrderPicture::add(std::string_view title, const order::Layout& layout, u64 begin, u64 end) {
  if (end <= begin) {
    begin = ~u64{0};
    for (const auto& extent : layout.functions)
      if (extent.is_there()) {
        begin = std::min(begin, extent.begin);
        end = std::max(end, extent.end);
      }
    if (end <= begin) begin = end = 0;
  }
  u64 first = begin / page_size_;
  report::PageMap map;
  map.pages = (end + page_size_ - 1) / page_size_ - first;
  auto length = static_cast<double>(std::max<size_t>(1, trace_.functions.size()));
  double place = 0;
  for (u32 function : trace_.functions) {
    const auto& extent = layout.functions[function];
    place += 1;
    if (!extent.is_there() || extent.begin < begin || extent.begin >= end) continue;
    u64 last = std::min(extent.end - 1, end - 1) / page_size_;
    for (u64 page = extent.begin / page_size_; page <= last; ++page)
      map.touched.push_back({page - first, place / length});
  }
  auto pages = order::touched_pages(layout, trace_, page_size_).size();
  map.title = fmt::format("{}: {} of {} pages touched", title, report::grouped(pages),
                          report::grouped(map.pages));
  maps_.push_back(std::move(map));
}

Status OrderPicture::write(const std::string& path) const {
  auto output = TRY(OutputFile::create(path));
  output.write(report::page_maps(maps_));
  return output.commit();
}

}  // namespace pgokit::cli

#pragma once

// Pages that a start-up touches in several layouts, as SVG.

#include "base/result.h"
#include "order/layout.h"
#include "report/page_map.h"

namespace pgokit::cli {

class OrderPicture {
 public:
  OrderPicture(const order::Trace& trace, u64 page_size) : trace_(trace), page_size_(page_size) {}

  // The picture is of all functions' pages, or of those from `begin` to `end`.
  void add(std::string_view title, const order::Layout& layout, u64 begin = 0, u64 end = 0);
  Status write(const std::string& path) const;

 private:
  const order::Trace& trace_;
  u64 page_size_;
  std::vector<report::PageMap> maps_;
};

}  // namespace pgokit::cli

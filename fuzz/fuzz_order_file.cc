#include <cstdlib>

#include "base/cursor.h"
#include "block_layout/cluster_profile.h"
#include "order/order_file.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto form = order::order_format_of(as_text({data, size}));
  block_layout::is_cluster_profile(as_text({data, size}));
  auto read = order::read_order(as_text({data, size}));
  if (form == order::OrderFormat::lld && !read) abort();
  if (!read) return 0;
  std::vector<order::PlacedSymbol> symbols;
  for (auto name : read->names) symbols.push_back({name, {}, {}});
  // What was read is written for lld and read again as the same.
  auto text = order::write_order(symbols, order::OrderFormat::lld).text;
  auto again = order::read_order(text);
  if (!again || again->names.size() > read->names.size()) abort();
  for (auto format : {order::OrderFormat::gold, order::OrderFormat::ld, order::OrderFormat::ld64})
    if (order::write_order(symbols, format).text.empty()) abort();
  return 0;
}

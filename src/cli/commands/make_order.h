#pragma once

// `pgokit order INPUT... -o FILE`: from inputs to an order file.

#include "pipeline/order_inputs.h"

namespace pgokit::cli {

struct MakeOrder {
  pipeline::OrderInputOptions inputs;
  std::vector<std::string> link;  // programs or objects that symbols are matched against
  std::string output, format = "lld", svg;
  u64 held_out = 0, page_size = 4096, top = 10;
  unsigned threads = 0;
  bool demangle = false, mangled = false, json = false, quiet = false;
};

Status make_order(const MakeOrder& options);

}  // namespace pgokit::cli

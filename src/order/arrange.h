#pragma once

// From a model to an order: which algorithm places which functions.
//
//   order::Arrangement done = order::arrange(model, {.algorithm = order::Algorithm::automatic});
//   done.order;            // numbers of functions
//
// Start-up comes first: functions of traces, by first_touch or balanced. Behind it the functions
// that only calls or samples know, by C3 or cache-directed. If one of the latter two is asked for,
// it places all that it knows, and the rest of the traces comes behind.

#include <optional>
#include <span>
#include <string_view>

#include "order/model.h"

namespace pgokit::order {

enum class Algorithm { automatic, first_touch, c3, cache_directed, balanced };
std::optional<Algorithm> algorithm_named(std::string_view name);
std::string_view algorithm_name(Algorithm algorithm);

struct ArrangeOptions {
  // automatic: traces by whichever of first_touch and balanced touches fewer pages over them, and
  // refined if the program is small; the rest cache-directed.
  Algorithm algorithm = Algorithm::automatic;
  u64 page_size = 4096;
  unsigned threads = 0;
};

struct Arrangement {
  std::vector<u32> order;
  // What placed functions of traces and of calls; automatic: nobody was needed.
  Algorithm startup = Algorithm::automatic, steady = Algorithm::automatic;
  bool refined = false;             // every function of start-up was tried at every place
  u64 of_traces = 0, of_calls = 0;  // functions placed by them
};

// The model has been normalized and has sizes.
Arrangement arrange(const Model& model, const ArrangeOptions& options);

// The area under the page-fault curves of these traces, by weight.
double startup_area(std::span<const u32> order, const Model& model, std::span<const Trace> traces,
                    u64 page_size);

}  // namespace pgokit::order

#include "order/arrange.h"

#include <algorithm>

#include "order/balanced.h"
#include "order/cache_directed.h"
#include "order/call_clusters.h"
#include "order/first_touch.h"
#include "order/layout.h"
#include "order/refine.h"

namespace pgokit::order {
namespace {

struct Name {
  Algorithm algorithm;
  std::string_view name;
};
constexpr Name names[] = {{Algorithm::automatic, "auto"},
                          {Algorithm::first_touch, "first-touch"},
                          {Algorithm::c3, "c3"},
                          {Algorithm::cache_directed, "cdsort"},
                          {Algorithm::balanced, "bp"}};

std::vector<u32> run(const Model& model, Algorithm algorithm, const ArrangeOptions& options) {
  switch (algorithm) {
    case Algorithm::first_touch:
      return first_touch(model);
    case Algorithm::balanced:
      return balanced(model, {.page_size = options.page_size, .threads = options.threads});
    case Algorithm::c3:
      return call_clusters(model, {});
    default:
      return cache_directed(model, {});
  }
}

}  // namespace

std::optional<Algorithm> algorithm_named(std::string_view name) {
  if (name == "hfsort") return Algorithm::c3;
  for (const auto& known : names)
    if (known.name == name) return known.algorithm;
  return std::nullopt;
}

std::string_view algorithm_name(Algorithm algorithm) {
  return std::ranges::find(names, algorithm, &Name::algorithm)->name;
}

double startup_area(std::span<const u32> order, const Model& model, std::span<const Trace> traces,
                    u64 page_size) {
  auto layout = layout_of(order, model);
  double area = 0;
  for (const auto& trace : traces)
    area += static_cast<double>(trace.weight) * page_curve(layout, trace, page_size).area;
  return area;
}

Arrangement arrange(const Model& model, const ArrangeOptions& options) {
  using enum Algorithm;
  Arrangement done;
  bool calls_first = options.algorithm == c3 || options.algorithm == cache_directed;
  bool has_traces = !model.traces.empty();
  bool has_weights = model.has_calls() || std::ranges::any_of(model.functions, [](const auto& f) {
                       return f.weight > 0;
                     });

  std::vector<u32> startup, steady;
  if (has_traces) {
    bool both = options.algorithm == automatic && model.traces.size() > 1;
    done.startup = options.algorithm == balanced ? balanced : first_touch;
    startup = run(model, done.startup, options);
    if (both) {
      auto other = run(model, balanced, options);
      auto area = [&](const auto& order) {
        return startup_area(order, model, model.traces, options.page_size);
      };
      if (area(other) < area(startup)) startup = std::move(other), done.startup = balanced;
      done.refined = refine(startup, model, options.page_size);
    }
  }
  if (has_weights) {
    done.steady = options.algorithm == c3 ? c3 : cache_directed;
    steady = run(model, done.steady, options);
  }
  std::vector<bool> placed(model.functions.size());
  auto append = [&](const std::vector<u32>& functions, u64& count) {
    for (u32 f : functions) {
      if (placed[f]) continue;
      placed[f] = true;
      done.order.push_back(f);
      ++count;
    }
  };
  if (calls_first) append(steady, done.of_calls);
  append(startup, done.of_traces);
  append(steady, done.of_calls);
  return done;
}

}  // namespace pgokit::order

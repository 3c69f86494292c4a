#include "pipeline/outputs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace pgokit::pipeline {
namespace {

const Output* const table[] = {&outputs::extbinary, &outputs::binary,        &outputs::text,
                               &outputs::gcov,      &outputs::raw_counts,    &outputs::fdata,
                               &outputs::yaml,      &outputs::preaggregated, &outputs::clusters};

template <class Takes>
std::unexpected<Error> none_named(std::string_view name, const Takes& takes) {
  std::vector<std::string_view> names;
  for (const auto* output : table)
    if (takes(output)) names.push_back(output->name);
  return usage_error("--format {}: there are {} and {}", name,
                     fmt::join(std::span(names).first(names.size() - 1), ", "), names.back());
}

}  // namespace

std::span<const Output* const> all_outputs() { return table; }

const Output* find_output(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Output::name);
  return found == std::end(table) ? nullptr : *found;
}

Result<const Output*> output_named(std::string_view name) {
  if (const auto* output = find_output(name)) return output;
  return none_named(name, [](const Output*) { return true; });
}

Result<profile::Format> profile_format_named(std::string_view name) {
  const auto* output = find_output(name);
  if (output && output->format) return *output->format;
  return none_named(name, [](const Output* other) { return other->format.has_value(); });
}

}  // namespace pgokit::pipeline

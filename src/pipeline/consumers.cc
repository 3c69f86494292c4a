#include "pipeline/consumers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/parse_number.h"
#include "pipeline/outputs.h"
#include "transform/for_gcc.h"

namespace pgokit::pipeline {
namespace {

const Output* const of_clang[] = {&outputs::extbinary, &outputs::binary, &outputs::text};
// Of the extensible form, clang 13 refuses what has a table of contexts, be it empty.
const Output* const of_clang_13[] = {&outputs::text, &outputs::binary};
const Output* const of_gcc[] = {&outputs::gcov};
const Output* const of_pgokit[] = {&outputs::raw_counts};
const Output* const of_bolt[] = {&outputs::fdata, &outputs::yaml, &outputs::preaggregated};
const Output* const of_propeller[] = {&outputs::clusters};

void fit_gcc(unsigned version, profile::WriteOptions& options) {
  constexpr unsigned first_of_format_2 = 12, first_of_format_3 = 16;
  options.gcov_version = version < first_of_format_2 ? 1 : version < first_of_format_3 ? 2 : 3;
}

// GCC 11 reads past the targets of a call: it promotes none, and may crash.
void fit_gcc(unsigned version, profile::Profile& profile, bool is_c) {
  constexpr unsigned reads_past_targets = 11;
  if (version == reads_past_targets) transform::drop_call_targets(profile);
  using transform::GccNames;
  transform::name_as_gcc(profile, is_c ? GccNames::of_c : GccNames::of_cplusplus);
}

void fit_clang(unsigned version, profile::WriteOptions& options) {
  constexpr unsigned first_with_vtables = 22;
  if (version >= first_with_vtables) return;
  options.vtables = false;
  options.no_vtables = true;
}

const Consumer* const table[] = {&consumers::clang, &consumers::gcc, &consumers::pgokit,
                                 &consumers::bolt, &consumers::propeller};

std::string list_of(std::vector<std::string> words) {
  if (words.size() == 1) return std::move(words[0]);
  auto most = std::span(words).first(words.size() - 1);
  return fmt::format("{} and {}", fmt::join(most, ", "), words.back());
}

std::string list_of(std::span<const Output* const> outputs) {
  std::vector<std::string> words;
  for (const auto* output : outputs) words.emplace_back(output->name);
  return list_of(std::move(words));
}

std::unexpected<Error> none_called(std::string_view name) {
  std::vector<std::string> names;
  for (const auto* consumer : table) names.emplace_back(consumer->name);
  return usage_error("--for {}: there are {}", name, list_of(std::move(names)));
}

Result<unsigned> version_of(const Consumer& consumer, std::string_view text) {
  unsigned version = 0;
  bool is_number = parse_number(text, version);
  if (!consumer.newest) return usage_error("--for {}: it has no versions", consumer.name);
  if (!is_number || version < consumer.oldest || version > consumer.newest)
    return usage_error(
        "--for {0}: versions are {0}-{1} to {0}-{2}{3}", consumer.name, consumer.oldest,
        consumer.newest,
        is_number && version > consumer.newest
            ? fmt::format("; newer ones read what is for {}-{}", consumer.name, consumer.newest)
            : "");
  return version;
}

// The first who reads that form.
const Consumer* reader_of(const Output* output) {
  for (const auto* consumer : table)
    if (std::ranges::count(consumer->outputs, output)) return consumer;
  return nullptr;
}

}  // namespace

constexpr Consumer consumers::clang{.name = "clang",
                                    .outputs = of_clang,
                                    .oldest = 13,
                                    .newest = 22,
                                    .usual = 22,
                                    .first_of_outputs = 14,
                                    .old_outputs = of_clang_13,
                                    .fit = fit_clang};
constexpr Consumer consumers::gcc{.name = "gcc",
                                  .outputs = of_gcc,
                                  .oldest = 5,
                                  .newest = 16,
                                  .usual = 15,
                                  .fit = fit_gcc,
                                  .fit_profile = fit_gcc};
constexpr Consumer consumers::pgokit{.name = "pgokit", .outputs = of_pgokit};
constexpr Consumer consumers::bolt{.name = "bolt", .outputs = of_bolt};
constexpr Consumer consumers::propeller{.name = "propeller", .outputs = of_propeller};

std::string Target::name() const {
  return version ? fmt::format("{}-{}", consumer->name, version) : std::string(consumer->name);
}

std::span<const Output* const> Target::outputs() const {
  bool old = version && version < consumer->first_of_outputs;
  return old ? consumer->old_outputs : consumer->outputs;
}

void Target::fit(profile::WriteOptions& options) const {
  if (consumer->fit) consumer->fit(version ? version : consumer->usual, options);
}

void Target::fit(profile::Profile& profile, bool is_c) const {
  if (consumer->fit_profile)
    consumer->fit_profile(version ? version : consumer->usual, profile, is_c);
}

std::span<const Consumer* const> all_consumers() { return table; }

Result<Target> target_named(std::string_view name) {
  size_t dash = name.find('-');
  const auto* found = std::ranges::find(table, name.substr(0, dash), &Consumer::name);
  if (found == std::end(table)) return none_called(name);
  const Consumer& consumer = **found;
  if (dash == name.npos) return Target{&consumer};
  return Target{&consumer, TRY(version_of(consumer, name.substr(dash + 1)))};
}

Result<const Output*> output_for(const Target& target, std::string_view format) {
  auto outputs = target.outputs();
  if (format.empty()) return outputs.front();
  auto found = std::ranges::find(outputs, format, &Output::name);
  if (found == outputs.end())
    return usage_error("--format {}: {} reads {}", format, target.name(), list_of(outputs));
  return *found;
}

Result<Destination> destination_of(std::string_view consumer, std::string_view format) {
  if (consumer.empty() && !format.empty()) {
    const auto* output = TRY(output_named(format));
    const auto* reader = reader_of(output);
    return Destination{{reader}, output};
  }
  Target target = consumer.empty() ? Target{&consumers::clang} : TRY(target_named(consumer));
  return Destination{target, TRY(output_for(target, format))};
}

Result<Destination> profile_destination_of(std::string_view consumer, std::string_view format) {
  if (consumer.empty() && !format.empty()) (void)TRY(profile_format_named(format));
  auto destination = TRY(destination_of(consumer, format));
  if (!destination.output->format)
    return usage_error("--for {}: it is for compilers that read sample profiles", consumer);
  return destination;
}

std::string names_of(Consumers which) {
  std::vector<std::string> names;
  for (const auto* consumer : table) {
    if (which == Consumers::of_profiles && !consumer->outputs.front()->format) continue;
    names.emplace_back(consumer->name);
    if (consumer->newest)
      names.push_back(
          fmt::format("{0}-{1} to {0}-{2}", consumer->name, consumer->oldest, consumer->newest));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> consumer_names(Consumers which) {
  std::vector<std::string> names;
  for (const auto* consumer : table) {
    if (which == Consumers::of_profiles && !consumer->outputs.front()->format) continue;
    names.emplace_back(consumer->name);
    for (unsigned version = consumer->oldest; version && version <= consumer->newest; ++version)
      names.push_back(fmt::format("{}-{}", consumer->name, version));
  }
  return names;
}

}  // namespace pgokit::pipeline

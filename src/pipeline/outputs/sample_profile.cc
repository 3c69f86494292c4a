// Sample profiles, for compilers.

#include "pipeline/outputs.h"

namespace pgokit::pipeline {
namespace {

template <profile::Format format>
Status write(const Arrival& from, Written& to) {
  to.files[0].write(
      TRY(profile::write_profile(from.generated.profile, format, from.options.write)));
  return {};
}

template <profile::Format format>
constexpr Output form(std::string_view name) {
  return {.name = name, .needs = Output::Needs::profile, .write = write<format>, .format = format};
}

}  // namespace

constexpr Output outputs::extbinary = form<profile::Format::extbinary>("extbinary");
constexpr Output outputs::binary = form<profile::Format::binary>("binary");
constexpr Output outputs::text = form<profile::Format::text>("text");
constexpr Output outputs::gcov = form<profile::Format::gcov>("gcov");

}  // namespace pgokit::pipeline

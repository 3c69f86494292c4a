// For BOLT: branches by function and offset, or traces that perf2bolt makes these of.

#include "bolt/fdata.h"
#include "bolt/preaggregated.h"
#include "bolt/profile.h"
#include "bolt/yaml.h"
#include "pipeline/outputs.h"

namespace pgokit::pipeline {
namespace {

// As recorded; of inputs that are counted ranges and branches, what follows from these.
bolt::Traces traces_of(const Arrival& from) {
  const auto& code = from.program.code();
  auto is_return = [&](BinaryAddr address) {
    auto at = code.index_of(address);
    return at != program::no_code && code.is_return(at);
  };
  auto traces = bolt::traces_of(from.input.counts, is_return);
  traces.add(bolt::Traces(from.input.traces));
  return traces;
}

Status check(const Arrival& from) {
  const auto& input = from.input;
  if (input.contexts)
    return usage_error("--context-sensitive: BOLT's profiles have no contexts; leave it out");
  TRY_IN(from.program.path(), bolt::check_program(from.program.file()));
  return {};
}

template <class File>
void write_fdata(const Arrival& from, File& to) {
  const auto& file = from.program.file();
  auto functions = bolt::Functions::of(file);
  auto take = [&](std::string_view part) { to.write(part); };
  if (!from.input.addresses.empty()) {
    auto profile = bolt::address_profile(functions, from.input.addresses);
    return bolt::write_fdata(profile, from.input.address_events, functions, take);
  }
  auto profile = bolt::branch_profile(file, functions, traces_of(from), from.options.read.threads);
  bolt::write_fdata(profile, functions, take);
}

Status write_fdata_file(const Arrival& from, Written& to) {
  TRY(check(from));
  write_fdata(from, to.files[0]);
  return {};
}

Status write_yaml(const Arrival& from, Written& to) {
  TRY(check(from));
  auto maker = TRY(bolt::YamlMaker::create(from.options.llvm_bolt));
  write_fdata(from, maker);
  return maker.make(from.program.path(), to.files[0]);
}

Status write_preaggregated(const Arrival& from, Written& to) {
  TRY(check(from));
  std::string build_id;
  if (from.options.with_build_ids) build_id = object::hex(from.program.file().build_id());
  if (from.options.with_build_ids && build_id.empty())
    return fail("--build-ids: {} has no build id: link it with -Wl,--build-id, and record that",
                from.program.path());
  auto take = [&](std::string_view part) { to.files[0].write(part); };
  if (!from.input.addresses.empty())
    bolt::write_preaggregated(from.input.addresses, from.input.address_events, build_id, take);
  else
    bolt::write_preaggregated(traces_of(from), build_id, take);
  return {};
}

}  // namespace

constexpr Output outputs::fdata{
    .name = "fdata", .needs = Output::Needs::traces, .write = write_fdata_file, .ending = ".fdata"};
constexpr Output outputs::yaml{
    .name = "yaml", .needs = Output::Needs::traces, .write = write_yaml, .ending = ".yaml"};
constexpr Output outputs::preaggregated{.name = "preaggregated",
                                        .needs = Output::Needs::traces,
                                        .write = write_preaggregated,
                                        .ending = ".preaggregated"};

}  // namespace pgokit::pipeline

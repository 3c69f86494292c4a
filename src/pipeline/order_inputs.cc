#include "pipeline/order_inputs.h"

#include <algorithm>

#include "base/cursor.h"
#include "order/arrange.h"
#include "order/from_instr.h"
#include "order/from_profile.h"
#include "order/from_samples.h"
#include "order/order_file.h"
#include "pipeline/find_program.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/inputs.h"
#include "profile/format.h"
#include "report/numbers.h"
#include "samples/program_match.h"

namespace pgokit::pipeline {
namespace {

class Reader {
 public:
  Reader(const OrderInputOptions& options, OrderInputs& into)
      : options_(options), into_(into), instrumented_(into.model, options.cut, into.cuts) {}

  Status run() {
    for (const auto& input : options_.inputs) TRY(take(input));
    if (has_instrumented_) TRY(instrumented_.finish(into_.notes));
    TRY(check_given());
    const auto& model = into_.model;
    for (const auto& trace : model.traces)
      if (!trace.functions.empty()) return {};
    if (model.has_calls()) return {};
    for (const auto& function : model.functions)
      if (function.weight) return {};
    if (!into_.notes.empty()) return fail("nothing to put in order: {}", into_.notes.front());
    return fail("nothing to put in order: no first run, no call and no sample is in {}",
                names_of(options_.inputs));
  }

 private:
  bool is_given(std::string_view option) const {
    return std::ranges::count(options_.given, option) > 0;
  }

  Status check_given() const {
    const auto& model = into_.model;
    for (const char* option : {"--binary", "--pid", "--ignore-build-id"})
      if (!program_ && is_given(option))
        return usage_error(
            "{} is for recordings, and {} {}: give what 'pgokit record' wrote, or leave {} out",
            option, names_of(options_.inputs),
            options_.inputs.size() > 1 ? std::string("hold none")
                                       : fmt::format("is taken for {}", first_kind_),
            option);
    if (!has_instrumented_ && is_given("--until-mark"))
      return usage_error("--until-mark is for instrumented programs: no other input has marks");
    for (const char* option : {"--until-time", "--until", "--page-size"})
      if (model.traces.empty() && is_given(option))
        return usage_error("{} is for first runs, and the inputs tell calls and samples only{}",
                           option, for_first_runs());
    return check_algorithm();
  }

  Status check_algorithm() const {
    using enum order::Algorithm;
    const auto& model = into_.model;
    auto algorithm = order::algorithm_named(options_.algorithm);
    bool has_weights =
        model.has_calls() || std::ranges::any_of(model.functions, &order::Function::weight);
    if (!has_weights && (algorithm == c3 || algorithm == cache_directed))
      return usage_error(
          "--algorithm {} is for calls and samples, and the inputs have first runs "
          "only: first-touch and bp are for those",
          options_.algorithm);
    if (model.traces.empty() && (algorithm == first_touch || algorithm == balanced))
      return usage_error(
          "--algorithm {} is for first runs, and the inputs tell calls and samples "
          "only: c3 and cdsort are for those{}",
          options_.algorithm, for_first_runs());
    return {};
  }

  // How to have what is not in a recording of a whole run, or in counters.
  std::string for_first_runs() const {
    if (!without_traces_.empty())
      return fmt::format(
          "; {} has no traces: build with -fprofile-generate -ftemporal-profile, or with 'pgokit "
          "flags order'",
          without_traces_);
    if (has_instrumented_ && whole_run_.empty()) return "; build with 'pgokit flags order'";
    if (whole_run_.empty()) return {};
    return fmt::format(
        "; {} counts branches, not when they were first made: record without --exact, "
        "and a short start-up with -F 50000, or build with 'pgokit flags order'",
        whole_run_);
  }

  Status take(const profile::MergeInput& input) {
    auto& file = files_.emplace_back(TRY(MappedFile::open(input.path)));
    auto bytes = file.bytes();
    if (bytes.empty()) return fail("{}: it is empty", file.path());
    const Input* kind = identify(bytes);
    if (auto what = kind ? std::string_view() : foreign_format(bytes); !what.empty())
      return fail("{}: {}", file.path(), what);
    if (first_kind_.empty()) first_kind_ = kind ? kind->name : "a list of functions in their order";
    if (is_of_counters(kind)) {
      has_instrumented_ = true;
      return instrumented_.see(file.path(), bytes, input.weight);
    }
    if (kind == &inputs::sample_profile) {
      auto read = TRY_IN(file.path(), profile::read_profile(bytes));
      if (read.md5_names)
        return fail("{}: it has hashes in place of names, which linkers do not know", file.path());
      order::add_profile(read.profile, input.weight, into_.model);
      return {};
    }
    if (kind == &inputs::instr_profile) return take_instr_profile(file, input.weight);
    if (is_recording(kind)) return take_recording(file, input.weight);
    return take_order(file, input.weight);
  }

  Status take_instr_profile(const MappedFile& file, u64 weight) {
    auto facts = TRY_IN(file.path(), order::add_instr_profile(
                                         file.bytes(), {.weight = weight, .source = file.path()},
                                         options_.cut, into_.model, into_.cuts));
    if (facts.traces == 0) without_traces_ = file.path();
    if (!facts.warning.empty())
      into_.notes.push_back(fmt::format("{}: {}", file.path(), facts.warning));
    if (facts.unnamed)
      into_.notes.push_back(fmt::format("{}: {} of traces of functions that it does not name",
                                        file.path(),
                                        report::counted(facts.unnamed, "entry", "entries")));
    return {};
  }

  Status take_recording(const MappedFile& file, u64 weight) {
    if (!program_) {
      auto binary = options_.binary;
      if (binary.empty()) binary = TRY(dominant_program({file.path()}, options_.threads)).file;
      program_.emplace(TRY(program::Program::open(binary, {})));
      TRY(program_->load_functions(options_.threads));
      TRY(symbols_.add(binary));
      symbols_.finish();
    }
    order::SampleOptions how{.cut = options_.cut,
                             .traces = options_.sample_traces,
                             .weight = weight,
                             .source = file.path(),
                             .pid = options_.pid,
                             .ignore_build_id = options_.ignore_build_id,
                             .threads = options_.threads};
    auto facts = TRY_IN(file.path(), order::add_samples(file.bytes(), *program_, symbols_, how,
                                                        into_.model, into_.cuts));
    if (facts.all_counted) whole_run_ = file.path();
    if (facts.counted == 0) TRY(check_samples(file, facts));
    if (!facts.cut_short.empty())
      into_.notes.push_back(
          fmt::format("{}: the recording is not whole: {}", file.path(), facts.cut_short));
    if (facts.unreadable)
      into_.notes.push_back(fmt::format("{}: {} cannot be read", file.path(),
                                        report::counted(facts.unreadable, "sample")));
    if (facts.late)
      into_.notes.push_back(fmt::format(
          "{}: text tells no times: only its calls are taken; perf.data tells them", file.path()));
    return {};
  }

  // Of a recording none of whose counts is in the program.
  Status check_samples(const MappedFile& file, const order::SampleFacts& facts) const {
    if (facts.samples == 0 && options_.pid)
      return fail("{}: no sample of it is of process {}{}", file.path(), *options_.pid,
                  facts.together ? ": its branches are counted of all processes together" : "");
    if (facts.together && facts.used == 0)
      return fail("{}: no branch of it is in {}", file.path(), program_->path());
    if (facts.samples == 0) return fail("{}: {}", file.path(), samples::no_samples);
    if (facts.used == 0) return fail("{}: no sample of it is in {}", file.path(), program_->path());
    return {};
  }

  // An order file is a trace that somebody wrote down.
  Status take_order(const MappedFile& file, u64 weight) {
    if (object::File::recognizes(file.bytes()))
      return fail(
          "{}: it is not an instrumented program ('pgokit flags order' tells how to build "
          "one); programs to be linked follow --link",
          file.path());
    auto read = TRY_IN(file.path(), order::read_order(as_text(file.bytes())));
    std::vector<order::Touch> touches;
    for (auto name : read.names) touches.push_back({into_.model.function(name), 0});
    into_.model.traces.push_back(
        {options_.cut.apply(touches, {}, false, into_.model, into_.cuts), weight, file.path()});
    return {};
  }

  const OrderInputOptions& options_;
  OrderInputs& into_;
  order::MipInputs instrumented_;
  std::deque<MappedFile> files_;  // until all is read
  std::optional<program::Program> program_;
  order::LinkSymbols symbols_;
  bool has_instrumented_ = false;
  std::string_view first_kind_;  // of the first input
  std::string whole_run_;        // a recording without first runs; empty: there is none
  std::string without_traces_;   // the same of an instrumentation profile
};

}  // namespace

Result<OrderInputs> read_order_inputs(const OrderInputOptions& options) {
  OrderInputs inputs;
  TRY(Reader(options, inputs).run());
  const auto& cuts = inputs.cuts;
  if (cuts.without_function)
    inputs.notes.push_back(
        fmt::format("{} of {} never ran {}: taken whole", report::grouped(cuts.without_function),
                    report::counted(cuts.traces, "trace"), options.cut.function));
  if (cuts.without_mark)
    inputs.notes.push_back(fmt::format("{} of {} never said mark {}: taken whole",
                                       report::grouped(cuts.without_mark),
                                       report::counted(cuts.traces, "trace"), *options.cut.mark));
  if (cuts.without_time)
    inputs.notes.push_back(fmt::format("{} of {} tell no times: taken whole",
                                       report::grouped(cuts.without_time),
                                       report::counted(cuts.traces, "trace")));
  inputs.model.normalize();
  return inputs;
}

}  // namespace pgokit::pipeline

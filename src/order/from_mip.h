#pragma once

// Instrumented programs → traces and calls.
//
//   order::MipInputs inputs(model, cut, cuts);
//   TRY(inputs.see("app.map", file.bytes(), 1));       // maps, programs, profiles, dumps
//   TRY(inputs.finish(notes));
//   inputs.facts();
//
// Each dump is a trace of its own: what a scenario ran first is lost once dumps are merged. Of a
// merged profile one trace is made, in the order of the mean ranks. Sampled calls and the targets of
// indirect calls are calls; how often functions were called is their weight, or in how many dumps
// they ran where only coverage is known.

#include "instrument/merge.h"
#include "order/cut.h"

namespace pgokit::order {

struct MipFacts {
  u64 dumps = 0;            // records that gave a trace
  u64 without_order = 0;    // dumps of programs that did not collect the order of first runs
  u64 merged_profiles = 0;  // whose order is one of means
  u64 lost = 0;             // first runs that a full or wrapped log lost
  u64 traces_with_losses = 0;
  u64 unknown = 0;          // entries of logs that are of no function of the map
  u64 ambiguous = 0;        // ... whose id two functions share
  u64 calls = 0;            // distinct sampled calls, and targets of indirect calls
  u64 outside_calls = 0;    // ... with an end that no map knows
  u64 dropped_targets = 0;  // indirect calls of which the target was not kept
  bool has_weights = false;
};

class MipInputs {
 public:
  MipInputs(Model& model, const Cut& cut, CutFacts& cuts) : model_(model), cut_(cut), cuts_(cuts) {}

  // The bytes have to stay until finish().
  Status see(const std::string& path, Bytes bytes, u64 weight);
  // Once all have been seen: what could not be used is said in `notes`.
  Status finish(std::vector<std::string>& notes);

  const MipFacts& facts() const { return facts_; }

 private:
  struct File {
    std::string path;
    Bytes bytes;
    u32 number = 0;
  };

  void add_trace(const instrument::Module& module, const instrument::Dump& dump, u64 weight,
                 const std::string& source);
  void add_means(const instrument::Profile& profile, u64 weight, const std::string& source);
  void add_calls(const instrument::Profile& profile);
  void add_weights(const instrument::Module& module);
  u32 number_of(const instrument::Module& module, const instrument::Function& function);
  std::vector<u32> numbers_of(const instrument::Module& module);
  void note_losses(std::vector<std::string>& notes) const;

  Model& model_;
  const Cut& cut_;
  CutFacts& cuts_;
  instrument::Merger merger_;
  std::vector<File> dumps_;
  MipFacts facts_;
  std::vector<std::string> damage_;
};

}  // namespace pgokit::order

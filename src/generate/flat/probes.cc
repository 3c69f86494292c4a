#include "generate/flat/probes.h"

#include "generate/functions/callee_names.h"
#include "generate/functions/hit_functions.h"
#include "generate/functions/lost_loops.h"

namespace pgokit::generate {
namespace {

using profile::FunctionSamples;

class ProbeSamples {
 public:
  ProbeSamples(const program::Program& program, const probe::Table& table,
               const probe::Decoded& probes, profile::Profile& profile)
      : program_(program), table_(table), probes_(probes), profile_(profile) {}

  void add_piece(const samples::RangeCount& piece) {
    const auto& code = program_.code();
    auto hit = probes_.in(piece.start.value, piece.last.value);
    for (const auto& probe : hit) {
      auto at = code.index_of({probe.address});
      if (at == program::no_code || !code.is_instruction(at)) continue;
      auto* samples = leaf_samples(probe, piece.count);
      if (!samples) continue;
      samples->add_body({probe.index, probe.discriminator}, piece.count);
      if (probe.is_entry()) samples->add_head(piece.count);
    }
  }

  void add_branch(const samples::BranchCount& branch, const CalleeNames& callees) {
    auto callee = callees.entered_at(branch.to);
    const auto* call = probes_.call_probe(branch.from.value);
    if (!callee || !call) return;
    if (auto* samples = leaf_samples(*call, 0))
      samples->add_target({call->index, 0}, *callee, branch.count);
  }

 private:
  // Adds to the totals of all functions that the probe is inlined into; null where its own function
  // is not known.
  FunctionSamples* leaf_samples(const probe::Probe& probe, u64 count) {
    frames_.clear();
    probes_.append_context(probe, true, frames_);
    FunctionSamples* samples = nullptr;
    for (size_t i = 0; i < frames_.size(); ++i) {
      if (frames_[i].function.empty()) return nullptr;
      NameId name = profile_.names.intern(frames_[i].function);
      samples =
          samples ? &samples->inlinee({frames_[i - 1].id, 0}, name) : &profile_.function(name);
      samples->add_total(count);
      if (samples->checksum == 0) samples->checksum = checksum_of(frames_[i].function);
    }
    return samples;
  }

  u64 checksum_of(std::string_view function) const {
    const auto* descriptor = table_.descriptors().find(function_guid(function));
    return descriptor ? descriptor->hash : 0;
  }

  const program::Program& program_;
  const probe::Table& table_;
  const probe::Decoded& probes_;
  profile::Profile& profile_;
  std::vector<probe::Frame> frames_;
};

}  // namespace

Status add_probe_samples(const program::Program& program,
                         const std::vector<samples::RangeCount>& pieces,
                         const std::vector<samples::BranchCount>& branches,
                         const std::vector<bool>& hit, const FlatOptions& options,
                         FlatResult& result) {
  auto table = TRY(program.probe_table());
  auto probes = decode_probes(program, table, hit);
  if (options.lost_loops) {
    std::vector<program::CodeIndex> calls;
    for (const auto& branch : branches) calls.push_back(program.code().index_of(branch.from));
    add_lost_loops(program, std::move(calls), probes);
  }
  ProbeSamples samples(program, table, probes, result.profile);
  CalleeNames callees(program.functions(), result.profile.names, &probes);
  for (const auto& piece : pieces) samples.add_piece(piece);
  for (const auto& branch : branches) samples.add_branch(branch, callees);
  result.probes_without_descriptor = probes.unknown_functions();
  result.probe_damage = probes.damage();
  return {};
}

}  // namespace pgokit::generate

#include "generate/instrumented.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/saturated.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"
#include "generate/functions/hit_functions.h"
#include "instrument/blocks.h"
#include "instrument/facts.h"
#include "profile/model/coverage.h"

namespace pgokit::generate {
namespace {

using program::CodeIndex;

// Where the code that runs as often as the function is entered ends: at the first jump, or where a
// jump goes to.
u64 end_of_entry(const program::Program& program, u64 address) {
  const auto* range = program.functions().starting_at(address);
  const auto& code = program.code();
  CodeIndex at = code.index_of({address});
  if (!range || at == program::no_code) return address;
  u64 end = range->end;
  for (u64 here = address; here < range->end && code.is_instruction(at);) {
    u64 next = here + code.length(at);
    if (code.is_transfer(at) && !code.is_call(at)) {
      u64 target = code.direct_target(at).value;
      end = std::min(end, target > address ? std::min(target, next) : next);
    }
    here = next;
    at = code.index_of({here});
    if (at == program::no_code) break;
  }
  return end;
}

class CountMaker {
 public:
  CountMaker(const instrument::Profile& profile, const instrument::Module& module,
             const program::Program& program)
      : module_(module), program_(program), code_(program.code()) {
    auto number = static_cast<u32>(&module - profile.modules.data());
    for (const auto& edge : profile.edges)
      if (edge.from_module == number && edge.to_module == number) edges_.push_back(edge);
    std::ranges::sort(edges_, {}, &instrument::Edge::from);
    for (const auto& value : profile.values)
      if (value.module == number && module.sites[value.site].kind == MIP_TARGETS)
        targets_.push_back({module.sites[value.site].address,
                            value.to_module == number ? value.value : samples::external.value,
                            value.count});
    std::ranges::sort(targets_, {}, &Target::from);
  }

  InstrumentedCounts make() {
    for (const auto& function : module_.functions) add_function(function);
    if (!(module_.all_kinds() & MIP_BLOCKS64)) add_sites(), add_beginnings();
    samples::normalize(counts_);
    add_entries();
    samples::normalize(counts_);
    return {std::move(counts_), calls_, calls_without_target_};
  }

 private:
  void add_function(const instrument::Function& function) {
    auto found = instrument::block_counts(module_, function);
    // What never ran is no part of profiles.
    auto is_zero = [](u64 count) { return count == 0; };
    if (std::ranges::all_of(found.executions, is_zero)) return;
    auto blocks = module_.blocks_of(function);
    for (u32 b = 0; b < blocks.size(); ++b)
      add_block(blocks[b].address, end_of(function, b), found.executions[b]);
  }

  // Of functions in parts the map knows no ends: there the program's functions do.
  u64 end_of(const instrument::Function& function, u32 block) const {
    u64 end = module_.block_end(function, block);
    const auto* range = program_.functions().find(module_.blocks_of(function)[block].address);
    return range ? std::min(end, range->end) : end;
  }

  // The last instruction of it; no_code: nothing was added.
  CodeIndex add_range(u64 start, u64 end, u64 count) {
    CodeIndex first = code_.index_of({start});
    CodeIndex last = code_.index_of({end - 1});
    if (start >= end || first == program::no_code || last == program::no_code || last < first)
      return program::no_code;
    if (!code_.is_instruction(last)) last = code_.before(last);
    if (last == program::no_code || last < first) return program::no_code;
    counts_.ranges.push_back({{start}, code_.address_of(last), count});
    return last;
  }

  void add_block(u64 start, u64 end, u64 count) {
    CodeIndex first = code_.index_of({start}), last = add_range(start, end, count);
    if (last == program::no_code || count == 0) return;
    for (CodeIndex at = first; at <= last && code_.is_instruction(at);) {
      if (code_.is_call(at) || (at == last && (code_.is_jump(at) || code_.is_indirect_jump(at))))
        add_transfer(at, count);
      at = CodeIndex(static_cast<u32>(at) + code_.length(at));
    }
  }

  // Where no blocks were counted: the calls themselves are what ran.
  void add_sites() {
    for (u32 i = 0; i < module_.sites.size(); ++i) {
      const auto& site = module_.sites[i];
      u64 total = site.kind == MIP_TARGETS ? module_.data.values_dropped[i] : 0;
      for (const auto& target :
           std::ranges::equal_range(targets_, site.address, {}, &Target::from)) {
        total = add_saturated(total, target.count);
        counts_.branches.push_back({{site.address}, {target.to}, target.count});
      }
      if (total > 0) counts_.ranges.push_back({{site.address}, {site.address}, total});
    }
  }

  // What runs as often as a function is called, where calls were counted too.
  void add_beginnings() {
    if (!(module_.all_kinds() & (MIP_CALLS32 | MIP_CALLS64))) return;
    for (u32 i = 0; i < module_.functions.size(); ++i) {
      u64 address = module_.functions[i].address;
      if (module_.data.calls[i] > 0)
        add_range(address, end_of_entry(program_, address), module_.data.calls[i]);
    }
  }

  // A call, or a jump that may be a tail call.
  void add_transfer(CodeIndex at, u64 count) {
    BinaryAddr from = code_.address_of(at);
    BinaryAddr to = code_.direct_target(at);
    const bool is_call = code_.is_call(at);
    if (is_call) calls_ = add_saturated(calls_, count);
    if (to.value == 0) {
      bool known = add_indirect(from, from.value + code_.length(at), count);
      if (is_call && !known) calls_without_target_ = add_saturated(calls_without_target_, count);
      return;
    }
    const auto* entered = program_.functions().starting_at(to.value);
    if (!entered || !program_.functions().is_entry(*entered)) return;
    counts_.branches.push_back({from, to, count});
  }

  // Recorded targets are exact; sampled calls are scaled to what their block counted. False: there
  // are neither.
  bool add_indirect(BinaryAddr from, u64 return_address, u64 count) {
    auto exact = std::ranges::equal_range(targets_, from.value, {}, &Target::from);
    for (const auto& target : exact) counts_.branches.push_back({from, {target.to}, target.count});
    if (!exact.empty()) return true;
    auto targets = std::ranges::equal_range(edges_, return_address, {}, &instrument::Edge::from);
    u64 sampled = 0;
    for (const auto& edge : targets) sampled = add_saturated(sampled, edge.samples);
    if (sampled == 0) return false;
    for (const auto& edge : targets) {
      auto share = static_cast<unsigned __int128>(count) * edge.samples / sampled;
      if (share > 0) counts_.branches.push_back({from, {edge.to}, static_cast<u64>(share)});
    }
    return true;
  }

  // Calls that come from what is not instrumented, or from indirect calls, make up the rest.
  void add_entries() {
    std::vector<std::pair<u64, u64>> entered;
    for (const auto& branch : counts_.branches) entered.emplace_back(branch.to.value, branch.count);
    std::ranges::sort(entered);
    for (u32 i = 0; i < module_.functions.size(); ++i) {
      u64 address = module_.functions[i].address, known = 0;
      for (const auto& [to, count] :
           std::ranges::equal_range(entered, address, {}, &std::pair<u64, u64>::first))
        known = add_saturated(known, count);
      if (module_.data.calls[i] > known)
        counts_.branches.push_back({samples::external, {address}, module_.data.calls[i] - known});
    }
  }

  const instrument::Module& module_;
  const program::Program& program_;
  const program::CodeMap& code_;
  struct Target {
    u64 from = 0, to = 0, count = 0;
  };

  std::vector<instrument::Edge> edges_;  // within the program, by return address
  std::vector<Target> targets_;          // of indirect calls, by call
  samples::Counts counts_;
  u64 calls_ = 0, calls_without_target_ = 0;
};

struct Entry {
  u64 address = 0, calls = 0;
};

std::vector<Entry> entries_of(const instrument::Module& module) {
  std::vector<Entry> entries;
  for (u32 i = 0; i < module.functions.size(); ++i)
    if (module.data.calls[i] > 0)
      entries.push_back({module.functions[i].address, module.data.calls[i]});
  return entries;
}

profile::FunctionSamples& add_entry(profile::Profile& profile, NameId name, u64 calls,
                                    u64 checksum) {
  auto& samples = profile.function(name);
  samples.add_total(calls);
  samples.add_head(calls);
  samples.checksum = checksum;
  return samples;
}

Status add_probe_entries(const instrument::Module& module, const program::Program& program,
                         profile::Profile& profile) {
  auto table = TRY(program.probe_table());
  profile.flags.probe_based = true;
  for (const auto& entry : entries_of(module)) {
    const auto* function = program.functions().starting_at(entry.address);
    if (!function) continue;
    auto name = canonical_function_name(program.functions().name(function->function));
    const auto* descriptor = table.descriptors().find(function_guid(name));
    if (!descriptor) continue;
    // The first probe is that of the entry.
    add_entry(profile, profile.names.intern(name), entry.calls, descriptor->hash)
        .add_body({1, 0}, entry.calls);
  }
  return {};
}

void add_line_entries(const instrument::Module& module, const program::Program& program,
                      profile::Profile& profile) {
  dwarf::FrameCursor cursor(*program.debug());
  for (const auto& entry : entries_of(module)) {
    u64 end = end_of_entry(program, entry.address);
    NameId name{};
    bool named = false;
    for (u64 at = entry.address; at < end;) {
      const auto& part = cursor.at(at);
      if (part.frames.size() == 1 && part.frames[0].line > 0) {
        const auto& frame = part.frames[0];
        if (!named) {
          name = profile.names.intern(canonical_function_name(frame.function));
          add_entry(profile, name, entry.calls, 0);
          named = true;
        }
        u32 discriminator =
            dwarf::base_discriminator(frame.discriminator, program.discriminators());
        profile.function(name).raise_body({dwarf::line_offset(frame), discriminator}, entry.calls);
      }
      if (part.end <= at) break;
      at = part.end;
    }
  }
}

}  // namespace

InstrumentedCounts instrumented_counts(const instrument::Profile& profile,
                                       const instrument::Module& module,
                                       const program::Program& program) {
  return CountMaker(profile, module, program).make();
}

Result<profile::Profile> entry_profile(const instrument::Module& module,
                                       const program::Program& program) {
  profile::Profile profile;
  if (program.has_probes())
    TRY(add_probe_entries(module, program, profile));
  else if (program.debug())
    add_line_entries(module, program, profile);
  profile.sort();
  return profile;
}

profile::Profile coverage_profile() {
  profile::Profile profile;
  add_entry(profile, profile.names.intern(profile::coverage_marker), 1, 0).add_body({1, 0}, 1);
  profile.sort();
  return profile;
}

void list_never_ran(const instrument::Module& module, const instrument::InlinedRuns& inlined,
                    profile::Profile& profile) {
  for (const auto& name : instrument::names_that_never_ran(std::span(&module, 1), inlined))
    profile.symbols.intern(name);
}

}  // namespace pgokit::generate

#include "transform/flattening.h"

#include "profile/model/llvm_hash.h"

namespace pgokit::transform {
namespace {

using profile::FunctionSamples;
using profile::Profile;

class Flattening {
 public:
  Flattening(Profile& out, unsigned depth, Versions versions)
      : out_(out), depth_(depth), versions_(versions) {}

  // As in the tools the first one tells checksum, attributes and virtual tables, whichever version
  // the others are; and a function comes before its inlinees.
  void add(FunctionSamples samples) {
    bool fresh = !out_.find(out_.contexts.top(samples.name));
    auto& own = out_.function(samples.name);
    if (fresh) {
      own.checksum = samples.checksum;
      own.attributes = samples.attributes;
      own.vtables = std::move(samples.vtables);
    }
    samples.vtables.reset();
    samples.checksum = own.checksum;
    cut(samples, 0);
    profile::add(own, false, samples, {});
  }

 private:
  // `level`: how many callers it is inlined into. Cuts the inlinees that are too deep.
  void cut(FunctionSamples& samples, unsigned level) {
    auto inlinees = std::move(samples.inlinees);
    samples.inlinees = {};
    inlinees.sort();
    for (auto& [location, callees] : inlinees) {
      // By their texts: totals that reach zero on the way depend on the order.
      std::ranges::sort(callees.unordered(), [&](const auto& a, const auto& b) {
        return out_.names.less(a.key, b.key);
      });
      for (auto& [name, inlinee] : callees.unordered()) {
        u64 before = inlinee->total;
        if (level < depth_) {
          cut(*inlinee, level + 1);
          replace_total(samples, before, inlinee->total);
          samples.inlinees[location][name] = std::move(inlinee);
          continue;
        }
        u64 entries = inlinee->entry_estimate(false);
        samples.add_body(location, entries);
        samples.add_target(location, name, entries);
        replace_total(samples, before, entries);
        add(std::move(*inlinee));
      }
    }
    samples.sort();
    if (level == 0 && depth_ == 0) samples.head = 0;  // estimated at the end
  }

  void replace_total(FunctionSamples& samples, u64 before, u64 after) const {
    samples.total = samples.total >= before ? samples.total - before : 0;
    if (versions_ == Versions::as_in_peer)
      samples.total += after;  // wraps there
    else
      samples.add_total(after);
  }

  Profile& out_;
  unsigned depth_;
  Versions versions_;
};

// The order in which the first of several tells checksum and attributes: that of files, or theirs.
std::vector<profile::Function*> in_order(Profile& profile, Versions versions) {
  std::vector<profile::Function*> functions;
  if (versions == Versions::by_content) {
    for (const auto* function : profile.ordered())
      functions.push_back(const_cast<profile::Function*>(function));
    return functions;
  }
  for (u32 i : profile::llvm_table_order(profile::LlvmKeys(profile).all()))
    functions.push_back(&profile.functions()[i]);
  return functions;
}

// The same names and flags, no functions yet.
Profile emptied(Profile& profile) {
  Profile out;
  out.names = std::move(profile.names);
  out.symbols = std::move(profile.symbols);
  out.notes = std::move(profile.notes);
  out.flags = profile.flags;
  return out;
}

}  // namespace

void flatten_inlinees(Profile& profile, unsigned depth, Versions versions) {
  auto functions = in_order(profile, versions);
  Profile out = emptied(profile);
  Flattening flattening(out, depth, versions);
  for (auto* function : functions) flattening.add(std::move(function->samples));
  out.sort();
  if (depth == 0)
    for (auto& function : out.functions())
      function.samples.head = function.samples.entry_estimate(false);
  profile = std::move(out);
}

void limit_contexts(Profile& profile, unsigned frames) {
  Profile out = emptied(profile);
  for (auto& [context, samples] : profile.functions()) {
    auto all = profile.contexts.frames(context);
    auto kept = profile::ContextId::none;
    profile::LineLocation call_site;
    for (size_t i = all.size() > frames ? all.size() - frames : 0; i < all.size(); ++i) {
      kept = out.contexts.child(kept, call_site, all[i].function);
      call_site = all[i].location;
    }
    bool fresh = !out.find(kept);
    profile::add(out.function(kept), fresh, samples,
                 {.weight = 1, .rule = profile::ChecksumRule::largest, .renamed = {}});
  }
  out.sort();
  profile = std::move(out);
}

void drop_contexts(Profile& profile, Versions versions) {
  auto functions = in_order(profile, versions);
  Profile out = emptied(profile);
  out.flags.context_sensitive = false;
  auto rule = versions == Versions::as_in_peer ? profile::ChecksumRule::first
                                               : profile::ChecksumRule::largest;
  for (const auto* function : functions) {
    bool fresh = !out.find(out.contexts.top(function->samples.name));
    profile::add(out.function(function->samples.name), fresh, function->samples,
                 {.weight = 1, .rule = rule, .renamed = {}});
    out.function(function->samples.name).attributes = 0;  // they told about the context
  }
  out.sort();
  profile = std::move(out);
}

}  // namespace pgokit::transform

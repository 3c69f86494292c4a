#include "analysis/compiled.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/parse_number.h"
#include "base/saturated.h"
#include "block_map/block_map.h"
#include "object/relocations.h"
#include "remarks/read.h"

namespace pgokit::analysis {
namespace {

using remarks::Kind;
using remarks::Remark;

bool is_reordered(const block_map::Function& function) {
  return !std::ranges::is_sorted(function.blocks, {}, &block_map::Block::id);
}

bool is_inlining(const Remark& remark) {
  return remark.pass == "inline" || remark.pass == "sample-profile-inline";
}

void add_remark(const Remark& remark, CompiledFunction& function) {
  bool passed = remark.kind == Kind::passed;
  auto pass = remark.pass;
  if (is_inlining(remark)) {
    if (passed) ++function.inlined;
    if (remark.kind == Kind::missed && remark.name != "NoDefinition") ++function.not_inlined;
  }
  if (!passed) return;
  if (pass.ends_with("icall-prom") || remark.name == "Promoted") ++function.promoted;
  if (pass.ends_with("vectorize") || pass == "slp-vectorizer") ++function.vectorized;
  if (pass == "loop-unroll") ++function.unrolled;
}

// How many samples of a place clang put on an instruction; 0 where the remark tells another thing.
u64 applied_samples(const Remark& remark) {
  u64 samples = 0;
  if (remark.name == "AppliedSamples" && remark.pass.starts_with("sample-profile"))
    parse_number(remark.argument("NumSamples"), samples);
  return samples;
}

}  // namespace

Status Compiled::add_block_map(const object::File& file,
                               const std::vector<object::Symbol>& symbols) {
  if (!block_map::has_block_map(file)) return {};
  object::Layout layout(file);
  std::unordered_map<u64, std::string_view> names;
  for (const auto& symbol : symbols)
    if (symbol.kind == object::SymbolKind::function && symbol.section)
      names.emplace(layout.address_of(symbol), symbol.name);
  return block_map::each_function(file, [&](const block_map::Function& function) {
    ++mapped_;
    has_entry_counts_ |= function.features.entry_count;
    believed_ += function.entry_count > 0;
    auto name = names.find(function.addresses.front());
    if (name == names.end()) return;
    auto& told = functions_[std::string(canonical_function_name(name->second))];
    told.in_block_map = true;
    told.entry_count = std::max(told.entry_count, function.entry_count);
    told.blocks += static_cast<u32>(function.blocks.size());
    told.ranges = std::max(told.ranges, static_cast<u32>(function.addresses.size()));
    told.reordered |= is_reordered(function);
  });
}

Status Compiled::add_remarks(Bytes file) {
  std::string name;
  return remarks::each_remark(file, [&](const Remark& remark) {
    ++remarks_;
    name = canonical_function_name(remark.function);
    auto& told = functions_[name];
    told.in_remarks = true;
    add_remark(remark, told);
    if (is_inlining(remark) && remark.kind == Kind::passed)
      functions_[std::string(canonical_function_name(remark.argument("Callee")))]
          .inlined_elsewhere = true;
    u64 samples = applied_samples(remark);
    told.applied = add_saturated(told.applied, samples);
    applied_ = add_saturated(applied_, samples);
  });
}

const CompiledFunction* Compiled::find(std::string_view name) const {
  auto found = functions_.find(std::string(name));
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace pgokit::analysis

#include "generate/branch_targets.h"

#include <algorithm>
#include <tuple>

#include "base/cursor.h"
#include "dwarf/debug_info.h"
#include "dwarf/line_offset.h"
#include "mip/values.h"

namespace pgokit::generate {
namespace {

class TargetMaker {
 public:
  explicit TargetMaker(const binary::Program& program) : program_(program) {
    auto& module = profile_.modules.emplace_back();
    module.path = program.path();
    module.build_id = as_text(program.file().build_id());
    module.machine = program.file().machine();
  }

  mip::Profile make(const samples::Counts& counts) {
    list_functions();
    if (program_.debug()) cursor_.emplace(*program_.debug());
    // By call: branches ascend.
    for (const auto& branch : counts.branches)
      if (is_indirect_call(branch)) add(branch);
    auto& module = profile_.modules[0];
    module.make_columns();
    module.data.dumps = 1;
    module.data.values_dropped = std::move(outside_);
    mip::fold_values(profile_.values);
    return std::move(profile_);
  }

 private:
  void list_functions() {
    auto& module = profile_.modules[0];
    for (const auto& range : program_.functions().ranges()) {
      if (range.end <= range.start || range.end - range.start > ~u32{0}) continue;
      auto name = program_.functions().name(range.function);
      mip::Function function;
      function.address = range.start;
      function.size = static_cast<u32>(range.end - range.start);
      function.kinds = MIP_TARGETS;
      function.name = static_cast<u32>(module.names.size());
      function.name_size = static_cast<u32>(name.size());
      module.names += name;
      module.functions.push_back(function);
    }
  }

  bool is_indirect_call(const samples::BranchCount& branch) const {
    const auto& code = program_.code();
    auto at = code.index_of(branch.from);
    if (branch.from == samples::external || at == binary::no_code) return false;
    if (code.direct_target(at).value != 0) return false;
    if (code.is_call(at)) return true;
    // A jump within a function is one through a table of cases.
    if (!code.is_indirect_jump(at)) return false;
    const auto* entered = program_.functions().starting_at(branch.to.value);
    return entered && program_.functions().is_entry(*entered);
  }

  void add(const samples::BranchCount& branch) {
    auto& module = profile_.modules[0];
    const auto* function = module.find(branch.from.value);
    if (!function) return;
    if (module.sites.empty() || module.sites.back().address != branch.from.value) {
      add_site(module.index_of(*function), branch.from.value);
      outside_.push_back(0);
    }
    if (branch.to == samples::external) {
      outside_.back() += branch.count;
      return;
    }
    profile_.values.push_back(
        {0, static_cast<u32>(module.sites.size() - 1), 0, branch.to.value, branch.count});
  }

  void add_site(u32 function, u64 address) {
    auto& module = profile_.modules[0];
    mip::Site site;
    site.address = address;
    site.kind = MIP_TARGETS;
    site.function = function;
    if (cursor_) {
      const auto& part = cursor_->at(address);
      if (!part.frames.empty() && part.frames.back().line > 0) {
        const auto& leaf = part.frames.back();
        site.line = dwarf::line_offset(leaf);
        site.column = leaf.column;
        site.name = static_cast<u32>(module.site_names.size());
        site.name_size = static_cast<u32>(leaf.function.size());
        module.site_names += leaf.function;
      }
    }
    auto& owner = module.functions[function];
    if (owner.site_count++ == 0) owner.first_site = static_cast<u32>(module.sites.size());
    module.sites.push_back(site);
  }

  const binary::Program& program_;
  mip::Profile profile_;
  std::optional<dwarf::FrameCursor> cursor_;
  std::vector<u64> outside_;  // by site
};

}  // namespace

mip::Profile branch_targets(const binary::Program& program, const samples::Counts& counts) {
  return TargetMaker(program).make(counts);
}

}  // namespace pgokit::generate

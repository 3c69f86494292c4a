#include "generate/branch_targets.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <tuple>

#include "base/cursor.h"
#include "base/function_name.h"
#include "dwarf/debug_info.h"
#include "dwarf/line_offset.h"
#include "instrument/values.h"

namespace pgokit::generate {
namespace {

// Which functions are local to their source files: by the symbol table, and for those that were
// inlined everywhere by the name.
class LocalNames {
 public:
  explicit LocalNames(const object::File& file) : all_known_(file.has_symtab()) {
    for (const auto& symbol : file.symbols())
      if (symbol.kind == object::SymbolKind::function ||
          symbol.kind == object::SymbolKind::indirect_function)
        local_.try_emplace(canonical_function_name(symbol.name), true).first.value() &=
            symbol.is_local;
  }

  bool has(std::string_view name) const {
    auto found = local_.find(canonical_function_name(name));
    if (found != local_.end()) return found->second;
    return name.starts_with("_ZL") || name.starts_with("_ZN12_GLOBAL__N_1") ||
           (all_known_ && !name.starts_with("_Z") && !name.starts_with("_R"));
  }

 private:
  bool all_known_;
  tsl::robin_map<std::string_view, bool> local_;
};

class TargetMaker {
 public:
  explicit TargetMaker(const program::Program& program)
      : program_(program), local_(program.file()) {
    auto& module = profile_.modules.emplace_back();
    module.path = program.path();
    module.build_id = as_text(program.file().build_id());
    module.machine = program.file().machine();
  }

  instrument::Profile make(const samples::Counts& counts) {
    list_functions();
    if (program_.debug()) cursor_.emplace(*program_.debug());
    // By call: branches ascend.
    for (const auto& branch : counts.branches)
      if (is_indirect_call(branch)) add(branch);
    auto& module = profile_.modules[0];
    module.make_columns();
    module.data.dumps = 1;
    module.data.values_dropped = std::move(outside_);
    instrument::fold_values(profile_.values);
    name_targets();
    return std::move(profile_);
  }

 private:
  void list_functions() {
    auto& module = profile_.modules[0];
    for (const auto& range : program_.functions().ranges()) {
      if (range.end <= range.start || range.end - range.start > ~u32{0}) continue;
      auto name = program_.functions().name(range.function);
      instrument::Function function;
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
    if (branch.from == samples::external || at == program::no_code) return false;
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
    instrument::Site site;
    site.address = address;
    site.kind = MIP_TARGETS;
    site.function = function;
    if (cursor_) {
      const auto& part = cursor_->at(address);
      // -gline-tables-only does not tell where functions begin.
      if (!part.frames.empty() && part.frames.back().line > 0 &&
          part.frames.back().start_line > 0) {
        const auto& leaf = part.frames.back();
        auto name = source_name(leaf.function, part.unit);
        site.line = dwarf::line_offset(leaf);
        site.column = leaf.column;
        site.name = static_cast<u32>(module.site_names.size());
        site.name_size = static_cast<u32>(name.size());
        module.site_names += name;
      }
    }
    auto& owner = module.functions[function];
    if (owner.site_count++ == 0) owner.first_site = static_cast<u32>(module.sites.size());
    module.sites.push_back(site);
  }

  // As the plugin knows it: with the file, if it is local.
  std::string source_name(std::string_view function, u32 unit) const {
    auto file = local_.has(function) ? program_.debug()->unit_name(unit) : std::string_view();
    auto name = canonical_function_name(function);
    return file.empty() ? std::string(name) : fmt::format("{};{}", file, name);
  }

  // Functions that were called get their names in the source.
  void name_targets() {
    if (!cursor_) return;
    auto& module = profile_.modules[0];
    for (const auto& value : profile_.values) {
      const auto* function = module.find(value.value);
      if (!function || function->address != value.value ||
          function->source != instrument::Function::none || !local_.has(module.name(*function)))
        continue;
      const auto& part = cursor_->at(function->address);
      if (part.frames.empty()) continue;
      auto name = source_name(module.name(*function), part.unit);
      module.functions[module.index_of(*function)].source = static_cast<u32>(module.sources.size());
      module.sources.push_back(
          {static_cast<u32>(module.source_texts.size()), static_cast<u32>(name.size()), 0});
      module.source_texts += name;
    }
    module.sort_sources();
  }

  const program::Program& program_;
  LocalNames local_;
  instrument::Profile profile_;
  std::optional<dwarf::FrameCursor> cursor_;
  std::vector<u64> outside_;  // by site
};

}  // namespace

instrument::Profile branch_targets(const program::Program& program, const samples::Counts& counts) {
  return TargetMaker(program).make(counts);
}

}  // namespace pgokit::generate

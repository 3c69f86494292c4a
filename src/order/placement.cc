#include "order/placement.h"

#include <tsl/robin_set.h>

#include <algorithm>

#include "base/hash.h"
#include "base/unique_names.h"

namespace pgokit::order {
namespace {

// The functions that traces, calls or weights speak of.
std::vector<bool> mentioned(const Model& model) {
  std::vector<bool> result(model.functions.size());
  for (const auto& trace : model.traces)
    for (u32 f : trace.functions) result[f] = true;
  for (const auto& call : model.calls) result[call.from] = result[call.to] = true;
  for (u32 f = 0; f < result.size(); ++f)
    if (model.functions[f].weight) result[f] = true;
  return result;
}

std::vector<std::string_view> some_files(const LinkSymbols& symbols, std::span<const u32> numbers) {
  constexpr size_t most = 3;
  std::vector<std::string_view> files;
  for (u32 i : numbers) {
    auto file = symbols.all()[i].file;
    if (files.size() < most && !file.empty() && std::ranges::find(files, file) == files.end())
      files.push_back(file);
  }
  return files;
}

}  // namespace

Placement::Placement(const Model& model, const LinkSymbols& symbols) : symbols_(symbols) {
  if (symbols.empty()) return;
  matches_.resize(model.functions.size());
  auto wanted = mentioned(model);
  for (u32 f = 0; f < model.functions.size(); ++f) matches_[f] = symbols.match(model.name(f));
  find_by_path(model);
  for (u32 f = 0; f < model.functions.size(); ++f) {
    const auto& match = matches_[f];
    if (wanted[f]) {
      ++facts_.functions;
      facts_.exactly += match.found == Found::exactly;
      facts_.by_base += match.found == Found::by_base;
      facts_.by_path += match.found == Found::by_path;
      if (match.found == Found::not_there) facts_.missing.push_back(f);
      if (symbols.is_ambiguous(match.symbols))
        facts_.ambiguous.push_back({f, match.symbols.size(), some_files(symbols, match.symbols)});
    }
  }
}

void Placement::find_by_path(const Model& model) {
  bool any = false;
  std::vector<std::string> olds, news;
  for (u32 f = 0; f < model.functions.size(); ++f) {
    olds.push_back(link_base_name(model.name(f)));
    any |= matches_[f].found == Found::not_there && split_unique_name(olds.back());
  }
  if (!any) return;
  for (const auto& symbol : symbols_.all()) news.push_back(link_base_name(symbol.name));
  std::vector<std::string_view> old_views(olds.begin(), olds.end());
  std::vector<std::string_view> new_views(news.begin(), news.end());
  SourcePaths paths(old_views, new_views);
  for (u32 f = 0; f < matches_.size(); ++f) {
    if (matches_[f].found != Found::not_there) continue;
    if (auto now = paths.find(olds[f]))
      matches_[f] = {Found::by_path, symbols_.match(symbols_.all()[*now].name).symbols};
  }
}

void Placement::adopt(Model& model) const {
  if (symbols_.empty()) return;
  model.start = symbols_.ordered_begin();
  for (u32 f = 0; f < model.functions.size(); ++f) {
    auto& function = model.functions[f];
    function.size = function.address = 0;
    if (matches_[f].symbols.empty()) continue;
    const auto& first = symbols_.all()[matches_[f].symbols.front()];
    function.address = first.address;
    function.size = first.size;
  }
  auto is_missing = [&](u32 f) { return matches_[f].found == Found::not_there; };
  for (auto& trace : model.traces) std::erase_if(trace.functions, is_missing);
  std::erase_if(model.calls, [&](const Call& c) { return is_missing(c.from) || is_missing(c.to); });
  for (u32 f : facts_.missing) model.functions[f].weight = 0;
}

Layout Placement::layout() const {
  Layout layout;
  for (const auto& match : matches_) {
    auto& extent = layout.functions.emplace_back();
    if (match.symbols.empty()) continue;
    const auto& first = symbols_.all()[match.symbols.front()];
    if (first.address) extent = {first.address, first.address + std::max<u64>(1, first.size)};
  }
  return layout;
}

std::vector<PlacedSymbol> Placement::symbols_of(std::span<const u32> order,
                                                const Model& model) const {
  std::vector<PlacedSymbol> placed;
  tsl::robin_set<u32, IntHash> taken;
  for (u32 f : order) {
    if (symbols_.empty()) {
      placed.push_back({model.name(f), {}, {}});
      continue;
    }
    bool ambiguous = symbols_.is_ambiguous(matches_[f].symbols);
    for (u32 i : matches_[f].symbols) {
      if (!taken.insert(i).second) continue;
      const auto& symbol = symbols_.all()[i];
      bool by_object = ambiguous && symbols_.has_sections();
      if (ambiguous && !by_object && i != matches_[f].symbols.front() &&
          symbol.name == symbols_.all()[matches_[f].symbols.front()].name)
        continue;
      placed.push_back({symbol.name, symbol.section, by_object ? symbol.file : std::string_view()});
    }
  }
  return placed;
}

std::string_view Placement::first_name(u32 function, const Model& model) const {
  if (symbols_.empty()) return model.name(function);
  return symbols_.all()[matches_[function].symbols.front()].name;
}

std::vector<PlacedCall> Placement::calls_of(const Model& model) const {
  std::vector<PlacedCall> calls;
  for (const auto& call : model.calls)
    calls.push_back({first_name(call.from, model), first_name(call.to, model), call.weight});
  return calls;
}

}  // namespace pgokit::order

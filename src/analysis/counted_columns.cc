#include "analysis/counted_columns.h"

#include <algorithm>

#include "instr_profile/model/in_order.h"

namespace pgokit::analysis {
namespace {

using profile::Columns;

class Builder {
 public:
  explicit Builder(const instr_profile::Profile& profile) : profile_(profile) {}

  Columns build() && {
    part_.places.reserve(profile_.counters.size());
    NameId last{instr_profile::nothing};
    for (u32 i : instr_profile::in_order(profile_, false)) {
      auto name = profile_.functions[i].name;
      if (name != last) {
        finish_function();
        begin_function(name);
      }
      last = name;
      add_counters(i);
    }
    finish_function();
    add_names();
    columns_.summary = summary_.finish();
    columns_.parts.push_back(std::move(part_));
    return std::move(columns_);
  }

 private:
  void begin_function(NameId name) {
    auto i = static_cast<u32>(part_.nodes.size());
    names_.push_back(name);
    auto& node = part_.nodes.emplace_back();
    node.name = i, node.end = i + 1;
    node.first_place = static_cast<u32>(part_.places.size());
    columns_.functions.push_back({.part = 0, .node = i});
  }

  void add_counters(u32 function) {
    auto record = profile_.record(function);
    if (instr_profile::mark_of(record.counters) != instr_profile::Mark::none) return;
    auto& node = part_.nodes.back();
    auto version = static_cast<u32>(record.hash);
    for (size_t i = 0; i < record.counters.size(); ++i) {
      u64 count = record.counters[i];
      if (count == 0) continue;
      part_.places.push_back({{static_cast<u32>(i), version}, count});
      summary_.add_place(count);
      node.total = add_saturated(node.total, count);
    }
    if (!record.counters.empty()) node.head = add_saturated(node.head, record.counters[0]);
  }

  void finish_function() {
    if (part_.nodes.empty()) return;
    auto& node = part_.nodes.back();
    node.own_places = static_cast<u32>(part_.places.size()) - node.first_place;
    std::ranges::sort(std::span(part_.places).subspan(node.first_place), {},
                      &Columns::Place::location);
    summary_.add_function(node.head);
  }

  // They are in order already.
  void add_names() {
    size_t size = 0;
    for (auto name : names_) size += profile_.names.text(name).size();
    auto& texts = columns_.texts.emplace_back();
    texts.reserve(size);
    columns_.names.reserve(names_.size());
    for (auto name : names_) {
      auto text = profile_.names.text(name);
      texts.append(text);
      columns_.names.push_back(
          {.text = std::string_view(texts).substr(texts.size() - text.size())});
    }
  }

  const instr_profile::Profile& profile_;
  Columns columns_;
  Columns::Part part_;
  std::vector<NameId> names_;
  profile::SummaryBuilder summary_;
};

}  // namespace

Columns counted_columns(const instr_profile::Profile& profile) { return Builder(profile).build(); }

}  // namespace pgokit::analysis

#include "order/from_instr.h"

#include "base/saturated.h"
#include "instr_profile/format.h"
#include "order/model.h"

namespace pgokit::order {
namespace {

using instr_profile::Record;
using instr_profile::ValueCount;
using instr_profile::ValueKind;

class Reader {
 public:
  Reader(const InstrInput& input, const Cut& cut, Model& model, CutFacts& cuts)
      : input_(input), cut_(cut), model_(model), cuts_(cuts) {}

  Result<InstrFacts> read(Bytes bytes) {
    instr_profile::Facts facts;
    facts.wants_names = true;
    TRY(instr_profile::read(bytes, facts, [&](const Record& record) -> Status {
      take(record);
      return {};
    }));
    for (const auto& trace : facts.traces) add_trace(trace, facts.names);
    for (const auto& call : indirect_)
      if (auto name = facts.names.find(call.target); !name.empty())
        model_.calls.push_back({call.from, number_of(name), call.count});
    done_.warning = std::move(facts.warning);
    return done_;
  }

 private:
  struct IndirectCall {
    u32 from;
    u64 target, count;
  };

  u32 number_of(std::string_view name) { return model_.function(linkage_name(name)); }

  void take(const Record& record) {
    if (instr_profile::mark_of(record.counters) != instr_profile::Mark::none) return;
    u64 sum = 0;
    for (u64 count : record.counters) sum = add_saturated(sum, count);
    if (sum == 0) return;
    u32 number = number_of(record.name);
    auto& weight = model_.functions[number].weight;
    weight = add_saturated(weight, multiply_saturated(sum, input_.weight));
    if (!record.values) return;
    record.values->each_site([&](ValueKind kind, std::span<const ValueCount> site) {
      if (kind != ValueKind::indirect_call) return;
      for (const auto& target : site)
        indirect_.push_back(
            {number, target.value, multiply_saturated(target.count, input_.weight)});
    });
  }

  void add_trace(const instr_profile::Trace& trace, const instr_profile::NameIndex& names) {
    std::vector<Touch> touches;
    for (u64 hash : trace.functions) {
      auto name = names.find(hash);
      if (name.empty())
        ++done_.unnamed;
      else
        touches.push_back({number_of(name), 0});
    }
    if (touches.empty()) return;
    ++done_.traces;
    model_.traces.push_back({cut_.apply(touches, {}, false, model_, cuts_),
                             multiply_saturated(trace.weight, input_.weight), input_.source});
  }

  const InstrInput& input_;
  const Cut& cut_;
  Model& model_;
  CutFacts& cuts_;
  std::vector<IndirectCall> indirect_;
  InstrFacts done_;
};

}  // namespace

std::string_view linkage_name(std::string_view name) {
  if (auto end = name.find(';'); end != name.npos) return name.substr(end + 1);
  // Methods of Objective-C have colons.
  bool is_method = name.starts_with("-[") || name.starts_with("+[");
  auto end = is_method ? name.npos : name.find(':');
  return end == name.npos ? name : name.substr(end + 1);
}

Result<InstrFacts> add_instr_profile(Bytes bytes, const InstrInput& input, const Cut& cut,
                                     Model& model, CutFacts& cuts) {
  return Reader(input, cut, model, cuts).read(bytes);
}

}  // namespace pgokit::order

#include "profile/columns.h"

#include <algorithm>

#include "base/function_name.h"
#include "profile/file_order.h"

namespace pgokit::profile {
namespace {

class Builder {
 public:
  explicit Builder(const ReadProfile& read) : profile_(read.profile), order_(profile_, true) {
    result_.format = read.format;
    result_.flags = profile_.flags;
    result_.md5_names = read.md5_names;
    result_.sections = read.sections;
    result_.summary = summarize(profile_);
  }

  Columns build() && {
    take_names();
    for (const auto& function : profile_.functions()) {
      Columns::Top top{static_cast<u32>(result_.nodes.size()),
                       static_cast<u32>(result_.frames.size()), 0};
      if (profile_.flags.context_sensitive) {
        for (const auto& [name, location] : profile_.contexts.frames(function.context))
          result_.frames.push_back({order_.index(name), location});
        top.frames = static_cast<u32>(result_.frames.size()) - top.first_frame;
      }
      result_.functions.push_back(top);
      take(function.samples, {});
    }
    for (u32 i = 0; i < profile_.symbols.size(); ++i)
      result_.symbols.emplace_back(profile_.symbols.text(static_cast<NameId>(i)));
    return std::move(result_);
  }

 private:
  void take_names() {
    for (NameId id : order_.names()) {
      Columns::Name name;
      if (profile_.names.is_guid(id)) {
        name.is_guid = true;
        name.guid = profile_.names.guid(id);
      } else {
        name.text = result_.texts.emplace_back(profile_.names.text(id));
      }
      result_.names.push_back(name);
    }
  }

  void take(const FunctionSamples& samples, LineLocation call_site) {
    auto at = static_cast<u32>(result_.nodes.size());
    result_.nodes.push_back({.name = order_.index(samples.name),
                             .first_place = static_cast<u32>(result_.places.size()),
                             .first_target = static_cast<u32>(result_.targets.size()),
                             .call_site = call_site,
                             .own_places = static_cast<u32>(samples.body.size()),
                             .attributes = samples.attributes,
                             .total = samples.total,
                             .head = samples.head,
                             .checksum = samples.checksum});
    for (const auto& [location, record] : samples.body) {
      if (record.targets)
        for (const auto& target : order_.by_name(*record.targets))
          result_.targets.push_back(
              {static_cast<u32>(result_.places.size()), order_.index(target.name), target.count});
      result_.places.push_back({location, record.samples});
    }
    if (samples.vtables)
      for (const auto& [location, counts] : *samples.vtables)
        for (const auto& vtable : order_.by_name(counts))
          result_.vtables.push_back({at, location, order_.index(vtable.name), vtable.count});
    for (const auto& [location, callees] : samples.inlinees)
      order_.inlinees(callees, [&](const FunctionSamples& inlinee) { take(inlinee, location); });
    result_.nodes[at].end = static_cast<u32>(result_.nodes.size());
  }

  const Profile& profile_;
  FileOrder order_;
  Columns result_;
};

}  // namespace

Columns columns_of(const ReadProfile& read) { return Builder(read).build(); }

Result<Columns> read_columns(Bytes file) { return columns_of(TRY(read_profile(file))); }

std::span<const Columns::Vtable> Columns::vtables_of(u32 node) const {
  auto range = std::ranges::equal_range(vtables, node, {}, &Vtable::node);
  return {range.begin(), range.end()};
}

std::string_view Columns::text(u32 name, std::string& scratch) const {
  if (!names[name].is_guid) return names[name].text;
  scratch = fmt::format("{}", names[name].guid);
  return scratch;
}

u64 Columns::guid(u32 name) const {
  return names[name].is_guid ? names[name].guid : function_guid(names[name].text);
}

std::string Columns::context_text(const Top& top) const {
  std::string result, scratch;
  if (top.frames == 0) result = text(nodes[top.node].name, scratch);
  for (const auto& frame : context(top)) {
    result += text(frame.function, scratch);
    if (&frame == &context(top).back()) break;
    result += fmt::format(":{}", frame.location.line_offset);
    if (frame.location.discriminator) result += fmt::format(".{}", frame.location.discriminator);
    result += " @ ";
  }
  return result;
}

u64 Columns::entry_estimate(u32 at) const {
  const Node& node = nodes[at];
  if (flags.context_sensitive && node.head) return node.head;
  u64 count = 0;
  u32 inlinee = at + 1;
  if (node.own_places &&
      (inlinee == node.end || places[node.first_place].location < nodes[inlinee].call_site)) {
    count = places[node.first_place].samples;
  } else if (inlinee < node.end) {
    LineLocation first = nodes[inlinee].call_site;
    for (; inlinee < node.end && nodes[inlinee].call_site == first; inlinee = nodes[inlinee].end)
      count += entry_estimate(inlinee);
  }
  return count ? count : node.total > 0;
}

std::vector<u32> Columns::by_context() const {
  std::vector<u32> order(functions.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](u32 a, u32 b) {
    const Top &left = functions[a], &right = functions[b];
    if (left.frames == 0 || right.frames == 0)
      return nodes[left.node].name < nodes[right.node].name;
    return std::ranges::lexicographical_compare(context(left), context(right));
  });
  return order;
}

std::vector<u32> Columns::by_total() const {
  std::vector<u32> order = by_context();
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](u32 i) { return nodes[functions[i].node].total; });
  return order;
}

}  // namespace pgokit::profile

#include "profile/table/columns.h"

#include <algorithm>

#include "base/function_name.h"
#include "base/huge_pages.h"
#include "base/saturated.h"
#include "profile/model/file_order.h"
#include "profile/table/reader.h"

namespace pgokit::profile {
namespace {

class Builder {
 public:
  Builder(const ReadProfile& read, bool contexts_apart)
      : profile_(read.profile), order_(profile_, true) {
    result_.format = read.format;
    result_.flags = profile_.flags;
    result_.md5_names = read.md5_names;
    result_.sections = read.sections;
    result_.summary = contexts_apart ? summarize_contexts(profile_) : summarize(profile_, true);
  }

  Columns build() && {
    take_names();
    auto& part = result_.parts.emplace_back();
    for (const auto& function : profile_.functions()) {
      Columns::Top top{.node = static_cast<u32>(part.nodes.size()),
                       .first_frame = static_cast<u32>(result_.frames.size())};
      if (profile_.flags.context_sensitive) {
        for (const auto& [name, location] : profile_.contexts.frames(function.context))
          result_.frames.push_back({order_.index(name), location});
        top.frames = static_cast<u32>(result_.frames.size()) - top.first_frame;
      }
      result_.functions.push_back(top);
      take(part, function.samples, {});
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

  void take(Columns::Part& part, const FunctionSamples& samples, LineLocation call_site) {
    auto at = static_cast<u32>(part.nodes.size());
    part.nodes.push_back({.name = order_.index(samples.name),
                          .first_place = static_cast<u32>(part.places.size()),
                          .first_target = static_cast<u32>(part.targets.size()),
                          .call_site = call_site,
                          .own_places = static_cast<u32>(samples.body.size()),
                          .attributes = samples.attributes,
                          .total = samples.total,
                          .head = samples.head,
                          .checksum = samples.checksum});
    for (const auto& [location, record] : samples.body) {
      if (record.targets)
        for (const auto& target : order_.by_name(*record.targets))
          part.targets.push_back(
              {static_cast<u32>(part.places.size()), order_.index(target.name), target.count});
      part.places.push_back({location, record.samples});
    }
    if (samples.vtables)
      for (const auto& [location, counts] : *samples.vtables)
        for (const auto& vtable : order_.by_name(counts))
          part.vtables.push_back({at, location, order_.index(vtable.name), vtable.count});
    for (const auto& [location, callees] : samples.inlinees)
      order_.inlinees(callees,
                      [&](const FunctionSamples& inlinee) { take(part, inlinee, location); });
    part.nodes[at].end = static_cast<u32>(part.nodes.size());
  }

  const Profile& profile_;
  FileOrder order_;
  Columns result_;
};

}  // namespace

Columns columns_of(const ReadProfile& read, bool contexts_apart) {
  return Builder(read, contexts_apart).build();
}

Result<Columns> read_columns(Bytes file, const ReadOptions& options) {
  prefer_huge_pages(file.size());
  bool plain = !options.flow_sensitive && options.discriminator_mask == ~u32{0};
  auto fast = plain ? read_plain_columns(file) : std::nullopt;
  if (fast) return std::move(*fast);
  auto read = TRY(read_profile(file, options));
  auto columns = columns_of(read, options.contexts_apart);
  if (auto summary = stored_summary(file)) columns.summary = std::move(*summary);
  return columns;
}

std::span<const Columns::Vtable> Columns::Part::vtables_of(u32 node) const {
  auto range = std::ranges::equal_range(vtables, node, {}, &Vtable::node);
  return {range.begin(), range.end()};
}

std::string_view Columns::text(u32 name, std::string& scratch) const {
  if (!names[name].is_guid || !names[name].text.empty()) return names[name].text;
  scratch = fmt::format("{}", names[name].guid);
  return scratch;
}

u64 Columns::guid(u32 name) const {
  return names[name].is_guid ? names[name].guid : function_guid(names[name].text);
}

std::string Columns::context_text(const Top& top) const {
  std::string result, scratch;
  if (top.frames == 0) result = text(node(top).name, scratch);
  for (const auto& frame : context(top)) {
    result += text(frame.function, scratch);
    if (&frame == &context(top).back()) break;
    result += fmt::format(":{}", frame.location.line_offset);
    if (frame.location.discriminator) result += fmt::format(".{}", frame.location.discriminator);
    result += " @ ";
  }
  return result;
}

namespace {

u64 entry_estimate(const Columns::Part& part, u32 at, bool context_sensitive) {
  const auto& node = part.nodes[at];
  if (context_sensitive && node.head) return node.head;
  u64 count = 0;
  u32 inlinee = at + 1;
  if (node.own_places && (inlinee == node.end ||
                          part.places[node.first_place].location < part.nodes[inlinee].call_site)) {
    count = part.places[node.first_place].samples;
  } else if (inlinee < node.end) {
    LineLocation first = part.nodes[inlinee].call_site;
    for (; inlinee < node.end && part.nodes[inlinee].call_site == first;
         inlinee = part.nodes[inlinee].end)
      count = add_saturated(count, entry_estimate(part, inlinee, context_sensitive));
  }
  return estimated_entries(count, node.total);
}

}  // namespace

u64 Columns::entry_estimate(const Top& top) const {
  return profile::entry_estimate(part(top), top.node, flags.context_sensitive);
}

std::vector<u32> Columns::by_context() const {
  struct Key {
    u32 name, function;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys(functions.size());
  bool contexts = false;
  for (u32 i = 0; i < keys.size(); ++i) {
    const Top& top = functions[i];
    keys[i] = {top.frames ? context(top).front().function : node(top).name, i};
    contexts |= top.frames > 0;
  }
  if (!contexts) {
    std::ranges::sort(keys);
  } else {
    std::ranges::sort(keys, [&](const Key& a, const Key& b) {
      if (a.name != b.name) return a.name < b.name;
      return std::ranges::lexicographical_compare(context(functions[a.function]),
                                                  context(functions[b.function]));
    });
  }
  std::vector<u32> order(keys.size());
  std::ranges::transform(keys, order.begin(), &Key::function);
  return order;
}

std::vector<u32> Columns::by_total() const {
  struct Key {
    u64 total;
    u32 rank, function;
  };
  std::vector<Key> keys(functions.size());
  auto set = [&](u32 function, u32 rank) {
    keys[function] = {node(functions[function]).total, rank, function};
  };
  bool contexts = std::ranges::any_of(functions, [](const Top& top) { return top.frames > 0; });
  if (contexts) {
    u32 rank = 0;
    for (u32 function : by_context()) set(function, rank++);
  } else {
    for (u32 i = 0; i < keys.size(); ++i) set(i, node(functions[i]).name);
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    return a.total != b.total ? a.total > b.total : a.rank < b.rank;
  });
  std::vector<u32> order(keys.size());
  std::ranges::transform(keys, order.begin(), &Key::function);
  return order;
}

}  // namespace pgokit::profile

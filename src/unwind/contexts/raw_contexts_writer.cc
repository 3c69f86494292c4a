// Contexts go out in the order of their texts. Elements of a context ("main:3", "0x871") that stand
// below each other in a tree are taken depth first, each element's children in the order of their
// own texts: the separator is smaller than whatever follows in a longer element, so this is the
// order of the whole texts, and none of them has to be kept.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "samples/counts.h"
#include "unwind/contexts/raw_contexts.h"

namespace pgokit::unwind {
namespace {

using profile::ContextId;

constexpr u32 none = ~u32{0};

struct Element {
  u32 parent = none;   // among the elements
  u32 node = 0;        // the call path, or the context whose function it is
  u32 entry = none;    // of the counts: the context ends here
  bool calls = false;  // frames: `location` belongs to it
  profile::LineLocation location = {};
};

std::vector<Element> path_elements(const ContextCounts& counts) {
  std::vector<Element> elements(counts.paths.end() - 1);  // all paths but the empty one
  for (u32 i = 0; i < elements.size(); ++i) {
    u32 parent = static_cast<u32>(counts.paths.parent(CallPath(i + 1)));
    elements[i] = {parent ? parent - 1 : none, i + 1};
  }
  for (u32 i = 0; i < counts.size(); ++i)
    if (u32 path = static_cast<u32>(counts.path(i))) elements[path - 1].entry = i;
  return elements;
}

// Two elements for a function: where it calls, one for each place; and where it ends the context.
std::vector<Element> frame_elements(const ContextCounts& counts) {
  const auto& contexts = counts.contexts;
  auto node = [&](u32 context) -> const auto& { return contexts.node(ContextId(context)); };
  std::vector<u32> order(contexts.end() - 1);
  std::iota(order.begin(), order.end(), 1u);
  std::ranges::sort(order, {}, [&](u32 i) { return std::pair(node(i).parent, node(i).call_site); });

  std::vector<Element> elements;
  std::vector<u32> above(contexts.end(), none);  // by context: the element that calls it
  for (size_t i = 0; i < order.size(); ++i) {
    u32 parent = static_cast<u32>(node(order[i]).parent);
    auto site = node(order[i]).call_site;
    if (parent == 0) continue;
    bool same = i > 0 && node(order[i - 1]).parent == node(order[i]).parent &&
                node(order[i - 1]).call_site == site;
    if (!same) elements.push_back({none, parent, none, true, site});
    above[order[i]] = static_cast<u32>(elements.size() - 1);
  }
  for (auto& element : elements) element.parent = above[element.node];
  for (u32 i = 0; i < counts.size(); ++i)
    if (u32 context = static_cast<u32>(counts.context(i)))
      elements.push_back({above[context], context, i});
  return elements;
}

class Writer {
 public:
  using Write = std::function<void(std::string_view)>;

  Writer(const ContextCounts& counts, const program::CodeMap& code, BinaryAddr base,
         const Write& write)
      : counts_(counts), code_(code), base_(base), write_(write) {}

  void write_all() {
    bool probes = counts_.kind() == ContextCounts::Kind::probes;
    elements_ = probes ? path_elements(counts_) : frame_elements(counts_);
    group_by_parent();
    for (size_t i = 0; i < counts_.size(); ++i)
      if (probes ? counts_.path(i) == CallPath::empty : counts_.context(i) == ContextId::none)
        write_entry("", i);
    write_elements();
    write_(out_);
  }

 private:
  struct Pending {
    u32 element;
    size_t prefix;  // length of the text in front of it
    std::string text;
  };

  void group_by_parent() {
    // Those without parent are the children of the last one.
    first_child_.assign(elements_.size() + 2, 0);
    auto parent = [&](const Element& e) { return e.parent == none ? elements_.size() : e.parent; };
    for (const auto& element : elements_) ++first_child_[parent(element) + 1];
    std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
    children_.resize(elements_.size());
    auto next = first_child_;
    for (u32 i = 0; i < elements_.size(); ++i) children_[next[parent(elements_[i])]++] = i;
  }

  void write_elements() {
    std::string context;
    push_children(elements_.size(), 0);
    while (!pending_.empty()) {
      Pending next = std::move(pending_.back());
      pending_.pop_back();
      context.resize(next.prefix);
      context += next.text;
      const auto& element = elements_[next.element];
      if (element.entry != none) write_entry(context, element.entry);
      if (first_child_[next.element] == first_child_[next.element + 1]) continue;
      context += " @ ";
      push_children(next.element, context.size());
    }
  }

  void push_children(size_t parent, size_t prefix) {
    size_t first = pending_.size();
    for (u32 i = first_child_[parent]; i < first_child_[parent + 1]; ++i)
      pending_.push_back({children_[i], prefix, text_of(elements_[children_[i]])});
    std::sort(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end(),
              [](const Pending& a, const Pending& b) { return a.text > b.text; });
  }

  std::string text_of(const Element& element) const {
    if (counts_.kind() == ContextCounts::Kind::probes) {
      auto call = counts_.paths.call(CallPath(element.node));
      u64 address = call == program::no_code ? 0 : code_.address_of(call).value;
      return fmt::format("0x{:x}", address - base_.value);
    }
    std::string text(counts_.names.text(counts_.contexts.node(ContextId(element.node)).function));
    if (!element.calls) return text;
    auto out = fmt::format_to(std::back_inserter(text), ":{}", element.location.line_offset);
    if (element.location.discriminator) fmt::format_to(out, ".{}", element.location.discriminator);
    return text;
  }

  void write_entry(std::string_view context, size_t i) {
    auto out = std::back_inserter(out_);
    fmt::format_to(out, "[{}]\n  {}\n", context, counts_.ranges(i).size());
    for (const auto& range : counts_.ranges(i))
      fmt::format_to(out, "  {:x}-{:x}:{}\n", offset(range.first), offset(range.last), range.count);
    fmt::format_to(out, "  {}\n", counts_.branches(i).size());
    // Branches from outside have the smallest address.
    for (bool outside : {true, false})
      for (const auto& branch : counts_.branches(i))
        if ((branch.from == program::no_code) == outside)
          fmt::format_to(out, "  {:x}->{:x}:{}\n", offset(branch.from), offset(branch.to),
                         branch.count);
    constexpr size_t part = 1 << 20;
    if (out_.size() < part) return;
    write_(out_);
    out_.clear();
  }

  u64 offset(CodeIndex place) const {
    BinaryAddr address = place == program::no_code ? samples::external : code_.address_of(place);
    return address.value - base_.value;
  }

  const ContextCounts& counts_;
  const program::CodeMap& code_;
  BinaryAddr base_;
  const Write& write_;
  std::vector<Element> elements_;
  std::vector<u32> first_child_, children_;  // by parent
  std::vector<Pending> pending_;             // the next one last
  std::string out_;
};

}  // namespace

void write_raw_contexts(const ContextCounts& counts, const program::CodeMap& code, BinaryAddr base,
                        const std::function<void(std::string_view part)>& write) {
  Writer(counts, code, base, write).write_all();
}

}  // namespace pgokit::unwind

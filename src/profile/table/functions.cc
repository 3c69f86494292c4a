#include "profile/table/functions.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::profile {
namespace {

class Reader {
 public:
  Reader(Bytes bytes, const FunctionNumbers& numbers, Columns::Part& part)
      : in_(bytes), numbers_(numbers), part_(part) {
    // As much as could be in these bytes: what is not used of it is never touched, and moving what
    // is there into a larger place costs more than reading it.
    part_.places.reserve(bytes.size() / 4);
    part_.nodes.reserve(bytes.size() / 6);
    part_.targets.reserve(bytes.size() / 2);
  }

  bool read(std::vector<Columns::Top>& tops) {
    while (!in_.at_end()) {
      u64 head = in_.uleb128();
      Columns::Top top{.node = static_cast<u32>(part_.nodes.size())};
      u64 index = in_.uleb128();
      u32 name = 0;
      if (numbers_.context_sensitive) {
        if (index >= numbers_.contexts.size()) return false;
        top.first_frame = numbers_.contexts[index].first;
        top.frames = numbers_.contexts[index].count;
        name = numbers_.frames[top.first_frame + top.frames - 1].function;
      } else {
        if (index >= numbers_.names.size()) return false;
        name = numbers_.names[index];
      }
      if (!read_node(name, {}, head, 0)) return false;
      tops.push_back(top);
    }
    std::ranges::stable_sort(part_.vtables, {}, &Columns::Vtable::node);
    return in_.ok() && wide_ >> 32 == 0 && far_ <= largest_line;
  }

 private:
  // Whether a line is allowed is told by the general reader.
  LineLocation place() {
    LineLocation at = location();
    far_ |= at.line_offset;
    return at;
  }

  LineLocation location() {
    u64 line = in_.uleb128(), discriminator = in_.uleb128();
    wide_ |= line | discriminator;
    return {static_cast<u32>(line), static_cast<u32>(discriminator)};
  }

  bool read_node(u32 name, LineLocation call_site, u64 head, unsigned depth) {
    if (depth > max_inline_depth) return false;
    auto at = static_cast<u32>(part_.nodes.size());
    auto& node = part_.nodes.emplace_back();
    node.name = name;
    node.call_site = call_site;
    node.head = head;
    node.first_place = static_cast<u32>(part_.places.size());
    node.first_target = static_cast<u32>(part_.targets.size());
    node.total = in_.uleb128();
    u64 places = in_.uleb128();
    if (places > in_.left()) return false;
    node.own_places = static_cast<u32>(places);
    if (!read_places(node) || !read_inlinees(at, depth)) return false;
    part_.nodes[at].end = static_cast<u32>(part_.nodes.size());
    if (numbers_.vtables && !read_vtables(at)) return false;
    return in_.ok();
  }

  bool read_places(const Columns::Node& node) {
    LineLocation last;
    for (u32 i = 0; i < node.own_places && in_.ok(); ++i) {
      LineLocation at = place();
      if (i > 0 && at <= last) return false;
      last = at;
      u64 samples = in_.uleb128();
      auto place = static_cast<u32>(part_.places.size());
      part_.places.push_back({at, samples});
      u64 targets = in_.uleb128();
      if (targets && !read_targets(place, targets)) return false;
    }
    return in_.ok();
  }

  bool read_targets(u32 place, u64 targets) {
    size_t first = part_.targets.size();
    for (; targets > 0 && in_.ok(); --targets) {
      u64 name = in_.uleb128();
      if (name >= numbers_.names.size()) return false;
      part_.targets.push_back({place, numbers_.names[name], in_.uleb128()});
    }
    if (part_.targets.size() == first + 1) return true;
    auto added = std::span(part_.targets).subspan(first);
    std::ranges::sort(added, {}, &Columns::Target::name);
    return std::ranges::adjacent_find(added, {}, &Columns::Target::name) == added.end();
  }

  bool read_inlinees(u32 caller, unsigned depth) {
    std::pair<LineLocation, u32> last;
    u64 inlinees = in_.uleb128();
    for (u64 i = 0; i < inlinees && in_.ok(); ++i) {
      LineLocation site = location();
      u64 name = in_.uleb128();
      if (name >= numbers_.names.size()) return false;
      std::pair key(site, numbers_.names[name]);
      if (i > 0 && key <= last) return false;
      last = key;
      if (!read_node(key.second, site, 0, depth + 1)) return false;
    }
    return caller < part_.nodes.size() && in_.ok();
  }

  bool read_vtables(u32 node) {
    LineLocation last;
    u64 locations = in_.uleb128();
    for (u64 i = 0; i < locations && in_.ok(); ++i) {
      LineLocation at = place();
      if (i > 0 && at <= last) return false;
      last = at;
      size_t first = part_.vtables.size();
      for (u64 n = in_.uleb128(); n > 0 && in_.ok(); --n) {
        u64 name = in_.uleb128();
        if (name >= numbers_.names.size()) return false;
        part_.vtables.push_back({node, at, numbers_.names[name], in_.uleb128()});
      }
      auto added = std::span(part_.vtables).subspan(first);
      if (!std::ranges::is_sorted(added, std::less_equal<>(), &Columns::Vtable::name)) return false;
    }
    return in_.ok();
  }

  Cursor in_;
  const FunctionNumbers& numbers_;
  Columns::Part& part_;
  u64 wide_ = 0;  // all numbers that must fit into 32 bits, or'ed
  u64 far_ = 0;   // and those that must be within largest_line
};

}  // namespace

bool read_function_columns(Bytes bytes, const FunctionNumbers& numbers, Columns::Part& part,
                           std::vector<Columns::Top>& tops) {
  return Reader(bytes, numbers, part).read(tops);
}

}  // namespace pgokit::profile

#include "stacks/write/folded.h"

#include <algorithm>

#include "base/flat_map.h"
#include "base/saturated.h"
#include "stacks/write/folded_names.h"

namespace pgokit::stacks {
namespace {

// Stacks by the names of their frames.
class FoldedTree {
 public:
  FoldedTree(const Stacks& stacks, const FoldedOptions& options)
      : stacks_(stacks), options_(options), frame_names_(stacks, options, names_) {}

  void build() {
    for (const auto& sample : stacks_.samples) {
      const auto& track = stacks_.tracks[sample.track];
      if (track.event != options_.event) continue;
      enter(sample.track, track);
      u64& value = values_[fold(sample.node)];
      value = add_saturated(value, options_.samples ? sample.count : sample.weight);
    }
  }

  void write(report::TextBuffer& out) {
    arrange();
    struct Open {
      u32 item;
      size_t length;  // of the path up to there
    };
    std::string path;
    std::vector<Open> open;
    auto open_under = [&](u32 node) {
      for (u32 i = first_[node + 1]; i-- > first_[node];) open.push_back({items_[i], path.size()});
    };
    open_under(0);
    while (!open.empty()) {
      auto [item, length] = open.back();
      open.pop_back();
      path.resize(length);
      u32 node = item >> 1;
      path += names_.text(nodes_[node].name);
      if (item & 1) {
        path += ';';
        open_under(node);
      } else {
        out.text(path), out.text(' '), out.decimal(values_[node]), out.text('\n');
      }
    }
  }

 private:
  struct Folded {
    u32 parent;
    NameId name;
  };

  // Samples are sorted by track, and most tracks have the stacks of the one before.
  void enter(u32 number, const Track& track) {
    if (number == track_) return;
    track_ = number;
    auto name = frame_names_.root(track);
    u32 root = child(0, name);
    if (root == root_) return;
    root_ = root;
    is_java_ = names_.text(name) == "java";
    folded_.assign(stacks_.nodes.size(), 0);
    folded_[0] = root;
  }

  u32 child(u32 parent, NameId name) {
    u64 key = u64{parent} << 32 | static_cast<u32>(name);
    auto [node, is_new] = children_.find_or_add(key, static_cast<u32>(nodes_.size()));
    u32 number = node;
    if (is_new) nodes_.push_back({parent, name}), values_.push_back(0);
    return number;
  }

  // No node of the tree below a root has the number 0, which means: not yet folded.
  u32 fold(u32 node) {
    path_.clear();
    for (; folded_[node] == 0; node = stacks_.nodes[node].parent) path_.push_back(node);
    u32 at = folded_[node];
    for (size_t i = path_.size(); i-- > 0;) {
      for (auto name : frame_names_.of(stacks_.nodes[path_[i]].location, is_java_))
        at = child(at, name);
      folded_[path_[i]] = at;
    }
    return at;
  }

  // Whole lines are sorted by their bytes: a node's own line by its name, those under it by the
  // name and a semicolon.
  bool sorts_before(u32 a, u32 b) const {
    auto left = names_.text(nodes_[a >> 1].name), right = names_.text(nodes_[b >> 1].name);
    auto [l, r] = std::ranges::mismatch(left, right);
    auto byte = [](auto at, auto end, bool is_under) {
      if (at != end) return static_cast<int>(static_cast<u8>(*at));
      return is_under ? int{';'} : -1;
    };
    return byte(l, left.end(), a & 1) < byte(r, right.end(), b & 1);
  }

  void arrange() {
    std::vector<bool> is_parent(nodes_.size());
    for (u32 node = 1; node < nodes_.size(); ++node) is_parent[nodes_[node].parent] = true;
    first_.assign(nodes_.size() + 1, 0);
    for (u32 node = 1; node < nodes_.size(); ++node) {
      u32& number = first_[nodes_[node].parent + 1];
      if (values_[node]) items_.push_back(node << 1), ++number;
      if (is_parent[node]) items_.push_back(node << 1 | 1), ++number;
    }
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::ranges::sort(items_, [&](u32 a, u32 b) {
      u32 left = nodes_[a >> 1].parent, right = nodes_[b >> 1].parent;
      return left != right ? left < right : sorts_before(a, b);
    });
  }

  const Stacks& stacks_;
  const FoldedOptions& options_;
  Names names_;
  FoldedNames frame_names_;
  std::vector<Folded> nodes_ = std::vector<Folded>(1);
  std::vector<u64> values_ = std::vector<u64>(1);
  FlatMap<u32> children_;
  // A node's number, doubled, for its own line; and one more for the lines under it. By parent.
  std::vector<u32> items_, first_;

  // Of the track that is folded.
  u32 track_ = ~u32{0}, root_ = 0;
  bool is_java_ = false;
  std::vector<u32> folded_, path_;
};

}  // namespace

void write_folded(const Stacks& stacks, const FoldedOptions& options, report::TextBuffer& out) {
  FoldedTree tree(stacks, options);
  tree.build();
  tree.write(out);
}

}  // namespace pgokit::stacks

#pragma once

// Who called or inlined whom, with samples: the tree of a flame graph.
//
//   CallTree tree;
//   tree.add(profile, 0);
//   tree.add(later, 1);                       // of another profile, to compare with
//   for (const auto& node : tree.shown()) use(node.parent, node.name, node.total[0]);
//
// Calling contexts are as deep as the profile knows them; functions that were inlined stand in
// those that they were inlined in.

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/model/profile.h"

namespace pgokit::page {

class CallTree {
 public:
  enum class Kind : u8 { called, inlined, to_be_inlined };
  struct Node {
    u32 parent = 0;  // the root is its own
    u32 name = 0;    // of names()
    Kind kind = Kind::called;
    std::array<u64, 2> total{};  // its own samples and those below
  };

  CallTree() : nodes_(1) {}

  // `side`: 0 or 1.
  void add(const profile::Profile& profile, size_t side);

  const std::vector<std::string>& names() const { return names_; }
  bool empty() const { return nodes_.size() == 1; }
  // Parents first, [0] the root; what is too narrow to be seen is left out, and so are the narrowest
  // beyond about `most`.
  std::vector<Node> shown(size_t most = 20'000) const;

 private:
  struct Key {
    u32 parent, name;
    bool inlined;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return profile::mix_bits(u64{key.parent} << 32 | key.name) + key.inlined;
    }
  };
  u32 child(u32 parent, u32 name, Kind kind);
  u32 name_of(const profile::Profile& profile, NameId id);
  void add_samples(const profile::Profile& profile, const profile::FunctionSamples& samples,
                   u32 node, size_t side, unsigned depth);

  std::vector<Node> nodes_;  // total: own samples only
  std::unordered_map<Key, u32, Hash> children_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, u32> numbers_;
};

}  // namespace pgokit::page

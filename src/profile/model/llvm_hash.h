#pragma once

// The order in which LLVM's tools go through the functions of a profile: that of their hash table.
// It shows where they list functions without sorting them, as in the metadata of files.
//
//   for (u32 i : llvm_table_order(LlvmKeys(profile).all())) ... profile.functions()[i] ...

#include <optional>
#include <span>
#include <vector>

#include "profile/model/profile.h"

namespace pgokit::profile {

// Of the words that stand for the frames of a context.
u64 llvm_hash(std::span<const u64> words);

// The places of different keys, in the order of a table that they were put into one after the
// other.
std::vector<u32> llvm_table_order(std::span<const u64> keys);

// What the table has functions by; names are hashed once.
class LlvmKeys {
 public:
  explicit LlvmKeys(const Profile& profile) : profile_(profile) {}

  u64 key(ContextId context);
  // Of all functions, in the order they were made.
  std::vector<u64> all();

 private:
  u64 guid(NameId name);

  const Profile& profile_;
  std::vector<std::optional<u64>> guids_;  // by NameId
};

}  // namespace pgokit::profile

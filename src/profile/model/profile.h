#pragma once

// A sample profile: what clang and lld read, and what recordings are turned into.
//
//   Profile profile;
//   FunctionSamples& main = profile.function(profile.names.intern("main"));
//   main.add_body({1, 0}, 10);
//   profile.sort();
//   std::string text = write_text(profile);       // profile/format.h
//
// References to FunctionSamples stay valid while functions are added. Filling is for one thread;
// threads fill profiles of their own, which merge() then adds up in any order with the same result.

#include <deque>
#include <vector>

#include "profile/model/context.h"
#include "profile/model/function_samples.h"
#include "profile/model/name_table.h"
#include "profile/model/notes.h"

namespace pgokit::profile {

// What holds for the whole profile and is stored in its file.
struct Flags {
  bool probe_based = false;        // places are probe numbers, functions have checksums
  bool context_sensitive = false;  // top-level entries are calling contexts
  bool pre_inlined = false;        // contexts to be inlined are marked
  bool fs_discriminators = false;  // discriminators of flow-sensitive AutoFDO
  bool partial = false;            // covers a part of the program only
  bool operator==(const Flags&) const = default;
};

struct Function {
  ContextId context = ContextId::none;
  FunctionSamples samples;
};

class Profile {
 public:
  NameTable names;
  Contexts contexts;
  Flags flags;
  Names symbols;  // the profile symbol list: functions that exist, sampled or not
  Notes notes;    // of the recordings that it was made of

  // Made on first use.
  FunctionSamples& function(NameId name) { return function(contexts.top(name)); }
  FunctionSamples& function(ContextId context);
  const FunctionSamples* find(ContextId context) const;
  FunctionSamples* find(ContextId context) {
    return const_cast<FunctionSamples*>(std::as_const(*this).find(context));
  }

  // In no particular order.
  std::deque<Function>& functions() { return functions_; }
  const std::deque<Function>& functions() const { return functions_; }
  // In the order of files: by total downwards, then by context.
  std::vector<const Function*> ordered() const { return ordered(names.ranks()); }
  // The same where the order of the names used is known.
  std::vector<const Function*> ordered(std::span<const u32> ranks) const;
  // By context only.
  std::vector<const Function*> by_context(std::span<const u32> ranks) const;

  // Keeps only those of which `keep` says so. References are invalid afterwards.
  template <class Predicate>
  void keep_if(Predicate keep) {
    std::deque<Function> kept;
    for (auto& function : functions_)
      if (keep(std::as_const(function))) kept.push_back(std::move(function));
    functions_ = std::move(kept);
    index_functions();
  }

  // Puts everything into file order; wanted before anything is read out.
  void sort();

 private:
  std::vector<const Function*> sorted(std::span<const u32> ranks, bool by_total) const;
  void index_functions();

  std::deque<Function> functions_;
  std::vector<u32> function_of_context_;  // 1 + its place in functions_; 0: none
};

// What the contexts of `from` are in `into`, where its names are `renamed`.
std::vector<ContextId> taken_contexts(const Profile& from, Profile& into,
                                      std::span<const NameId> renamed);

struct MergeResult {
  u64 checksum_mismatches = 0;  // functions left out
};

// Adds another profile, whose names and contexts are of its own tables, times `weight`.
MergeResult merge(Profile& into, const Profile& from, u64 weight = 1);

}  // namespace pgokit::profile

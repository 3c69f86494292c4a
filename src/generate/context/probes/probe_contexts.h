#pragma once

// Chains of call sites → calling contexts of a profile, by the probes at the calls.
//
//   ProbeContexts find(decoded, code, names, paths, missing, options);
//   find.start(profile.contexts, first_path);
//   profile::ContextId context = find.of(path, function, node);     // none: not known
//
// Each call site gives the functions its call is inlined into, and its own. Tail calls that can be
// inferred come in between; at a call without probe the context starts anew, as it does at an
// inlined call whose number is not known. Recursion is compressed, and of long contexts the
// innermost frames are kept. Contexts of call chains are remembered: a longer chain costs what it
// has more than a known one.

#include <tsl/robin_map.h>

#include "generate/context/context_result.h"
#include "generate/context/probes/missing_frames.h"
#include "generate/context/probes/probe_code.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

class ProbeContexts {
 public:
  // `names`: of the functions of nodes. `missing` may be null.
  ProbeContexts(const probe::Decoded& decoded, const ProbeCode& code, std::span<const NameId> names,
                const unwind::CallPaths& paths, const MissingFrames* missing,
                const ContextProfileOptions& options);

  // Contexts are of this table from here on. `first`: most paths that will be asked for are this
  // one or a bit behind it.
  void start(profile::Contexts& contexts, unwind::CallPath first = unwind::CallPath::empty) {
    contexts_ = &contexts;
    first_path_ = first;
    far_.clear();
    frames_above_.clear();
    ++round_;
    ++inlined_round_;
  }
  // Of the code of an inline node, which is in `function`, when called through `path`.
  profile::ContextId of(unwind::CallPath path, u32 function, u32 node);
  // It has a descriptor.
  bool is_named(u32 node) const { return decoded_.nodes()[node].descriptor != probe::none; }

 private:
  // The frames so far as a context, and where its innermost function calls on.
  struct Callers {
    profile::ContextId context = profile::ContextId::none;
    u32 call_site = 0;
    u32 round = 0;            // it was computed for the table of this round
    bool repetitive = false;  // has repetitions that have to be compressed
  };
  struct Frame {
    NameId function;
    u32 call_site;
  };
  // Where frames go: into `callers`, or into the list of those that have to be compressed.
  class Chain;
  class List;

  // What is known of a node in this round.
  struct OfInlined {
    u64 round = 0;
    Callers callers;
  };

  Callers& remembered(unwind::CallPath path);
  Callers callers_of(unwind::CallPath path);
  Callers callers_of(unwind::CallPath path, u32 function, u32 node);
  template <class Sink>
  void add_tail_calls(Sink& sink, unwind::CallPath path, u32 function);
  template <class Sink>
  void add_call(Sink& sink, const ProbeCode::Call* call);
  template <class Sink>
  void add_inliners(Sink& sink, u32 node);
  template <class Sink>
  void add_inliner(Sink& sink, const probe::Node& inlinee);
  bool may_repeat(profile::ContextId context, u32 call_site);
  bool ends_repetitive(profile::ContextId context, u32 call_site) const;
  bool block_repeats(profile::ContextId last, profile::ContextId before, size_t length) const;
  profile::ContextId compressed(unwind::CallPath path, u32 function, u32 node);
  void compress();
  const ProbeCode::Call* call_at(program::CodeIndex at) const {
    return at == program::no_code ? nullptr : code_.call(at);
  }

  const probe::Decoded& decoded_;
  const ProbeCode& code_;
  std::span<const NameId> names_;
  const unwind::CallPaths& paths_;
  const MissingFrames* missing_;
  profile::Contexts* contexts_ = nullptr;
  u32 round_ = 0;
  const ContextProfileOptions& options_;
  // By context: which frames it has above it, as bits of their hashes.
  std::vector<u64> frames_above_;
  // Of paths: those from the first one on, and others.
  unwind::CallPath first_path_{};
  std::vector<Callers> near_;
  tsl::robin_map<u32, Callers, IntHash> far_;
  // Of nodes when they are called by one path; rounds end where it, or the function, changes.
  std::vector<OfInlined> of_inlined_;
  unwind::CallPath path_of_inlined_{};
  u32 function_of_inlined_ = 0;
  u64 inlined_round_ = 0;
  std::vector<u32> inlinees_;  // on the way to a node, innermost first
  std::vector<unwind::CallPath> unknown_;
  std::vector<u32> inliners_;  // nodes, innermost first
  std::vector<Frame> frames_;  // of a context to be compressed
  std::vector<u32> numbers_;
  tsl::robin_map<u64, u32, IntHash> number_of_frame_;
  std::vector<Frame> numbered_;
};

}  // namespace pgokit::generate

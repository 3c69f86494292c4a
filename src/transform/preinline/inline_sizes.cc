#include "transform/preinline/inline_sizes.h"

#include <tsl/robin_set.h>

#include "base/function_name.h"
#include "base/parallel.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"
#include "generate/context/callee_key.h"
#include "generate/functions/hit_functions.h"

namespace pgokit::transform {
namespace {

using generate::callee_key;
using profile::LineLocation;

// The code of some functions by inline scope, each scope once: what a thread finds out.
class CodeSizes {
 public:
  struct Scope {
    u32 end = 0;  // of its frames, which begin where those of the scope before end
    u64 bytes = 0;
  };

  explicit CodeSizes(const program::Program& program)
      : program_(program), cursor_(*program.debug()) {}

  void add(std::span<const program::FunctionRange> ranges) {
    known_.clear();  // scopes of other functions are others
    for (const auto& range : ranges) add_range(range.start, range.end);
  }

  void add_to(InlineSizes& sizes) const {
    u32 begin = 0;
    for (const auto& scope : scopes_) {
      sizes.add(sizes.place(std::span(frames_).subspan(begin, scope.end - begin)), scope.bytes);
      begin = scope.end;
    }
  }

 private:
  // One step per change of frames: neighbours that differ in the leaf's line only share a scope.
  void add_range(u64 begin, u64 end) {
    for (u64 at = begin; at < end;) {
      const auto& part = cursor_.at(at);
      u64 last = std::min(part.end, end) - 1;
      if (!part.frames.empty())
        if (u64 bytes = program_.code().instruction_bytes({at}, {last})) scope(part).bytes += bytes;
      at = last + 1;
      if (at == 0) break;
    }
  }

  Scope& scope(const dwarf::FramePart& part) {
    auto [known, fresh] = known_.try_emplace(part.scope, static_cast<u32>(scopes_.size()));
    if (!fresh) return scopes_[known->second];
    for (size_t i = part.frames.size(); i-- > 0;) {
      const auto& frame = part.frames[i];
      bool leaf = i + 1 == part.frames.size();
      frames_.push_back({guid(frame.function), leaf ? LineLocation{} : location(frame)});
    }
    return scopes_.emplace_back(static_cast<u32>(frames_.size()), 0);
  }

  // Discriminators stay packed, as in llvm-profgen: contexts whose call sites have other factors
  // than 1 are not found.
  LineLocation location(const dwarf::Frame& frame) const {
    if (program_.has_probes()) return {dwarf::probe_of_discriminator(frame.discriminator), 0};
    return {dwarf::line_offset(frame), frame.discriminator};
  }

  // Names stay where they are in the debug information.
  u64 guid(std::string_view name) {
    auto [known, fresh] = guids_.try_emplace(name.data());
    if (fresh || known->second.first != name.size())
      known.value() = {name.size(), function_guid(name)};
    return known->second.second;
  }

  const program::Program& program_;
  dwarf::FrameCursor cursor_;
  tsl::robin_map<const char*, std::pair<size_t, u64>> guids_;
  std::vector<InlineSizes::Frame> frames_;
  std::vector<Scope> scopes_;
  tsl::robin_map<u64, u32, IntHash> known_;  // of one function: FramePart::scope, its scope
};

// Sizes add up in any order.
void add_code(const program::Program& program, const std::vector<bool>& wanted, unsigned threads,
              InlineSizes& sizes) {
  const auto& functions = program.functions();
  constexpr size_t at_once = 64;
  std::vector<std::unique_ptr<CodeSizes>> of_worker(worker_count(threads));
  parallel_each(functions.size(), at_once, threads, [&](size_t function, unsigned worker) {
    if (!wanted[function]) return;
    auto& code = of_worker[worker];
    if (!code) code = std::make_unique<CodeSizes>(program);
    code->add(functions.ranges_of(static_cast<u32>(function)));
  });
  for (const auto& code : of_worker)
    if (code) code->add_to(sizes);
}

// Where the code of an inlinee is gone its probes are still there: its size is known to be 0.
void add_probes(const probe::Decoded& probes, u32 top, InlineSizes& sizes) {
  const auto& nodes = probes.nodes();
  std::vector<InlineSizes::Frame> frames;
  for (u32 i = top; i < nodes[top].subtree_end; ++i) {
    if (nodes[i].probe_count == 0) continue;
    frames.clear();
    LineLocation site;
    for (u32 node = i; node != probe::none; node = nodes[node].parent) {
      frames.push_back({nodes[node].guid, site});
      site = {nodes[node].call_site, 0};
    }
    sizes.add(sizes.place(frames), 0);
  }
}

// Of several records of one function the last one counts.
void add_probes(const program::FunctionTable& functions, const std::vector<bool>& wanted,
                const probe::Decoded& probes, InlineSizes& sizes) {
  tsl::robin_map<std::string_view, u32> top_of;
  for (u32 i = 0; i < probes.nodes().size(); i = probes.nodes()[i].subtree_end)
    top_of.insert_or_assign(probes.name_of(probes.nodes()[i]), i);
  for (u32 function = 0; function < functions.size(); ++function)
    if (wanted[function])
      if (auto top = top_of.find(functions.name(function)); top != top_of.end())
        add_probes(probes, top->second, sizes);
}

}  // namespace

u32 InlineSizes::find(u32 parent, u64 key) const {
  auto found = children_.find({parent, key});
  return found == children_.end() ? 0 : found->second;
}

u32 InlineSizes::child(u32 parent, u64 key) {
  auto [found, fresh] = children_.try_emplace({parent, key}, static_cast<u32>(nodes_.size()));
  if (!fresh) return found->second;
  u32 made = found->second;
  nodes_.push_back({std::nullopt, 0, key});
  u32& first = nodes_[parent].first_child;
  if (first == 0 || key < nodes_[first].key) first = made;
  return made;
}

InlineSizes::Place InlineSizes::place(std::span<const Frame> frames) {
  u32 node = 0;
  for (const auto& frame : frames) node = child(node, callee_key(frame.guid, frame.site));
  return Place{node};
}

void InlineSizes::add(Place place, u64 bytes) {
  auto& known = nodes_[static_cast<u32>(place)].bytes;
  known = known.value_or(0) + static_cast<u32>(bytes);
}

bool InlineSizes::add(const Frame& frame, Walk& walk) const {
  u32 next = find(walk.at, callee_key(frame.guid, frame.site));
  if (next == 0) return false;
  walk.at = next;
  if (nodes_[next].bytes) walk.bytes = nodes_[next].bytes;
  return nodes_[next].first_child != 0;
}

u32 InlineSizes::bytes(const Walk& walk) const {
  auto known = walk.bytes;
  for (u32 at = walk.at; !known && nodes_[at].first_child;) {
    at = nodes_[at].first_child;
    known = nodes_[at].bytes;
  }
  return known.value_or(0);
}

u32 InlineSizes::of(std::span<const Frame> frames) const {
  Walk walk;
  for (const auto& frame : frames)
    if (!add(frame, walk)) break;
  return bytes(walk);
}

Result<InlineSizes> inline_sizes(const program::Program& program,
                                 const std::vector<bool>& functions, const probe::Decoded* probes,
                                 unsigned threads) {
  InlineSizes sizes;
  const auto& table = program.functions();
  if (program.debug()) add_code(program, functions, threads, sizes);
  if (!program.has_probes()) return sizes;
  if (probes) {
    add_probes(table, functions, *probes, sizes);
    return sizes;
  }
  auto probe_table = TRY(program.probe_table());
  add_probes(table, functions, generate::decode_probes(program, probe_table, functions), sizes);
  return sizes;
}

std::vector<bool> functions_named(const program::FunctionTable& functions,
                                  const profile::Profile& profile) {
  tsl::robin_set<std::string_view> names;
  std::vector<bool> seen(profile.contexts.end());
  for (const auto& function : profile.functions())
    for (auto id = function.context;
         id != profile::ContextId::none && !seen[static_cast<size_t>(id)];
         id = profile.contexts.node(id).parent) {
      seen[static_cast<size_t>(id)] = true;
      names.insert(profile.names.text(profile.contexts.node(id).function));
    }
  std::vector<bool> named(functions.size());
  for (u32 i = 0; i < functions.size(); ++i) named[i] = names.contains(functions.name(i));
  return named;
}

}  // namespace pgokit::transform

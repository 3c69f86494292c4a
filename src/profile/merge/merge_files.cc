// Inputs go through in batches. Three things happen to a batch: its files are opened and checked,
// each by itself; names, contexts and functions are entered into the sum, one input after the
// other; then the samples are added, functions divided among the threads, so that no two touch the
// same one. While the samples of one batch are added the next one is opened.
#include "profile/merge/merge_files.h"

#include <md5.h>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/file.h"
#include "base/huge_pages.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "profile/model/each_function.h"
#include "profile/model/llvm_hash.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

// An input that is open: as bytes that have been checked, or, of text, read.
struct Source {
  explicit Source(MappedFile mapped) : file(std::move(mapped)) {
    prefer_huge_pages(file.bytes().size());
  }

  // `as_peer`: what only text can hold is taken too.
  Status check(const ReadOptions& options, bool as_peer) {
    auto format = sniff(file.bytes());
    if (file.bytes().empty()) return fail("it is empty");
    if (format == Format::binary || format == Format::compact)
      index = TRY(index_binary(file.bytes(), options));
    else if (format == Format::extbinary)
      index = TRY(index_extbinary(file.bytes(), options));
    else
      read = TRY(as_peer ? read_profile(file.bytes(), options)
                         : read_profile_to_write(file.bytes(), options));
    return {};
  }

  Format format() const { return index ? index->format : read->format; }
  const Flags& flags() const { return index ? index->flags : read->profile.flags; }
  const Notes& notes() const { return index ? index->notes : read->profile.notes; }
  bool md5_names() const { return index ? index->md5_names : read->md5_names; }
  u64 samples() const {
    if (index) return index->total;
    u64 sum = 0;
    for (const auto& function : read->profile.functions())
      sum = add_saturated(sum, function.samples.total);
    return sum;
  }
  size_t functions() const {
    return index ? index->functions.size() : read->profile.functions().size();
  }

  MappedFile file;
  std::optional<BinaryIndex> index;
  std::optional<ReadProfile> read;
  // What its names are in the sum.
  FileTables tables;
  std::vector<NameId> renamed;
  Addition addition;
  size_t input = 0;
};

// One function of one source, and where it goes.
struct Work {
  ContextId context{};
  bool fresh = false;
  u32 item = 0;
  const Source* source = nullptr;
  FunctionSamples* into = nullptr;

  u64 add() const {
    if (!source->index)
      return profile::add(*into, fresh, source->read->profile.functions()[item].samples,
                          source->addition);
    FunctionAdder adder(*source->index, source->tables, source->addition);
    return adder.add(source->index->functions[item], *into, fresh);
  }
};

// A function of an input that was left out, wholly or in part.
struct Mismatch {
  size_t input = 0;
  ContextId context{};
  auto operator<=>(const Mismatch&) const = default;
};

struct Batch {
  size_t first = 0, end = 0;  // inputs
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::vector<Work>> shards;
};

class Merger {
 public:
  Merger(const std::vector<MergeInput>& inputs, const MergeOptions& options)
      : inputs_(inputs), options_(options), workers_(worker_count(options.threads)) {
    result_.inputs.resize(inputs.size());
  }

  Result<MergedFiles> merge() && {
    if (options_.distinct) find_duplicates();
    Batch current, next = batch_from(0);
    run(current, next);
    while (!next.sources.empty()) {
      current = std::move(next);
      TRY(enter(current));
      next = batch_from(current.end);
      run(current, next);
    }
    tell_mismatches();
    unify_names();
    for_each_function(result_.profile, workers_,
                      [](Function& function) { function.samples.sort(); });
    return std::move(result_);
  }

 private:
  void find_duplicates();
  Batch batch_from(size_t first) const;
  void open(size_t input, std::unique_ptr<Source>& source);
  void run(Batch& adding, Batch& opening);
  Status enter(Batch& batch);
  Status check_kind(const Source& source, const std::string& path);
  Status check_as_peer(const Source& source);
  void enter_tables(Source& source);
  void enter_functions(const Source& source, Batch& batch);
  void tell_mismatches();
  void make_in_llvm_order(std::span<const ContextId> contexts);
  void unify_names();

  const std::vector<MergeInput>& inputs_;
  const MergeOptions& options_;
  unsigned workers_;
  MergedFiles result_;
  LlvmKeys llvm_keys_{result_.profile};
  tsl::robin_set<ContextId> made_;  // functions that nothing has been added to yet
  std::mutex lock_;
  std::vector<Mismatch> mismatches_;
  std::string first_path_;  // of the input that told what the sum is
};

// Marks all but the heaviest of equal inputs.
void Merger::find_duplicates() {
  using Digest = std::array<u8, MD5_DIGEST_LENGTH>;
  std::vector<Digest> digests(inputs_.size());
  auto is_file = [&](size_t input) { return inputs_[input].path != "-"; };
  parallel_for(inputs_.size(), workers_, [&](size_t input, unsigned) {
    auto file = is_file(input) ? MappedFile::open(inputs_[input].path) : fail("not twice");
    if (!file) return;  // told when it is opened again
    MD5_CTX state;
    MD5Init(&state);
    MD5Update(&state, file->bytes().data(), file->bytes().size());
    MD5Final(digests[input].data(), &state);
  });
  std::vector<size_t> order;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (digests[i] != Digest{}) order.push_back(i);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (digests[a] != digests[b]) return digests[a] < digests[b];
    return inputs_[a].weight > inputs_[b].weight;
  });
  for (size_t i = 1; i < order.size(); ++i)
    result_.inputs[order[i]].duplicate = digests[order[i]] == digests[order[i - 1]];
}

Batch Merger::batch_from(size_t first) const {
  Batch batch;
  batch.first = first;
  batch.end = std::min<size_t>(inputs_.size(), first + std::max(4u, 2 * workers_));
  batch.sources.resize(batch.end - first);
  return batch;
}

void Merger::open(size_t input, std::unique_ptr<Source>& source) {
  auto& about = result_.inputs[input];
  if (about.duplicate) return;
  auto file = MappedFile::open(inputs_[input].path);
  if (!file) {
    about.error = std::move(file).error().message;
    return;
  }
  about.bytes = file->bytes().size();
  source = std::make_unique<Source>(*std::move(file));
  auto status = source->check(options_.reading, options_.rule == ChecksumRule::first);
  if (status) {
    about.format = source->format();
    about.md5_names = source->md5_names();
    about.pre_inlined = source->flags().pre_inlined;
    about.samples = source->samples();
    about.functions = source->functions();
    source->addition = {inputs_[input].weight, options_.rule, {}};
    source->input = input;
    return;
  }
  about.error = std::move(status).error().in(source->file.path()).message;
  source.reset();
}

void Merger::run(Batch& adding, Batch& opening) {
  size_t shards = adding.shards.size();
  parallel_for(shards + opening.sources.size(), workers_, [&](size_t piece, unsigned) {
    if (piece >= shards) {
      piece -= shards;
      return open(opening.first + piece, opening.sources[piece]);
    }
    auto& works = adding.shards[piece];
    // one function after the other, each in the order of the inputs: its counts stay at hand
    std::ranges::stable_sort(works, {}, &Work::context);
    for (const auto& work : works) {
      u64 left_out = work.add();
      if (left_out == 0) continue;
      std::scoped_lock held(lock_);
      result_.checksum_mismatches += left_out;
      if (options_.rule == ChecksumRule::first)
        mismatches_.push_back({work.source->input, work.context});
    }
  });
}

void Merger::tell_mismatches() {
  std::ranges::sort(mismatches_);
  const Profile& sum = result_.profile;
  for (const auto& [input, context] : mismatches_)
    result_.mismatches.push_back(fmt::format("{}: {}: Function hash mismatch", inputs_[input].path,
                                             sum.contexts.text(context, sum.names)));
}

Status Merger::enter(Batch& batch) {
  batch.shards.resize(8 * workers_);
  for (size_t i = 0; i < batch.sources.size(); ++i) {
    const auto& about = result_.inputs[batch.first + i];
    if (!about.error.empty() && options_.strict) return fail("{}", about.error);
    if (!batch.sources[i]) continue;
    auto& source = *batch.sources[i];
    TRY(check_kind(source, source.file.path()));
    enter_tables(source);
    result_.profile.notes.add(source.notes());
    enter_functions(source, batch);
  }
  return {};
}

Status Merger::check_kind(const Source& source, const std::string& path) {
  result_.md5_names |= source.md5_names();
  Flags& sum = result_.profile.flags;
  const Flags& flags = source.flags();
  if (options_.rule == ChecksumRule::first) return check_as_peer(source);
  if (source.functions() != 0) {
    if (first_path_.empty()) {
      first_path_ = path;
      sum.probe_based = flags.probe_based;
      sum.context_sensitive = flags.context_sensitive;
    }
    if (sum.probe_based != flags.probe_based)
      return fail("{} and {} do not add up: one is based on probes, the other on lines",
                  first_path_, path);
    if (sum.context_sensitive != flags.context_sensitive)
      return fail("{} and {} do not add up: one has contexts; convert it first (--layout)",
                  first_path_, path);
  }
  sum.pre_inlined |= flags.pre_inlined;
  sum.fs_discriminators |= flags.fs_discriminators;
  sum.partial |= flags.partial;
  return {};
}

// LLVM's readers keep these marks from file to file: text sets them, an extensible binary file can
// only raise them.
Status Merger::check_as_peer(const Source& source) {
  Flags& sum = result_.profile.flags;
  const Flags before = sum, &flags = source.flags();
  if (source.format() == Format::text) {
    sum = flags;
  } else {
    sum.probe_based |= flags.probe_based;
    sum.context_sensitive |= flags.context_sensitive;
    sum.pre_inlined |= flags.pre_inlined;
    sum.fs_discriminators |= flags.fs_discriminators;
  }
  bool first = std::exchange(first_path_, source.file.path()).empty();
  if (!first && sum.probe_based != before.probe_based)
    return fail("cannot merge probe-based profile with non-probe-based profile");
  if (!first && sum.context_sensitive != before.context_sensitive)
    return fail("cannot merge CS profile with non-CS profile");
  return {};
}

void Merger::enter_tables(Source& source) {
  Profile& sum = result_.profile;
  const auto* rename = options_.rename ? &options_.rename : nullptr;
  if (source.index) {
    source.tables = FileTables::take(*source.index, sum, rename);
    return take_symbols(*source.index, sum.symbols);
  }
  const Profile& from = source.read->profile;
  source.renamed.resize(from.names.size());
  for (u32 i = 0; i < source.renamed.size(); ++i) {
    NameId name{i};
    source.renamed[i] = rename && !from.names.is_guid(name)
                            ? sum.names.intern((*rename)(from.names.text(name)))
                            : sum.names.intern_from(from.names, name);
  }
  source.addition.renamed = source.renamed;
}

void Merger::enter_functions(const Source& source, Batch& batch) {
  Profile& sum = result_.profile;
  auto enter = [&](ContextId context, size_t item) {
    bool fresh = !sum.find(context) || made_.erase(context);
    auto& shard = batch.shards[static_cast<size_t>(context) % batch.shards.size()];
    shard.push_back({context, fresh, static_cast<u32>(item), &source, &sum.function(context)});
  };
  std::vector<ContextId> contexts;  // of the items
  if (source.index) {
    for (const auto& entry : source.index->functions)
      contexts.push_back(source.tables.context(entry, sum));
  } else {
    const Profile& from = source.read->profile;
    auto taken = taken_contexts(from, sum, source.renamed);
    for (const auto& function : from.functions())
      contexts.push_back(taken[static_cast<size_t>(function.context)]);
  }
  if (options_.llvm_order) make_in_llvm_order(contexts);
  for (size_t i = 0; i < contexts.size(); ++i) enter(contexts[i], i);
}

// Makes the functions of an input in the order in which llvm-profdata would.
void Merger::make_in_llvm_order(std::span<const ContextId> contexts) {
  const Flags& flags = result_.profile.flags;
  bool plain = !flags.probe_based && !flags.context_sensitive && !flags.pre_inlined;
  if (plain && !options_.llvm_order_of_plain) return;
  std::vector<u64> keys;
  for (auto context : contexts) keys.push_back(llvm_keys_.key(context));
  for (u32 i : llvm_table_order(keys)) {
    if (result_.profile.find(contexts[i])) continue;
    result_.profile.function(contexts[i]);
    made_.insert(contexts[i]);
  }
}

// Where some inputs have names and some only their hashes, the names stand for the hashes.
void Merger::unify_names() {
  Profile& sum = result_.profile;
  std::vector<NameId> renamed(sum.names.size());
  tsl::robin_map<u64, NameId> named;
  size_t guids = 0;
  for (u32 i = 0; i < renamed.size(); ++i) guids += sum.names.is_guid(NameId{i});
  if (guids == 0 || guids == renamed.size()) return;
  for (u32 i = 0; i < renamed.size(); ++i)
    if (!sum.names.is_guid(NameId{i})) named.emplace(sum.names.guid(NameId{i}), NameId{i});
  bool any = false;
  Profile unified;
  for (u32 i = 0; i < renamed.size(); ++i) {
    auto found = sum.names.is_guid(NameId{i}) ? named.find(sum.names.guid(NameId{i})) : named.end();
    any |= found != named.end();
    renamed[i] =
        unified.names.intern_from(sum.names, found == named.end() ? NameId{i} : found->second);
  }
  if (!any) return;
  unified.flags = sum.flags;
  auto contexts = taken_contexts(sum, unified, renamed);
  for (const auto& [context, samples] : sum.functions()) {
    auto target = contexts[static_cast<size_t>(context)];
    bool fresh = !unified.find(target);
    result_.checksum_mismatches +=
        add(unified.function(target), fresh, samples, {1, options_.rule, renamed});
  }
  unified.symbols = std::move(sum.symbols);
  unified.notes = std::move(sum.notes);
  sum = std::move(unified);
}

}  // namespace

size_t MergedFiles::used() const {
  return static_cast<size_t>(std::ranges::count_if(
      inputs, [](const MergedInput& input) { return input.error.empty() && !input.duplicate; }));
}

Result<MergedFiles> merge_files(const std::vector<MergeInput>& inputs,
                                const MergeOptions& options) {
  return Merger(inputs, options).merge();
}

}  // namespace pgokit::profile

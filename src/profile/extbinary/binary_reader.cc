#include "base/cursor.h"
#include "base/parallel.h"
#include "profile/extbinary/function_adder.h"
#include "profile/extbinary/section_table.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

// Threads fill functions of their own. What a file has of a function once more is added when all
// have been filled, in its order.
class FunctionFiller {
 public:
  FunctionFiller(const BinaryIndex& index, const FileTables& tables)
      : index_(index), tables_(tables), adders_(worker_count(all_cores), {index, tables, {}}) {}

  void fill(Profile& into) {
    constexpr size_t at_once = 128;
    std::vector<Filling> first, again;
    first.reserve(index_.functions.size());
    for (const auto& entry : index_.functions) {
      auto context = tables_.context(entry, into);
      bool fresh = !into.find(context);
      (fresh ? first : again).push_back({&entry, &into.function(context)});
    }
    parallel_each(first.size(), at_once, all_cores,
                  [&](size_t i, unsigned worker) { add(first[i], true, adders_[worker]); });
    for (const auto& one : again) add(one, false, adders_[0]);
  }

 private:
  struct Filling {
    const BinaryIndex::Entry* entry;
    FunctionSamples* samples;
  };

  static void add(const Filling& one, bool fresh, FunctionAdder& adder) {
    adder.add(*one.entry, *one.samples, fresh);
    one.samples->sort();
  }

  static constexpr unsigned all_cores = 0;
  const BinaryIndex& index_;
  const FileTables& tables_;
  std::vector<FunctionAdder> adders_;  // of workers
};

ReadProfile decoded(BinaryIndex index) {
  ReadProfile result{{}, index.format, index.md5_names, index.sections, index.unknown_sections, {}};
  Profile& profile = result.profile;
  profile.flags = index.flags;
  auto tables = FileTables::take(index, profile);
  FunctionFiller(index, tables).fill(profile);
  take_symbols(index, profile.symbols);
  profile.notes = std::move(index.notes);
  return result;
}

}  // namespace

Result<ReadProfile> read_binary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_binary(bytes, options)));
}

Result<ReadProfile> read_extbinary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_extbinary(bytes, options)));
}

Notes read_notes_of_extbinary(Bytes bytes) {
  Notes notes;
  auto sections = read_section_table(bytes);
  if (!sections) return notes;
  for (const auto& section : *sections) {
    if (section.type != notes_section || section.offset > bytes.size() ||
        section.size > bytes.size() - section.offset)
      continue;
    Bytes contents = bytes.subspan(section.offset, section.size);
    if (!(section.flags & section_compressed)) {
      read_section_of_notes(as_text(contents), notes);
    } else if (auto inflated = inflate_section(contents)) {
      read_section_of_notes(*inflated, notes);
    }
  }
  return notes;
}

}  // namespace pgokit::profile

#include "base/cursor.h"
#include "base/parallel.h"
#include "profile/extbinary/function_adder.h"
#include "profile/extbinary/section_table.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

// Threads fill functions of their own. What a file has of a function once more is added when all
// have been filled, in its order.
void fill(const BinaryIndex& index, const FileTables& tables, Profile& into) {
  constexpr unsigned all_cores = 0;
  constexpr size_t at_once = 128;
  using Filling = std::pair<const BinaryIndex::Entry*, FunctionSamples*>;
  std::vector<Filling> first, again;
  first.reserve(index.functions.size());
  for (const auto& entry : index.functions) {
    auto context = tables.context(entry, into);
    bool fresh = !into.find(context);
    (fresh ? first : again).emplace_back(&entry, &into.function(context));
  }
  std::vector<FunctionAdder> adders(worker_count(all_cores), {index, tables, {}});
  auto add = [&](const Filling& one, bool fresh, unsigned worker) {
    adders[worker].add(*one.first, *one.second, fresh);
    one.second->sort();
  };
  parallel_each(first.size(), at_once, all_cores,
                [&](size_t i, unsigned worker) { add(first[i], true, worker); });
  for (const auto& one : again) add(one, false, 0);
}

ReadProfile decoded(BinaryIndex index) {
  ReadProfile result{{}, index.format, index.md5_names, index.sections, index.unknown_sections, {}};
  Profile& profile = result.profile;
  profile.flags = index.flags;
  auto tables = FileTables::take(index, profile);
  fill(index, tables, profile);
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

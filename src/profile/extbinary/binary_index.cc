#include "profile/extbinary/binary_index.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.h"
#include "profile/extbinary/composite_section.h"
#include "profile/extbinary/function_checker.h"
#include "profile/extbinary/section_table.h"
#include "profile/extbinary_format.h"

namespace pgokit::profile {
namespace {

// Behind an error: where in the section (or in what it holds compressed) it is.
std::unexpected<Error> at_function(size_t offset, Error error) {
  return std::unexpected(std::move(error).in(fmt::format("function at offset {:#x}", offset)));
}

CheckLimits limits_of(const BinaryIndex& index) {
  return {.names = index.names.back().size(),
          .contexts = index.contexts.back().count,
          .vtables = index.vtables,
          .context_sensitive = index.flags.context_sensitive};
}

// `base`: the offset of the cursor's first byte as errors tell it. `tables`: the number of those it
// speaks of.
Status index_function(Cursor& in, FunctionChecker& checker, u32 tables, size_t base,
                      std::vector<BinaryIndex::Entry>& functions) {
  size_t start = in.position();
  const u8* at = in.rest().data();
  auto subject = checker.function();
  if (!subject) return at_function(base + start, std::move(subject).error());
  functions.push_back({*subject, tables, at});
  return {};
}

// (head, name or context, function)* up to the end.
Status index_functions(Cursor& in, const BinaryIndex& index, size_t base,
                       std::vector<BinaryIndex::Entry>& functions) {
  FunctionChecker checker(in, limits_of(index));
  auto tables = static_cast<u32>(index.names.size() - 1);
  while (!in.at_end()) TRY(index_function(in, checker, tables, base, functions));
  return {};
}

// The same on all cores, part by part. False: a part is not what was said of it, so that only one
// that goes from the first function to the last knows what is wrong.
bool index_parts(Bytes section, std::span<const u64> ends, BinaryIndex& index) {
  std::vector<std::vector<BinaryIndex::Entry>> functions(ends.size());
  std::atomic<bool> good = true;
  parallel_for(ends.size(), 0, [&](size_t i, unsigned) {
    size_t begin = i ? ends[i - 1] : 0;
    Cursor in(section.subspan(begin, ends[i] - begin));
    if (!index_functions(in, index, 0, functions[i])) good = false;
  });
  if (!good) return false;
  for (const auto& some : functions)
    index.functions.insert(index.functions.end(), some.begin(), some.end());
  return true;
}

class ExtIndexer {
 public:
  explicit ExtIndexer(Bytes file) : file_(file) {
    index_.format = Format::extbinary;
    index_.names.emplace_back();
    index_.contexts.emplace_back();
  }

  Result<BinaryIndex> index() && {
    TRY(read_table());
    // Before any section is looked into: what is checked one way is not read another.
    take_flags(TRY(read_flags(index_.sections)));
    for (const auto& section : index_.sections) {
      auto status = index_section(section);
      if (!status)
        return std::unexpected(std::move(status).error().in(fmt::format(
            "section '{}' (offset {:#x})", section_name(section.type), section.offset)));
    }
    auto subject = [](const BinaryIndex::Entry& entry) {
      return u64{entry.tables} << 32 | entry.subject;
    };
    std::ranges::stable_sort(index_.metadata, {}, subject);
    return std::move(index_);
  }

 private:
  // What was checked against one table is not read with another.
  void new_tables() {
    index_.names.push_back(index_.names.back());
    index_.contexts.push_back(index_.contexts.back());
  }

  Status read_table() {
    index_.sections = TRY(read_section_table(file_));
    for (const auto& section : index_.sections)
      if (section.offset > file_.size() || section.size > file_.size() - section.offset)
        return fail("section '{}' (offset {:#x}, {} bytes) ends past the file",
                    section_name(section.type), section.offset, section.size);
    return {};
  }

  void take_flags(const FileFlags& file) {
    index_.flags = file.flags;
    index_.md5_names = file.md5_names;
    index_.vtables = file.vtables;
    index_.metadata_parts = file.metadata;
  }

  Status index_section(const SectionInfo& section) {
    if (section.size == 0) return {};
    Bytes bytes = file_.subspan(section.offset, section.size);
    if (section.flags & section_compressed) {
      index_.contents.push_back(TRY(inflate_section(bytes)));
      bytes = as_bytes(index_.contents.back());
    }
    Cursor in(bytes);
    TRY(index_contents(section, in));
    if (!in.ok()) return fail("ends early");
    if (!in.at_end()) return fail("{} bytes are left over at {:#x}", in.left(), in.position());
    return {};
  }

  Status index_contents(const SectionInfo& section, Cursor& in) {
    switch (section.type) {
      case summary_section:
        index_.total = skip_summary(in);
        return {};
      case name_table_section:
        return index_names(in, section.flags);
      case context_table_section:
        return index_contexts(in);
      case functions_section:
        return index_functions_section(in);
      case composite_section:
        return index_composite(in);
      case metadata_section:
        return index_metadata(in);
      case symbol_list_section:
        index_.symbols.push_back(in.rest());
        while (!in.at_end()) in.cstring();
        return {};
      case notes_section:
        if (read_section_of_notes(as_text(in.rest()), index_.notes)) {
          in.skip(in.left());
          return {};
        }
        [[fallthrough]];
      default:
        index_.unknown_sections.push_back(section.type);
        in.skip(in.left());
        return {};
      case function_offset_section:
        // In the form that others have, it is for those who want single functions.
        if (!(section.flags & offsets_eytzinger)) {
          Cursor table = in;
          offsets_ = read_offsets(table);
        }
        [[fallthrough]];
      case composite_offset_section:
        in.skip(in.left());
        return {};
    }
  }

  Status index_functions_section(Cursor& in) {
    auto ends = part_ends(std::exchange(offsets_, {}), in.left());
    if (ends.size() > 1 && index_parts(in.rest(), ends, index_)) {
      in.skip(in.left());
      return {};
    }
    return index_functions(in, index_, 0, index_.functions);
  }

  Status index_names(Cursor& in, u64 flags) {
    if (index_.names.back().size() != 0) new_tables();
    auto kind = flags & names_fixed_md5 ? NameList::Kind::fixed_guids
                : flags & names_md5     ? NameList::Kind::varint_guids
                                        : NameList::Kind::texts;
    index_.names.back() =
        TRY(flags & names_eytzinger ? read_name_spans(in) : read_name_list(in, kind));
    return {};
  }

  Status index_contexts(Cursor& in) {
    if (index_.contexts.back().count != 0) new_tables();
    u64 n = in.uleb128();
    index_.contexts.back() = {in.rest(), n, static_cast<u32>(index_.names.size() - 1)};
    FunctionChecker checker(in, limits_of(index_));
    for (; n > 0 && in.ok(); --n) TRY(checker.context());
    return {};
  }

  Status index_composite(Cursor& in) {
    auto plain = TRY(read_composite(in));
    index_.unknown_sections.insert(index_.unknown_sections.end(), plain.unknown_kinds.begin(),
                                   plain.unknown_kinds.end());
    index_.contents.push_back(std::move(plain.bytes));
    Cursor functions(as_bytes(index_.contents.back()));
    FunctionChecker checker(functions, limits_of(index_));
    auto tables = static_cast<u32>(index_.names.size() - 1);
    for (size_t end : plain.ends) {
      size_t start = functions.position();
      TRY(index_function(functions, checker, tables, 0, index_.functions));
      if (functions.position() != end)
        return fail("function {}: its counts are not of the size of their block ({} bytes)",
                    index_.functions.size(), end - start);
    }
    return {};
  }

  Status index_metadata(Cursor& in) {
    FunctionChecker checker(in, limits_of(index_));
    auto tables = static_cast<u32>(index_.names.size() - 1);
    while (!in.at_end()) {
      size_t start = in.position();
      const u8* at = nullptr;
      auto subject = checker.metadata(index_.metadata_parts, at);
      if (!subject) return at_function(start, std::move(subject).error());
      index_.metadata.push_back({*subject, tables, at});
    }
    return {};
  }

  Bytes file_;
  BinaryIndex index_;
  std::vector<u64> offsets_;  // of the functions in the next section of them
};

}  // namespace

const u8* BinaryIndex::metadata_of(const Entry& function) const {
  auto key = [](const Entry& entry) { return u64{entry.tables} << 32 | entry.subject; };
  auto after = std::ranges::upper_bound(metadata, key(function), {}, key);
  if (after == metadata.begin() || key(after[-1]) != key(function)) return nullptr;
  return after[-1].at;
}

namespace {

// The compact form has behind its names where its table of functions begins, as an u64, and the
// functions in between.
Result<Cursor> functions_of_compact(Cursor in, Bytes file) {
  u64 table = in.get<u64>();
  if (!in.ok() || table < in.position() || table > file.size())
    return fail("offset {:#x}: the table of functions is said to be at {:#x}, outside of the file",
                in.position(), table);
  return Cursor(file.subspan(in.position(), table - in.position()));
}

}  // namespace

Result<BinaryIndex> index_binary(Bytes file, const ReadOptions& options) {
  Cursor in(file);
  bool compact = in.uleb128() == magic_of_compact;
  if (u64 version = in.uleb128(); version != format_version)
    return fail("offset 0x9: binary profile of version {}; only {} is known", version,
                format_version);
  BinaryIndex index;
  index.format = compact ? Format::compact : Format::binary;
  index.md5_names = compact;
  index.flags.fs_discriminators = options.flow_sensitive;
  index.discriminator_mask = options.mask(options.flow_sensitive);
  index.total = skip_summary(in);
  if (!in.ok()) return fail("section 'summary' (offset 0xa): ends early");
  size_t names = in.position();
  index.contexts.emplace_back();
  index.names.push_back(
      TRY_IN(fmt::format("section 'names' (offset {:#x})", names),
             read_name_list(in, compact ? NameList::Kind::varint_guids : NameList::Kind::texts)));
  if (compact) in = TRY(functions_of_compact(in, file));
  auto functions = static_cast<size_t>(in.rest().data() - file.data());
  TRY_IN(fmt::format("section 'functions' (offset {:#x})", functions),
         index_functions(in, index, functions - in.position(), index.functions));
  return index;
}

Result<BinaryIndex> index_extbinary(Bytes file, const ReadOptions& options) {
  auto index = TRY(ExtIndexer(file).index());
  index.discriminator_mask = options.mask(index.flags.fs_discriminators);
  return index;
}

}  // namespace pgokit::profile

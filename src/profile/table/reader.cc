#include "profile/table/reader.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/cursor.h"
#include "base/parallel.h"
#include "profile/extbinary/section_table.h"
#include "profile/extbinary_format.h"
#include "profile/table/functions.h"
#include "profile/table/text.h"

namespace pgokit::profile {
namespace {

std::optional<Summary> read_summary(Cursor& in) {
  Summary summary;
  summary.total = in.uleb128();
  summary.max_count = in.uleb128();
  summary.max_function_count = in.uleb128();
  summary.num_counts = in.uleb128();
  summary.num_functions = in.uleb128();
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    auto cutoff = static_cast<u32>(in.uleb128());
    u64 min_count = in.uleb128();
    summary.entries.push_back({cutoff, min_count, in.uleb128()});
  }
  if (!in.ok()) return std::nullopt;
  return summary;
}

// Into the node of a function. Inlinees come in one order in both.
struct MetadataVisitor {
  std::span<const u32> ids;
  Columns::Part& part;
  u32 node, next_inlinee;

  bool values(u64 checksum, u64 attributes) const {
    part.nodes[node].checksum = checksum;
    part.nodes[node].attributes = static_cast<u32>(attributes);
    return attributes >> 32 == 0;
  }
  WalkEnd inlinee(RawLocation at, u64 name, auto enter) {
    if (at.bits() >> 32 || name >= ids.size()) return WalkEnd::refused;
    auto is_it = [&](const Columns::Node& inlinee) {
      return inlinee.call_site == at.narrow() && inlinee.name == ids[name];
    };
    u32 end = part.nodes[node].end;
    while (next_inlinee < end && !is_it(part.nodes[next_inlinee]))
      next_inlinee = part.nodes[next_inlinee].end;
    if (next_inlinee >= end) return WalkEnd::refused;
    u32 found = std::exchange(next_inlinee, part.nodes[next_inlinee].end);
    return enter(MetadataVisitor{ids, part, found, found + 1});
  }
};

struct ContextVisitor {
  std::span<const u32> ids;
  std::vector<Columns::Frame>& frames;
  size_t first;

  bool frame(u64 name, RawLocation at) {
    if (name >= ids.size() || at.bits() >> 32) return false;
    frames.push_back({ids[name], at.narrow()});
    return true;
  }
  // Where a function is called from ends with itself.
  bool end() const { return frames.size() > first && frames.back().location == LineLocation{}; }
};

// Whose contents are in another form than ours.
bool is_of_newer_llvm(const SectionInfo& section) {
  return section.type == composite_section || section.type == composite_offset_section ||
         (section.type == name_table_section && (section.flags & names_eytzinger)) ||
         (section.type == function_offset_section && (section.flags & offsets_eytzinger));
}

class Reader {
 public:
  explicit Reader(Bytes file) : file_(file) {}

  std::optional<Columns> read_binary() && {
    Cursor in(file_);
    in.uleb128();
    if (in.uleb128() != format_version) return std::nullopt;
    columns_.format = Format::binary;
    auto summary = read_summary(in);
    if (!summary || !read_names(in, 0)) return std::nullopt;
    columns_.summary = std::move(*summary);
    if (!read_functions(in.rest()) || !finish()) return std::nullopt;
    return std::move(columns_);
  }

  std::optional<Columns> read_extbinary() && {
    auto sections = read_section_table(file_);
    if (!sections) return std::nullopt;
    auto file = read_flags(*sections);
    if (!file) return std::nullopt;
    columns_.format = Format::extbinary;
    columns_.flags = file->flags;
    columns_.md5_names = file->md5_names;
    vtables_ = file->vtables;
    metadata_ = file->metadata;
    columns_.sections = std::move(*sections);
    bool has_summary = false;
    for (const auto& section : columns_.sections) {
      if (section.offset > file_.size() || section.size > file_.size() - section.offset)
        return std::nullopt;
      if (section.size == 0) continue;
      if (is_of_newer_llvm(section)) return std::nullopt;
      if (!read_section(section)) return std::nullopt;
      has_summary |= section.type == summary_section;
    }
    if (!has_summary || !finish()) return std::nullopt;
    return std::move(columns_);
  }

 private:
  bool read_section(const SectionInfo& section) {
    Bytes bytes = file_.subspan(section.offset, section.size);
    if (section.flags & section_compressed) {
      auto contents = inflate_section(bytes);
      if (!contents) return false;
      bytes = as_bytes(columns_.texts.emplace_back(std::move(*contents)));
    }
    Cursor in(bytes);
    switch (section.type) {
      case summary_section: {
        auto summary = read_summary(in);
        if (!summary) return false;
        columns_.summary = std::move(*summary);
        return in.at_end();
      }
      case name_table_section:
        return read_names(in, section.flags) && in.at_end();
      case context_table_section:
        return read_contexts(in) && in.at_end();
      case function_offset_section:
        offsets_ = read_offsets(in);
        return in.ok() && in.at_end();
      case functions_section:
        return read_functions(bytes);
      case metadata_section:
        return read_metadata(in) && in.at_end();
      case symbol_list_section:
        while (!in.at_end()) columns_.symbols.emplace_back(in.cstring());
        return in.ok();
      default:
        return true;
    }
  }

  // Names get numbers in their order; `ids_` has those of the places in the table.
  bool read_names(Cursor& in, u64 flags) {
    std::vector<Columns::Name> names;
    bool guids = flags & (names_md5 | names_fixed_md5);
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      if (!guids)
        names.push_back({.text = in.cstring()});
      else
        names.push_back({.text = {},
                         .guid = flags & names_fixed_md5 ? in.get<u64>() : in.uleb128(),
                         .is_guid = true});
    }
    if (!in.ok() || !columns_.names.empty()) return false;
    std::vector<u32> order(names.size());
    std::iota(order.begin(), order.end(), u32{0});
    if (!std::ranges::is_sorted(names))
      std::ranges::sort(order, {}, [&](u32 i) -> const auto& { return names[i]; });
    ids_.resize(names.size());
    for (u32 i = 0; i < order.size(); ++i) {
      if (i > 0 && names[order[i]] == names[order[i - 1]]) return false;
      ids_[order[i]] = i;
      columns_.names.push_back(names[order[i]]);
    }
    return true;
  }

  bool read_contexts(Cursor& in) {
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      auto& frames = columns_.frames;
      size_t first = frames.size();
      if (walk_context(in, ContextVisitor{ids_, frames, first}) != WalkEnd::whole) return false;
      contexts_.push_back({static_cast<u32>(first), static_cast<u32>(frames.size() - first)});
    }
    return in.ok();
  }

  bool read_functions(Bytes bytes) {
    auto ends = part_ends(std::exchange(offsets_, {}), bytes.size());
    FunctionNumbers numbers{ids_, contexts_, columns_.frames, columns_.flags.context_sensitive,
                            vtables_};
    size_t first_part = columns_.parts.size();
    columns_.parts.resize(first_part + ends.size());
    std::vector<std::vector<Columns::Top>> tops(ends.size());
    std::vector<u8> good(ends.size());
    // Read where there is room for as much as could be in these bytes, and kept as what there is.
    std::vector<Columns::Part> rooms(worker_count(0));
    parallel_for(ends.size(), 0, [&](size_t i, unsigned worker) {
      u64 begin = i ? ends[i - 1] : 0;
      auto& room = rooms[worker];
      good[i] =
          read_function_columns(bytes.subspan(begin, ends[i] - begin), numbers, room, tops[i]);
      if (good[i]) columns_.parts[first_part + i] = room;
    });
    for (size_t i = 0; i < ends.size(); ++i) {
      if (!good[i]) return false;
      for (auto top : tops[i]) {
        top.part = static_cast<u32>(first_part + i);
        columns_.functions.push_back(top);
      }
    }
    return index_functions();
  }

  // What names a function: its context's first frame, or its name.
  u32 key(const Columns::Top& top) const {
    return top.frames ? top.first_frame : columns_.node(top).name;
  }

  bool index_functions() {
    function_of_.assign(std::max(columns_.names.size(), columns_.frames.size()), 0);
    for (u32 i = 0; i < columns_.functions.size(); ++i) {
      u32& function = function_of_[key(columns_.functions[i])];
      if (function != 0) return false;  // the same one twice
      function = i + 1;
    }
    return true;
  }

  bool read_metadata(Cursor& in) {
    while (!in.at_end()) {
      u64 index = in.uleb128();
      bool contexts = columns_.flags.context_sensitive;
      if (index >= (contexts ? contexts_.size() : ids_.size())) return false;
      u32 key = contexts ? contexts_[index].first : ids_[index];
      if (key >= function_of_.size() || function_of_[key] == 0) return false;
      const auto& top = columns_.functions[function_of_[key] - 1];
      MetadataVisitor visit{ids_, columns_.parts[top.part], top.node, top.node + 1};
      if (walk_metadata(in, visit, metadata_) != WalkEnd::whole) return false;
    }
    return in.ok();
  }

  bool finish() const { return columns_.names.size() == ids_.size(); }

  Bytes file_;
  Columns columns_;
  std::vector<u32> ids_;
  std::vector<ContextFrames> contexts_;
  std::vector<u64> offsets_;
  std::vector<u32> function_of_;
  bool vtables_ = false;
  MetadataParts metadata_;
};

}  // namespace

std::optional<Columns> read_plain_columns(Bytes file) {
  auto format = sniff(file);
  if (format == Format::extbinary) return Reader(file).read_extbinary();
  if (format == Format::binary) return Reader(file).read_binary();
  if (format == Format::text) return read_text_columns(as_text(file));
  return std::nullopt;
}

std::optional<Summary> stored_summary(Bytes file) {
  auto format = sniff(file);
  Cursor in(file);
  if (format == Format::binary || format == Format::compact) {
    in.uleb128(), in.uleb128();
    return read_summary(in);
  }
  if (format != Format::extbinary) return std::nullopt;
  auto sections = read_section_table(file);
  if (!sections) return std::nullopt;
  for (const auto& section : *sections) {
    if (section.type != summary_section || section.offset > file.size() ||
        section.size > file.size() - section.offset)
      continue;
    Bytes bytes = file.subspan(section.offset, section.size);
    std::string contents;
    if (section.flags & section_compressed) {
      auto inflated = inflate_section(bytes);
      if (!inflated) return std::nullopt;
      contents = std::move(*inflated);
      bytes = as_bytes(contents);
    }
    Cursor summary(bytes);
    return read_summary(summary);
  }
  return std::nullopt;
}

}  // namespace pgokit::profile

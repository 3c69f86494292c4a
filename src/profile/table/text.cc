#include "profile/table/text.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/parallel.h"
#include "profile/text/lines.h"

namespace pgokit::profile {
namespace {

// What one thread reads; names have numbers of its own until all are known.
struct TextPart {
  Columns::Part columns;
  std::vector<u32> tops;
  std::vector<std::string_view> names;
  // What they point to: near each other, where the text has them far apart.
  std::deque<std::string> blocks;
  bool probes = false, pre_inlined = false;
};

class Parser {
 public:
  Parser(std::string_view text, TextPart& part)
      : at_(text.data()), end_(at_ + text.size()), part_(part), columns_(part.columns) {
    columns_.places.reserve(text.size() / 24);
  }

  bool parse() {
    while (at_ < end_) {
      const auto* line_end =
          static_cast<const char*>(std::memchr(at_, '\n', static_cast<size_t>(end_ - at_)));
      if (!line_end) line_end = end_;
      if (line_end == at_ || line_end[-1] == '\r') return false;
      std::string_view line(at_, static_cast<size_t>(line_end - at_));
      if (!(line[0] == ' ' ? read_line(line) : read_head(line))) return false;
      at_ = std::min(line_end + 1, end_);
    }
    close_to(0);
    return true;
  }

 private:
  u32 name(std::string_view text) {
    auto known = ids_.find(text);
    if (known != ids_.end()) return known->second;
    auto id = static_cast<u32>(part_.names.size());
    part_.names.push_back(kept(text));
    ids_.emplace(part_.names.back(), id);
    return id;
  }

  std::string_view kept(std::string_view text) {
    constexpr size_t block = 1 << 16;
    auto& blocks = part_.blocks;
    if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < text.size())
      blocks.emplace_back().reserve(std::max(block, text.size()));
    size_t at = blocks.back().size();
    blocks.back() += text;
    return std::string_view(blocks.back()).substr(at);
  }

  void open(u32 id, LineLocation site, u64 total, u64 head) {
    stack_.push_back(static_cast<u32>(columns_.nodes.size()));
    auto& node = columns_.nodes.emplace_back();
    node.name = id;
    node.call_site = site;
    node.total = total;
    node.head = head;
    node.first_place = static_cast<u32>(columns_.places.size());
    node.first_target = static_cast<u32>(columns_.targets.size());
    metadata_ = false;
  }

  void close_to(size_t depth) {
    while (stack_.size() > depth) {
      columns_.nodes[stack_.back()].end = static_cast<u32>(columns_.nodes.size());
      stack_.pop_back();
      metadata_ = false;
    }
  }

  bool read_head(std::string_view line) {
    if (line[0] == '[' || line[0] == '#') return false;
    auto head = parse_head(line);
    if (!head) return false;
    close_to(0);
    part_.tops.push_back(static_cast<u32>(columns_.nodes.size()));
    open(name(head->name), {}, head->total, head->head);
    return true;
  }

  bool read_line(std::string_view line) {
    size_t depth = line.find_first_not_of(' ');
    if (depth == line.npos || depth > stack_.size() || depth > max_inline_depth) return false;
    close_to(depth);
    line.remove_prefix(depth);
    if (line[0] == '!') return read_metadata(line, depth);
    if (metadata_) return false;
    auto samples = parse_samples(line);
    if (!samples || samples->kind == SamplesLine::Kind::vtables) return false;
    if (samples->kind == SamplesLine::Kind::body) return read_place(*samples);
    open(name(samples->rest), samples->location, samples->count, 0);
    return true;
  }

  bool read_place(const SamplesLine& line) {
    auto& node = columns_.nodes[stack_.back()];
    // its places are one run: in front of what is inlined, ascending
    if (stack_.back() + 1 != columns_.nodes.size()) return false;
    if (node.own_places && columns_.places.back().location >= line.location) return false;
    auto place = static_cast<u32>(columns_.places.size());
    columns_.places.push_back({line.location, line.count});
    ++node.own_places;
    NamedCount target;
    for (auto rest = line.rest; !rest.empty();) {
      if (!take_name_count(rest, target)) return false;
      columns_.targets.push_back({place, name(target.name), target.count});
    }
    return true;
  }

  bool read_metadata(std::string_view line, size_t depth) {
    auto metadata = parse_metadata(line);
    if (!metadata) return false;
    auto& node = columns_.nodes[stack_.back()];
    metadata_ = true;
    u64 value = metadata->value;
    if (metadata->kind == MetadataLine::Kind::checksum) {
      node.checksum = value;
      node.attributes = 0;
      part_.probes |= depth == 1 && value != 0;
    } else if (metadata->kind == MetadataLine::Kind::attributes) {
      // those merged elsewhere count otherwise in the summary
      if (value & duplicated_into_base) return false;
      node.attributes = static_cast<u32>(value);
      part_.pre_inlined |= (value & should_be_inlined) != 0;
    }
    return true;
  }

  const char* at_;
  const char* end_;
  TextPart& part_;
  Columns::Part& columns_;
  // With the hashes stored, other names are hardly ever looked at.
  tsl::robin_map<std::string_view, u32, std::hash<std::string_view>, std::equal_to<>,
                 std::allocator<std::pair<std::string_view, u32>>, true>
      ids_;
  std::vector<u32> stack_;
  bool metadata_ = false;  // the last line of this depth
};

// Whole functions each, of about the same size.
std::vector<std::string_view> pieces_of(std::string_view text) {
  constexpr unsigned most = 16;  // each has a table of names of its own
  size_t wanted = std::max<size_t>(1 << 20, text.size() / std::min(worker_count(0), most) + 1);
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t end = std::min(wanted, text.size());
    while (end < text.size() && !(text[end - 1] == '\n' && text[end] != ' ')) {
      size_t newline = text.find('\n', end);
      end = newline == text.npos ? text.size() : newline + 1;
    }
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

// Numbers of all names in the order of files, and what each part's own become. Each part sorts its
// own; few parts make the merging cheap.
std::vector<std::vector<u32>> number_names(const std::vector<TextPart>& parts, Columns& columns) {
  std::vector<std::vector<u32>> orders(parts.size()), ids(parts.size());
  parallel_for(parts.size(), 0, [&](size_t i, unsigned) {
    orders[i].resize(parts[i].names.size());
    std::iota(orders[i].begin(), orders[i].end(), u32{0});
    std::ranges::sort(orders[i], {}, [&](u32 id) { return parts[i].names[id]; });
    ids[i].resize(parts[i].names.size());
  });
  std::vector<size_t> at(parts.size());
  auto head = [&](size_t i) { return parts[i].names[orders[i][at[i]]]; };
  while (true) {
    std::optional<std::string_view> least;
    for (size_t i = 0; i < parts.size(); ++i)
      if (at[i] < orders[i].size() && (!least || head(i) < *least)) least = head(i);
    if (!least) return ids;
    for (size_t i = 0; i < parts.size(); ++i)
      if (at[i] < orders[i].size() && head(i) == *least)
        ids[i][orders[i][at[i]++]] = static_cast<u32>(columns.names.size());
    columns.names.push_back({.text = *least, .guid = 0, .is_guid = false});
  }
}

// False where inlinees or targets are not in the order that Columns has, or twice there.
bool renumber(Columns::Part& part, const std::vector<u32>& ids) {
  for (auto& node : part.nodes) node.name = ids[node.name];
  for (auto& target : part.targets) target.name = ids[target.name];
  auto key = [](const Columns::Target& target) { return std::pair(target.place, target.name); };
  for (size_t i = 0; i < part.targets.size();) {
    size_t end = i + 1;
    while (end < part.targets.size() && part.targets[end].place == part.targets[i].place) ++end;
    if (end - i > 1) {
      auto of_place = std::span(part.targets).subspan(i, end - i);
      std::ranges::sort(of_place, {}, key);
      if (std::ranges::adjacent_find(of_place, {}, key) != of_place.end()) return false;
    }
    i = end;
  }
  for (u32 caller = 0; caller < part.nodes.size(); ++caller)
    for (u32 i = caller + 1; i < part.nodes[caller].end;) {
      u32 next = part.nodes[i].end;
      if (next < part.nodes[caller].end &&
          std::pair(part.nodes[i].call_site, part.nodes[i].name) >=
              std::pair(part.nodes[next].call_site, part.nodes[next].name))
        return false;
      i = next;
    }
  return true;
}

bool is_once(const Columns& columns) {
  std::vector<bool> seen(columns.names.size());
  for (const auto& top : columns.functions) {
    u32 name = columns.node(top).name;
    if (seen[name]) return false;
    seen[name] = true;
  }
  return true;
}

}  // namespace

std::optional<Columns> read_text_columns(std::string_view text) {
  if (std::memchr(text.data(), '\0', text.size())) return std::nullopt;
  auto pieces = pieces_of(text);
  std::vector<TextPart> parts(pieces.size());
  std::vector<u8> good(pieces.size());
  parallel_for(pieces.size(), 0,
               [&](size_t i, unsigned) { good[i] = Parser(pieces[i], parts[i]).parse(); });
  if (std::ranges::count(good, u8{0})) return std::nullopt;
  Columns columns;
  columns.format = Format::text;
  auto ids = number_names(parts, columns);
  parallel_for(parts.size(), 0,
               [&](size_t i, unsigned) { good[i] = renumber(parts[i].columns, ids[i]); });
  if (std::ranges::count(good, u8{0})) return std::nullopt;
  for (auto& part : parts) {
    for (u32 top : part.tops)
      columns.functions.push_back({.part = static_cast<u32>(columns.parts.size()), .node = top});
    columns.parts.push_back(std::move(part.columns));
    for (auto& block : part.blocks) columns.texts.push_back(std::move(block));
    columns.flags.probe_based |= part.probes;
    columns.flags.pre_inlined |= part.pre_inlined;
  }
  if (!is_once(columns)) return std::nullopt;
  SummaryBuilder summary;
  for (const auto& part : columns.parts)
    for (const auto& place : part.places) summary.add_place(place.samples);
  for (const auto& top : columns.functions) summary.add_function(columns.node(top).head);
  columns.summary = summary.finish();
  return columns;
}

}  // namespace pgokit::profile

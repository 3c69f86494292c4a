// Lines are told apart as llvm-profdata does: a head has no leading space, its last two fields are
// numbers and its name may hold anything; the depth of other lines is their number of leading
// spaces; names of call targets end at the first ":number" that a space or the line's end follows.
#include <algorithm>
#include <charconv>

#include "base/cursor.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_blank(std::string_view line) {
  size_t first = line.find_first_not_of(' ');
  return first == line.npos || line[first] == '#';
}

// The lines of a text, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    begin_ = text_.size() - rest_.size();
    size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  // Of the line.
  std::string place() const { return fmt::format("line {} (offset {:#x})", number_, begin_); }

 private:
  std::string_view text_, rest_;
  u64 number_ = 0;
  size_t begin_ = 0;
};

struct Head {
  std::string_view name;
  u64 total = 0, head = 0;
};

std::optional<Head> parse_head(std::string_view line) {
  size_t second = line.rfind(':');
  if (second == line.npos || second == 0 || line[0] == ' ') return std::nullopt;
  size_t first = line.rfind(':', second - 1);
  if (first == line.npos || first == 0) return std::nullopt;
  auto total = number<u64>(line.substr(first + 1, second - first - 1));
  auto head = number<u64>(line.substr(second + 1));
  if (!total || !head) return std::nullopt;
  return Head{line.substr(0, first), *total, *head};
}

// "line" or "line.discriminator"; lines alone have 16 bits.
std::optional<LineLocation> parse_location(std::string_view text, u32 largest) {
  size_t dot = text.find('.');
  auto line = number<u32>(text.substr(0, dot));
  if (!line) return std::nullopt;
  if (dot == text.npos) {
    if (*line > largest) return std::nullopt;
    return LineLocation{*line, 0};
  }
  auto discriminator = number<u32>(text.substr(dot + 1));
  if (!discriminator) return std::nullopt;
  return LineLocation{*line, *discriminator};
}

// Takes "name:count" from the front of `text`; false if there is none.
bool take_name_count(std::string_view& text, std::string_view& name, u64& count) {
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    const char* digits = text.data() + colon + 1;
    const char* text_end = text.data() + text.size();
    auto [end, error] = std::from_chars(digits, text_end, count);
    if (error != std::errc{} || (end != text_end && *end != ' ')) continue;
    name = text.substr(0, colon);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return !name.empty();
  }
  return false;
}

class TextReader {
 public:
  TextReader(std::string_view text, const ReadOptions& options)
      : lines_(text), mask_(options.mask(options.flow_sensitive)) {
    profile().flags.fs_discriminators = options.flow_sensitive;
  }

  Result<ReadProfile> read() && {
    for (std::string_view line; lines_.next(line);) {
      if (is_blank(line)) continue;
      if (line.find('\0') != line.npos) return error("a byte of zero in a line", line);
      auto status = line[0] == ' ' ? read_line(line) : read_head(line);
      if (!status) return std::unexpected(std::move(status).error());
    }
    profile().sort();
    return std::move(result_);
  }

 private:
  Profile& profile() { return result_.profile; }

  std::unexpected<Error> error(std::string_view what, std::string_view line) const {
    constexpr size_t shown = 100;
    return fail("{}: {}: '{}{}'", lines_.place(), what, line.substr(0, shown),
                line.size() > shown ? "..." : "");
  }

  Status read_head(std::string_view line) {
    auto head = parse_head(line);
    if (!head) return error("expected 'name:total:head'", line);
    auto context = read_context(head->name);
    if (!context) return error("expected '[name:line @ name]'", line);
    FunctionSamples& samples = profile().function(*context);
    samples.add_total(head->total);
    samples.add_head(head->head);
    stack_.assign(1, &samples);
    metadata_depth_ = 0;
    return {};
  }

  std::optional<ContextId> read_context(std::string_view name) {
    if (!name.starts_with('[') || !name.ends_with(']'))
      return profile().contexts.top(profile().names.intern(name));
    profile().flags.context_sensitive = true;
    name = name.substr(1, name.size() - 2);
    auto context = ContextId::none;
    LineLocation call_site;
    while (true) {
      size_t end = name.find(" @ ");
      std::string_view frame = name.substr(0, end);
      // A caller without a line is called from its line 0.
      size_t colon = end == name.npos ? frame.size() : std::min(frame.rfind(':'), frame.size());
      if (colon == 0) return std::nullopt;
      context = profile().contexts.child(context, call_site,
                                         profile().names.intern(frame.substr(0, colon)));
      if (end == name.npos) return context;
      auto location =
          colon == frame.size() ? LineLocation{} : parse_location(frame.substr(colon + 1), ~u32{0});
      if (!location) return std::nullopt;
      note_line(*location);
      call_site = *location;
      name.remove_prefix(end + 3);
    }
  }

  Status read_line(std::string_view line) {
    size_t depth = line.find_first_not_of(' ');
    if (stack_.empty()) return error("expected 'name:total:head'", line);
    if (depth > max_inline_depth)
      return fail("{}: inlined more than {} levels deep", lines_.place(), max_inline_depth);
    if (stack_.size() > depth) stack_.resize(depth);
    if (line[depth] == '!') return read_metadata(line, depth);
    if (depth == metadata_depth_) return error("samples behind metadata", line);
    size_t colon = line.find(':', depth);
    if (colon == line.npos || colon + 2 >= line.size()) return bad_line(line);
    auto location = parse_location(line.substr(depth, colon - depth), largest_line);
    if (!location) return bad_line(line);
    location->discriminator &= mask_;
    std::string_view rest = line.substr(colon + 2);
    bool good = rest[0] >= '0' && rest[0] <= '9' ? read_body(*location, rest)
                : rest.starts_with("vtables ")   ? read_vtables(*location, rest.substr(8))
                                                 : read_inlinee(*location, rest);
    return good ? Status{} : bad_line(line);
  }

  // One that is too large is valid in text, and in no other form.
  void note_line(LineLocation location) {
    if (location.line_offset > largest_line && result_.far_line.empty())
      result_.far_line = lines_.place();
  }

  std::unexpected<Error> bad_line(std::string_view line) const {
    return error("expected 'NUM[.NUM]: NUM[ name:NUM]*' or 'NUM[.NUM]: name:NUM'", line);
  }

  bool read_body(LineLocation location, std::string_view rest) {
    size_t space = rest.find(' ');
    auto count = number<u64>(rest.substr(0, space));
    if (!count) return false;
    note_line(location);
    FunctionSamples& samples = *stack_.back();
    samples.add_body(location, *count);
    if (space == rest.npos) return true;
    rest.remove_prefix(std::min(rest.find_first_not_of(' ', space), rest.size()));
    if (rest.empty()) return true;
    NameCounts line;  // of a name that stands twice in a line the last count holds, as in the tools
    while (!rest.empty()) {
      std::string_view name;
      u64 target_count = 0;
      if (!take_name_count(rest, name, target_count)) return false;
      line[profile().names.intern(name)] = target_count;
    }
    auto& targets = samples.body[location].targets;
    if (!targets) {
      targets = std::make_unique<NameCounts>(std::move(line));
      return true;
    }
    for (const auto& [name, target_count] : line.unordered())
      samples.add_target(location, name, target_count);
    return true;
  }

  bool read_vtables(LineLocation location, std::string_view rest) {
    note_line(location);
    while (!rest.empty()) {
      std::string_view name;
      u64 count = 0;
      if (!take_name_count(rest, name, count)) return false;
      stack_.back()->add_vtable(location, profile().names.intern(name), count);
    }
    return true;
  }

  bool read_inlinee(LineLocation location, std::string_view rest) {
    size_t colon = rest.rfind(':');
    if (colon == rest.npos || colon == 0) return false;
    auto total = number<u64>(rest.substr(colon + 1));
    if (!total) return false;
    std::string_view name = rest.substr(0, colon);
    if (profile().flags.context_sensitive && name.starts_with('[') && name.ends_with(']'))
      name = name.substr(1, name.size() - 2);
    FunctionSamples& inlinee = stack_.back()->inlinee(location, profile().names.intern(name));
    inlinee.add_total(*total);
    stack_.push_back(&inlinee);
    metadata_depth_ = 0;
    return true;
  }

  // Each such line sets both values, as in the tools: the checksum has to come first.
  Status read_metadata(std::string_view line, size_t depth) {
    std::string_view text = line.substr(depth);
    FunctionSamples& samples = *stack_.back();
    metadata_depth_ = depth;
    if (trim(text) == "!Flat") return {};
    auto value = number<u64>(trim(text.substr(std::min(text.find(':'), text.size() - 1) + 1)));
    if (text.starts_with("!CFGChecksum:") && value) {
      samples.checksum = *value;
      samples.attributes = 0;
      if (depth == 1 && *value != 0) profile().flags.probe_based = true;
    } else if (text.starts_with("!Attributes:") && value && *value <= ~u32{0}) {
      samples.attributes = static_cast<u32>(*value);
      if (*value & should_be_inlined) profile().flags.pre_inlined = true;
    } else {
      return error("cannot read metadata", line);
    }
    return {};
  }

  Lines lines_;
  u32 mask_;
  ReadProfile result_{{}, Format::text, false, {}, {}, {}};
  std::vector<FunctionSamples*> stack_;  // the function and its inlinees down to the current one
  size_t metadata_depth_ = 0;            // of the last line if that was metadata
};

}  // namespace

bool looks_like_text(std::string_view text) {
  Lines lines(text);
  for (std::string_view line; lines.next(line);)
    if (!is_blank(line)) return parse_head(line).has_value();
  return false;
}

Result<ReadProfile> read_text(std::string_view text, const ReadOptions& options) {
  return TextReader(text, options).read();
}

}  // namespace pgokit::profile

#include <algorithm>

#include "base/cursor.h"
#include "profile/readers.h"
#include "profile/text/lines.h"

namespace pgokit::profile {
namespace {

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

class TextReader {
 public:
  TextReader(std::string_view text, const ReadOptions& options)
      : lines_(text), mask_(options.mask(options.flow_sensitive)) {
    profile().flags.fs_discriminators = options.flow_sensitive;
  }

  Result<ReadProfile> read() && {
    for (std::string_view line; lines_.next(line);) {
      if (is_blank(line)) {
        read_comment(line);
        continue;
      }
      if (line.find('\0') != line.npos) return error("a byte of zero in a line", line);
      auto status = line[0] == ' ' ? read_line(line) : read_head(line);
      if (!status) return std::unexpected(std::move(status).error());
    }
    profile().sort();
    return std::move(result_);
  }

 private:
  Profile& profile() { return result_.profile; }

  void read_comment(std::string_view line) {
    if (line.starts_with(prefix_of_notes))
      profile().notes.read_line(line.substr(prefix_of_notes.size()));
  }

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
      call_site = {};
      if (colon < frame.size()) {
        frame.remove_prefix(colon + 1);
        if (!take_location(frame, call_site, ~u32{0}) || !frame.empty()) return std::nullopt;
      }
      note_line(call_site);
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
    if (depth == metadata_depth_) return error("samples after metadata", line);
    auto samples = parse_samples(line.substr(depth));
    if (!samples || !read_samples(*samples)) return bad_line(line);
    return {};
  }

  // One that is too large is valid in text, and in no other form.
  void note_line(LineLocation location) {
    if (location.line_offset > largest_line && result_.far_line.empty())
      result_.far_line = lines_.place();
  }

  std::unexpected<Error> bad_line(std::string_view line) const {
    return error("expected 'NUM[.NUM]: NUM[ name:NUM]*' or 'NUM[.NUM]: name:NUM'", line);
  }

  bool read_samples(SamplesLine& line) {
    line.location.discriminator &= mask_;
    if (line.kind == SamplesLine::Kind::inlinee) return open_inlinee(line);
    note_line(line.location);
    return line.kind == SamplesLine::Kind::body ? read_body(line) : read_vtables(line);
  }

  bool read_body(const SamplesLine& line) {
    FunctionSamples& samples = *stack_.back();
    samples.add_body(line.location, line.count);
    if (line.rest.empty()) return true;
    NameCounts counts;  // the last one of a name that stands twice, as in the tools
    NamedCount target;
    for (auto rest = line.rest; !rest.empty();) {
      if (!take_name_count(rest, target)) return false;
      counts[profile().names.intern(target.name)] = target.count;
    }
    auto& targets = samples.body[line.location].targets;
    if (!targets) {
      targets = std::make_unique<NameCounts>(std::move(counts));
      return true;
    }
    for (const auto& [name, count] : counts.unordered())
      samples.add_target(line.location, name, count);
    return true;
  }

  bool read_vtables(const SamplesLine& line) {
    NamedCount type;
    for (auto rest = line.rest; !rest.empty();) {
      if (!take_name_count(rest, type)) return false;
      stack_.back()->add_vtable(line.location, profile().names.intern(type.name), type.count);
    }
    return true;
  }

  bool open_inlinee(const SamplesLine& line) {
    std::string_view name = line.rest;
    if (profile().flags.context_sensitive && name.starts_with('[') && name.ends_with(']'))
      name = name.substr(1, name.size() - 2);
    FunctionSamples& inlinee = stack_.back()->inlinee(line.location, profile().names.intern(name));
    inlinee.add_total(line.count);
    stack_.push_back(&inlinee);
    metadata_depth_ = 0;
    return true;
  }

  // Each such line sets both values, as in the tools: the checksum has to come first.
  Status read_metadata(std::string_view line, size_t depth) {
    FunctionSamples& samples = *stack_.back();
    metadata_depth_ = depth;
    auto metadata = parse_metadata(line.substr(depth));
    if (!metadata) return error("cannot read metadata", line);
    u64 value = metadata->value;
    if (metadata->kind == MetadataLine::Kind::checksum) {
      samples.checksum = value;
      samples.attributes = 0;
      if (depth == 1 && value != 0) profile().flags.probe_based = true;
    } else if (metadata->kind == MetadataLine::Kind::attributes) {
      samples.attributes = static_cast<u32>(value);
      if (value & should_be_inlined) profile().flags.pre_inlined = true;
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

// They stand in front of the functions.
Notes read_notes_of_text(std::string_view text) {
  Notes notes;
  Lines lines(text);
  for (std::string_view line; lines.next(line) && is_blank(line);)
    if (line.starts_with(prefix_of_notes)) notes.read_line(line.substr(prefix_of_notes.size()));
  return notes;
}

Result<ReadProfile> read_text(std::string_view text, const ReadOptions& options) {
  return TextReader(text, options).read();
}

}  // namespace pgokit::profile

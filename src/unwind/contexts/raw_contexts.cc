#include "unwind/contexts/raw_contexts.h"

#include <optional>

#include "base/parse_number.h"
#include "samples/counts.h"
#include "samples/raw_lines.h"
#include "samples/raw_profile.h"

namespace pgokit::unwind {
namespace {

using samples::RawLines;

// "f:3.1": the location is missing in the leaf.
struct FrameText {
  std::string_view function;
  profile::LineLocation location;
};

std::optional<FrameText> parse_frame(std::string_view text, bool leaf) {
  if (leaf) return text.empty() ? std::nullopt : std::optional(FrameText{text, {}});
  size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return std::nullopt;
  FrameText frame{text.substr(0, colon), {}};
  text.remove_prefix(colon + 1);
  size_t dot = text.find('.');
  if (!parse_number(text.substr(0, dot), frame.location.line_offset) ||
      frame.location.line_offset > profile::largest_line)
    return std::nullopt;
  if (dot != text.npos && !parse_number(text.substr(dot + 1), frame.location.discriminator))
    return std::nullopt;
  return frame;
}

class Reader {
 public:
  Reader(RawContexts& out, const program::CodeMap& code, BinaryAddr base)
      : out_(out), code_(code), base_(base) {}

  Status read(std::string_view text) {
    RawLines lines(text);
    if (lines.at_end()) return lines.broken();
    while (!lines.at_end()) {
      if (is_of_other_kind(lines.current())) return other_kind();
      if (!begin_context(lines.current())) return lines.broken();
      lines.advance();
      TRY(read_raw_block(lines, "-", [&](u64 first, u64 last, u64 count) {
        add_range({first + base_.value}, {last + base_.value}, count);
      }));
      TRY(read_raw_block(lines, "->", [&](u64 from, u64 to, u64 count) {
        add_branch({from + base_.value}, {to + base_.value}, count);
      }));
    }
    out_.counts.normalize();
    return {};
  }

 private:
  bool has_probes() const { return out_.counts.kind() == ContextCounts::Kind::probes; }

  bool is_of_other_kind(std::string_view line) const {
    return line.starts_with('[') && line.size() > 2 && line.starts_with("[0x") != has_probes();
  }

  std::unexpected<Error> other_kind() const {
    if (has_probes())
      return fail("its contexts are functions and lines: it is of a program without probes");
    return fail("its contexts are call addresses: it is of a program with probes");
  }

  bool begin_context(std::string_view line) {
    if (!line.starts_with('[') || !line.ends_with(']') || line.contains('\0')) return false;
    line = line.substr(1, line.size() - 2);
    return has_probes() ? begin_path(line) : begin_frames(line);
  }

  // Calls `add` with each part between " @ " and whether it is the last one.
  template <class Add>
  static bool each_part(std::string_view text, Add add) {
    while (!text.empty()) {
      size_t end = text.find(" @ ");
      if (!add(text.substr(0, end), end == text.npos)) return false;
      text.remove_prefix(end == text.npos ? text.size() : end + 3);
    }
    return true;
  }

  bool begin_path(std::string_view text) {
    CallPath path = CallPath::empty;
    bool good = each_part(text, [&](std::string_view part, bool) {
      u64 offset = 0;
      if (!part.starts_with("0x") || !parse_number(part.substr(2), offset, 16)) return false;
      path = out_.counts.paths.child(path, code_.index_of({offset + base_.value}));
      return true;
    });
    if (good) out_.counts.begin(path);
    return good;
  }

  bool begin_frames(std::string_view text) {
    auto context = profile::ContextId::none;
    profile::LineLocation call_site;
    bool good = each_part(text, [&](std::string_view part, bool leaf) {
      auto frame = parse_frame(part, leaf);
      if (!frame) return false;
      context =
          out_.counts.contexts.child(context, call_site, out_.counts.names.intern(frame->function));
      call_site = frame->location;
      return true;
    });
    if (good) out_.counts.begin(context, false);
    return good;
  }

  void add_range(BinaryAddr first, BinaryAddr last, u64 count) {
    auto from = code_.index_of(first), to = code_.index_of(last);
    if (from == program::no_code || to == program::no_code || to < from)
      ++out_.outside;
    else
      out_.counts.add_range({from, to, count});
  }

  void add_branch(BinaryAddr from, BinaryAddr to, u64 count) {
    auto source = from == samples::external ? program::no_code : code_.index_of(from);
    auto target = code_.index_of(to);
    if (target == program::no_code || (source == program::no_code && from != samples::external))
      ++out_.outside;
    else
      out_.counts.add_branch({source, target, count});
  }

  RawContexts& out_;
  const program::CodeMap& code_;
  BinaryAddr base_;
};

}  // namespace

bool looks_like_raw_contexts(std::string_view text) {
  return text.starts_with('[') && samples::looks_like_raw_profile(text);
}

Result<RawContexts> read_raw_contexts(std::string_view text, ContextCounts::Kind kind,
                                      const program::CodeMap& code, BinaryAddr base) {
  RawContexts out(kind);
  TRY(Reader(out, code, base).read(text));
  return out;
}

}  // namespace pgokit::unwind

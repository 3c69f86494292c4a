#include "perf/script.h"

#include <algorithm>
#include <functional>

namespace pgokit::perf {

using namespace script_detail;

namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";
constexpr std::string_view mmap_mark = "PERF_RECORD_MMAP";

std::string_view trim(std::string_view text) {
  text = trim_left(text);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Whether a line is the first with branches: its second word is a branch. Only two spaces are
// looked at, so that a word behind more of them does not count.
bool is_first_branch_line(std::string_view line) {
  line = trim(line);
  std::string_view words[3];
  size_t count = 0;
  for (int splits = 0; splits < 2; ++splits) {
    size_t space = line.find(' ');
    if (space == line.npos) break;
    if (space > 0) words[count++] = line.substr(0, space);
    line.remove_prefix(space + 1);
  }
  if (!line.empty()) words[count++] = line;
  return count >= 2 && words[1].starts_with("0x") && words[1].find('/') != words[1].npos;
}

// Steps over what one of the patterns below expects.
class Pattern {
 public:
  explicit Pattern(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

  Pattern& text(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    if (ok_) rest_.remove_prefix(expected.size());
    return *this;
  }

  // One or more of `set`.
  std::string_view run(std::string_view set) {
    std::string_view found = rest_.substr(0, rest_.find_first_not_of(set));
    ok_ = ok_ && !found.empty();
    if (ok_) rest_.remove_prefix(found.size());
    return ok_ ? found : std::string_view{};
  }

  // Zero where the number does not fit, as llvm-profgen has it.
  u64 hex() {
    u64 value = 0;
    text("0x");
    parse_hex(run("0123456789abcdef"), value);
    return value;
  }

  i64 decimal() {
    bool negative = rest_.starts_with('-');
    if (negative) rest_.remove_prefix(1);
    u64 value = 0;
    parse_decimal(run("0123456789"), value);
    return negative ? -static_cast<i64>(value) : static_cast<i64>(value);
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

constexpr std::string_view protection_letters = "-abcdefghijklmnopqrstuvwxyz";

// "]: PROTECTION PATH"
bool take_path(std::string_view text, MmapLine& line) {
  Pattern in(text);
  in.text("]: ");
  line.protection = in.run(protection_letters);
  in.text(" ");
  line.path = in.rest();
  return in.ok();
}

// "PID/TID: [0xSTART(0xSIZE) @ 0xOFFSET", then what differs between MMAP and MMAP2.
bool match_mmap(std::string_view text, bool second_form, MmapLine& line) {
  Pattern in(text);
  line.pid = in.decimal();
  in.text("/").run("0123456789");
  in.text(": [");
  line.start = in.hex();
  in.text("(");
  line.size = in.hex();
  in.text(") @ ");
  if (in.rest().starts_with("0x"))
    line.file_offset = in.hex();
  else
    in.text("0"), line.file_offset = 0;
  if (!second_form) return in.ok() && take_path(in.rest(), line);
  // Device, inode and generation; the last place that can end them does.
  in.text(" ");
  if (!in.ok()) return false;
  std::string_view rest = in.rest();
  for (size_t at = rest.rfind("]: "); at != rest.npos; at = rest.rfind("]: ", at - 1)) {
    if (take_path(rest.substr(at), line)) return true;
    if (at == 0) break;
  }
  return false;
}

}  // namespace

namespace script_detail {

bool parse_decimal(std::string_view text, u64& value) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  u64 sum = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    u64 next;
    if (__builtin_mul_overflow(sum, 10, &next) || __builtin_add_overflow(next, c - '0', &sum))
      return false;
  }
  value = sum;
  return true;
}

}  // namespace script_detail

ScriptKind detect_script(std::string_view text) {
  u64 number;
  for (Lines lines(text); !lines.at_end();) {
    if (parse_decimal(lines.line(), number)) lines.advance();
    bool frames = false;
    for (; !lines.at_end() && parse_hex(trim_left(lines.line()), number); lines.advance())
      frames = true;
    if (lines.at_end()) break;
    if (is_first_branch_line(lines.line()))
      return frames ? ScriptKind::hybrid : ScriptKind::branches;
    lines.advance();
  }
  return ScriptKind::invalid;
}

namespace {

// What detect_text() knows of the lines so far.
struct LinesSeen {
  bool frames = false, columns = false;

  ScriptKind kind(bool chain) const {
    if (columns) return chain ? ScriptKind::column_chains : ScriptKind::columns;
    return chain ? ScriptKind::hybrid : ScriptKind::branches;
  }
};

// A line without branches.
void see(std::string_view line, LinesSeen& seen) {
  u64 number;
  if (is_blank(line)) return void(seen.frames = false);
  if (is_comment(line)) return void(seen.columns = true);
  // with digits in front llvm-profgen takes it for a sample
  if (is_event_line(line)) return void(seen.columns |= line[0] >= '0' && line[0] <= '9');
  if (parse_decimal(line, number)) return;
  bool frame = line[0] == '\t' || parse_hex(trim_left(line), number);
  seen.frames = frame;
  seen.columns |= !frame || !parse_hex(trim_left(line), number);
}

}  // namespace

ScriptKind detect_text(std::string_view text) {
  LinesSeen seen;
  for (Lines lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    size_t at = branches_of_sample(line);
    if (at == line.npos) {
      see(line, seen);
      continue;
    }
    u64 ip;
    auto head = trim(line.substr(0, at));
    auto first = line.substr(at, line.find(' ', at) - at);
    bool plain = first.find('(') == first.npos && (head.empty() || parse_hex(head, ip));
    seen.columns |= !plain;
    return seen.kind(seen.frames && head.empty());
  }
  return ScriptKind::invalid;
}

u64 other_kind_line(std::string_view text, ScriptKind kind) {
  for (Lines lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    size_t start = line.find_first_not_of(blanks);
    if (start == 0 || start == line.npos) continue;
    size_t end = line.find_first_not_of("0123456789abcdef", start);
    bool alone = end == line.npos || line.find_first_not_of(blanks, end) == line.npos;
    bool before_branches = !alone && end > start && line[end] == ' ' &&
                           line.substr(line.find_first_not_of(' ', end)).starts_with("0x");
    if (kind == ScriptKind::hybrid ? before_branches : alone) return lines.number();
  }
  return 0;
}

std::string script_problem(std::string_view text) {
  constexpr size_t enough = 1 << 20;
  constexpr const char* command = "perf script -F ip,brstack --show-mmap-events";
  text = text.substr(0, enough);
  if (text.find_first_not_of(blanks) == text.npos) return "is empty";
  if (text.substr(0, 4096).find('\0') != text.npos) return "is not text";
  for (Lines lines(text); !lines.at_end(); lines.advance()) {
    u64 from, to;
    std::string_view line = lines.line();
    size_t slash = line.find("/0x");
    if (slash == line.npos) continue;
    size_t first = line.rfind(' ', slash) + 1;
    size_t last = std::min(line.find(' ', slash), line.size());
    if (take_branch(line.substr(first, last - first), from, to))
      return std::string(
                 "has branch stacks behind other columns, or only ones of one branch; print it "
                 "with ") +
             command;
  }
  if (text.find(" => ") != text.npos)
    return std::string("is a trace of single branches, not of samples with branch stacks");
  if (text.find(" (/") != text.npos || text.find(" ([") != text.npos)
    return std::string("has call chains but no branch stacks; record with -b and print it with ") +
           command;
  return std::string("has no branch stacks as printed by ") + command;
}

bool is_mmap_line(std::string_view line, MmapRule rule) {
  constexpr size_t shortest = 50;
  if (line.size() < shortest) return false;
  if (rule == MmapRule::llvm_profgen && line[0] >= '0' && line[0] <= '9') return false;
  // Sample lines are long and have many a 'P', but no '_'.
  constexpr size_t underscore = mmap_mark.find('_');
  for (size_t at = line.find('_'); at != line.npos; at = line.find('_', at + 1))
    if (at >= underscore && line.substr(at - underscore).starts_with(mmap_mark)) return true;
  return false;
}

MmapLine parse_mmap_line(std::string_view line) {
  bool second_form = line.find("PERF_RECORD_MMAP2 ") != line.npos;
  std::string_view mark = second_form ? "PERF_RECORD_MMAP2 " : "PERF_RECORD_MMAP ";
  for (size_t at = line.find(mark); at != line.npos; at = line.find(mark, at + 1)) {
    MmapLine result{.parsed = true, .line = line};
    if (match_mmap(line.substr(at + mark.size()), second_form, result)) return result;
  }
  return {.line = line};
}

void for_each_mmap_line(std::string_view text, MmapRule rule,
                        const std::function<void(const MmapLine&)>& each) {
  constexpr size_t underscore = mmap_mark.find('_');
  for (size_t hit = 0; (hit = text.find('_', hit)) != text.npos;) {
    if (hit < underscore || !text.substr(hit - underscore).starts_with(mmap_mark)) {
      ++hit;
      continue;
    }
    size_t begin = text.rfind('\n', hit) + 1;
    size_t stop = std::min(text.find('\n', hit), text.size());
    std::string_view line = text.substr(begin, stop - begin);
    if (is_mmap_line(line, rule)) each(parse_mmap_line(line));
    hit = stop;
  }
}

// Behind this line a new sample begins.
static bool ends_sample(std::string_view line, ScriptKind kind) {
  u64 number;
  if (has_columns(kind)) return branches_of_sample(line) != line.npos;
  return kind == ScriptKind::hybrid ? is_branch_line(line) : !parse_decimal(line, number);
}

std::vector<std::string_view> split_script(std::string_view text, ScriptKind kind, size_t size) {
  std::vector<std::string_view> chunks;
  while (!text.empty()) {
    size_t at = std::min(size, text.size());
    size_t begin = at == text.size() ? text.npos : text.rfind('\n', at);
    begin = begin == text.npos ? 0 : begin + 1;
    size_t end = text.size();
    for (Lines lines(text.substr(begin)); at < text.size() && !lines.at_end(); lines.advance()) {
      if (!ends_sample(lines.line(), kind)) continue;
      end = static_cast<size_t>(lines.line().data() - text.data()) + lines.line().size() + 1;
      break;
    }
    end = std::min(end, text.size());
    chunks.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return chunks;
}

}  // namespace pgokit::perf

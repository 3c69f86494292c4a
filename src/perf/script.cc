#include "perf/script.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/file.h"

namespace pgokit::perf {

using namespace script_detail;

namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";

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
  if (text.substr(0, 4096).find('\0') != text.npos)
    return "neither a recording (perf.data) nor text of perf script";
  for (Lines lines(text); !lines.at_end(); lines.advance()) {
    u64 from, to;
    std::string_view line = lines.line();
    size_t slash = line.find("/0x");
    if (slash == line.npos) continue;
    size_t first = line.rfind(' ', slash) + 1;
    size_t last = std::min(line.find(' ', slash), line.size());
    const char* at = line.data() + first;
    if (take_branch(at, line.data() + last, from, to))
      return std::string(
                 "has branch stacks after other columns, or only ones of one branch; print it "
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
    release(as_bytes(chunks.back()));  // a look at one place may have brought megabytes
    text.remove_prefix(end);
  }
  return chunks;
}

}  // namespace pgokit::perf

#include "perf/script_columns.h"

#include <algorithm>
#include <array>

namespace pgokit::perf {

using namespace script_detail;

namespace {

constexpr u32 any_process = ~u32{0};
constexpr size_t most_words = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// perf prints addresses in lower case.
std::optional<u64> hex(std::string_view word) {
  u64 value;
  bool upper = std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'F'; });
  return !upper && parse_hex(word, value) ? std::optional(value) : std::nullopt;
}

// "1234.567890:"
bool is_time(std::string_view word) {
  size_t point = word.find('.');
  return word.size() > 3 && word.ends_with(':') && point != word.npos && is_digit(word[0]) &&
         is_digit(word[point + 1]);
}

// The words of a line, as many as matter.
class Words {
 public:
  explicit Words(std::string_view line) {
    while (count_ < most_words) {
      size_t start = line.find_first_not_of(" \t\r");
      if (start == line.npos) break;
      line.remove_prefix(start);
      size_t end = std::min(line.find_first_of(" \t\r"), line.size());
      words_[count_++] = line.substr(0, end);
      line.remove_prefix(end);
    }
  }
  size_t size() const { return count_; }
  std::string_view operator[](size_t i) const { return words_[i]; }

 private:
  std::array<std::string_view, most_words> words_;
  size_t count_ = 0;
};

// "PID" or "PID/TID"
std::optional<u32> process(std::string_view word) {
  u64 pid;
  if (!parse_decimal(word.substr(0, word.find('/')), pid) || pid >= any_process)
    return std::nullopt;
  return static_cast<u32>(pid);
}

// Of "1234.567890:", which has nanoseconds where perf was asked for them.
u64 nanoseconds(std::string_view word) {
  constexpr size_t digits = 9;
  size_t point = word.find('.');
  u64 seconds = 0, rest = 0;
  auto fraction = word.substr(point + 1, word.size() - point - 2).substr(0, digits);
  if (!parse_decimal(word.substr(0, point), seconds) || !parse_decimal(fraction, rest)) return 0;
  for (size_t i = fraction.size(); i < digits; ++i) rest *= 10;
  return seconds * 1'000'000'000 + rest;
}

std::optional<u32> thread(std::string_view word) {
  size_t slash = word.find('/');
  return slash == word.npos ? std::nullopt : process(word.substr(slash + 1));
}

// Behind the last word that ends with ':' and is a column, not part of a name: where the address
// stands if there are times or events. 0: there are none.
size_t behind_labels(const Words& words) {
  size_t labels = 0;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].ends_with(':') && (i + 1 == words.size() || hex(words[i + 1]))) labels = i + 1;
  return labels;
}

// What stands in front of a word of the line.
std::string_view between(const char* begin, std::string_view word) {
  std::string_view text(begin, static_cast<size_t>(word.data() - begin));
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view{} : text.substr(first, last - first + 1);
}

}  // namespace

// Word by word, in the order in which perf prints its columns: whatever the fields, the process
// stands in front of the time, and the address behind the event.
SampleColumns parse_columns(std::string_view line, bool with_frames) {
  Words words(line);
  SampleColumns columns;
  size_t labels = behind_labels(words), address = labels, ids_end = 0;
  if (labels == 0) {
    while (address < words.size() && !hex(words[address])) ++address;
    while (address + 1 < words.size() && hex(words[address + 1])) ++address;
    ids_end = address;
  } else {
    while (ids_end < labels && !is_time(words[ids_end])) ++ids_end;
  }
  for (size_t i = 0; i < ids_end; ++i) {
    auto pid = process(words[i]);
    if (!pid) continue;
    columns.pid = pid;
    columns.tid = thread(words[i]);
    columns.command = between(line.data(), words[i]);
  }
  if (labels != 0 && ids_end < labels) columns.time = nanoseconds(words[ids_end]);
  if (u64 period; labels > ids_end + 1 && parse_decimal(words[labels - 2], period))
    columns.period = period;
  if (address < words.size()) {
    columns.ip = hex(words[address]);
    columns.place = line.substr(static_cast<size_t>(words[address].data() - line.data()));
  }
  if (labels != 0 && !is_time(words[labels - 1]))
    columns.event = words[labels - 1].substr(0, words[labels - 1].size() - 1);
  columns.is_sample = columns.ip || (labels != 0 && labels == words.size());
  if (with_frames && labels == 0 && columns.ip) columns.pid = process(words[address]);
  if (with_frames) columns.ip.reset();
  return columns;
}

size_t branches_in(std::string_view line) {
  for (size_t at = line.find("0x"); at != line.npos; at = line.find("0x", at + 2)) {
    if (at > 0 && line[at - 1] != ' ') continue;
    const char* place = line.data() + at;
    ColumnBranch branch;
    if (take_column_branch(place, line.data() + line.size(), branch)) return at;
  }
  return line.npos;
}

bool is_event_line(std::string_view line) {
  constexpr size_t columns = 256;  // in front of it
  return line.substr(0, columns).contains("PERF_RECORD_");
}

std::optional<u64> frame_address(std::string_view line) {
  if (line.ends_with(" (inlined)")) return std::nullopt;
  line = trim_left(line);
  return hex(line.substr(0, line.find_first_of(" \t\r")));
}

std::string_view frame_file(std::string_view line) {
  size_t open = line.rfind(" (");
  if (!line.ends_with(')') || open == line.npos) return {};
  return line.substr(open + 2, line.size() - open - 3);
}

namespace script_detail {
namespace {

// "(FILE)/" up to the slash, where one of `next` follows; the name may hold anything else.
bool skip_file(const char*& at, const char* end, std::string_view next) {
  constexpr size_t longest = 4200;
  if (at == end || *at != '(') return true;
  std::string_view rest(at, std::min<size_t>(longest, static_cast<size_t>(end - at)));
  for (size_t stop = rest.find(")/"); stop != rest.npos; stop = rest.find(")/", stop + 1)) {
    if (stop + 2 >= rest.size() || !next.contains(rest[stop + 2])) continue;
    at += stop + 1;
    return true;
  }
  return false;
}

bool take_prefixed(const char*& at, const char* end, u64& value) {
  return end - at > 2 && at[0] == '0' && at[1] == 'x' && take_address(at, end, value);
}

}  // namespace

bool take_column_branch(const char*& at, const char* end, ColumnBranch& branch) {
  const char* next = at;
  if (!take_prefixed(next, end, branch.from) || !skip_file(next, end, "0")) return false;
  if (next == end || *next != '/') return false;
  ++next;
  if (!take_prefixed(next, end, branch.to) || !skip_file(next, end, "PMN-")) return false;
  if (next != end && *next != '/' && *next != ' ') return false;
  branch.not_taken = is_marked_not_taken(next, end);
  while (next != end && *next != ' ') ++next;
  at = next;
  return true;
}

}  // namespace script_detail

}  // namespace pgokit::perf

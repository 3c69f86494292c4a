#include "perf/mmap_lines.h"

#include <algorithm>

#include "perf/script_text.h"

namespace pgokit::perf {

using namespace script_detail;

namespace {

constexpr std::string_view event_mark = "PERF_RECORD_", mmap_mark = "PERF_RECORD_MMAP";
constexpr std::string_view fork_mark = "PERF_RECORD_FORK", exec_mark = "PERF_RECORD_COMM exec: ";

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

std::optional<TaskLine> parse_task_line(std::string_view line) {
  auto number = [](Pattern& in) { return static_cast<u32>(in.decimal()); };
  TaskLine task;
  if (size_t at = line.find(fork_mark); at != line.npos) {
    Pattern in(line.substr(at + fork_mark.size()));
    task.pid = number(in.text("("));
    task.tid = number(in.text(":"));
    task.parent = number(in.text("):("));
    return in.ok() ? std::optional(task) : std::nullopt;
  }
  size_t name = line.find(exec_mark), end = line.rfind(':');
  if (name == line.npos || end < name + exec_mark.size()) return std::nullopt;
  Pattern in(line.substr(end + 1));
  task.exec = true;
  task.pid = number(in);
  task.tid = number(in.text("/"));
  return in.ok() ? std::optional(task) : std::nullopt;
}

namespace {

template <class Each>
void for_each_line_with(std::string_view text, std::string_view mark, const Each& each) {
  // Samples have many a 'P', but few '_'.
  const size_t underscore = mark.find('_');
  for (size_t hit = 0; (hit = text.find('_', hit)) != text.npos;) {
    if (hit < underscore || !text.substr(hit - underscore).starts_with(mark)) {
      ++hit;
      continue;
    }
    size_t begin = text.rfind('\n', hit) + 1;
    size_t stop = std::min(text.find('\n', hit), text.size());
    each(text.substr(begin, stop - begin));
    hit = stop;
  }
}

}  // namespace

void for_each_mmap_line(std::string_view text, MmapRule rule,
                        const std::function<void(const MmapLine&)>& each) {
  for_each_line_with(text, mmap_mark, [&](std::string_view line) {
    if (is_mmap_line(line, rule)) each(parse_mmap_line(line));
  });
}

void for_each_event_line(std::string_view text, const std::function<void(std::string_view)>& each) {
  for_each_line_with(text, event_mark, each);
}

}  // namespace pgokit::perf

#include <algorithm>
#include <optional>

#include "perf/script.h"
#include "samples/ip_counts.h"
#include "samples/program_maps.h"
#include "samples/program_match.h"

namespace pgokit::samples {
namespace {

constexpr std::string_view mapping_event = "PERF_RECORD_MMAP";
constexpr u32 any_process = ~u32{0};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_event(std::string_view line) { return line.find("PERF_RECORD_") != line.npos; }

// A number without sign or prefix that is all of the text.
std::optional<u64> number(std::string_view text, u64 base) {
  if (text.empty() || text.size() > 20) return std::nullopt;
  u64 value = 0;
  for (char c : text) {
    if (base == 10 ? !is_digit(c) : !is_hex(c)) return std::nullopt;
    u64 digit = is_digit(c) ? static_cast<u64>(c - '0') : static_cast<u64>(c - 'a' + 10);
    if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
      return std::nullopt;
  }
  return value;
}

// "1234.567890:"
bool is_time(std::string_view word) {
  size_t point = word.find('.');
  return word.size() > 3 && word.ends_with(':') && point != word.npos && is_digit(word[0]) &&
         is_digit(word[point + 1]);
}

// What a line says of a sample.
struct SampleLine {
  bool is_sample = false;
  std::optional<u32> pid;
  std::optional<u64> ip;           // absent: the frames follow, one per line
  std::optional<u32> pid_of_head;  // that, if frames follow nevertheless
};

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr size_t most = 64;
  std::vector<std::string_view> words;
  while (words.size() < most) {
    size_t start = line.find_first_not_of(" \t\r");
    if (start == line.npos) break;
    line.remove_prefix(start);
    size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// "PID" or "PID/TID"
std::optional<u32> process(std::string_view word) {
  auto pid = number(word.substr(0, word.find('/')), 10);
  if (!pid || *pid >= any_process) return std::nullopt;
  return static_cast<u32>(*pid);
}

// Behind the last word that ends with ':' and is a column, not part of a name: where the address
// stands if there are times or events. 0: there are none.
size_t behind_labels(const std::vector<std::string_view>& words) {
  size_t labels = 0;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].ends_with(':') && (i + 1 == words.size() || number(words[i + 1], 16)))
      labels = i + 1;
  return labels;
}

// Word by word, in the order in which perf prints its columns: whatever the fields, the process
// stands in front of the time, and the address behind the event.
SampleLine parse_sample_line(std::string_view text) {
  auto words = words_of(text);
  SampleLine line;
  size_t labels = behind_labels(words), address = labels, ids_end = 0;
  if (labels == 0) {
    while (address < words.size() && !number(words[address], 16)) ++address;
    while (address + 1 < words.size() && number(words[address + 1], 16)) ++address;
    ids_end = address;
  } else {
    while (ids_end < labels && !is_time(words[ids_end])) ++ids_end;
  }
  for (size_t i = 0; i < ids_end; ++i)
    if (auto pid = process(words[i])) line.pid = pid;
  if (address < words.size()) line.ip = number(words[address], 16);
  line.is_sample = line.ip || (labels != 0 && labels == words.size());
  line.pid_of_head = labels == 0 && line.ip ? process(words[address]) : line.pid;
  return line;
}

class ScriptReader {
 public:
  ScriptReader(const binary::Program& program, const RecordingOptions& options, IpRead& out,
               const EachChain& each)
      : match_(program.name(), program.file().build_id(), no_ids_),
        maps_(program.file()),
        options_(options),
        out_(out),
        each_(each) {}

  void read(std::string_view text) {
    find_mappings(text);
    ProgramMaps::Lookup lookup(maps_);
    for (perf::Lines lines(text); !lines.at_end(); lines.advance()) {
      ++line_;
      std::string_view line = lines.line();
      if (is_event(line)) continue;
      if (line.starts_with('\t')) {
        add_frame(line);
        continue;
      }
      finish(lookup);
      if (auto sample = parse_sample_line(line); sample.is_sample) begin(sample);
    }
    finish(lookup);
  }

 private:
  // Text has no times that could be relied on: its lines are in order.
  void find_mappings(std::string_view text) {
    u64 line = 0;
    for (perf::Lines lines(text); !lines.at_end(); lines.advance()) {
      ++line;
      if (lines.line().find(mapping_event) == std::string_view::npos) continue;
      auto event = perf::parse_mmap_line(lines.line());
      if (!event.parsed || event.protection.find('x') == event.protection.npos) continue;
      perf::Mapping mapping;
      mapping.path = event.path;
      bool ours = match_(mapping) == ProgramMatch::Verdict::program;
      ProgramMaps::Mapping place{event.start, event.size, event.file_offset};
      for (u32 pid : {static_cast<u32>(event.pid), any_process}) maps_.map(pid, line, place, ours);
      out_.mappings += ours;
    }
  }

  void begin(const SampleLine& sample) {
    open_ = true;
    head_ = sample;
    frames_.clear();
    if (sample.ip) frames_.push_back(*sample.ip);
  }

  void add_frame(std::string_view line) {
    if (!open_) begin({});
    if (head_.ip) {
      frames_.clear();
      head_.ip.reset();
      head_.pid = head_.pid_of_head;
    }
    constexpr size_t most_frames = 1024;
    auto words = words_of(line);
    auto address = words.empty() ? std::nullopt : number(words[0], 16);
    if (address && frames_.size() < most_frames) frames_.push_back(*address);
  }

  // A process that has no mapping event of its own was forked from one that has.
  void finish(ProgramMaps::Lookup& lookup) {
    if (!open_) return;
    open_ = false;
    if (frames_.empty()) return;
    ++out_.use.samples;
    out_.has_chains |= frames_.size() > 1;
    bool wanted = !options_.pid || head_.pid == options_.pid;
    bool known = wanted && ((head_.pid && lookup.enter(*head_.pid, line_)) ||
                            lookup.enter(any_process, line_));
    if (!known) return void(++out_.use.elsewhere);
    chain_.clear();
    for (u64 address : frames_) chain_.push_back(lookup.translate({address}));
    if (!out_.counter.add(chain_)) return void(++out_.use.not_in_program);
    ++out_.use.used;
    out_.use.entries += chain_.size() - 1;
    if (each_) each_(0, chain_);
  }

  std::vector<perf::BuildId> no_ids_;
  ProgramMatch match_;
  ProgramMaps maps_;
  const RecordingOptions& options_;
  IpRead& out_;
  const EachChain& each_;

  u64 line_ = 0;
  bool open_ = false;
  SampleLine head_;
  std::vector<u64> frames_;
  std::vector<BinaryAddr> chain_;
};

}  // namespace

bool looks_like_ip_script(std::string_view text) {
  constexpr u64 enough = 10'000;
  u64 samples = 0, others = 0;
  for (perf::Lines lines(text); !lines.at_end() && samples + others < enough; lines.advance()) {
    std::string_view line = lines.line();
    if (line.empty() || line.starts_with('\t') || is_event(line)) continue;
    ++(parse_sample_line(line).is_sample ? samples : others);
  }
  return samples > 0 && others <= samples / 10;
}

Result<IpRead> count_ip_script(std::string_view text, const binary::Program& program,
                               const RecordingOptions& options, const EachChain& each) {
  if (!looks_like_ip_script(text))
    return fail("has no samples as 'perf script -F pid,ip' prints them");
  IpRead read(program);
  ScriptReader(program, options, read, each).read(text);
  if (read.mappings == 0)
    return fail(
        "has no mapping event of {}, so its addresses are not known: print it with perf script "
        "-F pid,ip --show-mmap-events",
        program.name());
  read.matched_by_name = true;
  return read;
}

}  // namespace pgokit::samples

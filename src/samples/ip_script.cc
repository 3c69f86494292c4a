#include <algorithm>
#include <optional>

#include "perf/script.h"
#include "samples/ip_counts.h"
#include "samples/script_maps.h"
#include "samples/script_reading.h"

namespace pgokit::samples {
namespace {

// The events of a text's samples, by name.
class EventNames {
 public:
  void add(std::string_view name) {
    constexpr size_t most = 64;
    size_t at = find(name);
    if (at == list_.size()) {
      if (at == most) return;
      list_.push_back({std::string(name), 0});
    }
    ++list_[at].samples;
  }

  // Of those that were added; size of the list for others.
  size_t find(std::string_view name) const {
    return static_cast<size_t>(std::ranges::find(list_, name, &NamedSamples::name) - list_.begin());
  }
  const std::vector<NamedSamples>& list() const { return list_; }

 private:
  std::vector<NamedSamples> list_;
};

class ScriptReader {
 public:
  ScriptReader(std::string_view text, const program::Program& program,
               const RecordingOptions& options, IpRead& out, const EachChain& each)
      : text_(text),
        maps_(program, text, {.pid = options.pid, .threads = options.threads}),
        options_(options),
        out_(out),
        each_(each) {}

  Status read() {
    out_.mappings = maps_.mappings();
    if (options_.event) find_events();
    out_.events = TRY(choose_event(events_.list(), EventUse::addresses, options_.event));
    perf::script_detail::ColumnWalk walk(*this, false);
    for (perf::Lines lines(text_); !lines.at_end(); lines.advance())
      walk.line(lines.line(), lines.number());
    walk.end();
    return out_.mappings == 0 ? Status() : check_process(options_.pid, tells_process_);
  }

  // What the walk calls for each part of a sample.
  void event(std::string_view line) { place_ = static_cast<u64>(line.data() - text_.data()); }
  void begin(const perf::SampleColumns& columns, u64) {
    pid_ = columns.pid;
    tells_process_ |= pid_.has_value();
    event_ = columns.event;
    frames_.clear();
    is_known_ = lookup_.enter(pid_, place_);
    if (columns.ip) frames_.push_back(*columns.ip);
  }
  void frame(u64 address, std::string_view file) {
    constexpr size_t most_frames = 1024;
    if (frames_.size() < most_frames)
      frames_.push_back(is_known_ ? lookup_.frame_address(address, file) : address);
  }
  void branches(std::string_view, u64) {}

  void end() {
    if (frames_.empty()) return;
    out_.use.count(take());
  }

 private:
  Fate take() {
    if (is_of_other_event()) return Fate::other_event;
    out_.has_chains |= frames_.size() > 1;
    if (!is_known_) return Fate::elsewhere;
    chain_.clear();
    for (u64 address : frames_) chain_.push_back(lookup_.translate(address));
    if (!out_.counter.add(chain_)) return Fate::not_in_program;
    out_.use.entries += chain_.size() - 1;
    if (each_) each_(0, chain_);
    return Fate::used;
  }

  void find_events() {
    for (perf::Lines lines(text_); !lines.at_end(); lines.advance()) {
      auto line = lines.line();
      if (line.starts_with('\t') || line.starts_with('#') || perf::is_event_line(line)) continue;
      if (auto columns = perf::parse_columns(line, false); columns.is_sample)
        events_.add(columns.event);
    }
  }

  bool is_of_other_event() const {
    if (out_.events.taken.empty()) return false;
    size_t at = events_.find(event_);
    return at == events_.list().size() || !out_.events.taken[at];
  }

  std::string_view text_;
  ScriptMaps maps_;
  const RecordingOptions& options_;
  IpRead& out_;
  const EachChain& each_;

  ScriptMaps::Lookup lookup_{maps_};
  u64 place_ = 0;
  bool tells_process_ = false, is_known_ = false;
  EventNames events_;
  std::optional<u32> pid_;
  std::string_view event_;
  std::vector<u64> frames_;
  std::vector<BinaryAddr> chain_;
};

}  // namespace

// perf aligns addresses to the right in 16 columns. A word that begins its line and is shorter may
// have hexadecimal digits only and be a name all the same, as f7 is in a list of functions.
static bool is_bare_word(std::string_view line) {
  constexpr size_t width_of_address = 16;
  return line.size() < width_of_address && line.find_first_of(" \t") == line.npos;
}

bool looks_like_ip_script(std::string_view text) {
  constexpr u64 enough = 10'000;
  u64 samples = 0, others = 0;
  for (perf::Lines lines(text); !lines.at_end() && samples + others < enough; lines.advance()) {
    std::string_view line = lines.line();
    bool between = perf::script_detail::is_blank(line) || perf::script_detail::is_comment(line);
    if (between || line.starts_with('\t') || perf::is_event_line(line)) continue;
    bool is_sample = !is_bare_word(line) && perf::parse_columns(line, false).is_sample;
    ++(is_sample ? samples : others);
  }
  return samples > 0 && others <= samples / 10;
}

Result<IpRead> count_ip_script(std::string_view text, const program::Program& program,
                               const RecordingOptions& options, const EachChain& each) {
  if (!looks_like_ip_script(text))
    return fail("has no samples as 'perf script -F pid,ip' prints them");
  IpRead read(program);
  TRY(ScriptReader(text, program, options, read, each).read());
  if (read.mappings == 0)
    return fail(
        "has no mapping event of {}, so its addresses are not known: print it with perf script "
        "-F pid,ip --show-mmap-events",
        program.name());
  read.matched_by_name = true;
  return read;
}

}  // namespace pgokit::samples

#include <algorithm>
#include <optional>

#include "perf/script.h"
#include "samples/ip_counts.h"
#include "samples/program_maps.h"
#include "samples/program_match.h"

namespace pgokit::samples {
namespace {

constexpr u32 any_process = ~u32{0};

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
  ScriptReader(const binary::Program& program, const RecordingOptions& options, IpRead& out,
               const EachChain& each)
      : match_(program.name(), program.file().build_id(), no_ids_),
        maps_(program.file()),
        options_(options),
        out_(out),
        each_(each) {}

  Status read(std::string_view text) {
    find_mappings(text);
    out_.events = TRY(choose_event(events_.list(), EventUse::addresses, options_.event));
    perf::script_detail::ColumnWalk walk(*this, false);
    for (perf::Lines lines(text); !lines.at_end(); lines.advance()) {
      line_ = lines.number();
      walk.line(lines.line(), line_);
    }
    walk.end();
    return {};
  }

  // What the walk calls for each part of a sample.
  void event(std::string_view) {}
  void begin(const perf::SampleColumns& columns, u64) {
    pid_ = columns.pid;
    event_ = columns.event;
    frames_.clear();
    if (columns.ip) frames_.push_back(*columns.ip);
  }
  void frame(u64 address) {
    constexpr size_t most_frames = 1024;
    if (frames_.size() < most_frames) frames_.push_back(address);
  }
  void branches(std::string_view, u64) {}

  // A process that has no mapping event of its own was forked from one that has.
  void end() {
    if (frames_.empty()) return;
    ++out_.use.samples;
    if (is_of_other_event()) return void(++out_.use.other_events);
    out_.has_chains |= frames_.size() > 1;
    bool wanted = !options_.pid || pid_ == options_.pid;
    bool known =
        wanted && ((pid_ && lookup_.enter(*pid_, line_)) || lookup_.enter(any_process, line_));
    if (!known) return void(++out_.use.elsewhere);
    chain_.clear();
    for (u64 address : frames_) chain_.push_back(lookup_.translate({address}));
    if (!out_.counter.add(chain_)) return void(++out_.use.not_in_program);
    ++out_.use.used;
    out_.use.entries += chain_.size() - 1;
    if (each_) each_(0, chain_);
  }

 private:
  // Text has no times that could be relied on: its lines are in order. Events are named on the way.
  void find_mappings(std::string_view text) {
    u64 line = 0;
    for (perf::Lines lines(text); !lines.at_end(); lines.advance()) {
      ++line;
      if (!perf::is_event_line(lines.line())) {
        note_event(lines.line());
        continue;
      }
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

  void note_event(std::string_view line) {
    if (!options_.event || line.starts_with('\t') || line.starts_with('#')) return;
    if (auto columns = perf::parse_columns(line, false); columns.is_sample)
      events_.add(columns.event);
  }

  bool is_of_other_event() const {
    if (out_.events.taken.empty()) return false;
    size_t at = events_.find(event_);
    return at == events_.list().size() || !out_.events.taken[at];
  }

  std::vector<perf::BuildId> no_ids_;
  ProgramMatch match_;
  ProgramMaps maps_;
  const RecordingOptions& options_;
  IpRead& out_;
  const EachChain& each_;

  ProgramMaps::Lookup lookup_{maps_};
  u64 line_ = 0;
  EventNames events_;
  std::optional<u32> pid_;
  std::string_view event_;
  std::vector<u64> frames_;
  std::vector<BinaryAddr> chain_;
};

}  // namespace

bool looks_like_ip_script(std::string_view text) {
  constexpr u64 enough = 10'000;
  u64 samples = 0, others = 0;
  for (perf::Lines lines(text); !lines.at_end() && samples + others < enough; lines.advance()) {
    std::string_view line = lines.line();
    bool between = perf::script_detail::is_blank(line) || perf::script_detail::is_comment(line);
    if (between || line.starts_with('\t') || perf::is_event_line(line)) continue;
    ++(perf::parse_columns(line, false).is_sample ? samples : others);
  }
  return samples > 0 && others <= samples / 10;
}

Result<IpRead> count_ip_script(std::string_view text, const binary::Program& program,
                               const RecordingOptions& options, const EachChain& each) {
  if (!looks_like_ip_script(text))
    return fail("has no samples as 'perf script -F pid,ip' prints them");
  IpRead read(program);
  TRY(ScriptReader(program, options, read, each).read(text));
  if (read.mappings == 0)
    return fail(
        "has no mapping event of {}, so its addresses are not known: print it with perf script "
        "-F pid,ip --show-mmap-events",
        program.name());
  read.matched_by_name = true;
  return read;
}

}  // namespace pgokit::samples

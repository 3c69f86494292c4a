#include "stacks/write/speedscope.h"

#include "base/saturated.h"
#include "report/json.h"
#include "stacks/write/functions.h"

namespace pgokit::stacks {
namespace {

using report::json_quoted;

class Writer {
 public:
  Writer(const Stacks& stacks, report::TextBuffer& out)
      : stacks_(stacks), functions_(stacks), out_(out) {}

  void write(std::string_view name) {
    out_.text("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
    out_.text("\"exporter\":\"pgokit\",\"name\":"), out_.text(json_quoted(name));
    write_frames();
    out_.text(",\n\"profiles\":[");
    std::span<const Sample> samples = stacks_.samples;
    for (bool first = true; !samples.empty(); first = false) {
      size_t size = 1;
      while (size < samples.size() && samples[size].track == samples[0].track) ++size;
      out_.text(first ? "\n" : ",\n");
      write_profile(samples.first(size));
      samples = samples.subspan(size);
    }
    out_.text("]}\n");
  }

 private:
  void write_frames() {
    out_.text(",\n\"shared\":{\"frames\":[");
    for (bool first = true; const auto& function : functions_.list()) {
      out_.text(first ? "\n{\"name\":" : ",\n{\"name\":"), out_.text(json_quoted(function.name));
      first = false;
      if (!function.file.empty()) out_.text(",\"file\":"), out_.text(json_quoted(function.file));
      if (function.start_line) out_.text(",\"line\":"), out_.decimal(function.start_line);
      out_.text('}');
    }
    out_.text("]}");
  }

  // Of one track; neighbours with one stack become one sample.
  void write_profile(std::span<const Sample> samples) {
    const auto& track = stacks_.tracks[samples.front().track];
    bool is_time = stacks_.events[track.event].unit == "nanoseconds";
    out_.text("{\"type\":\"sampled\",\"name\":"),
        out_.text(json_quoted(track_name(stacks_, track)));
    out_.text(is_time ? ",\"unit\":\"nanoseconds\"" : ",\"unit\":\"none\"");
    weights_.clear();
    u64 sum = 0;
    out_.text(",\"samples\":[");
    for (u32 before = 0; const auto& sample : samples) {
      sum = add_saturated(sum, sample.weight);
      if (!weights_.empty() && sample.node == before) {
        weights_.back() = add_saturated(weights_.back(), sample.weight);
        continue;
      }
      out_.text(weights_.empty() ? "[" : ",[");
      write_stack(sample.node);
      out_.text(']');
      weights_.push_back(sample.weight);
      before = sample.node;
    }
    out_.text("],\n\"weights\":[");
    for (bool first = true; u64 weight : weights_) {
      if (!first) out_.text(',');
      first = false;
      out_.decimal(weight);
    }
    out_.text("],\"startValue\":0,\"endValue\":"), out_.decimal(sum), out_.text('}');
  }

  void write_stack(u32 node) {
    path_.clear();
    for (; node != 0; node = stacks_.nodes[node].parent)
      path_.push_back(stacks_.nodes[node].location);
    bool first = true;
    for (size_t i = path_.size(); i-- > 0;)
      for (u32 function : functions_.of(path_[i])) {
        if (!first) out_.text(',');
        first = false;
        out_.decimal(function);
      }
  }

  const Stacks& stacks_;
  FunctionList functions_;
  report::TextBuffer& out_;
  std::vector<u32> path_;
  std::vector<u64> weights_;
};

}  // namespace

void write_speedscope(const Stacks& stacks, std::string_view name, report::TextBuffer& out) {
  Writer(stacks, out).write(name);
}

}  // namespace pgokit::stacks

#include "cli/views/processes.h"

#include <algorithm>

#include "base/file.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"

namespace pgokit::cli {

std::string processes_text(std::span<const perf::ProcessSamples> processes, u64 most) {
  auto shown = processes.first(most ? std::min<size_t>(most, processes.size()) : processes.size());
  std::string text;
  for (const auto& process : shown)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", process.pid,
                        report::counted(process.samples, "sample"));
  if (shown.size() < processes.size())
    text += fmt::format(" and {} more", report::grouped(processes.size() - shown.size()));
  return text;
}

std::string not_recorded(u32 pid, const std::string& path) {
  constexpr u64 most = 3;
  if (path == "-") return {};
  auto file = MappedFile::open(path);
  if (!file || pipeline::identify(file->bytes()) != &pipeline::inputs::recording) return {};
  auto recording = perf::Recording::open(file->bytes());
  if (!recording) return {};
  auto processes = perf::summarize(*recording).processes;
  bool has_pid = std::ranges::count(processes, pid, &perf::ProcessSamples::pid) > 0;
  if (processes.empty() || has_pid) return {};
  return fmt::format("no sample is of process {} (--pid); there are {}", pid,
                     processes_text(processes, most));
}

}  // namespace pgokit::cli

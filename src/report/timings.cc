#include "report/timings.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "report/numbers.h"

namespace pgokit::report {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

u64 peak_memory() {
  std::ifstream status("/proc/self/status");
  u64 kilobytes = 0;
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      status >> kilobytes;
      break;
    }
  return kilobytes * 1024;
}

std::string row(std::string_view name, double seconds, double cpu, u64 memory) {
  return fmt::format("{:<28} {:>9.3f} {:>9.3f} {:>12}\n", name, seconds, cpu, file_size(memory));
}

}  // namespace

void Timings::begin(std::string stage) {
  if (!on_) return;
  end();
  stages_.push_back({.name = std::move(stage)});
  running_ = true;
  reset_peak_memory();
  started_ = Clock::now();
  cpu_started_ = cpu_seconds();
}

void Timings::end() {
  if (!std::exchange(running_, false)) return;
  auto& stage = stages_.back();
  stage.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  stage.cpu_seconds = cpu_seconds() - cpu_started_;
  stage.peak_memory = peak_memory();
}

std::string Timings::text() const {
  if (stages_.empty()) return {};
  std::string text = fmt::format("{:<28} {:>9} {:>9} {:>12}\n", "stage", "seconds", "cpu", "peak");
  Stage all;
  for (const auto& stage : stages_) {
    text += row(stage.name, stage.seconds, stage.cpu_seconds, stage.peak_memory);
    all.seconds += stage.seconds;
    all.cpu_seconds += stage.cpu_seconds;
    all.peak_memory = std::max(all.peak_memory, stage.peak_memory);
  }
  return text + row("all", all.seconds, all.cpu_seconds, all.peak_memory);
}

Json Timings::json() const {
  Json list = Json::array();
  for (const auto& stage : stages_) {
    Json one = Json::object();
    one.set("stage", stage.name)
        .set("seconds", stage.seconds)
        .set("cpu_seconds", stage.cpu_seconds)
        .set("peak_memory", stage.peak_memory);
    list.push(std::move(one));
  }
  return list;
}

}  // namespace pgokit::report

#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/printable.h"

namespace pgokit {
namespace {

using namespace std::chrono_literals;
constexpr auto first_after = 500ms;
constexpr auto every = 100ms;

}  // namespace

std::string pace(u64 done, u64 total, double seconds) {
  if (done == 0 || seconds <= 0) return {};
  double rate = static_cast<double>(done) / seconds;
  double left = static_cast<double>(total - std::min(done, total)) / rate;
  auto whole = std::lround(std::min(left, 1e9));
  return fmt::format("{:.1f} MB/s, {}:{:02} left", rate / 1e6, whole / 60, whole % 60);
}

Progress::Progress(std::string what, u64 total, bool shown)
    : what_(std::move(what)),
      total_(total),
      terminal_(shown && isatty(STDERR_FILENO) == 1),
      begun_(Clock::now()),
      next_(begun_ + first_after) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::advance(u64 done) {
  u64 now = done_ += done;
  if (!terminal_) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || !due()) return;
  if (!total_) return draw(fmt::format("{}  {}", what_, now));
  constexpr u64 width = 30;
  u64 filled = std::min(now, total_) * width / total_;
  double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  draw(fmt::format("{}  [{:#<{}}{:-<{}}] {:3} %  {}", what_, "", filled, "", width - filled,
                   std::min(now, total_) * 100 / total_, pace(now, total_, seconds)));
}

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  std::scoped_lock lock(mutex_);
  if (due()) draw(what_ + "  " + text);
}

bool Progress::due() {
  auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + every;
  return true;
}

void Progress::draw(const std::string& line) {
  std::fputs(("\r\033[K" + printable_line(line)).c_str(), stderr);
  drawn_ = true;
}

}  // namespace pgokit

#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace pgokit {
namespace {

using namespace std::chrono_literals;
constexpr auto first_after = 500ms;
constexpr auto every = 100ms;

}  // namespace

Progress::Progress(std::string what, u64 total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + first_after) {}

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
  draw(fmt::format("{}  [{:#<{}}{:-<{}}] {:3}%", what_, "", filled, "", width - filled,
                   std::min(now, total_) * 100 / total_));
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
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  drawn_ = true;
}

}  // namespace pgokit

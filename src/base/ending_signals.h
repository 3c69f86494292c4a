#pragma once

// The signals by which people and systems end a program: Ctrl-C and the like.
//
//   sigset_t before, ending = ending_signal_set();
//   pthread_sigmask(SIG_BLOCK, &ending, &before);

#include <csignal>

namespace pgokit {

inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

inline sigset_t ending_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : ending_signals) sigaddset(&set, signal);
  return set;
}

}  // namespace pgokit

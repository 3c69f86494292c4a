#pragma once

// An object that stays until the process ends, and is not taken to pieces then.
//
//   auto& profile = leak_until_exit(make_profile());
//
// For what has millions of pieces and is the last thing that a command makes.

#include <deque>
#include <utility>

namespace pgokit {

template <class T>
T& leak_until_exit(T object) {
  static auto* kept = new std::deque<T>;
  return kept->emplace_back(std::move(object));
}

}  // namespace pgokit

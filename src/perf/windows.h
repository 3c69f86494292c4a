#pragma once

// Stretches of execution (windows) that were counted whole, and how much they tell of the program.
//
//   auto windows = Windows::of(105, 0.89);
//   windows.add(Windows::of(54, 0.82));                // of another recording
//   if (windows.is_thin()) warn(windows.likeness());
//
// It does not know what was counted.

#include <optional>

#include "base/types.h"

namespace pgokit::perf {

struct Windows {
  // Fewer tell little of how dense a profile of them is, and make a thin one.
  static constexpr u64 enough = 20;
  // So much of an endless recording's shares of branches is enough for most of the gain
  // (bench/thin.md).
  static constexpr double dense_likeness = 0.85;

  u64 number = 0;
  // (number × 1000 × the part of the branches' shares that an endless recording would have
  // elsewhere)². What is wrong by chance in several recordings adds up like this. 0: not known.
  u64 uncertainty = 0;

  // `likeness`: the part of the shares that is right.
  static Windows of(u64 number, double likeness);
  // Not known if that of one of them is not. The order does not matter, nor how sums are grouped.
  void add(const Windows& more, u64 weight = 1);
  // What they tell of a program that made this share of their branches: as much as so many fewer.
  Windows of_program(double share) const;

  std::optional<double> likeness() const;
  bool are_few() const { return number < enough; }
  bool is_thin() const;

  bool operator==(const Windows&) const = default;
};

}  // namespace pgokit::perf

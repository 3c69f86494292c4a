#pragma once

// By how much a recording may slow a program down, and how often that lets it be looked at.
//
//   Budget budget(0.1);                               // by a tenth of its own time
//   u64 period = budget.period_ns();                  // between windows; changes now and then
//   budget.earn(period);                              // at each tick: the program has run for so long
//   if (budget.allows()) take_window(), budget.spend(cost_ns);
//   budget.follow(cost_ns);                           // what else it costs: windows get the rest
//
// The period follows what windows cost on average, slowly: it must not depend on the code that is
// being run, which would have more windows the cheaper they are. Windows stand for the time since
// the one before. The first ones of a program, all of whose code is new, are the dearest by far. They
// are a debt that is paid back bit by bit: a window that had to stand for much of the program's time,
// because there were none until all is paid, would count too much.
//
// Following many short processes may cost more than the whole budget: windows have most of it all the
// same.

#include "base/types.h"

namespace pgokit::record {

class Budget {
 public:
  // `share` of the program's own time.
  explicit Budget(double share);
  // A window at each tick of a fixed period, whatever it costs.
  static Budget fixed(u64 period_ns);

  u64 period_ns() const { return period_ns_; }
  void earn(u64 ns) {
    run_ns_ += static_cast<double>(ns);
    credit_ns_ += share_of_windows() * static_cast<double>(ns);
  }
  void follow(u64 ns) { followed_ns_ += static_cast<double>(ns); }
  // Not where windows have been far dearer than they are on average.
  bool allows() const { return share_ == 0 || credit_ns_ > -most_debt_ns(); }
  void spend(u64 ns);

 private:
  Budget() = default;
  double share_of_windows() const;
  u64 wanted_period_ns() const;
  double most_debt_ns() const;

  static constexpr double usual_cost_ns = 500e3;

  double share_ = 0;
  double run_ns_ = 0;
  double followed_ns_ = 0;
  double credit_ns_ = 0;
  double mean_ns_ = usual_cost_ns;  // of what windows cost
  u64 period_ns_ = 0;
};

}  // namespace pgokit::record

#pragma once

// The address that the deltas of .pseudo_probe are relative to. It runs on through inlinees and,
// where nothing says better, from one function to the next. A probe that carries an absolute
// address, which compilers wrote until 2022, means that the whole section is of that kind: from
// there on symbols do not count.

#include <optional>

#include "probe/record.h"

namespace pgokit::probe {

class RunningAddress {
 public:
  explicit RunningAddress(const Table::AddressOf& address_of) : address_of_(address_of) {}

  // False: it runs on from the record before.
  bool begin_function(u64 guid) {
    if (absolute_) return false;
    std::optional<u64> start = address_of_(guid);
    if (start) at_ = *start;
    return start.has_value();
  }
  u64 advance(const RawProbe& probe) {
    if (probe.is_delta) return at_ += probe.value;
    if (probe.attributes & sentinel_attribute)
      return at_ = address_of_(probe.value).value_or(probe.value);
    absolute_ = true;
    return at_ = probe.value;
  }
  void set_absolute(bool absolute) { absolute_ = absolute; }
  bool is_absolute() const { return absolute_; }
  u64 at() const { return at_; }

 private:
  const Table::AddressOf& address_of_;
  u64 at_ = 0;
  bool absolute_ = false;
};

}  // namespace pgokit::probe

#pragma once

// Integers in a file whose byte order is that of the machine that wrote it.
//
//   OrderedBytes in{bytes, big_endian};
//   u64 first = in.at<u64>(0);                // the caller has checked that it is inside

#include <cassert>
#include <cstring>
#include <type_traits>

#include "base/types.h"

namespace pgokit::instr_profile {

template <class T>
T swapped(T value) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bswap64(value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(value);
  else if constexpr (sizeof(T) == 2)
    return __builtin_bswap16(value);
  else
    return value;
}

struct OrderedBytes {
  Bytes bytes;
  bool big_endian;

  template <class T>
  T at(size_t offset) const {
    static_assert(std::is_unsigned_v<T>);
    assert(offset + sizeof(T) <= bytes.size());
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return big_endian ? swapped(value) : value;
  }
};

}  // namespace pgokit::instr_profile

#pragma once
// Shared by the two files of one program: inline functions that both get a copy of (COMDAT).

#include <cstdint>

inline uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  return x ^ x >> 15;
}

template <class T>
__attribute__((noinline)) T fold(const T* data, int n, T seed) {
  for (int i = 0; i < n; ++i) seed = seed * 31 + mix(static_cast<uint32_t>(data[i]));
  return seed;
}

struct Worker {
  virtual ~Worker();
  virtual uint32_t work(uint32_t x);
};

uint32_t far_helper(uint32_t x, int rounds);
uint32_t small_helper(uint32_t x);

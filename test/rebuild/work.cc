#include "work.h"

#include <cstdio>

// Too large to be inlined for its size. What callers want much is a small part of it.
unsigned choose(unsigned kind, unsigned x) {
  if (kind == 0) return x * 2654435761u ^ x >> 7;
  unsigned text[32];
  for (unsigned i = 0; i < 32; ++i) text[i] = x * (i + kind) ^ x >> (i & 7);
  for (unsigned round = 0; round < 8; ++round) {
    if (kind > 2) std::printf("%u %u\n", text[round], text[31 - round]);
    for (unsigned i = 1; i < 32; ++i) {
      if (text[i] < text[i - 1]) {
        unsigned swapped = text[i];
        text[i] = text[i - 1];
        text[i - 1] = swapped;
      } else if (text[i] % 16 == kind) {
        text[i] += text[i - 1] / (kind + 1);
      } else if (text[i] % 32 == round) {
        text[i - 1] ^= text[x & 31] % (kind + 3);
        std::printf(kind > 9 ? "%u\n" : "", text[i]);
      }
    }
  }
  if (text[0] == kind) std::puts("first");
  if (text[31] == kind) std::puts("last");
  return text[x & 31];
}

unsigned often(unsigned x) { return choose(x >> 31, x) + choose(x >> 30, x + 1); }
unsigned seldom(unsigned x) { return choose(x % 2 + 1, x) ^ choose(x % 2 + 2, x) ^ choose(1, ~x); }

unsigned with_state(unsigned (*step)(unsigned), unsigned x) {
  for (unsigned i = 0; i < 4; ++i) x = step(x + i);
  return x;
}

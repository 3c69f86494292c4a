/* words ROUNDS: makes a text and counts its words, ROUNDS times. */
#include <stdio.h>
#include <stdlib.h>

#include "words.h"

static const char* const samples[] = {"the",     "profile", "4096",  "of", "a",
                                      "program", "is",      "small", "77", "optimization-guided"};

int main(int argc, char** argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 1000;
  unsigned state = 1;
  struct counts counts = {0, 0, 0};
  for (long i = 0; i < rounds; i++) {
    state = state * 1664525u + 1013904223u;
    const char* word = samples[(state >> 20) % (state & 63 ? 9 : 10)];
    unsigned length = 0;
    while (word[length]) length++;
    count_word(&counts, word, length);
  }
  printf("%lu words, %lu numbers, the longest has %lu\n", counts.words, counts.numbers,
         counts.longest);
  return 0;
}

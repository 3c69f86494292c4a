#include "words.h"

static int is_number(const char* word, unsigned length) {
  for (unsigned i = 0; i < length; i++)
    if (word[i] < '0' || word[i] > '9') return 0;
  return 1;
}

static void keep_longest(struct counts* counts, unsigned length) {
  if (length > counts->longest) counts->longest = length;
}

void count_word(struct counts* counts, const char* word, unsigned length) {
  counts->words++;
  if (is_number(word, length)) counts->numbers++;
  if (length > 12) keep_longest(counts, length);
}

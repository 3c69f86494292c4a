#ifndef WORDS_H
#define WORDS_H

/* Counts words as they come: most are short, some are numbers, hardly any are long. */
struct counts {
  unsigned long words, numbers, longest;
};

void count_word(struct counts* counts, const char* word, unsigned length);

#endif

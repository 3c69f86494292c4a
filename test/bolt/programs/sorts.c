// Library calls, callbacks from the library, loops in loops, and strings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int key;
  char name[16];
};
static struct item items[400];

static int by_key(const void* a, const void* b) {
  const struct item *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return strcmp(x->name, y->name);
}
static int by_name(const void* a, const void* b) {
  return strcmp(((const struct item*)a)->name, ((const struct item*)b)->name);
}
static void fill(unsigned seed) {
  for (int i = 0; i < 400; i++) {
    seed = seed * 1103515245 + 12345;
    items[i].key = (int)(seed >> 16) % 97;
    snprintf(items[i].name, sizeof items[i].name, "n%u", seed >> 20);
  }
}
static void insertion(int n) {
  for (int i = 1; i < n; i++) {
    struct item one = items[i];
    int j = i;
    for (; j > 0 && by_key(&items[j - 1], &one) > 0; j--) items[j] = items[j - 1];
    items[j] = one;
  }
}
static unsigned hash(void) {
  unsigned h = 5381;
  for (int i = 0; i < 400; i++)
    for (const char* c = items[i].name; *c; c++) h = (h << 5) + h + (unsigned char)*c;
  return h;
}
static void matrix(void) {
  static double a[24][24], b[24][24], c[24][24];
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++) a[i][j] = i + j, b[i][j] = i - j, c[i][j] = 0;
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++) c[i][j] += a[i][k] * b[k][j];
  if (c[3][4] == 0.5) puts("never");
}

int main(void) {
  unsigned h = 0;
  for (unsigned round = 0; round < 1500; round++) {
    fill(round);
    qsort(items, 400, sizeof items[0], round & 1 ? by_key : by_name);
    h ^= hash();
    fill(round + 77);
    insertion(200);
    matrix();
    free(malloc(round + 1));
  }
  printf("%u\n", h);
  return 0;
}

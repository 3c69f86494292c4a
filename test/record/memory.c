// A program whose data are used in different ways, the same in each round: tables in all sections,
// the stack, the heap. Its rounds are shorter than a window. program ROUNDS
//
// Standard error tells where the heap's blocks and the stack are.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static uint32_t histogram[256];
static uint32_t table[4096];
uint64_t grid[64][64];
double weights[512] = {1.5, 0.25, 8};
static const char letters[] = "the quick brown fox jumps over the lazy dog, and back again";
static uint16_t steps[128] = {1, 5, 3};
uint64_t total;

static uint32_t next(uint32_t* state) { return *state = *state * 1664525 + 1013904223; }

static uint64_t add_one(uint64_t x) { return x + 1; }
static uint64_t twice(uint64_t x) { return x * 2 + 1; }
static uint64_t shifted(uint64_t x) { return x ^ x >> 7; }
uint64_t (*volatile const operations[])(uint64_t) = {add_one, twice, shifted, add_one};

NOINLINE void count(uint32_t* state) {
  for (int i = 0; i < 600; ++i) ++histogram[next(state) >> 24];
}

NOINLINE uint64_t look_up(uint32_t* state) {
  uint64_t sum = 0;
  for (int i = 0; i < 2500; ++i) sum += table[next(state) >> 20];
  for (int i = 0; i < 300; ++i) table[next(state) >> 20] = (uint32_t)sum;
  return sum;
}

NOINLINE void spread(int turn) {
  for (int x = 1; x < 63; ++x)
    grid[turn & 31][x] = grid[(turn + 1) & 31][x - 1] + grid[turn & 31][x + 1];
}

NOINLINE double weigh(void) {
  double sum = 0;
  for (int i = 0; i < 512; ++i) sum = sum * 0.5 + weights[i];
  return sum;
}

NOINLINE uint64_t spell(uint32_t* state) {
  uint64_t hash = 0;
  for (int i = 0; i < 700; ++i)
    hash = hash * 31 + (uint8_t)letters[next(state) % (sizeof letters - 1)];
  return hash;
}

NOINLINE void walk_steps(void) {
  for (int i = 1; i < 128; ++i) steps[i] = (uint16_t)(steps[i - 1] + 3 * steps[i]);
}

NOINLINE uint64_t call(uint64_t x) {
  for (int i = 0; i < 100; ++i) x = operations[i & 3](x);
  return x;
}

NOINLINE uint64_t descend(int depth, uint64_t x) {
  volatile uint64_t own[6];
  for (int i = 0; i < 6; ++i) own[i] = x + (uint64_t)i;
  uint64_t below = depth ? descend(depth - 1, x * 3 + 1) : 0;
  return below + own[depth % 6];
}

struct node {
  struct node* next;
  uint64_t value[3];
};

NOINLINE uint64_t follow(struct node* at, int n) {
  uint64_t sum = 0;
  for (; n > 0; --n, at = at->next) sum += at->value[1], at->value[2] = sum;
  return sum;
}

int main(int argc, char** argv) {
  enum { nodes = 1000 };
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  uint32_t state = 1;
  struct node* list = calloc(nodes, sizeof *list);
  if (!list) return 1;
  for (int i = 0; i < nodes; ++i) list[i].next = &list[i * 7 % nodes];
  fprintf(stderr, "heap %p %p\nstack %p\n", (void*)list, (void*)(list + nodes), (void*)&state);
  for (int i = 0; i < rounds; ++i) {
    count(&state);
    total += look_up(&state);
    spread(i);
    total += (uint64_t)weigh();
    total += spell(&state);
    walk_steps();
    total = call(total);
    total += descend(40, total);
    total += follow(list + 1, 800);
  }
  printf("%llx\n", (unsigned long long)total);
  free(list);
}

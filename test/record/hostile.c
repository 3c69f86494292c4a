// Programs that are hard to record: see hostile.h. test/record/survive.py runs them.
#include "hostile.h"

const char* self_path;

static uint64_t step_add(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
static uint64_t step_mix(uint64_t x) { return x ^ (x >> 29); }
static uint64_t step_turn(uint64_t x) { return (x << 13) | (x >> 51); }

uint64_t work(uint64_t seed) {
  static uint64_t (*const steps[])(uint64_t) = {step_add, step_mix, step_turn};
  for (int i = 0; i < 100000; ++i) {
    seed = step_add(seed + (uint64_t)i);
    seed = steps[(seed >> 33) % 3](seed);
    if (seed & 64) seed ^= (uint64_t)i * 3;
  }
  return seed;
}

uint64_t work_for(uint64_t seed, int rounds) {
  for (int i = 0; i < rounds; ++i) seed = work(seed);
  return seed;
}

static int run_of(const struct Mode* mode, const char* name, const char* n, int* code) {
  for (; mode->name; ++mode)
    if (strcmp(mode->name, name) == 0) return *code = mode->run(n ? atoi(n) : mode->usual_n), 1;
  return 0;
}

int main(int argc, char** argv) {
  self_path = argv[0];
  if (argc < 2) return 2;
  const struct Mode* tables[] = {signal_modes, code_modes, kernel_modes, thread_modes};
  int code = 2;
  for (int i = 0; i < 4; ++i)
    if (run_of(tables[i], argv[1], argc > 2 ? argv[2] : NULL, &code)) break;
  fflush(stdout);
  return code;
}

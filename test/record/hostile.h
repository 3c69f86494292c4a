// What the modes of the program `hostile` share: hostile MODE [N]. Each mode prints a line that
// depends on everything it did, and never on the machine or on time.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char* self_path;

// About a millisecond with calls, returns, conditional and indirect branches.
uint64_t work(uint64_t seed);
// The same `rounds` times.
uint64_t work_for(uint64_t seed, int rounds);

struct Mode {
  const char* name;
  int (*run)(int n);  // gives the exit code
  int usual_n;
};
// Ends with an empty name.
extern const struct Mode signal_modes[], code_modes[], kernel_modes[], thread_modes[];

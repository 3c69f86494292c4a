#include "shapes.h"

__attribute__((noinline)) static int same_name(int x) { return x - 1; }

int other_file(int x) { return same_name(x) + shared_inline(x) + (x > 3 ? same_name(x) : 0); }

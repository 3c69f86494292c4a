// One of everything that code generation treats differently: inline functions of two files, statics
// of one name, virtual calls, exceptions, loops, switches, recursion, code that never runs and code
// that nobody needs.
#include "shapes.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

static int helper(int x) { return x % 3 == 0 ? x / 3 : x + 1; }

__attribute__((noinline)) static int same_name(int x) { return helper(x) * 2; }

__attribute__((noinline)) int collatz(long n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

__attribute__((noinline)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) int choose(int kind) {
  switch (kind) {
    case 0:
      return 17;
    case 1:
      return collatz(27);
    case 2:
      return same_name(kind);
    case 3:
      return other_file(kind);
    case 4:
      return puts("four");
    case 5:
      return kind * 3;
    default:
      return -kind;
  }
}

__attribute__((noinline)) void check(int x) {
  if (x % 4 == 3) throw std::runtime_error("three");
}

__attribute__((noinline)) int catcher(int x) {
  try {
    check(x);
    return 1;
  } catch (const std::runtime_error&) {
    return 2;
  }
}

struct Round final : Shape {
  double area(double size) const override { return 3 * size * size; }
};
struct Square final : Shape {
  double area(double size) const override { return size * size; }
};

__attribute__((noinline)) double area_of(const Shape& shape, double size) {
  return shape.area(size) + 1;
}

__attribute__((noinline)) int varied(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += __builtin_va_arg(list, double);
  __builtin_va_end(list);
  return static_cast<int>(sum);
}

__attribute__((noinline)) int never_run(int x) {
  for (int i = 0; i < x; ++i) std::printf("%d\n", collatz(i + 1));
  return x;
}

int nobody_needs_this(int x) { return collatz(x) + 1; }

template <typename T>
__attribute__((noinline)) T largest(const std::vector<T>& values) {
  T best = values[0];
  for (const T& each : values) best = each > best ? each : best;
  return best;
}

int main(int argc, char**) {
  const int rounds = argc > 1 ? 40 : 20;
  long sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum += choose(i % 7) + catcher(i) + same_name(i) + shared_inline(i);
  sum += fibonacci(15) + varied(3, 1.5, 2.5, 3.0);
  const Round round;
  const Square square;
  for (int i = 0; i < 10; ++i)
    sum += static_cast<long>(area_of(i % 3 ? static_cast<const Shape&>(round) : square, i));
  sum += largest(std::vector<int>{3, 9, 4}) +
         static_cast<long>(largest(std::vector<double>{1.5, 0.5}));
  if (argc > 100) sum += never_run(argc);
  std::printf("%ld %d\n", sum, other_file(5));
  return 0;
}

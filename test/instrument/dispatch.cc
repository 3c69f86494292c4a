// Calls of all kinds whose target is not in the instruction. Nothing is random.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int x) const = 0;
};
struct Line : Shape {
  int area(int x) const override;
};
struct Square : Shape {
  int area(int x) const override;
};
struct Circle : Shape {
  int area(int x) const override;
};
__attribute__((noinline)) int Line::area(int x) const { return x + 1; }
__attribute__((noinline)) int Square::area(int x) const { return x * 2; }
__attribute__((noinline)) int Circle::area(int x) const { return x ^ 3; }

__attribute__((noinline)) static int add(int x) { return x + 3; }
__attribute__((noinline)) static int subtract(int x) { return x - 3; }
__attribute__((noinline)) static int negate(int x) { return -x; }

using Function = int (*)(int);
Function table[3] = {add, subtract, negate};
Function chosen = add;

__attribute__((noinline)) int tail(int i, int x) { return table[i](x); }
__attribute__((noinline)) int through_global(int x) { return chosen(x) + 1; }
__attribute__((noinline)) int virtual_call(const Shape* shape, int x) { return shape->area(x) + 1; }
__attribute__((noinline)) int virtual_tail(const Shape* shape, int x) { return shape->area(x); }
__attribute__((noinline)) int never(Function f) { return f(1) + 1; }
__attribute__((noinline)) int two_on_a_line(Function f, Function g) { return f(1) + g(2); }
__attribute__((noinline)) double many_arguments(double (*f)(double, double, int, int, int, int, int,
                                                            int, int),
                                                double x) {
  return f(x, 2 * x, 1, 2, 3, 4, 5, 6, 7) + 1;
}
__attribute__((noinline)) static double sum(double a, double b, int c, int d, int e, int f, int g,
                                            int h, int i) {
  return a + b + c + d + e + f + g + h + i;
}
__attribute__((noinline)) int variadic(int (*print)(char*, size_t, const char*, ...), char* to,
                                       double x) {
  return print(to, 32, "%.1f %d", x, 7) + 1;
}
__attribute__((noinline)) void copy(char* to, const char* from, size_t size) {
  memcpy(to, from, size);
}
static int compare(const void* a, const void* b) {
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

int main() {
  Line line;
  Square square;
  Circle circle;
  const Shape* shapes[] = {&line, &square, &line, &circle, &line};
  long total = 0;
  for (int i = 0; i < 1000; ++i) {
    total += virtual_call(shapes[i % 5], i) + tail(i % 3, i);
    total += virtual_tail(shapes[i < 700 ? 0 : 3], i);
    if (i == 600) chosen = negate;
    total += through_global(i);
    if (i % 10 == 0) total += two_on_a_line(i < 500 ? add : subtract, negate);
  }
  if (total == 1) total += never(add);
  char text[64] = {};
  for (int i = 0; i < 5; ++i)
    total += static_cast<long>(many_arguments(sum, i)) + variadic(snprintf, text, i);
  static const char from[64] = "the quick brown fox jumps over the lazy dog";
  for (int i = 0; i < 40; ++i) copy(text, from, i % 4 ? 8 : 24);
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = i * 7 % 32;
  qsort(values, 32, sizeof *values, compare);
  printf("%ld %s %d\n", total, text, values[5]);
}

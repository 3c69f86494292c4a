#pragma once

// Sources of a small program with what debug information has trouble with: several files that share
// inline functions, templates, lambdas, recursion, overloads, static functions of equal names,
// functions that nobody calls, cold parts, and C beside C++. With -DRICH the standard library comes
// in, which takes a second to compile.

#include "test/support/shell.h"

namespace pgokit::test {

inline void write_sample_sources(const ScratchDir& dir) {
  dir.write("shared.h", R"(
#pragma once
extern "C" int c_part(int x);
struct Shape {
  virtual ~Shape() = default;
  virtual int area() const { return scale(1); }
  int scale(int by) const { return by * size + offset(by); }
  static int offset(int by) { return by > 3 ? by - 3 : 3 - by; }
  int size = 2;
};
struct Square : Shape {
  int area() const override { return scale(size) * scale(size + 1); }
};
template <class T, int N> struct Table {
  T values[N] = {};
  T sum() const { T s = 0; for (int i = 0; i < N; ++i) s += mix(values[i]); return s; }
  static T mix(T v) { return v * 31 + (v >> 3); }
};
template <class T, class Less> inline void order(T* begin, T* end, Less less) {
  auto swap = [](T& a, T& b) { T t = a; a = b; b = t; };
  for (T* i = begin; i < end; ++i)
    for (T* j = i; j > begin && less(*j, j[-1]); --j) swap(*j, j[-1]);
}
inline int comdat(int x) { int s = 0; while (x > 0) { s += Shape::offset(x); x -= 2; } return s; }
int other_file(int x);
)");
  dir.write("main.cc", R"(
#include "shared.h"
#ifdef RICH
#include <algorithm>
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) static int rich(int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(other_file(i) ^ c_part(i));
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 17 < b % 17; });
  std::map<std::string, int> named;
  for (int n : numbers) named[std::to_string(n % 50)] += comdat(n & 31);
  int sum = 0;
  for (auto& [name, value] : named) sum += value ^ int(name.size());
  return sum;
}
#else
static int rich(int count) { return count; }
#endif
extern "C" int puts(const char*);
static int local(int x) { return x ? local(x - 1) * 2 + comdat(x) : 1; }
namespace { struct Hidden { int run(int x) { return comdat(x) + local(x & 7); } }; }
int never_called(int x) { return comdat(x) * local(x); }
__attribute__((noinline, cold)) static void fail_badly(const char* why) { puts(why); }
int main(int argc, char** argv) {
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = other_file(i * argc) ^ c_part(i);
  order(numbers, numbers + 64, [](int a, int b) { return a % 17 < b % 17; });
  Table<long, 8> table;
  auto twice = [&](int x) { struct Inner { static int go(int y) { return comdat(y) + 1; } };
                            return Inner::go(x) * 2; };
  for (int n : numbers) table.values[n & 7] += twice(n & 63) + Hidden{}.run(n & 31);
  if (argc > 5) fail_badly(argv[1]);
  Square square; const Shape& shape = square;
  return int(table.sum() + shape.area() + rich(argc * 40)) & 1;
}
)");
  dir.write("other.cc", R"(
#include "shared.h"
static int local(int x) { return x * comdat(x); }
static int unused_local(int x) { return x - local(x); }
int also_never_called(int x) { return unused_local(x) + comdat(x); }
int other_file(int x) {
  Table<long, 8> table; table.values[x & 7] = x; Square s; s.size = x;
  const Shape& shape = s;
  return int(table.sum()) + local(x & 31) + shape.area();
}
)");
  dir.write("part.c", R"(
struct pair { int a, b; };
static inline int join(struct pair p) { return p.a * 7 + p.b; }
static int local(int x) { int s = 0; for (int i = 0; i < x % 10; ++i) { int t = i * x; s += t ^ join((struct pair){t, i}); } return s; }
int c_part(int x) { if (x & 1) return local(x); return join((struct pair){x, local(x + 1)}); }
)");
}

}  // namespace pgokit::test

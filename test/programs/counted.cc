// A small program of which -fprofile-generate and its relatives have something to count: branches,
// loops, indirect and virtual calls, memory operations of several sizes, decisions with conditions,
// static functions, templates, and functions that never run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

int doubled(int x) { return x * 2; }
int next(int x) { return x + 1; }
int opposite(int x) { return x % 3 ? -x : x; }

using Step = int (*)(int);
Step steps[] = {doubled, next, opposite, std::abs};

}  // namespace

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int n) const = 0;
};
struct Square : Shape {
  int area(int n) const override { return n * n; }
};
struct Line : Shape {
  int area(int) const override { return 0; }
};
struct Strip : Shape {
  int area(int n) const override { return n > 4 ? n : 4; }
};

template <int N>
__attribute__((noinline)) int rounds(int x) {
  int sum = 0;
  for (int i = 0; i < x % (N + 2); ++i) sum += i ^ N;
  return sum;
}

__attribute__((noinline)) int step(int i, int x) { return steps[i](x); }
__attribute__((noinline)) int total(const std::vector<Shape*>& shapes, int n) {
  int sum = 0;
  for (const auto* shape : shapes) sum += shape->area(n);
  return sum;
}
__attribute__((noinline)) int decide(int a, int b, int c) {
  if ((a && b) || (c && !a)) return 1;
  return a || (b && c) ? 2 : 0;
}
__attribute__((noinline)) int classify(int x) {
  switch (x % 7) {
    case 0:
      return 3;
    case 1:
      return 5;
    case 4:
      return x;
    default:
      return x > 100 ? 1 : 2;
  }
}
int never(int x) { return x ? never(x - 1) : 1; }

int main(int count, char** words) {
  int n = count > 1 ? std::atoi(words[1]) : 10, sum = 0;
  char from[600] = {}, to[600];
  std::vector<Shape*> shapes{new Square, new Line, new Strip};
  if (n % 2) shapes.push_back(new Square);
  for (int i = 0; i < n; ++i) {
    sum += step(i % (n % 4 + 1), i) + total(shapes, i) + decide(i & 1, i & 2, i & 4) + classify(i);
    std::memcpy(to, from, static_cast<std::size_t>(i * 7 % 600));
    std::memset(from, i, static_cast<std::size_t>(i % 40));
    sum += rounds<1>(i) + rounds<5>(i) + to[i % 8];
  }
  if (n == 12345) sum += never(n);
  std::printf("%d\n", sum);
  return 0;
}

// Templates, virtual calls, static functions and overloads, lambdas, constructors that are inlined.
// Blocks share lines on purpose: discriminators tell them apart.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int) const = 0;
};
struct Square : Shape {
  int area(int x) const override { return x * x + side; }
  int side = 3;
};
struct Round : Shape {
  int area(int x) const override { return 3 * x - 1; }
};

struct Point {
  Point(int x, int y) : x(x), y(y) { if (x > 900) y += x; sum = x + y; }
  int x, y, sum;
};

__attribute__((noinline)) int scaled(int x) { return x * 7 + 1; }
__attribute__((noinline)) int scaled(long x) { return static_cast<int>(x / 3); }

}  // namespace

template <class Number>
__attribute__((noinline)) Number total(const std::vector<Number>& numbers) {
  Number sum = 0;
  for (auto x : numbers) { if (x > 500) sum += x * 3; else sum -= x; }
  return sum;
}

__attribute__((noinline)) int area_of(const Shape& shape, int i) { return shape.area(i) + 1; }

static int folded(const std::vector<int>& numbers, int limit) {
  int sum = 0;
  auto take = [&](int x) { if (x % 3 == 0) sum += x; else sum ^= x << 1; };
  for (int x : numbers) { if (x < limit) take(x); else sum += scaled(x); }
  return sum;
}

__attribute__((noinline)) int points(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) { Point p(i * 37 % 1000, i); sum += p.sum ^ scaled(long{p.x}); }
  return sum;
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 4000;
  std::vector<int> numbers;
  for (int i = 0; i < 300; ++i) numbers.push_back(i * 37 % 1000);
  std::vector<long> longer(numbers.begin(), numbers.end());
  std::map<std::string, int> words;
  Square square;
  Round round;
  long sum = 0;
  for (int n = 0; n < rounds; ++n) {
    sum += total(numbers) + total(longer);
    sum ^= folded(numbers, 800) + points(50);
    for (int i = 0; i < 40; ++i) sum += area_of(i % 20 ? static_cast<Shape&>(square) : round, i);
    words[std::to_string(n % 50)] += static_cast<int>(sum);
  }
  std::printf("%ld %zu\n", sum, words.size());
}

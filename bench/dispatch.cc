// A program that does little but call through pointers: shapes with virtual functions, filters in a
// table, and a comparison that sorting is given. At each call one target is the usual one.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual double scaled(double by) const = 0;
};

struct Rectangle final : Shape {
  double width, height;
  Rectangle(double w, double h) : width(w), height(h) {}
  double area() const override { return width * height; }
  double scaled(double by) const override { return width * by + height * by; }
};

struct Circle final : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3.14159265 * radius * radius; }
  double scaled(double by) const override { return 6.2831853 * radius * by; }
};

struct Nothing final : Shape {
  double area() const override { return 0; }
  double scaled(double) const override { return 0; }
};

using Filter = unsigned (*)(unsigned);
unsigned spread(unsigned x) { return x * 2654435761u; }
unsigned fold(unsigned x) { return x ^ x >> 15; }
unsigned turn(unsigned x) { return x << 7 | x >> 25; }
unsigned keep(unsigned x) { return x + 1; }
const std::array<Filter, 4> filters{fold, spread, turn, keep};

struct Stage {
  unsigned filter;
};

using Less = bool (*)(unsigned, unsigned);
bool ascending(unsigned a, unsigned b) { return a < b; }
bool descending(unsigned a, unsigned b) { return a > b; }

__attribute__((noinline)) double total(const std::vector<std::unique_ptr<Shape>>& shapes,
                                       double by) {
  double sum = 0;
  for (const auto& shape : shapes) sum += shape->area() + shape->scaled(by);
  return sum;
}

__attribute__((noinline)) unsigned filtered(const std::vector<Stage>& stages, unsigned value) {
  for (const Stage& stage : stages) value = filters[stage.filter](value);
  return value;
}

__attribute__((noinline)) void sort(std::vector<unsigned>& values, Less less) {
  for (size_t gap = values.size() / 2; gap > 0; gap /= 2) {
    for (size_t i = gap; i < values.size(); ++i) {
      const unsigned value = values[i];
      size_t at = i;
      for (; at >= gap && less(value, values[at - gap]); at -= gap) values[at] = values[at - gap];
      values[at] = value;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  std::vector<std::unique_ptr<Shape>> shapes;
  std::vector<Stage> stages;
  for (int i = 0; i < 1000; ++i) {
    if (i % 50 == 49) {
      shapes.push_back(std::make_unique<Nothing>());
    } else if (i % 25 == 24) {
      shapes.push_back(std::make_unique<Circle>(i));
    } else {
      shapes.push_back(std::make_unique<Rectangle>(i, 2));
    }
    stages.push_back({i % 40 == 39 ? 2u : i % 20 == 19 ? 1u : 0u});
  }
  double sum = 0;
  unsigned value = 1;
  for (int round = 0; round < rounds; ++round) {
    sum += total(shapes, round);
    value = filtered(stages, value);
    std::vector<unsigned> values(100);
    for (auto& each : values) value = value * 1664525 + 1013904223, each = value;
    sort(values, round % 16 == 15 ? descending : ascending);
    value ^= values[0];
  }
  printf("%.0f %u\n", sum, value);
}

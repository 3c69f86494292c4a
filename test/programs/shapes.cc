// C++: templates, virtual calls, exceptions, lambdas, recursion, inlining several deep.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual int corners() const { return 0; }
};

struct Circle : Shape {
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3.14159 * radius * radius; }
  double radius;
};

struct Box : Shape {
  Box(double a, double b) : width(a), height(b) {
    if (a < 0 || b < 0) throw std::invalid_argument("negative side");
  }
  double area() const override { return width * height; }
  int corners() const override { return 4; }
  double width, height;
};

template <int N>
struct Polygon : Shape {
  explicit Polygon(double s) : side(s) {}
  double area() const override { return side * side * N / 4.0; }
  int corners() const override { return N; }
  double side;
};

template <class T>
T clamp_to(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

std::unique_ptr<Shape> make(unsigned seed) {
  switch (seed % 6) {
    case 0:
      return std::make_unique<Circle>(seed % 10);
    case 1:
      return std::make_unique<Box>(seed % 7, seed % 5);
    case 2:
      return std::make_unique<Polygon<3>>(seed % 11);
    case 3:
      return std::make_unique<Polygon<5>>(seed % 13);
    case 4:
      return std::make_unique<Polygon<6>>(seed % 3);
    default:
      return std::make_unique<Box>(static_cast<double>(seed % 4) - 1.0, 2);
  }
}

int depth_first(int node, int size, const std::vector<int>& weight) {
  if (node >= size) return 0;
  return weight[static_cast<size_t>(node)] +
         std::max(depth_first(2 * node + 1, size, weight), depth_first(2 * node + 2, size, weight));
}

template <class F>
double sum_of(const std::vector<std::unique_ptr<Shape>>& shapes, F value) {
  double total = 0;
  for (const auto& shape : shapes) total += value(*shape);
  return total;
}

}  // namespace

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  std::map<std::string, int> counts;
  int refused = 0;
  for (unsigned seed = 1; seed < 4000; ++seed) {
    try {
      shapes.push_back(make(seed * 2654435761u >> 7));
      ++counts[std::to_string(shapes.back()->corners())];
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  double area =
      sum_of(shapes, [](const Shape& shape) { return clamp_to(shape.area(), 1.0, 90.0); });
  double corners = sum_of(shapes, [](const Shape& shape) { return shape.corners(); });
  std::vector<int> weight(2047);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<int>(i * 37 % 101);
  std::sort(shapes.begin(), shapes.end(),
            [](const auto& a, const auto& b) { return a->area() < b->area(); });
  std::printf("%.1f %.1f %d %d %zu\n", area, corners, depth_first(0, 2047, weight), refused,
              counts.size());
}

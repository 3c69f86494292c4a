// Exceptions, virtual calls, templates and functions of the same local name.
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
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Circle : Shape {
  double r;
  explicit Circle(double r) : r(r) {}
  double area() const override {
    if (r < 0) throw std::invalid_argument("radius");
    return r * r * 3.14159;
  }
};
__attribute__((noinline)) double sum(const std::vector<std::unique_ptr<Shape>>& shapes) {
  double all = 0;
  for (const auto& shape : shapes) {
    try {
      all += shape->area();
    } catch (const std::invalid_argument&) {
      all -= 1;
    }
  }
  return all;
}
__attribute__((noinline)) int classify(const std::string& text) {
  static const std::map<std::string, int> kinds{{"a", 1}, {"bb", 2}, {"ccc", 3}, {"dddd", 4}};
  auto found = kinds.find(text);
  if (found == kinds.end()) throw std::out_of_range(text);
  switch (found->second) {
    case 1:
      return 10;
    case 2:
      return 25;
    case 3:
      return 31;
    default:
      return 7;
  }
}
}  // namespace

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 60; i++) {
    if (i % 3)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Circle>(i % 30 ? i : -1));
  }
  double all = 0;
  long kinds = 0;
  const char* words[] = {"a", "bb", "ccc", "dddd", "other"};
  for (int i = 0; i < 60000; i++) {
    if (i % 20 == 0) all += sum(shapes);
    try {
      kinds += classify(words[i % 5]);
    } catch (const std::exception& e) {
      kinds -= static_cast<long>(e.what()[0]);
    }
  }
  std::vector<int> numbers(3000);
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = static_cast<int>(i * 7919 % 3001);
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 100 < b % 100; });
  std::printf("%.1f %ld %d\n", all, kinds, numbers[77]);
}

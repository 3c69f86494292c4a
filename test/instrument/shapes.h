#pragma once

struct Shape {
  virtual ~Shape() = default;
  virtual double area(double size) const = 0;
};

int other_file(int x);

__attribute__((noinline)) inline int shared_inline(int x) { return x > 10 ? x * 2 : x + 7; }

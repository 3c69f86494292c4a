// A program without a library: calls, inlined ones, templates, switches, indirect calls, floating point.
#ifdef _WIN32
extern "C" int _fltused = 0;
#endif

volatile int sink;
volatile double weight = 1.5;

template <class T>
__attribute__((noinline)) T scaled(T value) {
  return value * 3 + 1;
}

static int sum_of(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    if (i & 1)
      sum += scaled(i);
    else
      sum -= i;
  }
  return sum;
}

__attribute__((noinline)) int middle(int value) { return sum_of(value) + sum_of(value + 1); }

static __attribute__((noinline)) int choose(int kind, int value) {
  switch (kind) {
    case 0:
      return value + 1;
    case 1:
      return middle(value);
    case 2:
      return value * value;
    case 3:
      return sum_of(value) ^ kind;
    case 7:
      return value / 3;
    default:
      return static_cast<int>(weight * value);
  }
}

struct Shape {
  virtual int area(int side) const = 0;
};
struct Square final : Shape {
  int area(int side) const override { return side * side; }
};
struct Triangle final : Shape {
  int area(int side) const override { return scaled(side) * side / 2; }
};

static Square square;
static Triangle triangle;
static const Shape* volatile shapes[] = {&square, &triangle};

__attribute__((noinline)) int recursive(int depth) {
  return depth <= 1 ? 1 : recursive(depth - 1) + recursive(depth - 2) + scaled(depth);
}

extern "C" void start() {
  for (int i = 0; i < 1000; ++i) {
    sink = choose(i & 7, i) + recursive(i & 7);
    sink = shapes[i & 1]->area(i);
  }
  for (;;) sink = 0;
}

/* C: a switch with a table, function pointers, recursion, tail calls, static helpers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long (*Operation)(long, long);

static long add(long a, long b) { return a + b; }
static long subtract(long a, long b) { return a - b; }
static long multiply(long a, long b) { return a * b % 1000003; }

static long power(long base, unsigned exponent) {
  if (exponent == 0) return 1;
  long half = power(base, exponent / 2);
  return exponent % 2 ? half * half % 1009 * base % 1009 : half * half % 1009;
}

__attribute__((noinline)) static int is_odd(unsigned n);
__attribute__((noinline)) static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__attribute__((noinline)) static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static Operation table[] = {add, subtract, multiply};

__attribute__((noinline)) long step(int code, long value, long operand) {
  switch (code) {
    case 0:
      return add(value, operand);
    case 1:
      return subtract(value, operand * 2);
    case 2:
      return multiply(value, operand);
    case 3:
      return power(operand, (unsigned)value & 15);
    case 4:
      return is_even((unsigned)operand & 31) ? value : -value;
    case 5:
      return table[value & 1](value, operand);
    case 6:
      for (int i = 0; i < (operand & 7); ++i) value ^= value << 3 | i;
      return value;
    case 7:
      return value < 0 ? -value : value + labs(operand);
    default:
      return table[(unsigned long)value % 3](value, operand);
  }
}

long run(const unsigned char* program, size_t size, long value) {
  for (size_t i = 0; i + 1 < size; i += 2) {
    value = step(program[i] % 9, value, program[i + 1]);
    if (value > 1000000) value %= 1000;
  }
  return value;
}

static int compare(const void* a, const void* b) {
  long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  unsigned char program[512];
  long values[64];
  unsigned state = argc > 1 ? (unsigned)strlen(argv[1]) : 17;
  for (size_t i = 0; i < sizeof program; ++i) {
    state = state * 1103515245 + 12345;
    program[i] = (unsigned char)(state >> 16);
  }
  for (int i = 0; i < 64; ++i) values[i] = run(program, sizeof program, i * 7919);
  qsort(values, 64, sizeof values[0], compare);
  printf("%ld\n", values[31]);
  return 0;
}

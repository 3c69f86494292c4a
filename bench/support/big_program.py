#!/usr/bin/env python3
"""Makes a program with 100 MB of code, with debug information, in a minute or two.

    python3 bench/support/big_program.py [FOLDER]      writes FOLDER/big, build/bench/big by default

Four different units of C++ are generated and compiled. Each is then copied 25 times or more: the
copies differ in the name of their namespace, which has the same length in all of them and so can be
replaced in the object file as it is: symbols and debug information stay right, and nothing has to be
compiled again.
"""
import concurrent.futures
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT_BYTES = 100 << 20
SEEDS = 4
FUNCTIONS = 450  # per unit
FLAGS = ["-std=c++20", "-O2", "-g", "-fdebug-info-for-profiling", "-ffunction-sections"]

HEAD = """#include <cstdint>
#include <vector>
#include <string>
namespace unit000 {
using u64 = std::uint64_t;
struct State { std::vector<u64> items; std::string text; u64 sum = 0, fuel = 20000; };
template <int N> inline u64 rotate(u64 x) { return x << N | x >> (64 - N); }
template <int N> inline u64 scramble(u64 x) { return rotate<N % 63 + 1>(x * (2 * N + 1)) ^ (x >> 7); }
template <int N> inline void remember(State& s, u64 x) {
  if (s.items.size() > N * 3) s.items.clear();
  s.items.push_back(scramble<N>(x));
}
template <int N> inline u64 pick(const State& s, u64 x) {
  if (s.items.empty()) return scramble<N>(x);
  u64 best = x;
  for (u64 item : s.items)
    if ((item ^ N) % 5 == 2) best = scramble<N + 1>(best + item);
  return best;
}
template <int N> inline void note(State& s, u64 x) {
  if (x % 97 == N) s.text += static_cast<char>('a' + x % 26);
  else if (s.text.size() > 100) s.text.resize(N);
}
struct Shape { virtual ~Shape() = default; virtual u64 area(State& s, u64 x) = 0; };
"""

STEPS = ["x = scramble<{n}>(x);", "remember<{n}>(s, x);", "x += pick<{n}>(s, x);", "note<{n}>(s, x);",
         "if (x % {m} == 3) x ^= pick<{n}>(s, x + {m}); else remember<{n}>(s, x + 1);",
         "for (u64 i = 0; i < x % {m}; ++i) x += scramble<{n}>(i);",
         "switch (x % {m}) {{ case 0: x += 3; break; case 1: note<{n}>(s, x); break; case 2: x = f{c}(s, x >> 1); "
         "break; case 5: remember<{n}>(s, x); break; case 7: x = ~x; break; default: x -= {m}; }}",
         "if (x & {m}) x = f{c}(s, x >> 3);"]


def unit_source(seed, functions=FUNCTIONS):
    chance = random.Random(seed)
    out = [HEAD]
    for i in range(functions):
        out.append(f"u64 f{i}(State& s, u64 x);")
    for i in range(functions):
        body = [chance.choice(STEPS).format(n=chance.randrange(60), m=chance.randrange(8, 200),
                                            c=chance.randrange(functions)) for _ in range(chance.randrange(4, 18))]
        out.append(f"u64 f{i}(State& s, u64 x) {{\n  if (!x || !s.fuel) return s.sum;\n  --s.fuel;\n  " + "\n  ".join(body) + "\n  return x;\n}")
        if i % 9 == 0:
            out.append(f"struct Shape{i} : Shape {{ u64 area(State& s, u64 x) override {{ return f{i}(s, x) + {i}; }} }};\n"
                       f"Shape* make{i}() {{ return new Shape{i}; }}")
    out.append("u64 start(u64 x) { State s; for (u64 i = 0; i < 100; ++i) { x += f0(s, x + i); Shape* shape = make9(); "
               "x ^= shape->area(s, i); delete shape; } return x + s.sum; }\n}")
    return "\n".join(out) + "\n"


def run(command, folder):
    subprocess.run(command, cwd=folder, check=True)


def compile_unit(folder, seed, functions):
    (folder / f"unit{seed}.cc").write_text(unit_source(seed, functions), encoding="utf-8")
    run(["clang++-22", *FLAGS, "-c", f"unit{seed}.cc", "-o", f"unit{seed}.o"], folder)


def text_bytes(path):
    """What the sections of code take; `size` counts read-only data and unwind tables with them."""
    out = subprocess.run(["llvm-readelf-22", "-SW", path], text=True, check=True, stdout=subprocess.PIPE).stdout
    lines = (line.split("]", 1)[1].split() for line in out.splitlines() if "] .text" in line)
    return sum(int(fields[4], 16) for fields in lines)


def build(folder, size=TEXT_BYTES, seeds=SEEDS, functions=FUNCTIONS):
    """The program's path; made once. `size`: of its code; `seeds`: different units, of so many functions each."""
    program = folder / "big"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    print(f"making a program with {size >> 20} MB of code", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda seed: compile_unit(folder, seed, functions), range(seeds)))
    templates = [(folder / f"unit{seed}.o").read_bytes() for seed in range(seeds)]
    sizes = [text_bytes(folder / f"unit{seed}.o") for seed in range(seeds)]
    objects, total = [], 0
    while total < size and len(objects) < 1000:
        number = len(objects)
        name = f"unit{number:03}"
        (folder / f"{name}.o").write_bytes(templates[number % seeds].replace(b"unit000", name.encode()))
        objects.append(f"{name}.o")
        total += sizes[number % seeds]
    names = [name[:-2] for name in objects]
    (folder / "main.cc").write_text(
        "#include <cstdint>\n#include <cstdio>\n" +
        "".join(f"namespace {name} {{ std::uint64_t start(std::uint64_t); }}\n" for name in names) +
        "int main(int argc, char**) {\n  std::uint64_t x = argc;\n" +
        "".join(f"  x += {name}::start(x);\n" for name in names) +
        "  std::printf(\"%llu\\n\", static_cast<unsigned long long>(x));\n}\n", encoding="utf-8")
    run(["clang++-22", *FLAGS, "-fuse-ld=lld-22", "main.cc", *objects, "-o", "big.new"], folder)
    for name in objects:
        (folder / name).unlink()
    (folder / "big.new").rename(program)
    return program


if __name__ == "__main__":
    made = build(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/bench/big")
    print(f"{made}: {text_bytes(made) / 2**20:.0f} MB of code, {made.stat().st_size / 2**20:.0f} MB in all")

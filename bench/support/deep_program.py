#!/usr/bin/env python3
"""Makes programs with deep call chains and deep inlining: what context-sensitive profiles are slow on.

    python3 bench/support/deep_program.py FOLDER MEGABYTES      writes FOLDER/lines and FOLDER/probes

Both have about MEGABYTES of code: one with debug information alone, the other with pseudo probes too. A few units of
C++ are generated and compiled; the others are copies of their objects in which the name of the namespace, and with
it every name and its MD5 in the probes, was replaced by one of the same length.

Calls go down: function i calls some of the next ones, so that chains get long without being recursive, and at times
through a table to another unit, so that the same functions are reached by many ways. Every function has a few
trees of inlined templates up to six levels deep.
"""
import concurrent.futures
import hashlib
import pathlib
import random
import re
import subprocess
import sys

import big_program

SEEDS = 4
FUNCTIONS = 450  # per unit
FLAGS = ["-std=c++20", "-O2", "-g", "-fdebug-info-for-profiling", "-ffunction-sections", "-fno-exceptions"]
KINDS = {"lines": [], "probes": ["-fpseudo-probe-for-profiling"]}

HEAD = """#include <cstdint>
using u64 = std::uint64_t;
struct State { u64 sum = 0, items[64] = {}; };
using Step = u64 (*)(State&, u64);
extern Step table[1024];
namespace unit000 {
template <int N> inline u64 rotate(u64 x) { return x << (N % 63 + 1) | x >> (63 - N % 63); }
template <int N> inline u64 scramble(State& s, u64 x) {
  if (x % (N + 3) == 1) s.sum += x;
  return rotate<N>(x * (2 * N + 1)) ^ (x >> 7);
}
template <int N> inline u64 store(State& s, u64 x) {
  u64& item = s.items[x % 64];
  if (item & 1) item += scramble<N>(s, x); else item ^= x;
  return item;
}
template <int N, int D> inline u64 tree(State& s, u64 x) {
  if constexpr (D == 0) {
    return N % 2 ? store<N>(s, x) : scramble<N>(s, x);
  } else {
    if (x % (N + D + 2) == 0) return tree<(N * 5 + 3) % 16, D - 1>(s, x >> 1) + N;
    for (u64 i = 0; i < x % 3; ++i) x += s.items[i + D];
    return x ^ tree<(N * 3 + 1) % 16, D - 1>(s, x + D);
  }
}
"""


def unit_source(seed, changed=False):
    """`changed`: every third function differs from what it is otherwise, and all lie some lines further down."""
    chance = random.Random(seed)
    out = [HEAD] + [f"u64 f{i}(State& s, u64 x);" for i in range(FUNCTIONS)]
    for i in range(FUNCTIONS):
        # Towards the end of the unit and back to its beginning by the table only.
        callees = [min(i + chance.randrange(1, 14), FUNCTIONS - 1) for _ in range(2)]
        steps = [f"if (x % {chance.randrange(2, 9)}) x += f{c}(s, x >> 1);" for c in callees if c > i]
        steps += [f"x ^= tree<{chance.randrange(16)}, {chance.randrange(1, 7)}>(s, x);" for _ in range(chance.randrange(1, 3))]
        if chance.random() < 0.1:
            steps.append(f"x += table[(x + {chance.randrange(1024)}) % 1024](s, x >> 2);")
        chance.shuffle(steps)
        if changed and i % 3 == 0:
            steps.insert(len(steps) // 2, f"if (x % 11 == 3) x += s.items[{i % 64}];\n")
        out.append(f"u64 f{i}(State& s, u64 x) {{\n  " + "\n  ".join(steps) + "\n  return x;\n}")
    return "\n".join(out) + "\n}\n"


def run(command, folder):
    subprocess.run(command, cwd=folder, check=True)


def compile_unit(folder, seed, kind, changed):
    name = f"{kind}{seed}"
    (folder / f"{name}.cc").write_text(unit_source(seed, changed), encoding="utf-8")
    run(["clang++-22", *FLAGS, *KINDS[kind], "-c", f"{name}.cc", "-o", f"{name}.o"], folder)


def guid(name):
    return hashlib.md5(name).digest()[:8]


def renamed(template, names, old, new):
    """A copy of the object whose namespace has another name."""
    ids = {guid(name): guid(name.replace(old, new)) for name in names}
    copy = template.replace(old, new)
    return re.sub(b"|".join(map(re.escape, ids)), lambda found: ids[found[0]], copy, flags=re.S) if ids else copy


def link(folder, kind, megabytes):
    templates = [(folder / f"{kind}{seed}.o").read_bytes() for seed in range(SEEDS)]
    names = [set(re.findall(rb"_ZN7unit000\w+", template)) if KINDS[kind] else set() for template in templates]
    size = sum(big_program.text_bytes(folder / f"{kind}{seed}.o") for seed in range(SEEDS)) / SEEDS
    units = []
    for number in range(max(1, round(megabytes * 2**20 / size))):
        name = f"unit{number:03}"
        (folder / f"{name}.o").write_bytes(renamed(templates[number % SEEDS], names[number % SEEDS], b"unit000", name.encode()))
        units.append(name)
    chance = random.Random(megabytes)
    steps = [(chance.choice(units), chance.randrange(FUNCTIONS)) for _ in range(1024)]
    (folder / "main.cc").write_text(
        "#include <cstdint>\nusing u64 = std::uint64_t;\nstruct State { u64 sum = 0, items[64] = {}; };\n"
        "using Step = u64 (*)(State&, u64);\n" +
        "".join(f"namespace {unit} {{ u64 f{step}(State&, u64); }}\n" for unit, step in sorted(set(steps))) +
        "".join(f"namespace {unit} {{ u64 f0(State&, u64); }}\n" for unit in units) +
        "Step table[1024] = {" + ", ".join(f"{unit}::f{step}" for unit, step in steps) + "};\n"
        "int main(int argc, char**) {\n  State s;\n  u64 x = argc;\n" +
        "".join(f"  x += {unit}::f0(s, x);\n" for unit in units) + "  return static_cast<int>(x);\n}\n", encoding="utf-8")
    run(["clang++-22", *FLAGS, *KINDS[kind], "-fuse-ld=lld-22", "main.cc", *[f"{unit}.o" for unit in units], "-o", "new"], folder)
    for unit in units:
        (folder / f"{unit}.o").unlink()
    (folder / "new").rename(folder / kind)


def build(folder, megabytes, changed=False):
    """Makes what is not there yet; returns the paths by kind. `changed`: a newer build."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        if (folder / kind).exists():
            continue
        print(f"making a program with {megabytes} MB of code ({kind})", file=sys.stderr)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda seed: compile_unit(folder, seed, kind, changed), range(SEEDS)))
        link(folder, kind, megabytes)
    return {kind: folder / kind for kind in KINDS}


if __name__ == "__main__":
    for made in build(pathlib.Path(sys.argv[1]), int(sys.argv[2])).values():
        print(f"{made}: {big_program.text_bytes(made) / 2**20:.1f} MB of code")

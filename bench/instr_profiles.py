#!/usr/bin/env python3
"""pgokit beside llvm-profdata 22 on instrumentation profiles of one program, in one run: wall time, CPU time, peak memory.

    ./dev bench instr_profiles [--runs N] [--count N] [--functions N] [--only NAME]

Writes bench/instr_profiles.md. The program is made once, in build/bench/instr_profiles: C functions with branches, loops,
indirect calls and memory operations. It runs COUNT times, each time through other functions and, as a position-independent
program, at other addresses. Both tools write the same bytes, which is checked; weights of values are left alone by both.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import beside_profdata  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/instr_profiles"
PGOKIT = ROOT / "build/bin/pgokit"
PEER = beside_profdata.PEER
HEAD = """#include <stdlib.h>
#include <string.h>
typedef unsigned (*Function)(unsigned);
extern Function table[];
extern char from[], to[];
"""


def function(i, functions, rnd):
    """A name is about as long as those of C++."""
    lines = [f"unsigned {name(i)}(unsigned x) {{"]
    lines += [f"  if (x % {rnd.randrange(2, 9)} == {rnd.randrange(2)}) x = x * {rnd.randrange(3, 99)} + 1;" for _ in range(rnd.randrange(1, 9))]
    if rnd.random() < 0.5:
        lines.append(f"  for (unsigned i = 0; i < x % {rnd.randrange(2, 6)}; ++i) x ^= i * {rnd.randrange(3, 99)};")
    if rnd.random() < 0.2 and i > 10:
        lines.append(f"  x += table[x % {min(i, rnd.randrange(1, 9))}](x);")
    if rnd.random() < 0.1:
        lines.append(f"  memcpy(to, from, x % {rnd.randrange(1, 99)});")
    return "\n".join(lines + ["  return x;", "}"])


def name(i):
    return f"_ZN7example{i % 37:02}_part12worker_{i:06}Ejj" + "_of_a_template" * (i % 4)


def program(functions):
    folder = WORK / f"program-{functions}"
    done = folder / "program"
    if done.exists():
        return done
    folder.mkdir(parents=True, exist_ok=True)
    rnd, per_file = random.Random(5), 2000
    objects = []
    for begin in range(0, functions, per_file):
        source = folder / f"{begin}.c"
        source.write_text(HEAD + "\n".join(function(i, functions, rnd) for i in range(begin, min(functions, begin + per_file))))
        objects.append(source.with_suffix(".o"))
        subprocess.run(["clang-22", "-O1", "-fprofile-generate", "-c", source, "-o", objects[-1]], check=True)
    names = ",\n".join(name(i) for i in range(functions))
    declared = "\n".join(f"unsigned {name(i)}(unsigned);" for i in range(functions))
    (folder / "main.c").write_text(HEAD + declared + f"\nchar from[100], to[100];\nFunction table[] = {{{names}}};\n" + """
int main(int count, char** words) {
  unsigned sum = atoi(words[1]), step = 1 + sum % 7;
  for (unsigned i = sum % 5; i < sizeof table / sizeof *table; i += step) sum += table[i](sum);
  return 0;
}
""")
    subprocess.run(["clang-22", "-O1", "-fprofile-generate", folder / "main.c", *objects, "-o", done], check=True)
    return done


def raw_files(functions, count):
    run = program(functions)
    folder = WORK / f"raw-{functions}"
    folder.mkdir(exist_ok=True)
    for i in range(count):
        file = folder / f"{i:04}.profraw"
        if not file.exists():
            subprocess.run([run, str(i)], env={**os.environ, "LLVM_PROFILE_FILE": str(file)}, check=True)
    return sorted(folder.iterdir())[:count]


def cases(functions, count):
    """name, what it is, the words for both tools, times faster that is wanted."""
    raw = raw_files(functions, count)
    indexed = [WORK / f"{i}.profdata" for i in range(20)]
    for i, file in enumerate(indexed):
        subprocess.run([PEER, "merge", raw[i], raw[-1 - i], "-o", file], check=True)
    text = WORK / "all.proftext"
    subprocess.run([PEER, "merge", "-text", *raw[:20], "-o", text], check=True)
    size = f"{raw[0].stat().st_size / 1e6:.1f} MB"
    return [
        ("raw", f"{count} raw files of {functions:,} functions, {size}", ["merge", *raw], 10),
        ("raw-1", "one of them", ["merge", raw[0]], 0),
        ("indexed", f"20 indexed files of {indexed[0].stat().st_size / 1e6:.1f} MB", ["merge", *indexed], 0),
        ("to-text", "one indexed file to text", ["merge", "-text", indexed[0]], 0),
        ("from-text", f"text of {text.stat().st_size / 1e6:.1f} MB", ["merge", text], 0),
        ("show", "one indexed file, all functions and counts", ["show", "-all-functions", "-counts", indexed[0]], 0),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--functions", type=int, default=10000)
    parser.add_argument("--only")
    args = parser.parse_args()
    for tool in PEER, "clang-22":
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return 77
    WORK.mkdir(parents=True, exist_ok=True)
    return beside_profdata.compare("instr_profiles", cases(args.functions, args.count), PGOKIT, WORK, args.runs, args.only)


if __name__ == "__main__":
    sys.exit(main())

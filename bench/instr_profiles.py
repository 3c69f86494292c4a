#!/usr/bin/env python3
"""pgokit beside llvm-profdata 22 on instrumentation profiles of one program, in one run: wall time, CPU time, peak memory.

    ./dev bench instr_profiles [--runs N] [--count N] [--functions N] [--only NAME]

Writes bench/instr_profiles.md. The program is made once, in build/bench/instr_profiles: C functions with branches, loops,
indirect calls and memory operations. It runs COUNT times, each time through other functions and, as a position-independent
program, at other addresses. Both tools write the same bytes, which is checked; weights of values are left alone by both.
The rows `dumps` and `dumps-show` are of the same program with blocks counted by pgokit's plugin, in as many dumps. The row
`order` is of traces of first runs, as clang's temporal instrumentation has them: both go the same steps there, on all cores.
"""
import argparse
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import beside_profdata  # noqa: E402
import start_up  # noqa: E402
from beside_profdata import Case  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/instr_profiles"
PGOKIT = ROOT / "build/bin/pgokit"
PEER = beside_profdata.PEER
CLANG = (["-fprofile-generate"], ["-fprofile-generate"])  # options of compiling, and of linking
TRACES, TRACED, PER_TRACE = 60, 16000, 3000
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


def program(functions, kind="program", options=CLANG):
    folder = WORK / f"{kind}-{functions}"
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
        subprocess.run(["clang-22", "-O1", *options[0], "-c", source, "-o", objects[-1]], check=True)
    names = ",\n".join(name(i) for i in range(functions))
    declared = "\n".join(f"unsigned {name(i)}(unsigned);" for i in range(functions))
    (folder / "main.c").write_text(HEAD + declared + f"\nchar from[100], to[100];\nFunction table[] = {{{names}}};\n" + """
int main(int count, char** words) {
  unsigned sum = atoi(words[1]), step = 1 + sum % 7;
  for (unsigned i = sum % 5; i < sizeof table / sizeof *table; i += step) sum += table[i](sum);
  return 0;
}
""")
    subprocess.run(["clang-22", "-O1", *options[0], folder / "main.c", *objects, "-o", done, *options[1]], check=True)
    return done


def files_of(run, folder, variable, count):
    """One of each run of the program, which is told by the environment where it goes."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"{i:04}" for i in range(count)]
    for i, file in enumerate(files):
        if not file.exists():
            subprocess.run([run, str(i)], env={**os.environ, variable: str(file)}, check=True)
    return files


def dumps_of(functions, count):
    """What `pgokit merge` takes: the map of the program and its dumps."""
    flags = [shlex.split(start_up.run([PGOKIT, "flags", "blocks", option])) for option in ("--compile", "--link")]
    run = program(functions, "counted", flags)
    made = run.with_name("map")
    start_up.run([PGOKIT, "map", run, "-o", made])
    return [made, *files_of(run, WORK / f"dumps-{functions}", "PGOKIT_PROFILE_FILE", count)]


def traces():
    """A profile with the orders of first runs: a part of each is that of all."""
    chance = random.Random(3)
    common = chance.sample(range(TRACED), PER_TRACE // 2)
    orders = []
    for _ in range(TRACES):
        ran = common + chance.sample(range(TRACED), PER_TRACE // 2)
        chance.shuffle(ran)
        orders.append([name(i) for i in dict.fromkeys(ran)])
    return start_up.temporal_profile(WORK, orders)


def cases(functions, count):
    raw = files_of(program(functions), WORK / f"raw-{functions}", "LLVM_PROFILE_FILE", count)
    dumps = dumps_of(functions, count)
    sums = WORK / "sum.profdata", WORK / "sum.mip"
    start_up.run([PEER, "merge", *raw, "-o", sums[0]])
    start_up.run([PGOKIT, "merge", *dumps, "-q", "-o", sums[1]])
    indexed = [WORK / f"{i}.profdata" for i in range(20)]
    for i, file in enumerate(indexed):
        subprocess.run([PEER, "merge", raw[i], raw[-1 - i], "-o", file], check=True)
    text = WORK / "all.proftext"
    subprocess.run([PEER, "merge", "-text", *raw[:20], "-o", text], check=True)
    size = f"{raw[0].stat().st_size / 1e6:.1f} MB"
    return [
        Case("raw", f"{count} raw files of {functions:,} functions, {size}", ["merge", *raw], 10),
        Case("raw-1", "one of them", ["merge", raw[0]]),
        Case("indexed", f"20 indexed files of {indexed[0].stat().st_size / 1e6:.1f} MB", ["merge", *indexed]),
        Case("to-text", "one indexed file to text", ["merge", "-text", indexed[0]]),
        Case("from-text", f"text of {text.stat().st_size / 1e6:.1f} MB", ["merge", text]),
        Case("show", "one indexed file, all functions and counts", ["show", "-all-functions", "-counts", indexed[0]]),
        Case("dumps", f"{count} dumps of pgokit's plugin, {dumps[1].stat().st_size / 1e6:.1f} MB, beside the raw files",
             ["merge", *raw], 10, ["merge", "-q", *dumps]),
        Case("dumps-show", "their sum, all functions", ["show", "-all-functions", sums[0]], 0, ["show", "--top", "0", sums[1]]),
        Case("order", f"{TRACES} traces of {PER_TRACE:,} first runs", ["order", traces()], 1),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
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

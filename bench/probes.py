#!/usr/bin/env python3
"""`pgokit probes` beside the listing of llvm-profgen: wall time, CPU time, peak memory.

    ./dev bench probes [--runs N]

Writes bench/probes.md. The program is generated and has more than 100,000 probes, most of them in inlined
functions. That pgokit and llvm-profgen list the same is checked. llvm-objdump disassembles without probes.
"""
import argparse
import json
import os
import pathlib
import platform
import random
import subprocess
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
FUNCTIONS = 3000
# Name, ours, the closest to it, and in how many times less CPU time it is to be done.
LISTING = "llvm-profgen-22 --show-disassembly-only --show-pseudo-probe"
ROWS = [("listing", "pgokit llvm-profgen, the same options", LISTING, 2), ("dump", "pgokit probes dump", LISTING, 20),
        ("disassemble", "pgokit probes disassemble", "llvm-objdump-22 -d", 1)]
BUILD = ["clang-22", "-O2", "-g1", "-fpseudo-probe-for-profiling", "-fuse-ld=lld-22"]


def source():
    chance = random.Random(1)
    small = FUNCTIONS // 4
    out = ["typedef unsigned long word; extern volatile word sink;"]
    for i in range(small):
        out.append(f"static inline word small{i}(word a, word b) {{ word s = b; "
                   f"if (a & {1 << chance.randrange(12)}) s += a * {chance.randrange(3, 99)}; else sink = a; "
                   f"while (s > {chance.randrange(1000, 9999)}) s = s / 3 + (s & 1 ? a : b); return s; }}")
    for i in range(FUNCTIONS):
        out.append(f"__attribute__((noinline)) word function{i}(word a) {{ word s = a;")
        for _ in range(chance.randrange(2, 6)):
            out.append(f"  if (a % {chance.randrange(2, 40)} == {chance.randrange(5)}) "
                       f"s += small{chance.randrange(small)}(a, s); else sink = s;")
        if i:
            out.append(f"  if (s > {chance.randrange(100, 999)}) s ^= function{chance.randrange(max(0, i - 50), i)}(s / 2);")
        out.append("  return s; }")
    out.append(f"volatile word sink; int main(int c, char **v) {{ return (int)function{FUNCTIONS - 1}((word)c); }}")
    return "\n".join(out) + "\n"


def build():
    program, text = WORK / "many_probes", source()
    file = WORK / "many_probes.c"
    if not program.exists() or not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        subprocess.run([*BUILD, file, "-o", program], check=True)
    return program


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def write_table(facts, rows, base_mb, runs, same):
    size = (facts["bytes"]["probes"] + facts["bytes"]["descriptors"]) / 1e6
    lines = ["# Listing pseudo probes", "", *textwrap.wrap(
             f"Written by `./dev bench probes`: medians of {runs} runs of each, in turn, on {os.cpu_count()} cores "
             f"({launch.machine()}, Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}). A generated program "
             f"with {facts['probes']['count']:,} probes, {facts['probes']['inlined']:,} of them in inlined functions; "
             f"{size:.1f} MB of probe sections. `pgokit --help` has a peak of {base_mb:.1f} MB.", 100, break_on_hyphens=False), "",
             "| | wall | CPU | peak memory | CPU time, times less |", "|---|---|---|---|---|"]
    judge = rows[0][1]
    for name, found in rows:
        lines.append(f"| {name} | {found.wall:.3f} s | {found.cpu:.3f} s | {found.peak_mb:.1f} MB | {judge.cpu / found.cpu:.1f}x |")
    lines += ["", f"The listing of `pgokit llvm-profgen` is {'the same, byte for byte' if same else 'ANOTHER ONE'}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    program = build()
    listing = ["--output=/dev/null", "--show-disassembly-only", "--show-pseudo-probe", f"--binary={program}"]
    commands = {
        LISTING: ["llvm-profgen-22", *listing],
        "pgokit llvm-profgen, the same options": [PGOKIT, "llvm-profgen", *listing],
        "llvm-objdump-22 -d": ["llvm-objdump-22", "-d", program],
        "pgokit probes disassemble": [PGOKIT, "probes", "disassemble", program],
        "pgokit probes dump": [PGOKIT, "probes", "dump", program],
        "pgokit probes dump --json": [PGOKIT, "probes", "dump", "--json", program],
        "pgokit probes stats": [PGOKIT, "probes", "stats", program],
    }
    found = launch.in_turn([*commands.values(), [PGOKIT, "--help"]], options.runs, WORK)
    same = output_of("llvm-profgen-22", *listing) == output_of(PGOKIT, "llvm-profgen", *listing)
    facts = json.loads(output_of(PGOKIT, "probes", "stats", "--json", program))
    text = write_table(facts, list(zip(commands, found)), found[-1].peak_mb, options.runs, same)
    print(text)
    (ROOT / "bench/probes.md").write_text(text, encoding="utf-8")
    judged, by_name = goals.Goals("probes"), dict(zip(commands, found))
    about = f"{facts['probes']['count']:,} probes"
    for name, ours, theirs, wanted in ROWS:
        judged.row(name, about, by_name[ours], by_name[theirs], ours.split(",")[0].split(), theirs.split(), cpu=wanted)
    return judged.finish() or int(not same)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How often `pgokit measure` sees a difference where there is none, and how small a difference it sees.

    ./dev bench measure [--trials N] [--rounds N] [--work N]

A program is measured with itself, and with one that does 3 % less, N times each. Prints the table of bench/measure.md;
fails if more than 5 % of the trials with itself are false alarms, and chance does not explain it (one in a thousand).
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/measure"
PGOKIT = ROOT / "build/bin/pgokit"
LESS = 0.97
PROGRAM = """
#include <stdlib.h>
int main(int argc, char **argv) {
  unsigned long x = 1;
  for (long i = atol(argv[1]); i > 0; --i) x = x * 6364136223846793005ul + (x >> 33 & 1 ? 1 : 3);
  return x == 0;
}
"""


def intervals(rounds, trials, first, second):
    """Of ratios of CPU times, one of each trial."""
    for _ in range(trials):
        done = subprocess.run([PGOKIT, "measure", "--json", "-n", str(rounds), "--", first, second], capture_output=True, text=True, check=True)
        yield json.loads(done.stdout)["comparisons"][0]["figures"]["cpu_s"]


def most_by_chance(trials, share):
    """What is exceeded once in a thousand."""
    left, most = 1.0, -1
    while left > 1e-3:
        most += 1
        left -= math.comb(trials, most) * share ** most * (1 - share) ** (trials - most)
    return most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--work", type=int, default=8000000)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "work.c").write_text(PROGRAM)
    subprocess.run(["clang-22", "-O2", WORK / "work.c", "-o", WORK / "work"], check=True)
    whole, less = (f"{WORK / 'work'} {work}" for work in (options.work, int(options.work * LESS)))
    print("| compared with | trials | rounds | seen as faster | seen as slower | half the interval |")
    print("|---|---|---|---|---|---|")
    alarms = 0
    for name, second in ("itself", whole), ("3 % less work", less):
        found = list(intervals(options.rounds, options.trials, whole, second))
        faster, slower = sum(one["high"] < 1 for one in found), sum(one["low"] > 1 for one in found)
        width = sorted((one["high"] - one["low"]) / 2 for one in found)[len(found) // 2]
        print(f"| {name} | {len(found)} | {options.rounds} | {faster} | {slower} | {100 * width:.2f} % |", flush=True)
        if second == whole:
            alarms = faster + slower
    return int(alarms > most_by_chance(options.trials, 0.05))


if __name__ == "__main__":
    sys.exit(main())

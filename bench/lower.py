#!/usr/bin/env python3
"""pgokit probes lower beside the assembler that reads what it writes: CPU time and peak memory.

    ./dev bench lower [--runs N]

The input is what clang makes of examples/documents (about 40 MB, debug information included), once in
build/bench."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
COMPILE = ["clang++-22", "-std=c++20", "-O2", "-g", "-fno-integrated-as", "-fpseudo-probe-for-profiling", "-S"]


def measure(command):
    """CPU seconds and megabytes."""
    pid = os.posix_spawnp(str(command[0]), [str(word) for word in command], os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{command}: failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11)
    runs = parser.parse_args().runs
    WORK.mkdir(parents=True, exist_ok=True)
    source, lowered, built = (WORK / name for name in ("lower.s", "lowered.s", "lowered.o"))
    if not source.exists():
        subprocess.run([*COMPILE, ROOT / "examples/documents/main.cc", "-o", source], check=True)
    commands = {"pgokit probes lower": [PGOKIT, "probes", "lower", source, "-o", lowered],
                "as": ["as", lowered, "-o", built]}
    results = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            results[name].append(measure(command))
    size = source.stat().st_size / 1e6
    print(f"{size:.1f} MB of assembly, {source.read_bytes().count(b'.pseudoprobe')} directives; median of {runs} runs")
    for name, some in results.items():
        cpu, memory = (statistics.median(column) for column in zip(*some))
        print(f"  {name:<20}{cpu:7.3f} s {size / cpu:7.0f} MB/s {memory:7.0f} MB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What software branch stacks cost, by way of recording, and how true they are.

    ./dev bench record [--runs N]

Writes the tables of bench/record.md. Ways: pgokit's code cache; PTRACE_SINGLESTEP (the recorder's own
backend, everything else being equal); ptrace with a hardware breakpoint at the end of each block;
qemu-user as it is, without any recording, where it is installed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/record"))
import exact  # noqa: E402

WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
PROGRAM = ROOT / "build/release/test/record/recorded"


def timed(command):
    started = time.monotonic()
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - started, used, done.stderr


def recorded(arguments, mode, rounds):
    wall, cpu, said = timed([PGOKIT, "record", "--software", "--stats", "-o", WORK / "record.data", *arguments,
                             "--", PROGRAM, mode, str(rounds)])
    return wall, json.loads(said[said.index("{"):])


def breakpoints():
    """Steps from block end to block end by a debug register: see breakpoints.c beside this file."""
    tool = WORK / "breakpoints"
    subprocess.run(["cc", "-O2", ROOT / "bench/breakpoints.c", "-o", tool], check=True)
    pid = subprocess.Popen([PROGRAM, "forever"], stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    try:
        out = subprocess.run([tool, str(pid.pid), "3000"], capture_output=True, text=True, check=True).stdout
    finally:
        pid.kill()
        pid.wait()
    return json.loads(out)


def ways():
    rows = []
    wall, fast = recorded([], "sort", 1500)
    rows.append(("code cache (pgokit record)", fast["branches"] / fast["stopped_s"], fast["stops"] / fast["windows"],
                 fast["stopped_s"] / fast["windows"] * 1e6))
    _, slow = recorded(["--single-step", "-F", "100"], "sort", 60)
    rows.append(("PTRACE_SINGLESTEP", slow["branches"] / slow["stopped_s"], slow["stops"] / slow["windows"],
                 slow["stopped_s"] / slow["windows"] * 1e6))
    one = breakpoints()
    per_second = one["branches"] / one["seconds"]
    rows.append(("breakpoint at each block's end", per_second, 32 * one["stops"] / one["branches"], 32 / per_second * 1e6))
    text = ["| way | branch entries per second of stopped time | stops per window | a window, µs |", "|---|---|---|---|"]
    text += [f"| {name} | {rate:,.0f} | {stops:.1f} | {us:,.0f} |" for name, rate, stops, us in rows]
    text.append("")
    text.append(f"The code cache gives {rows[0][1] / rows[1][1]:,.0f} times the entries of single-stepping in the same stopped time.")
    return text


def slow_down(runs):
    text = ["| program | alone, s | recorded at the default rate, s | slow-down | CPU time alone, s | recorded, with the recorder's, s | more |",
            "|---|---|---|---|---|---|---|"]
    for mode, rounds in (("sort", 6000), ("exceptions", 1500), ("goto", 2000), ("calls", 2500), ("threads", 1000)):
        alone, with_recorder = [], []
        for _ in range(runs):
            alone.append(timed([PROGRAM, mode, str(rounds)])[:2])
            with_recorder.append(timed([PGOKIT, "record", "-q", "--software", "-o", WORK / "record.data", "--", PROGRAM, mode,
                                        str(rounds)])[:2])
        cells = []
        for a, b in zip(map(min, zip(*alone)), map(min, zip(*with_recorder))):
            cells.append(f"{a:.2f} | {b:.2f} | {100 * (b / a - 1):.1f} %")
        text.append(f"| {mode} | {' | '.join(cells)} |")
    if shutil.which("qemu-x86_64"):
        alone = min(timed([PROGRAM, "sort", "300"])[0] for _ in range(runs))
        emulated = min(timed(["qemu-x86_64", PROGRAM, "sort", "300"])[0] for _ in range(runs))
        text += ["", f"qemu-user, without recording anything: {emulated / alone:.1f} times the time of `sort`."]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    measured = [exact.measure(PGOKIT, ROOT / "build/release/test/record/recorded_exact", WORK) for _ in range(options.runs)]
    text = ["# Recording in software: measured", "", "    ./dev bench record", "", "## Ways to get a branch stack", "", *ways(),
            "", "## Slow-down of the program", "", *slow_down(options.runs), "", "## Agreement with exact counts", "",
            "Overlap with the counts of clang's instrumentation, which are those of the recorded run itself:", ""]
    text += ["| samples | overlap | of a sampler without bias |", "|---|---|---|"]
    text += [f"| {samples:,} | {100 * overlap:.1f} % | {100 * chance:.1f} % |" for samples, overlap, chance in measured]
    (ROOT / "bench/record.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()

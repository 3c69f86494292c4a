#!/usr/bin/env python3
"""How long a running program stands still while it is recorded, and what that costs the recorder.

    ./dev bench stops [--runs N] [--pgokit PROGRAM ...] [--record OPTIONS ...]

Attaches recorders in turn to one running program, which notes the time and its own CPU time of each
of some 50 ms of work. Time that is not its own CPU time it has stood still (or waited for a
processor: the machine must be idle). That share is exact where the machine's speed changes all the time, as that of
virtual machines does; what recording adds to the program's own CPU time is not.
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

PHASE_S, WITHOUT_S = 4.5, 2.0
BEGINNING_S = 1.5  # of a phase: the first windows are paid back


def work(notes):
    rows = [{"a": n, "b": [random.random() for _ in range(5)], "c": f"x{n} y"} for n in range(60)]
    pattern = re.compile(r"(\w)(\d+)")

    def once():
        found = 0
        for row in json.loads(json.dumps(rows)):
            found += sum(int(value * 1000) for value in row["b"]) + bool(pattern.search(row["c"]))
        sums = {}
        for n in range(3000):
            sums[n * 7 % 1000] = sums.get(n % 1000, 0) + n
        return found, sorted(rows, key=lambda row: row["b"][0]), sums

    with open(notes, "w", encoding="utf-8") as file:
        while True:
            begin, own = time.monotonic(), time.thread_time()
            for _ in range(12):
                once()
            end = time.monotonic()
            file.write(f"{begin:.6f} {end:.6f} {time.thread_time() - own:.6f}\n")
            file.flush()


def attach(pgokit, options, pid, output):
    begin, before = time.monotonic(), os.times()
    command = [pgokit, "record", "-q", "--stats", "--software", *options, "-o", output, "-p", str(pid), "--for",
               str(PHASE_S)]
    said = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"begin": begin + BEGINNING_S, "end": begin + PHASE_S - 0.1, "used": used / PHASE_S,
            "windows": json.loads(said[said.index("{"):])["windows"]}


def without():
    begin = time.monotonic()
    time.sleep(WITHOUT_S)
    return {"begin": begin + 0.3, "end": time.monotonic()}


def times(rows, phase):
    """Of a part of the work: the time it took, and its own CPU time."""
    parts = [(end - begin, own) for begin, end, own in rows if begin >= phase["begin"] and end <= phase["end"]]
    return [statistics.mean(column) for column in zip(*parts)]


def compare(rows, before, phase, after):
    (time_before, own_before), (taken, own), (time_after, own_after) = (times(rows, one)
                                                                        for one in (before, phase, after))
    return {**phase, "slower": 2 * taken / (time_before + time_after) - 1,
            "more": 2 * own / (own_before + own_after) - 1, "still": (taken - own) / own}


def measure(args, folder):
    ways = [(pgokit, options) for pgokit in args.pgokit for options in args.record]
    notes = folder / "notes"
    phases = []
    with subprocess.Popen([sys.executable, __file__, "--work", notes]) as program:
        try:
            time.sleep(1)
            for run in range(args.runs):
                for way in ways if run % 2 else ways[::-1]:
                    pause = without()
                    phases.append((way, pause, attach(way[0], way[1].split(), program.pid, folder / "data")))
            last = without()
        finally:
            program.kill()
    rows = [[float(value) for value in line.split()] for line in notes.read_text().splitlines()[:-1]]
    pauses = [pause for _, pause, _ in phases[1:]] + [last]
    found = [(way, compare(rows, before, phase, after)) for (way, before, phase), after in zip(phases, pauses)]
    return {way: [one for which, one in found if which == way] for way in ways}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--pgokit", nargs="+", default=[str(ROOT / "build/bin/pgokit")])
    parser.add_argument("--record", nargs="+", default=[""], help="options of record, each a way to record")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(args.work)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(args, pathlib.Path(folder))
    print("| recorder | stands still | own CPU time | slower in all | windows | recorder's CPU time |")
    print("|---|---|---|---|---|---|")
    for (pgokit, options), runs in found.items():
        def share(key, runs=runs):
            values = [100 * one[key] for one in runs]
            spread = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
            return f"{statistics.mean(values):.1f} ± {spread:.1f} %"
        windows = statistics.median(one["windows"] for one in runs)
        print(f"| {pathlib.Path(pgokit).name} {options} | {share('still')} | +{share('more')} | +{share('slower')} "
              f"| {windows:.0f} | {share('used')} |")


if __name__ == "__main__":
    main()

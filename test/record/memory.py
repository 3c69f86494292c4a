#!/usr/bin/env python3
"""Compares the accesses to memory that `pgokit record --memory` has sampled with all of them, by valgrind's lackey.

    memory.py PGOKIT PROGRAM FOLDER [RUNS]       fails below 95 % of similarity
    memory.py PGOKIT PROGRAM FOLDER --command 'sh train.sh PROGRAM' [--traced 'sh less.sh PROGRAM'] [--record '-F 200']

Shares of the accesses by data symbol, and by symbol and kind (load, store, both): the sum of the smaller ones is the
similarity. Of our own program lackey traces 60 rounds less 10, so that nothing of the start is in it, as its rounds are
all alike. Of others it traces the whole of a command, which --command runs many times, and what lies in heaps, other
memory and libraries is one place.
"""
import argparse
import bisect
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import survive

LEAST = 0.95
ROUNDS = 200_000
STACK = 1 << 20  # the stack is this near to what the program prints of it
BASE = 0x108000  # where valgrind puts position-independent programs


class Places:
    """Names of addresses, as the recording is to have them."""

    def __init__(self, program, said):
        symbols = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True).stdout
        header = subprocess.run(["readelf", "-h", program], capture_output=True, text=True, check=True).stdout
        base = BASE if re.search(r"Type:\s+DYN", header) else 0
        self.ranges = sorted((base + int(at, 16), base + int(at, 16) + int(size, 16), name)
                             for at, size, kind, name in re.findall(r"^(\w+) (\w+) (\w) (\S+)$", symbols, re.M) if kind in "bBdDrRvV")
        self.starts = [start for start, _, _ in self.ranges]
        heap = re.search(r"^heap (0x\w+) (0x\w+)", said, re.M)
        self.heap = (int(heap[1], 16), int(heap[2], 16)) if heap else None
        stack = re.search(r"^stack (0x\w+)", said, re.M)
        self.stack = int(stack[1], 16) if stack else 0x1ffeff0000  # where valgrind has it

    def name(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at >= 0 and address < self.ranges[at][1]:
            return self.ranges[at][2]
        if abs(address - self.stack) < STACK:
            return "[stack]"
        if self.heap and self.heap[0] <= address < self.heap[1]:
            return "[heap]"
        return "[other]"


def traced(program, command, folder):
    """Counter of (name, kind), kind L, S or M for both, of all that lackey sees."""
    log, addresses = folder / "lackey.pipe", collections.Counter()
    log.unlink(missing_ok=True)
    os.mkfifo(log)  # a run of a second has some gigabytes
    valgrind = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", f"--log-file={log}", *command]
    with subprocess.Popen(valgrind, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        with open(log, encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line[0] == " ":
                    addresses[line[1:line.index(",")]] += 1
        said = run.communicate()[1]
    log.unlink()
    if run.returncode:
        raise RuntimeError(f"valgrind: exit code {run.returncode}: {said[-500:]}")
    places = Places(program, said)
    counts = collections.Counter()
    for access, count in addresses.items():
        counts[places.name(int(access[2:], 16)), access[0]] += count
    return counts


def recorded(pgokit, program, command, folder, options, heap_is_known):
    """The same of a recording, and how many samples it has."""
    data = folder / "memory.data"
    done = subprocess.run([pgokit, "record", "-q", "--memory", *options, "-o", data, "--", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"pgokit record: exit code {done.returncode}: {done.stderr[-1000:]}")
    shown = subprocess.run([pgokit, "show", "--json", data], capture_output=True, text=True, check=True)
    memory = json.loads(shown.stdout)["memory"]
    counts = collections.Counter()
    for one in memory["data"]:
        kind = one["kind"]
        own = kind == "symbol" and pathlib.Path(one["file"]).name == pathlib.Path(program).name
        name = one["symbol"] if own else f"[{kind}]" if kind == "stack" or (kind == "heap" and heap_is_known) else "[other]"
        both = one["loads"] + one["stores"] - one["accesses"]
        counts[name, "M"] += both
        counts[name, "L"] += one["loads"] - both
        counts[name, "S"] += one["stores"] - both
    return counts, memory["samples"]


def by_name(counts):
    sums = collections.Counter()
    for (name, _), count in counts.items():
        sums[name] += count
    return sums


def similarity(one, other):
    all_one, all_other = max(sum(one.values()), 1), max(sum(other.values()), 1)
    return sum(min(one[key] / all_one, other[key] / all_other) for key in one)


def print_table(truth, found, most):
    truth, found = by_name(truth), by_name(found)
    all_truth, all_found = max(sum(truth.values()), 1), max(sum(found.values()), 1)
    print(f"{'lackey':>9} {'recorded':>9}")
    for name, count in truth.most_common(most):
        print(f"{100 * count / all_truth:7.2f} % {100 * found[name] / all_found:7.2f} %  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("runs", nargs="?", type=int, default=1)
    parser.add_argument("--command", help="runs the program")
    parser.add_argument("--traced", help="... in a shorter run, for lackey")
    parser.add_argument("--record", default="-F 200", help="options of pgokit record")
    options = parser.parse_args()
    for tool in ("valgrind", "nm", "readelf"):
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return 77
    if not survive.can_record(options.pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    folder = pathlib.Path(options.folder)
    try:
        if options.command:
            truth = traced(options.program, shlex.split(options.traced or options.command), folder)
        else:
            truth = traced(options.program, [options.program, "60"], folder) - traced(options.program, [options.program, "10"], folder)
    except RuntimeError as error:
        print(f"SKIPPED: {error}")
        return 77
    command = shlex.split(options.command) if options.command else [options.program, str(ROUNDS)]
    failed = False
    for _ in range(options.runs):
        found, samples = recorded(options.pgokit, options.program, command, folder, shlex.split(options.record), not options.command)
        share = similarity(by_name(truth), by_name(found))
        failed |= share < LEAST
        print_table(truth, found, 20)
        print(f"{samples} samples, similarity {100 * share:.2f} % by symbol, {100 * similarity(truth, found):.2f} % by symbol and kind",
              flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What `pgokit record --exact` counts is what the program has counted itself, to the last one.

    whole_run.py PGOKIT PROGRAM FOLDER [--only MODE[,MODE...]]

PROGRAM is program.cc with clang's instrumentation. Each of its counters is one instruction: how often that was passed,
by the branches counted in all of its processes, must be what the counter shows. Two runs give the same bytes.
A child of fork() that ends by _exit() does not tell its counters; so of processes there may be more.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import exact
import survive

# Threads, processes, signals, exceptions, longjmp, faults, libraries that come and go, computed goto.
MODES = "sort threads processes sigtrap sigprof exceptions longjumps faults libraries goto copies calls recursion".split()
DETERMINISTIC = "sort exceptions longjumps goto calls recursion".split()
ROUNDS = "3"


def record(options, mode, data):
    raw = options.folder / "whole_run.counts"
    shutil.rmtree(raw, ignore_errors=True)
    command = [options.program, mode, ROUNDS]
    # With the number of a process in it the name would be longer in some runs, and be made by other branches.
    name = "counters" if mode in DETERMINISTIC else "%p"
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(raw.absolute() / name))
    alone = survive.run(command, 60, env=environment)
    shutil.rmtree(raw)
    done = survive.run([options.pgokit, "record", "--exact", "-q", "-o", data, "--", *command], 300, env=environment)
    if sorted(done[1].splitlines()) != sorted(alone[1].splitlines()) or done[0] != alone[0]:
        raise ValueError(f"printed {done[1]!r}, exit code {done[0]}, {done[2]!r}")
    return dict(enumerate(map(sum, zip(*map(exact.counts_of, raw.iterdir())))))


def try_mode(options, mode):
    data = options.folder / "whole_run.data"
    own = record(options, mode, data)
    counters = exact.counters_of(options.program)
    counted = exact.counted_by_recorder(options.pgokit, options.program, data, counters)
    indices = {index for _, index, _ in counters}
    may_miss = mode == "processes"
    wrong = {index: (own[index], counted[index]) for index in indices
             if own[index] > counted[index] or own[index] < counted[index] and not may_miss}
    total = sum(own[index] for index in indices)
    if wrong or total == 0:
        raise ValueError(f"{len(wrong)} of {len(indices)} counters differ (own, counted): {list(wrong.values())[:5]}")
    if mode in DETERMINISTIC:
        first = data.read_bytes()
        record(options, mode, data)
        if data.read_bytes() != first:
            raise ValueError("a second run gives other bytes")
    return f"{len(indices)} counters, {total:,} in all, are {'there' if may_miss else 'equal'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(MODES))
    options = parser.parse_args()
    if not survive.can_record(options.pgokit) or not shutil.which("objdump"):
        print("SKIPPED: ptrace is not permitted here, or there is no objdump")
        return survive.NO_TRACING
    failed = False
    for mode in options.only.split(","):
        try:
            print(f"{mode}: {try_mode(options, mode)}", flush=True)
        except ValueError as error:
            print(f"{mode}: FAILED: {error}", flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Records programs that are hard to record (hostile.h) and compares what they print with what they print alone.

    survive.py PGOKIT PROGRAM FOLDER [--only NAME[,NAME...]] [--runs N] [--timeout SECONDS]

Each mode is recorded at several rates, and whole: flat and by context. Its output and exit code have to be those of the program alone, and pgokit
has to end. Prints a line for each mode: "NAME: K of N failed", and why.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys

WAYS = [[], ["-F", "1000"], ["--exact"], ["--exact", "--contexts"], ["--memory", "-F", "500"], ["-F", "3000"]]
MODES = """continues continues-handled realtime stops timers slow-calls trap-flag coroutines guards preempted window-size
memory-file memory-file-private patched-by-mprotect patched-by-file patched-by-thread anonymous replaced named-pipe
strict strict-later filter-kills filter-traps filter-later no-counter sequences own-sequences segment-base
segment-selector old-system-calls locked little-room no-descriptors reads-its-maps traces-itself reads-its-tracer short-threads short-processes
many-threads together exec-of-thread main-ends spawns plain""".split()
NO_TRACING = 77


def run(command, timeout, **more):
    """(exit code, output, messages); the code is None where it took too long."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more)
    try:
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, "", ""


def can_record(pgokit):
    return '"software": true' in run([pgokit, "doctor", "--json"], 60)[1]


def record(pgokit, data, way, command):
    return [pgokit, "record", "--software", *way, "-o", data, "--", *command]


def failure(alone, recorded):
    if recorded[0] is None:
        return "did not end"
    if recorded[0] != alone[0]:
        return f"exit code {recorded[0]} instead of {alone[0]}: {recorded[2].strip()[-200:]}"
    if recorded[1] != alone[1]:
        return f"printed {recorded[1]!r} instead of {alone[1]!r}"
    return None


def try_mode(options, mode):
    command = [options.program, mode]
    alone = run(command, options.timeout)
    if alone[0] is None or alone[1].endswith(" here\n"):
        return print(f"{mode}: cannot be run here"), 0
    reasons = []
    for i in range(options.runs):
        data = options.folder / f"survive-{mode}.data"
        way = options.ways[i % len(options.ways)]
        recorded = run(record(options.pgokit, data, way, command), options.timeout)
        reason = failure(alone, recorded)
        if reason:
            reasons.append(f"{' '.join(way)}: {reason}")
        data.unlink(missing_ok=True)
    print(f"{mode}: {len(reasons)} of {options.runs} failed", *sorted(set(reasons))[:3], sep="\n    ", flush=True)
    return None, len(reasons)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(MODES))
    parser.add_argument("--ways", type=lambda text: [one.split() for one in text.split(",")], default=WAYS,
                        help="options of pgokit record, with commas between those that are tried one after the other")
    parser.add_argument("--runs", type=int, default=len(WAYS))
    parser.add_argument("--timeout", type=float, default=180)
    options = parser.parse_args()
    if not can_record(options.pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return NO_TRACING
    return sum(try_mode(options, mode)[1] for mode in options.only.split(",")) > 0


if __name__ == "__main__":
    sys.exit(main())

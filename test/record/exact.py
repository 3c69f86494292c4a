#!/usr/bin/env python3
"""Compares recorded branch stacks with the exact counts of clang's instrumentation.

    exact.py PGOKIT PROGRAM FOLDER [RUNS]      fails where a run has less than 95 % of overlap at 40,000 samples
    exact.py PGOKIT PROGRAM FOLDER [RUNS] --command 'sh train.sh PROGRAM' [--record '-F 1000'] [--within POINTS]

The second form takes any program that was built with FLAGS, and a command that runs it, in any number of
processes; it fails where the overlap is more than POINTS below that of a sampler without bias.

The program counts itself (-fprofile-instr-generate) while it is recorded. Each counter is one
instruction in the program's code; how often the recording passes over it, between two branches that
follow each other, is compared with the number it has counted to.

The same is done with what the recorder has counted itself, as `pgokit generate --format raw` writes it.

Chance alone keeps the overlap from 100 %. How much, two halves of the same recording tell: they are
apart by twice of what the whole is from the truth.
"""
import argparse
import bisect
import collections
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys

import survive

SAMPLES = 40_000
LEAST = 0.95
ROUNDS = 1200
FLAGS = ("-fprofile-instr-generate -mllvm -do-counter-promotion=false -mllvm -disable-licm-promotion -fno-vectorize "
         "-fno-slp-vectorize -fno-pie -no-pie")
TOGETHER = 200  # samples that follow each other, as those of one window do


def counters_of(program):
    """[(address of a counting instruction, index of its counter, what it adds)]

    Counters that are also changed in another way (a register's value stored, add with carry) are left out: how
    often the code there runs does not tell what they count to."""
    sections = subprocess.run(["objdump", "-h", program], capture_output=True, text=True, check=True).stdout
    size, base = (int(x, 16) for x in re.search(r"__llvm_prf_cnts\s+(\w+)\s+(\w+)", sections).groups())
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    found, otherwise = [], set()
    for at, instruction, target in re.findall(r"^\s*([0-9a-f]+):\s+(.*?)\s+# ([0-9a-f]+)", code, re.M):
        if not base <= int(target, 16) < base + size or instruction.startswith("lea"):
            continue
        index = (int(target, 16) - base) // 8
        step = re.match(r"(?:lock )?(?:incq ()|addq\s+\$(0x[0-9a-f]+),)", re.sub(r"\s+", " ", instruction))
        if step:
            found.append((int(at, 16), index, int(step[2] or "1", 16)))
        else:
            otherwise.add(index)
    return sorted(one for one in found if one[1] not in otherwise)


def counts_of(raw):
    """The counters of a raw profile: llvm/include/llvm/ProfileData/InstrProfData.inc tells its header."""
    data = raw.read_bytes()
    header = struct.unpack_from("<16Q", data)
    binary_ids, functions, padding, counters = header[2], header[3], header[4], header[5]
    return struct.unpack_from(f"<{counters}Q", data, 128 + binary_ids + functions * 64 + padding)


def passed(recording, counters):
    """(samples, counts of one half, of the other)"""
    ranges, samples = (collections.Counter(), collections.Counter()), 0
    with subprocess.Popen(["perf", "script", "-i", recording, "-F", "brstack"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as script:
        for line in script.stdout:
            entries = [entry.split("/", 2)[:2] for entry in line.split()]
            samples += bool(entries)
            ranges[samples // TOGETHER % 2].update((target, source) for (source, _), (_, target) in zip(entries, entries[1:]))
    return samples, *(counted(half, counters) for half in ranges)


def counted_by_recorder(pgokit, program, data, counters):
    """What the counters would have counted, by the recording's branch counts."""
    raw = data.with_suffix(".raw")
    subprocess.run([pgokit, "generate", data, "-b", program, "-o", raw, "--format", "raw"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    segments = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
    base = int(re.search(r"LOAD\s+\w+ (\w+) .* R E", segments)[1], 16) & ~0xfff
    ranges = collections.Counter()
    for start, last, count in re.findall(r"^([0-9a-f]+)-([0-9a-f]+):(\d+)$", raw.read_text(), re.M):
        ranges[hex(base + int(start, 16)), hex(base + int(last, 16))] += int(count)
    return counted(ranges, counters)


def counted(ranges, counters):
    """What the counters within these ranges of code would have counted."""
    addresses = [address for address, _, _ in counters]
    counts = collections.Counter()
    for (target, source), times in ranges.items():
        for k in range(bisect.bisect_left(addresses, int(target, 16)), bisect.bisect_right(addresses, int(source, 16))):
            _, index, step = counters[k]
            counts[index] += times * step
    return counts


def overlap(one, other, indices):
    all_one, all_other = (max(sum(counts.get(i, 0) for i in indices), 1) for counts in (one, other))
    return sum(min(one.get(i, 0) / all_one, other.get(i, 0) / all_other) for i in indices)


def measure_command(pgokit, program, command, folder, options, cwd=None):
    """(samples, overlap of stacks, overlap that chance alone would leave, overlap of counts)"""
    folder = pathlib.Path(folder)
    raw, data = folder / "exact.counts", folder / "exact.data"
    shutil.rmtree(raw, ignore_errors=True)
    done = subprocess.run([pgokit, "record", "-q", "--software", "--no-callchain", *options, "-o", data, "--", *command],
                          env=dict(os.environ, LLVM_PROFILE_FILE=str(raw.absolute() / "%p")), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, cwd=cwd, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
    counters = counters_of(program)
    samples, one, other = passed(data, counters)
    exact = dict(enumerate(map(sum, zip(*map(counts_of, raw.iterdir())))))
    indices = {index for _, index, _ in counters}
    by_recorder = counted_by_recorder(pgokit, program, data, counters)
    return (samples, overlap(one + other, exact, indices), (1 + overlap(one, other, indices)) / 2,
            overlap(by_recorder, exact, indices))


def measure(pgokit, program, folder):
    """The same, of the test's own program."""
    rounds = ROUNDS
    while True:
        found = measure_command(pgokit, program, [program, str(rounds)], folder, ["-F", "3000"])
        if found[0] >= SAMPLES or rounds >= 8 * ROUNDS:
            return found
        rounds *= 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("runs", nargs="?", type=int, default=1)
    parser.add_argument("--command", help="runs the program")
    parser.add_argument("--record", default="-F 1000", help="options of pgokit record, with --command")
    parser.add_argument("--within", type=float, default=100, help="percentage points, with --command")
    options = parser.parse_args()
    for tool in ("perf", "objdump"):
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return 77
    if not survive.can_record(options.pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    failed = False
    for _ in range(options.runs):
        if options.command:
            samples, share, chance, of_counts = measure_command(options.pgokit, options.program, shlex.split(options.command), options.folder,
                                                     shlex.split(options.record))
            failed |= share < chance - options.within / 100
        else:
            samples, share, chance, of_counts = measure(options.pgokit, options.program, options.folder)
            failed |= samples < SAMPLES or share < LEAST or of_counts < LEAST
        print(f"{samples} samples, overlap {100 * share:.2f} %, of a sampler without bias {100 * chance:.2f} %, of counts "
              f"{100 * of_counts:.2f} %", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

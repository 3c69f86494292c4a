#!/usr/bin/env python3
"""Compares recorded branch stacks with the exact counts of clang's instrumentation.

    exact.py PGOKIT PROGRAM FOLDER [RUNS]      fails where a run has less than 95 % of overlap at 20,000 samples

The program counts itself (-fprofile-instr-generate) while it is recorded. Each counter is one
instruction in the program's code; how often the recording passes over it, between two branches that
follow each other, is compared with the number it has counted to.

Chance alone keeps the overlap from 100 %. How much, two halves of the same recording tell: they are
apart by twice of what the whole is from the truth.
"""
import bisect
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

SAMPLES = 20_000
LEAST = 0.95
ROUNDS = 1200
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
        step = re.match(r"incq ()|addq\s+\$(0x[0-9a-f]+),", re.sub(r"\s+", " ", instruction))
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
    addresses = [address for address, _, _ in counters]
    halves, samples = ({}, {}), 0
    text = subprocess.run(["perf", "script", "-i", recording, "-F", "brstack"], capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        entries = [tuple(int(x, 16) for x in entry.split("/")[:2]) for entry in line.split()]
        samples += bool(entries)
        counts = halves[samples // TOGETHER % 2]
        for (source, _), (_, target) in zip(entries, entries[1:]):
            for k in range(bisect.bisect_left(addresses, target), bisect.bisect_right(addresses, source)):
                _, index, step = counters[k]
                counts[index] = counts.get(index, 0) + step
    return samples, *halves


def overlap(one, other, indices):
    all_one, all_other = (max(sum(counts.get(i, 0) for i in indices), 1) for counts in (one, other))
    return sum(min(one.get(i, 0) / all_one, other.get(i, 0) / all_other) for i in indices)


def measure(pgokit, program, folder):
    """(samples, overlap, overlap that chance alone would leave)"""
    folder = pathlib.Path(folder)
    raw, data = folder / "exact.profraw", folder / "exact.data"
    rounds = ROUNDS
    while True:
        environment = dict(os.environ, LLVM_PROFILE_FILE=str(raw))
        subprocess.run([pgokit, "record", "-q", "--software", "--no-callchain", "-F", "3000", "-o", data, "--", program,
                        str(rounds)], env=environment, stdout=subprocess.DEVNULL, check=True)
        counters = counters_of(program)
        samples, one, other = passed(data, counters)
        if samples >= SAMPLES or rounds >= 8 * ROUNDS:
            break
        rounds *= 2
    exact = dict(enumerate(counts_of(raw)))
    indices = {index for _, index, _ in counters}
    both = {i: one.get(i, 0) + other.get(i, 0) for i in indices}
    return samples, overlap(both, exact, indices), (1 + overlap(one, other, indices)) / 2


def main():
    for tool in ("perf", "objdump"):
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return 77
    probe = subprocess.run([sys.argv[1], "doctor", "--json"], capture_output=True, text=True, check=True)
    if '"software": true' not in probe.stdout:
        print("SKIPPED: ptrace is not permitted here")
        return 77
    failed = False
    for _ in range(int(sys.argv[4]) if len(sys.argv) > 4 else 1):
        samples, share, chance = measure(*sys.argv[1:4])
        print(f"{samples} samples, overlap {100 * share:.2f} %, of a sampler without bias {100 * chance:.2f} %", flush=True)
        failed |= samples < SAMPLES or share < LEAST
    return failed


if __name__ == "__main__":
    sys.exit(main())

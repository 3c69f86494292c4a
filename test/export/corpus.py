#!/usr/bin/env python3
"""Folded stacks are, byte for byte, those that the FlameGraph repository expects of its recordings.

There are two differences, which are undone here before comparing: results named "kernel" mark only
the kernel's functions, as an option of stackcollapse-perf.pl does, and --marks marks all kinds; and
stackcollapse-perf.pl loses the last sample of a text that does not end with a blank line.
"""
import pathlib
import re
import subprocess
import sys

pgokit = sys.argv[1]
corpus = pathlib.Path(__file__).parents[3] / "shared/corpus/brendangregg-FlameGraph"
if not corpus.is_dir():
    print("skipped: shared/corpus is not here")
    sys.exit(77)

options = {"pid": ["--root", "process"], "tid": ["--root", "thread"], "all": ["--marks"],
           "kernel": ["--marks"], "addrs": ["--addresses"]}
compared = 0
for expected in sorted(corpus.glob("results/*.txt")):
    name, kind = re.fullmatch(r"(.*)-collapsed-(\w+)\.txt", expected.name).groups()
    text = (corpus / f"{name}.txt").read_bytes()
    text = text[:text.rindex(b"\n\n") + 2]
    run = subprocess.run([pgokit, "export", "-", "--to", "folded"] + options[kind], input=text,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert run.returncode == 0, run.stderr
    found = run.stdout.decode()
    if kind == "kernel":
        found = re.sub(r"_\[[ij]\]", "", found)
    wanted = expected.read_text()
    if kind == "kernel":  # what became equal by that is one line
        sums = {}
        for line in found.splitlines():
            stack, _, count = line.rpartition(" ")
            sums[stack] = sums.get(stack, 0) + int(count)
        found = "".join(f"{stack} {sums[stack]}\n" for stack in sorted(sums))
    if found != wanted:
        left, right = set(found.splitlines()), set(wanted.splitlines())
        for line in sorted(left - right)[:3]:
            print("found   ", line[:300])
        for line in sorted(right - left)[:3]:
            print("expected", line[:300])
        sys.exit(f"{expected.name}: {len(left - right)} lines differ")
    compared += 1
print(f"{compared} results are equal")
assert compared == 30

#!/usr/bin/env python3
"""pgokit beside llvm-profdata 22 on profiles of a made-up fleet, in one run: wall time, CPU time, peak memory.

    ./dev bench profiles [--runs N] [--count N] [--bytes N] [--only NAME]

Writes bench/profiles.md. The inputs are made once, in build/bench/profiles (test/support/profiles). Both tools
write the same bytes, which is checked. llvm-profdata needs 14 GB for the sum of all.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import beside_profdata  # noqa: E402
import launch  # noqa: E402
from beside_profdata import Case  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/profiles"
PGOKIT = ROOT / "build/bin/pgokit"
PEER = beside_profdata.PEER


def inputs(form, count, size):
    folder = WORK / f"{form}-{count}-{size}"
    if not folder.exists():
        maker = launch.built_tool("pgokit-make-profiles")
        folder.mkdir(parents=True)
        subprocess.run([maker, folder, str(count), str(size), form], check=True)
    return sorted(folder.iterdir())


def cases(count, size):
    fleet = inputs("extbinary", count, size)
    probes = inputs("probes", max(count // 10, 2), size)
    text = inputs("text", max(count // 10, 2), size)
    one = fleet[0]
    overlap = ["overlap", "--sample", fleet[0], fleet[1]]
    return [
        Case("merge", f"{count} extbinary profiles of {one.stat().st_size / 1e6:.1f} MB", ["merge", "--sample", *fleet], 15),
        Case("merge-probes", f"{len(probes)} with probes, {probes[0].stat().st_size / 1e6:.1f} MB", ["merge", "--sample", *probes]),
        Case("merge-text", f"{len(text)} texts of {text[0].stat().st_size / 1e6:.1f} MB", ["merge", "--sample", *text]),
        Case("convert", "one extbinary to text", ["merge", "--sample", "--text", one]),
        Case("show", "one extbinary, all functions", ["show", "--sample", one], 10),
        Case("show-own", "one extbinary, summary and hottest functions", ["show", "--sample", "--hot-func-list", one], 10, ["show", one]),
        Case("overlap", "two extbinary", overlap, 10),
        Case("compare", "two extbinary, what differs", overlap, 10, ["compare", fleet[0], fleet[1]]),
        Case("start", "--version", ["--version"], 5),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--count", type=int, default=96)
    parser.add_argument("--bytes", type=int, default=6000000)
    parser.add_argument("--only")
    args = parser.parse_args()
    if not shutil.which(PEER):
        print(f"SKIPPED: no {PEER}")
        return 77
    WORK.mkdir(parents=True, exist_ok=True)
    return beside_profdata.compare("profiles", cases(args.count, args.bytes), PGOKIT, WORK, args.runs, args.only)


if __name__ == "__main__":
    sys.exit(main())

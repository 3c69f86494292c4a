#!/usr/bin/env python3
"""What a start of pgokit takes, beside LLVM's tools: wall time of the fastest of many runs, in turn.

    ./dev bench startup [--runs N]

Fails if a start takes more than 3 ms. Writes bench/startup.md."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/startup"
PGOKIT = ROOT / "build/bin/pgokit"
PROFILE = ROOT / "fuzz/seeds/profile_text/flat"
LONGEST_MS = 3
COMMANDS = {"true": ["/bin/true"], "pgokit --version": [PGOKIT, "--version"], "pgokit show --help": [PGOKIT, "show", "--help"],
            "pgokit show, of a profile of 16 lines": [PGOKIT, "show", PROFILE], "llvm-profdata-22 --version": ["/usr/bin/llvm-profdata-22", "--version"],
            "llvm-profgen-22 --version": ["/usr/bin/llvm-profgen-22", "--version"]}
# Ours, what is closest to it, and how many times faster it is to be.
ROWS = {"--version": ("pgokit --version", "llvm-profgen-22 --version", 5),
        "show": ("pgokit show, of a profile of 16 lines", "llvm-profdata-22 --version", 5)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    WORK.mkdir(parents=True, exist_ok=True)
    found = dict(zip(COMMANDS, launch.in_turn(list(COMMANDS.values()), runs, WORK)))
    fastest = {name: 1000 * min(measured.walls) for name, measured in found.items()}
    judged = goals.Goals("startup")
    for name, (ours, theirs, wanted) in ROWS.items():
        judged.row(name, ours, found[ours], found[theirs], ours.split(",")[0].split(), theirs.split(), wall=wanted)
    lines = ["# Starting pgokit", "", f"Written by `./dev bench startup`: wall time of the fastest of {runs} runs of each, in turn.", "",
             "| | wall |", "|---|---|", *(f"| {name} | {ms:.1f} ms |" for name, ms in fastest.items())]
    (ROOT / "bench/startup.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    missed = judged.finish()
    slow = [name for name, ms in fastest.items() if name.startswith("pgokit") and ms > LONGEST_MS]
    if slow:
        sys.exit(f"more than {LONGEST_MS} ms: {', '.join(slow)}")
    return missed


if __name__ == "__main__":
    sys.exit(main())

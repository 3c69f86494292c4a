#!/usr/bin/env python3
"""What pgokit gains by its own profile, step by step: CPU time of its main commands in the builds of ./dev build pgo.

    ./dev build pgo && ./dev bench pgo [--rounds N] [--only COMMAND]

Writes bench/pgo.md. Steps: the release preset; ThinLTO, and libraries linked statically (the build that is recorded); its exact profile by
probes; functions in the order of their calls, which is what build/pgo/bin has; and blocks laid out by llvm-bolt with counts of that build.
Trained with other inputs than measured (bench/support/main_commands.py).
"""
import argparse
import datetime
import json
import pathlib
import shlex
import subprocess
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import launch  # noqa: E402
import main_commands  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/pgo"
TRAINING = BUILD / "training"
WORK = ROOT / "build/bench/pgo"
PGOKIT = ROOT / "build/bin/pgokit"
BOLT = pathlib.Path("/usr/lib/llvm-22/bin/llvm-bolt")
PAGE = ROOT / "bench/pgo.md"
TARGET = 15  # per cent less CPU time than the release preset
STARTS = 300


def run(command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))[:300]}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def linked(out, drop="", add=""):
    """The program of the preset, linked once more."""
    command = run(["ninja", "-C", BUILD, "-t", "commands", "pgokit"]).splitlines()
    command = next(line for line in reversed(command) if " -o bin/pgokit " in line).split("&&")[1]
    words = [word for word in shlex.split(command) if not (drop and drop in word)]
    words[words.index("-o") + 1] = str(out)
    run([*words, *add.split()], cwd=BUILD)
    return out


def bolted():
    """By exact counts of the training run of the program that has its profile."""
    relocatable, counts, fdata, out = (WORK / name for name in ("relocs", "relocs.counts", "relocs.fdata", "bolt"))
    linked(relocatable, add="-Wl,--emit-relocs")
    run([PGOKIT, "record", "-q", "--exact", "-o", counts, "--", "sh", TRAINING / "train.sh", relocatable])
    run([PGOKIT, "generate", "-q", counts, "-b", relocatable, "--for", "bolt", "-o", fdata])
    run([BOLT, relocatable, "-o", out, f"-data={fdata}", "-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-split-functions",
         "-split-all-cold", "-dyno-stats"])
    return out


def builds():
    WORK.mkdir(parents=True, exist_ok=True)
    yield "release preset", PGOKIT
    yield "and ThinLTO, static libraries", TRAINING / "recorded"
    yield "and its profile", linked(WORK / "profile", drop="--symbol-ordering-file=")
    yield "and the order of functions", BUILD / "bin/pgokit"
    if BOLT.exists():
        yield "and BOLT", bolted()


def measured(name, words, rounds):
    """JSON of pgokit measure. A start is too short to be measured alone."""
    lines = [shlex.join(map(str, command)) + " > /dev/null" for command in words]
    if name == "start":
        lines = [f"i=0; while [ $i -lt {STARTS} ]; do {line}; i=$((i + 1)); done" for line in lines]
    said = run([PGOKIT, "measure", "--json", "-n", rounds, "--", *lines])
    return json.loads(said[said.index("{"):])


def cell(figure):
    less = [100 * (1 - figure[key]) for key in ("ratio", "high", "low")]
    return f"{less[0]:.1f} % ({less[1]:.1f} to {less[2]:.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only")
    args = parser.parse_args()
    if not (TRAINING / "recorded").exists():
        print("SKIPPED: ./dev build pgo comes first")
        return 77
    steps = dict(builds())
    work = main_commands.Work(WORK / "inputs", main_commands.MEASURING)
    names = list(work.commands(PGOKIT))
    lines = ["# pgokit, built by its own profile", "",
             f"Written by `./dev build pgo && ./dev bench pgo` on {datetime.date.today()}: less CPU time than the release preset in per cent, medians "
             f"of {args.rounds} rounds with 95 % intervals; {launch.machine()}.", "",
             f"| | {' | '.join(step for step in list(steps)[1:])} |", "|---|" + "---|" * (len(steps) - 1)]
    missed, busy = [], 0
    for name in names:
        if args.only not in (None, name):
            continue
        found = measured(name, [work.commands(program)[name] for program in steps.values()], args.rounds)
        figures = dict(zip(list(steps)[1:], (one["figures"]["cpu_s"] for one in found["comparisons"])))
        busy = max(busy, found["busy_processors"])
        seconds = found["commands"][0]["figures"]["cpu_s"]["median"] / (STARTS if name == "start" else 1)
        shipped = 100 * (1 - figures["and the order of functions"]["ratio"])
        if shipped < TARGET:
            missed.append(f"{name} {shipped:.1f} %")
        lines.append(f"| {name}, {seconds:.3g} s | {' | '.join(map(cell, figures.values()))} |")
        print(lines[-1], flush=True)
    lines += ["", f"The preset pgo is the build with the order of functions; its target is {TARGET} %. Missed: {', '.join(missed) or 'nothing'}. "
              f"Other processes kept {busy:.1f} processors busy at most."]
    if not args.only:
        PAGE.write_text("".join(f"{line if line.startswith('|') else textwrap.fill(line, 100)}\n" for line in lines), encoding="utf-8")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())

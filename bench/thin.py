#!/usr/bin/env python3
"""What a program gains by profiles of recordings at lower and higher rates: when is one too thin?

    ./dev bench thin [--programs lua5.4,sqlite3,...] [--runs N]

Each program is built with each profile (by probes); all of them run in turn. Prints a table, which bench/thin.md
shows; the least CPU time of the training run counts.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support"), str(ROOT / "test/record")]
import launch  # noqa: E402
import real_programs  # noqa: E402

WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
WAYS = {f"--slowdown {percent}": ["--slowdown", percent] for percent in ("0.3", "1", "3")} | {"default": [], "--exact": ["--exact"]}


def recorded(program, options, name):
    """Windows, likeness, and the overlap of the profile's blocks with the true counts."""
    command = [PGOKIT, "record", "-q", "--software", "--stats", *options, "-o", "thin.data", "--", *program.command(program.plain)]
    done = subprocess.run([str(word) for word in command], cwd=program.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=True)
    stats = json.loads(done.stderr[done.stderr.index("{"):])
    program.generate(PGOKIT, "thin.data", program.plain, name, "probes")
    return stats["windows"], stats["likeness"], program.overlap(PGOKIT, name)


def measure(name, runs):
    program = real_programs.built(name, WORK / "programs", PGOKIT)
    program.count(PGOKIT, "truth")
    out = WORK / "thin" / name
    out.mkdir(parents=True, exist_ok=True)
    builds, facts = {"plain": shutil.copy(program.plain, out / "plain")}, {}
    for number, (way, options) in enumerate(WAYS.items()):
        facts[way] = recorded(program, options, f"thin{number}")
        profile = program.folder / f"thin{number}.probes.prof"
        builds[way] = shutil.copy(program.built_with(f"-fprofile-sample-use={profile}"), out / str(number))
    times = {way: [] for way in builds}
    for _ in range(runs):
        for way, build in builds.items():
            times[way].append(launch.run_once(program.command(build), program.folder)[1])
    plain = min(times["plain"])
    for way, (windows, likeness, overlap) in facts.items():
        alike = f"{100 * likeness:.0f} %" if windows else ""
        yield f"| {name} | {way} | {windows or 'all'} | {alike} | {100 * overlap:.1f} % | {100 * (1 - min(times[way]) / plain):.1f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--programs", default="lua5.4,sqlite3,zstd")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    print("| program | way | windows | likeness | overlap | gain |\n|---|---|---|---|---|---|")
    for name in options.programs.split(","):
        try:
            for line in measure(name, options.runs):
                print(line, flush=True)
        except (real_programs.Missing, launch.Failed) as why:
            print(f"bench thin: without {name}: {why}", file=sys.stderr)


if __name__ == "__main__":
    main()

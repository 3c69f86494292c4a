#!/usr/bin/env python3
"""The commands that have no bench of their own, each beside its peer where there is one: wall time, CPU time, peak memory.

    ./dev bench commands [--runs N] [--only NAME]

Writes bench/commands.md. Programs and recordings are those of bench/generate.py (S), and a newer build of the same program, in
which every third function has changed. Nothing of LLVM's does the work of check and of match: clang matches stale profiles while
it compiles, so its part cannot be measured. create_llvm_prof is that of Debian's package autofdo, which has no Propeller in it: its
generate_propeller_profiles is in no package.
"""
import argparse
import dataclasses
import os
import pathlib
import platform
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "support")]
import deep_program  # noqa: E402
import generate  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402
from e2e import PGOKIT, ROOT, WORK  # noqa: E402

FOLDER = WORK / "commands"
MAPPED_BUILD = ["clang++-22", "-std=c++20", "-O2", "-g", "-ffunction-sections", "-fbasic-block-address-map", "-fuse-ld=lld-22", "-Wl,--build-id"]


@dataclasses.dataclass
class Case:
    name: str
    about: str
    ours: list  # pgokit's words
    command: str  # as tables have it
    theirs: list = None
    peer: str = ""
    wall: float = 0  # times faster that is promised
    memory: float = 0


def mapped():
    """A program with a map of its blocks, and a recording of it."""
    program, recording = FOLDER / "mapped", FOLDER / "mapped.perf"
    if not program.exists():
        subprocess.run([*MAPPED_BUILD, ROOT / "examples/documents/main.cc", "-o", program], check=True)
    if not recording.exists():
        subprocess.run([generate.e2e.find_walker(), program, "--samples", "160000", "--kind", "lbr", "--format", "perfdata", "-o", recording],
                       check=True)
    return program, recording


def cases():
    program, recording = generate.recording("perfdata", "S")
    probed, _ = generate.recording("probes", "S", samples=1)
    newer = deep_program.build(WORK / "S-newer", generate.SIZES["S"].megabytes, changed=True)
    profile, by_probes = FOLDER / "lines.prof", FOLDER / "probes.prof"
    walked = FOLDER / "probes.perf"
    if not walked.exists():
        subprocess.run([generate.e2e.find_walker(), probed, "--samples", "20000", "--kind", "lbr", "--format", "perfdata", "-o", walked], check=True)
    for file, of, made in ((recording, program, profile), (walked, probed, by_probes)):
        subprocess.run([PGOKIT, "generate", "-q", file, "-b", of, "-o", made], check=True)
    mb = recording.stat().st_size / 1e6
    functions = f"profile of {profile.stat().st_size / 1e6:.1f} MB, program of {program.stat().st_size / 1e6:.0f} MB"
    yield Case("check", functions, ["check", profile, "-b", program, "--max-stale", "100", "--min-density", "0"], "pgokit check -b")
    yield Case("match-lines", f"{functions}, by lines", ["match", profile, "-b", newer["lines"], "-o", FOLDER / "matched"], "pgokit match -b")
    yield Case("match-probes", "the same by probes", ["match", by_probes, "-b", newer["probes"], "-o", FOLDER / "matched"], "pgokit match -b")
    yield Case("order", f"order of functions by calls, perf.data of {mb:.0f} MB", ["order", recording, "-b", program, "-q", "-o", FOLDER / "order"],
               "pgokit order -b")
    layout, of_layout = mapped()
    yield Case("propeller", f"layout of blocks, perf.data of {of_layout.stat().st_size / 1e6:.0f} MB",
               ["generate_propeller_profiles", f"--binary={layout}", f"--profile={of_layout}", f"--cc_profile={FOLDER / 'cc'}",
                f"--ld_profile={FOLDER / 'ld'}"], "pgokit generate_propeller_profiles")
    out = FOLDER / "autofdo.prof"
    converted = [f"--binary={program}", f"--profile={recording}", "--format=text"]
    yield Case("create_llvm_prof", f"text profile of perf.data, {mb:.0f} MB", ["create_llvm_prof", *converted, f"--out={FOLDER / 'ours.prof'}"],
               "pgokit create_llvm_prof", ["create_llvm_prof", *converted, f"--out={out}"], "create_llvm_prof", wall=20, memory=4)


def measure(case, runs):
    commands = [[PGOKIT, *case.ours]]
    if case.theirs and shutil.which(case.theirs[0]):
        commands.append(case.theirs)
    found = launch.in_turn(commands, runs, FOLDER)
    return found[0], found[1] if len(found) > 1 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    judged = goals.Goals("commands")
    lines = ["# Commands", "",
             f"Written by `./dev bench commands`: medians of {options.runs} runs of each, in turn, on {os.cpu_count()} cores",
             f"({launch.machine()}, Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}).", "",
             "| | command | wall | CPU | peak memory | the peer | wall | CPU | peak memory | times faster | memory, times less |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for case in cases():
        if options.only not in (None, case.name):
            continue
        ours, theirs = measure(case, options.runs)
        cells = judged.row(case.name, case.about, ours, theirs, case.command.split(), case.peer.split() if theirs else None,
                           wall=case.wall, memory=case.memory)
        beside = [case.peer, f"{theirs.wall:.2f} s", f"{theirs.cpu:.2f} s", f"{theirs.peak_mb:.0f} MB", cells["wall"],
                  cells["memory"]] if theirs else ["none", "", "", "", "", ""]
        lines.append(f"| {case.about} | {case.command} | {ours.wall:.3f} s | {ours.cpu:.3f} s | {ours.peak_mb:.0f} MB | {' | '.join(beside)} |")
        print(lines[-1], flush=True)
    if options.only is None:
        (ROOT / "bench/commands.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return judged.finish()


if __name__ == "__main__":
    sys.exit(main())

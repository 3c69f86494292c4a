#!/usr/bin/env python3
"""pgokit beside llvm-profgen on recordings of deep programs: flat and context-sensitive profiles, two sizes.

    ./dev bench generate [--runs N] [--size S|L] [--only CASE] [--no-growth]

Writes bench/generate.md. The programs are those of deep_program.py, the inputs random walks over them (pgokit-walk). One
run of llvm-profgen takes minutes: its figures are taken once per program and input and kept in build/bench. It has one
thread, so that its CPU time is what it would take on an idle machine: ratios are that by our wall time. Both tools write the same text profile, which is checked.
"""
import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import textwrap

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "support")]
import deep_program  # noqa: E402
import e2e  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402

WORK = e2e.WORK
PGOKIT = e2e.PGOKIT


@dataclasses.dataclass
class Size:
    megabytes: int
    samples: int
    repeat: int  # per cent of the samples that are not new
    targets: dict  # times faster, by case
    memory: float  # times less


SIZES = {
    "S": Size(4, 200000, 60, {"flat": 20, "lines": 30, "probes": 30, "perfdata": 50}, 4),
    "L": Size(8, 300000, 0, {"flat": 40, "lines": 100, "probes": 100, "perfdata": 50, "first": 50}, 10),
}
# The kind of program and of recording, its form, and what is asked for.
CASES = {
    "flat": ("lines", "lbr", "script", [], "flat, from text"),
    "perfdata": ("lines", "lbr", "perfdata", [], "flat, from perf.data"),
    "lines": ("lines", "hybrid", "script", [], "by context, debug information"),
    "probes": ("probes", "hybrid", "script", [], "by context, probes"),
    "first": ("lines", "lbr", "script", [], "one sample"),
}


def recording(case, size_name, samples=None, depth=32, seed=1):
    """(program, recording), made when they are not there."""
    size = SIZES[size_name]
    program_kind, kind, form, *_ = CASES[case]
    folder = WORK / size_name
    program = deep_program.build(folder, size.megabytes)[program_kind]
    samples = samples or (1 if case == "first" else size.samples)
    out = folder / f"{program_kind}.{kind}.{samples}{'' if seed == 1 else f'.{seed}'}.{form}"
    if not out.exists():
        subprocess.run([e2e.find_walker(), program, "--seed", str(seed), "--samples", str(samples), "--repeat", str(size.repeat),
                        "--depth", str(depth), "--kind", kind, "--format", form, "-o", out], check=True)
    return program, out


def command(tool, case, program, input_file, output):
    *_, options, _ = CASES[case]
    given = "--perfdata" if CASES[case][2] == "perfdata" else "--perfscript"
    return [*tool, f"--binary={program}", f"{given}={input_file}", "--format=text", f"--output={output}", *options]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def judge(case, program, input_file):
    """What llvm-profgen took, and the digest of its profile."""
    kept = input_file.parent / f"judged.{case}.{digest(program)[:12]}.{digest(input_file)[:12]}.json"
    if not kept.exists():
        profile = input_file.with_suffix(".judge")
        print(f"{case}: llvm-profgen runs once", file=sys.stderr)
        wall, cpu, peak = launch.run_once(command(["llvm-profgen-22"], case, program, input_file, profile), WORK)
        kept.write_text(json.dumps({"wall": wall, "cpu": cpu, "peak_mb": peak, "profile": digest(profile),
                                    "load": os.getloadavg()[1]}))
    return json.loads(kept.read_text())


def measure(case, size_name, runs):
    program, input_file = recording(case, size_name)
    profile = WORK / size_name / f"{case}.prof"
    ours = launch.in_turn([command([PGOKIT, "llvm-profgen"], case, program, input_file, profile)], runs, WORK)[0]
    theirs = judge(case, program, input_file)
    return ours, theirs, digest(profile) == theirs["profile"], input_file.stat().st_size


def growth(runs):
    """Peak memory of 2 and of 20 million samples of one program, the second as ten recordings."""
    lines = []
    for walks in (1, 10):
        made = [recording("perfdata", "S", 2000000, 8, seed) for seed in range(1, walks + 1)]
        program, files = made[0][0], [file for _, file in made]
        ours = launch.in_turn([command([PGOKIT, "llvm-profgen"], "perfdata", program, ",".join(map(str, files)),
                                       WORK / "growth.prof")], runs, WORK)[0]
        size = sum(file.stat().st_size for file in files) / 2**20
        lines.append(f"| {2 * walks} million | {size:.0f} MB | {ours.wall:.2f} s | {ours.cpu:.2f} s | {ours.peak_mb:.0f} MB |")
    return ["", "Samples of the program of S, from perf.data with 8 branches each, 2 million in a recording:", "",
            "| samples | input | wall | CPU | peak memory |", "|---|---|---|---|---|", *lines]


def rows(results, promises):
    for size_name, case, ours, theirs, same, size in results:
        goal = SIZES[size_name]
        row = f"{size_name} {case}"
        what = f"{size_name}: {CASES[case][-1]}" + (f", {size / 2**20:.0f} MB" if size >= 2**20 else "")
        judge = launch.Measured([theirs["wall"]], [theirs["cpu"]], theirs["peak_mb"])
        cells = promises.row(row, what, ours, judge, ["pgokit", "llvm-profgen", *CASES[case][3]], ["llvm-profgen-22", *CASES[case][3]],
                             wall=goal.targets.get(case, 0), memory=goal.memory if case != "first" else 0, wall_by_cpu=True)
        yield f"| {what} | llvm-profgen 22 | {theirs['wall']:.2f} s | {theirs['cpu']:.2f} s | {theirs['peak_mb']:.0f} MB | |"
        yield f"| | pgokit | {ours.wall:.3f} s | {ours.cpu:.3f} s | {ours.peak_mb:.0f} MB | {'yes' if same else 'NO'} |"
        yield f"| | ratio | {cells['wall']} | {cells['cpu']} | {cells['memory']} | |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--no-growth", action="store_true", help="leave out the recording of 20 million samples")
    options = parser.parse_args()
    results, promises = [], goals.Goals("generate")
    for size_name in [options.size] if options.size else SIZES:
        for case in SIZES[size_name].targets:
            if options.only not in (None, case):
                continue
            ours, theirs, same, size = measure(case, size_name, options.runs)
            results.append((size_name, case, ours, theirs, same, size))
            print(f"{size_name} {case}: pgokit {ours.wall:.3f} s, {ours.cpu:.3f} s CPU, {ours.peak_mb:.0f} MB; llvm-profgen "
                  f"{theirs['wall']:.2f} s, {theirs['peak_mb']:.0f} MB; {'equal' if same else 'DIFFERENT'}", file=sys.stderr)
    text = ["# Profiles of deep programs, beside llvm-profgen", "",
            *textwrap.wrap(
                f"Written by `./dev bench generate`: medians of {options.runs} runs of pgokit and one of llvm-profgen, whose CPU time is "
                f"what speed is compared with (it has one thread), on {os.cpu_count()} cores ({launch.machine()}, Linux {platform.release()}; "
                f"load of the machine {os.getloadavg()[1]:.1f}).", 100, break_on_hyphens=False),
            *[f"{name}: {size.megabytes} MB of code, {size.samples} samples" + (f", {size.repeat} % of them seen before." if size.repeat else ".")
              for name, size in SIZES.items()], "",
            "| | | wall | CPU | peak memory | same profile |", "|---|---|---|---|---|---|", *rows(results, promises)]
    complete = not (options.size or options.only)
    if complete and not options.no_growth:
        text += growth(1)
    print("\n".join(text))
    if complete:
        (e2e.ROOT / "bench/generate.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    return promises.finish() or int(not all(same for *_, same, _ in results))


if __name__ == "__main__":
    sys.exit(main())

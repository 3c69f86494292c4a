#!/usr/bin/env python3
"""What software branch stacks cost, by way of recording, and how true they are.

    ./dev bench record [--runs N] [--only synthetic|real] [--peers] [--bias] [--programs sqlite3,lua5.4,...] [--ways default,...]

Writes the tables of bench/record.md. Ways: pgokit's code cache; PTRACE_SINGLESTEP (the recorder's own
backend, everything else being equal); ptrace with a hardware breakpoint at the end of each block;
qemu-user as it is, without any recording, where it is installed.

Real programs are built from Debian's source packages (support/real_programs.py) and recorded in
several ways (support/real_recordings.py). --bias also builds them with clang's own counters, and tells how far
each way is from a sampler without bias. With --programs or --ways, only these are measured, and
bench/record.md stays as it is; build/bench/record_real.json has all figures of each run.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support"), str(ROOT / "test/record")]
import exact  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402
import real_recordings  # noqa: E402

WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
PROGRAM = ROOT / "build/release/test/record/recorded"


def timed(command):
    started = time.monotonic()
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - started, used, done.stderr


def recorded(arguments, mode, rounds):
    wall, cpu, said = timed([PGOKIT, "record", "--software", "--stats", "-o", WORK / "record.data", *arguments,
                             "--", PROGRAM, mode, str(rounds)])
    return wall, json.loads(said[said.index("{"):])


def breakpoints():
    """Steps from block end to block end by a debug register: see breakpoints.c beside this file."""
    tool = WORK / "breakpoints"
    subprocess.run(["cc", "-O2", ROOT / "bench/breakpoints.c", "-o", tool], check=True)
    pid = subprocess.Popen([PROGRAM, "forever"], stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    try:
        out = subprocess.run([tool, str(pid.pid), "3000"], capture_output=True, text=True, check=True).stdout
    finally:
        pid.kill()
        pid.wait()
    return json.loads(out)


def ways():
    rows = []
    wall, fast = recorded([], "sort", 1500)
    rows.append(("code cache (pgokit record)", fast["branches"] / fast["stopped_s"], fast["stops"] / fast["windows"],
                 fast["stopped_s"] / fast["windows"] * 1e6))
    _, slow = recorded(["--single-step", "-F", "100"], "sort", 60)
    rows.append(("PTRACE_SINGLESTEP", slow["branches"] / slow["stopped_s"], slow["stops"] / slow["windows"],
                 slow["stopped_s"] / slow["windows"] * 1e6))
    one = breakpoints()
    per_second = one["branches"] / one["seconds"]
    rows.append(("breakpoint at each block's end", per_second, 32 * one["stops"] / one["branches"], 32 / per_second * 1e6))
    text = ["| way | branch entries per second of stopped time | stops per window | a window, µs |", "|---|---|---|---|"]
    text += [f"| {name} | {rate:,.0f} | {stops:.1f} | {us:,.0f} |" for name, rate, stops, us in rows]
    text.append("")
    text.append(f"The code cache gives {rows[0][1] / rows[1][1]:,.0f} times the entries of single-stepping in the same stopped time.")
    return text


def slow_down(runs):
    text = ["| program | alone, s | recorded at the default rate, s | slow-down | CPU time alone, s | recorded, with the recorder's, s | more |",
            "|---|---|---|---|---|---|---|"]
    for mode, rounds in (("sort", 6000), ("exceptions", 1500), ("goto", 2000), ("calls", 2500), ("threads", 1000)):
        alone, with_recorder = [], []
        for _ in range(runs):
            alone.append(timed([PROGRAM, mode, str(rounds)])[:2])
            with_recorder.append(timed([PGOKIT, "record", "-q", "--software", "-o", WORK / "record.data", "--", PROGRAM, mode,
                                        str(rounds)])[:2])
        cells = []
        for a, b in zip(map(min, zip(*alone)), map(min, zip(*with_recorder))):
            cells.append(f"{a:.2f} | {b:.2f} | {100 * (b / a - 1):.1f} %")
        text.append(f"| {mode} | {' | '.join(cells)} |")
    if shutil.which("qemu-x86_64"):
        alone = min(timed([PROGRAM, "sort", "300"])[0] for _ in range(runs))
        emulated = min(timed(["qemu-x86_64", PROGRAM, "sort", "300"])[0] for _ in range(runs))
        text += ["", f"qemu-user, without recording anything: {emulated / alone:.1f} times the time of `sort`."]
    return text


def synthetic(runs):
    measured = [exact.measure(PGOKIT, ROOT / "build/release/test/record/recorded_exact", WORK) for _ in range(runs)]
    text = ["## Ways to get a branch stack", "", *ways(), "", "## Slow-down of the program", "", *slow_down(runs), "",
            "## Agreement with exact counts", "",
            "Overlap with the counts of clang's instrumentation, which are those of the recorded run itself:", ""]
    text += ["| samples | overlap of their stacks | of a sampler without bias | overlap of counts |", "|---|---|---|---|"]
    return text + [f"| {samples:,} | {100 * overlap:.1f} % | {100 * chance:.1f} % | {100 * counts:.1f} % |"
                   for samples, overlap, chance, counts in measured]


def real(options):
    rows = real_recordings.ways(PGOKIT, options.peers)
    if options.ways:
        rows = [row for row in rows if row.label in ["alone", *options.ways.split(",")]]
    found, text = [], [
        "## Real programs", "",
        *textwrap.wrap(
            "Sources of Debian, clang-22 -O2. The truth are the counts of all blocks by pgokit's plugin, in the same training "
            "run. Overlap: the sum of the smaller of both shares of each block in all executions. Similarity is that of "
            "`pgokit compare`, which hardly sees samples that should be another function's; *of an unbiased sampler*: the similarity "
            "that as many stacks have whose branches are drawn at random from the exact counts; *by lines*: of profiles by lines in "
            "place of probes. *Weight found*: the share of all executions that were in blocks which the recording knows. Median "
            f"of {options.runs} interleaved recordings; slow-down by the least time, with the recorder's own CPU time. "
            f"{launch.machine()}; load of the machine {os.getloadavg()[1]:.1f}.", 100)]
    for name in options.programs.split(","):
        try:
            program = real_programs.built(name, WORK / "programs", PGOKIT)
            found.append(real_recordings.measure(program, PGOKIT, options.runs, rows))
            if options.bias and shutil.which("perf"):
                found[-1]["bias"] = real_recordings.bias(program, PGOKIT, rows)
        except (real_programs.Missing, launch.Failed) as why:
            print(f"bench record: without {name}: {why}", file=sys.stderr)
            text += ["", f"{name} was left out."]
            continue
        text += ["", *real_recordings.table(found[-1])]
        print("\n".join(real_recordings.table(found[-1])), flush=True)
    (WORK / "record_real.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return text


def write(measured):
    """bench/record.md, in which a part that was not measured remains."""
    file = ROOT / "bench/record.md"
    first, _, second = file.read_text(encoding="utf-8").partition("## Real programs\n")
    old = {"synthetic": first[first.index("## "):], "real": "## Real programs\n" + second}
    new = [("\n".join(measured[part]) if part in measured else old[part]).strip() for part in ("synthetic", "real")]
    command = " ".join(["./dev bench record", *sys.argv[1:]])
    text = f"# Recording in software: measured\n\n    {command}\n\n" + "\n\n".join(new) + "\n"
    file.write_text(text, encoding="utf-8")
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--programs", default="", help=f"not {','.join(real_programs.RECORDED)}, but these of "
                        f"{','.join(real_programs.RECIPES)}")
    parser.add_argument("--ways", default="", help="only these ways to record real programs")
    parser.add_argument("--peers", action="store_true", help="also the slow-down by callgrind and qemu-user, of real programs")
    parser.add_argument("--bias", action="store_true", help="also real programs that count themselves: test/record/exact.py")
    parser.add_argument("--only", choices=["synthetic", "real"], help="the other part of bench/record.md stays as it is")
    options = parser.parse_args()
    parts = {"synthetic": lambda: synthetic(options.runs), "real": lambda: real(options)}
    chosen = [options.only] if options.only else ["real"] if options.programs or options.ways else list(parts)
    kept = bool(options.programs or options.ways)
    options.programs = options.programs or ",".join(real_programs.RECORDED)
    if unknown := set(options.programs.split(",")) - set(real_programs.RECIPES):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    WORK.mkdir(parents=True, exist_ok=True)
    measured = {part: parts[part]() for part in chosen}
    if not kept:
        write(measured)


if __name__ == "__main__":
    main()

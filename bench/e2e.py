#!/usr/bin/env python3
"""pgokit beside llvm-profgen on the same inputs, in one run: wall time, CPU time, peak memory.

    ./dev bench e2e [--runs N] [--only NAME]

Writes bench/e2e.md. The inputs are random walks over real programs (pgokit-walk), so that they can
be of any size; they are made once, in build/bench. Both tools write the same text profile, which is
checked. CPU time and memory include child processes: llvm-profgen reads perf.data by running perf.
"""
import argparse
import dataclasses
import filecmp
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import textwrap
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import big_program  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
PROBED_BUILD = ["clang++-22", "-std=c++20", "-O2", "-g", "-fpseudo-probe-for-profiling", "-fuse-ld=lld-22"]

@dataclasses.dataclass
class Case:
    name: str
    about: str
    program: pathlib.Path
    input: pathlib.Path
    option: str  # what gives llvm-profgen the input
    speed_target: float  # times faster; 0: none
    memory_target: float = 0  # times less


def find_walker():
    return launch.built_tool("pgokit-walk")


def walk(program, name, *options):
    """An input made by a random walk over the program; made again when the program is newer."""
    out = WORK / name
    if not out.exists() or out.stat().st_mtime < program.stat().st_mtime:
        subprocess.run([find_walker(), program, "--seed", "1", "--depth", "32", *options, "-o", out], check=True)
    return out


def cases(only):
    """Builds the inputs that are needed."""
    wanted = lambda name: only in (None, name)  # noqa: E731
    sized = ["--samples", "160000", "--kind", "lbr", "--format"]
    if wanted("script") or wanted("perfdata"):
        # A copy, so that building pgokit anew does not make the inputs stale.
        program = WORK / "profiled"
        if not program.exists():
            program.write_bytes(PGOKIT.read_bytes())
            program.chmod(0o755)
    if wanted("script"):
        yield Case("script", "text of perf script", program, walk(program, "walk.txt", *sized, "script"),
                   "--perfscript", 10, 4)
    if wanted("perfdata"):
        yield Case("perfdata", "perf.data", program, walk(program, "walk.perf", *sized, "perfdata"),
                   "--perfdata", 20)
    if wanted("contexts"):
        probed = WORK / "probed"
        if not probed.exists():
            subprocess.run([*PROBED_BUILD, ROOT / "examples/documents/main.cc", "-o", probed], check=True)
        hybrid = walk(probed, "hybrid.txt", "--samples", "10000", "--kind", "hybrid", "--format", "script")
        yield Case("contexts", "text with call chains, a program with probes", probed, hybrid, "--perfscript", 0)
    if wanted("first"):
        big = big_program.build(WORK / "big")
        one = walk(big, "one.txt", "--samples", "1", "--kind", "lbr", "--format", "script")
        yield Case("first", "one sample of a program with 100 MB of code", big, one, "--perfscript", 20)


def command_of(tool, case, output):
    return [*tool, f"--binary={case.program}", f"{case.option}={case.input}", "--format=text", f"--output={output}"]


def compare(case, runs):
    """The two tools in turn, so that both meet the same machine."""
    ours, theirs = WORK / f"{case.name}.pgokit.prof", WORK / f"{case.name}.profgen.prof"
    our_command = command_of([PGOKIT, "llvm-profgen"], case, ours)
    their_command = command_of(["llvm-profgen-22"], case, theirs)
    ours_measured, theirs_measured = launch.in_turn([our_command, their_command], runs, WORK)
    same = filecmp.cmp(ours, theirs, shallow=False)
    return ours_measured, theirs_measured, same


def start_up(command, runs=200):
    times = []
    for _ in range(runs):
        started = time.monotonic()
        pid = os.posix_spawnp(command[0], list(map(str, command)), os.environ,
                              file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        os.waitpid(pid, 0)
        times.append(time.monotonic() - started)
    return statistics.median(times) * 1000


def write_table(results, start_times, runs, promises):
    lines = ["# pgokit beside llvm-profgen", "",
             *textwrap.wrap(
                 f"Written by `./dev bench e2e`: medians of {runs} runs of each, in turn, on {os.cpu_count()} cores ({launch.machine()}, "
                 f"Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}). Peak memory is the highest seen; below 10 MB "
                 "it cannot be told.", 100, break_on_hyphens=False), "",
             "| input | | wall | CPU | peak memory | same profile |", "|---|---|---|---|---|---|"]
    for case, ours, theirs, same in results:
        size = case.input.stat().st_size / 2**20
        what = f"{case.about}, {size:.0f} MB" if size >= 1 else case.about
        lines.append(f"| {what} | llvm-profgen 22 | {theirs.wall:.2f} s | {theirs.cpu:.2f} s | {theirs.peak_mb:.0f} MB | |")
        lines.append(f"| | pgokit | {ours.wall:.3f} s | {ours.cpu:.3f} s | {ours.peak_mb:.0f} MB | {'yes' if same else 'NO'} |")
        cells = promises.row(case.name, what, ours, theirs, ["pgokit", "llvm-profgen", case.option], ["llvm-profgen-22", case.option],
                             wall=case.speed_target, memory=case.memory_target)
        lines.append(f"| | ratio | {cells['wall']} | {cells['cpu']} | {cells['memory']} | |")
    if start_times:
        lines += ["", f"Start-up: `pgokit --help` {start_times[0]:.1f} ms, `llvm-profgen-22 --help` {start_times[1]:.1f} ms."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["script", "perfdata", "contexts", "first", "start"])
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    results, promises = [], goals.Goals("e2e")
    for case in cases(options.only):
        try:
            ours, theirs, same = compare(case, options.runs)
        except launch.Failed as failure:
            print(f"{case.name}: left out: {failure}", file=sys.stderr)
            continue
        print(f"{case.name}: pgokit {ours.wall:.3f} s, {ours.peak_mb:.0f} MB; llvm-profgen {theirs.wall:.2f} s, "
              f"{theirs.peak_mb:.0f} MB; profiles {'equal' if same else 'DIFFER'}", file=sys.stderr)
        results.append((case, ours, theirs, same))
    start_times = None
    if options.only in (None, "start"):
        start_times = start_up([PGOKIT, "--help"]), start_up(["llvm-profgen-22", "--help"])
    text = write_table(results, start_times, options.runs, promises)
    print(text)
    if options.only is None:
        (ROOT / "bench/e2e.md").write_text(text, encoding="utf-8")
    if options.json:
        figures = {case.name: {"pgokit": dataclasses.asdict(ours), "llvm-profgen": dataclasses.asdict(theirs), "same": same}
                   for case, ours, theirs, same in results}
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return promises.finish() or int(not all(same for *_, same in results))


if __name__ == "__main__":
    sys.exit(main())

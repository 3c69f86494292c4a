#!/usr/bin/env python3
"""Call stacks of a recording, exported, beside perf script and go tool pprof, and its report beside perf's: wall time, CPU
time, peak memory.

    ./dev bench export [--runs N] [--seconds S] [--flamegraph FOLDER]

Writes bench/export.md. The recording is perf's, of examples/interpreter at 20 kHz with call chains. The text of perf
script is where stackcollapse-perf.pl and other converters begin, so its time is the least of theirs; where FlameGraph's
folder is given (github.com/brendangregg/FlameGraph), that is measured too.
"""
import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/export"
PGOKIT = ROOT / "build/bin/pgokit"
HOT = "sprig::Binary::evaluate"  # as perf has the name
SOURCES = sorted((ROOT / "examples/interpreter").glob("*.cc"))


COLLAPSED = "perf script, stackcollapse-perf.pl"
REPORTS = {"pgokit report --text": [PGOKIT, "report", "app.perf", "-b", "app", "--text"],
           "perf report --stdio": ["perf", "report", "--stdio", "--no-children", "-g", "none", "--no-inline", "-i", "app.perf"],
           "pgokit report --annotate": [PGOKIT, "report", "app.perf", "-b", "app", "--annotate", f"{HOT}(sprig::Frame&) const"],
           "perf annotate --stdio": ["perf", "annotate", "--stdio", "-i", "app.perf", "-s", HOT]}


def run(*command):
    subprocess.run([str(word) for word in command], cwd=WORK, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare(seconds):
    WORK.mkdir(parents=True, exist_ok=True)
    run("clang++-22", "-O2", "-g", "-fno-omit-frame-pointer", *SOURCES, "-o", "app")
    workload = ROOT / "examples/interpreter/workload.sprig"
    run("perf", "record", "-F", "20000", "-g", "-e", "cpu-clock:u", "-o", "app.perf", "--", "sh", "-c",
        f"end=$(($(date +%s) + {seconds})); while [ $(date +%s) -lt $end ]; do ./app {workload} 1 2; done")
    with open(WORK / "app.txt", "w", encoding="utf-8") as out:
        subprocess.run(["perf", "script", "--no-inline", "-i", "app.perf"], cwd=WORK, check=True, stdout=out, stderr=subprocess.DEVNULL)
    run(PGOKIT, "export", "app.perf", "-o", "app.pb.gz")


def keep_rows(judged, results):
    folded = next(name for name in (COLLAPSED, "perf script --no-inline") if name in results)
    rows = {"folded": ("call stacks, folded", "pgokit export --to folded", folded, 2 if folded != COLLAPSED else 10),
            "pprof": ("call stacks for pprof", "pgokit export --to pprof", "perf script --no-inline", 2),
            "report": ("the hottest functions", *list(REPORTS)[:2], 2),
            "annotate": ("machine code of one function", *list(REPORTS)[2:], 2)}
    for row, (about, ours, theirs, wanted) in rows.items():
        judged.row(row, about, results[ours], results[theirs], ours.split(), theirs.split(), wall=wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--flamegraph", type=pathlib.Path, default=ROOT / "build/bench/sources/FlameGraph")
    options = parser.parse_args()
    try:
        prepare(options.seconds)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"skipped: {error}")
        return 77
    commands = {"perf script --no-inline": ["perf", "script", "--no-inline", "-i", "app.perf"]}
    for form in ("folded", "speedscope", "pprof", "firefox"):
        commands[f"pgokit export --to {form}"] = [PGOKIT, "export", "app.perf", "--to", form]
    commands["pgokit export --to folded, of perf's text"] = [PGOKIT, "export", "app.txt", "--to", "folded"]
    if shutil.which("go"):
        commands["go tool pprof -proto, of the pprof file"] = ["go", "tool", "pprof", "-proto", "-output=again.pb.gz", "app.pb.gz"]
    collapse = options.flamegraph / "stackcollapse-perf.pl"
    if collapse.exists():
        commands[COLLAPSED] = ["sh", "-c", f"perf script --no-inline -i app.perf | perl '{collapse}'"]
    commands |= REPORTS
    results = dict(zip(commands, launch.in_turn(list(commands.values()), options.runs, WORK)))
    judged, lines, judge = goals.Goals("export"), [], next(iter(results.values()))
    keep_rows(judged, results)
    for name, found in results.items():
        ratio = "" if name in REPORTS else f"{judge.wall / found.wall:.1f}x"
        lines.append(f"| {name} | {found.wall:.2f} s | {found.cpu:.2f} s | {found.peak_mb:.0f} MB | {ratio} |")
    sizes = {name: (WORK / name).stat().st_size / 1e6 for name in ("app.perf", "app.txt", "app.pb.gz")}
    text = ["# Call stacks for other viewers", "",
            f"Written by `./dev bench export`: medians of {options.runs} runs of each, in turn, on {os.cpu_count()} cores",
            f"({launch.machine()}, Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}). The recording has",
            f"{sizes['app.perf']:.1f} MB, perf's text of it {sizes['app.txt']:.1f} MB, the pprof file {sizes['app.pb.gz']:.2f} MB.", "",
            "| | wall | CPU | peak memory | wall time, times less than perf script |", "|---|---|---|---|---|", *lines]
    (ROOT / "bench/export.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))
    return judged.finish()


if __name__ == "__main__":
    sys.exit(main())

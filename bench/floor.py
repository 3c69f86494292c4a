#!/usr/bin/env python3
"""How far reading samples is from the least that any program has to do: one core, the inputs of bench/generate.py.

    ./dev bench floor [--runs N] [--size S|L]

The floor of perf.data is going through its records and hashing each branch of each sample once (bench/micro/floor.cc). Writes
bench/floor.md.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "support")]
import generate  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench/floor.md"
COUNTED, SCANNED = 1.5, 1000  # times the floor; MB a second


@dataclasses.dataclass
class Found:
    size: str
    megabytes: dict  # of the recording and of its text
    seconds: dict  # by benchmark: CPU time, median
    command: launch.Measured  # all of `pgokit llvm-profgen` with perf.data

    @property
    def times_floor(self):
        return self.seconds["recording_counted"] / self.seconds["recording_floor"]

    def speed(self, name):
        return self.megabytes[name.partition("_")[0]] / self.seconds[name]


def measure(size, runs):
    program, recording = generate.recording("perfdata", size)
    _, text = generate.recording("flat", size)
    variables = {"PGOKIT_BENCH_PROGRAM": program, "PGOKIT_BENCH_RECORDING": recording, "PGOKIT_BENCH_SCRIPT": text}
    said = subprocess.run([sys.executable, ROOT / "bench/micro.py", "floor", "--", f"--benchmark_repetitions={runs}",
                           "--benchmark_report_aggregates_only=true", "--benchmark_enable_random_interleaving=true",
                           "--benchmark_format=json"],
                          env=os.environ | {name: str(path) for name, path in variables.items()}, text=True, stdout=subprocess.PIPE, check=True)
    found = json.loads(said.stdout[said.stdout.index("{"):])["benchmarks"]
    if failed := [one["error_message"] for one in found if one.get("error_occurred")]:
        sys.exit(f"bench floor: {failed[0]}")
    seconds = {one["run_name"].partition("/")[0]: one["cpu_time"] / 1000 for one in found if one.get("aggregate_name") == "median"}
    whole = launch.in_turn([generate.command([generate.PGOKIT, "llvm-profgen"], "perfdata", program, recording, generate.WORK / size / "floor.prof")],
                           runs, generate.WORK)[0]
    return Found(size, {"recording": recording.stat().st_size / 1e6, "text": text.stat().st_size / 1e6}, seconds, whole)


def page(all_found, runs):
    yield from ("# Reading samples, and its floor", "",
                f"Written by `./dev bench floor`: CPU time on one core, medians of {runs} runs in turn ({launch.machine()}, "
                f"Linux {platform.release()};", f"other programs kept {max(one.command.busy for one in all_found):.1f} processors busy).", "",
                "*Floor*: going through the records of perf.data and hashing each branch once. *Counted*: ranges and",
                "branches of the program, in the order of the code. *Scanned*: numbers of the text read, nothing done",
                "with them. *Command*: all of `pgokit llvm-profgen`, with the program's debug information and a text",
                "profile, on all cores.", "",
                "| input | floor | counted | times the floor | command, CPU time | wall |", "|---|---|---|---|---|---|")
    for one in all_found:
        missed = "" if one.times_floor <= COUNTED else ", missed"
        yield (f"| {one.size}: perf.data, {one.megabytes['recording']:.0f} MB | {one.seconds['recording_floor']:.3f} s | "
               f"{one.seconds['recording_counted']:.3f} s | {one.times_floor:.2f} (target {COUNTED}{missed}) | {one.command.cpu:.3f} s | "
               f"{one.command.wall:.3f} s |")
    yield from ("", "| input | scanned | counted |", "|---|---|---|")
    for one in all_found:
        missed = "" if one.speed("text_scanned") >= SCANNED else ", missed"
        yield (f"| {one.size}: text, {one.megabytes['text']:.0f} MB | {one.speed('text_scanned'):.0f} MB/s (target {SCANNED}{missed}) | "
               f"{one.speed('text_counted'):.0f} MB/s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--size", choices=generate.SIZES)
    options = parser.parse_args()
    promises, found = goals.Goals("floor"), []
    for size in [options.size] if options.size else generate.SIZES:
        found.append(measure(size, options.runs))
        promises.ratio(f"{size} perf.data", "floor", 1 / found[-1].times_floor, 1 / COUNTED)
        promises.ratio(f"{size} text", "MB a second", found[-1].speed("text_scanned"), SCANNED)
    text = "\n".join(page(found, options.runs)) + "\n"
    print(text, end="")
    if not options.size:
        PAGE.write_text(text, encoding="utf-8")
    return promises.finish()


if __name__ == "__main__":
    sys.exit(main())

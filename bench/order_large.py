#!/usr/bin/env python3
"""Function orders of a program with more than 10 MB of code: ffmpeg of Debian's sources, cold starts with intervals.

    ./dev bench order_large [--runs N] [--print]

Builds it twice by clang 22 (plain and instrumented: 20 minutes on two cores), links it in orders of pgokit, of llvm-profdata order
and of lld's own (balanced partitioning of the same traces, and a sort by exact counts of calls), and replaces the section `ffmpeg`
of bench/order.md. Cold starts are measured on an ext4 image of its own whose reads go to the machine's disk (needs root and a loop
device). The builds take turns, so that what else runs on the machine slows all of them.
"""
import argparse
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import real_programs  # noqa: E402
import source_package  # noqa: E402
import start_up  # noqa: E402
from start_up import PGOKIT, READ_AHEAD, ROOT, run  # noqa: E402

WORK = ROOT / "build/bench/order"
PAGE = ROOT / "bench/order.md"
NAME = "ffmpeg"
FLAGS = "-O2 -ffunction-sections -g0"
RECIPE = real_programs.Recipe(
    "start-ups of a converter",
    """./configure --cc="$CC" --extra-cflags="$FLAGS" --optflags=-O2 --disable-debug --disable-x86asm --disable-autodetect \\
               --disable-doc --disable-ffplay --disable-ffprobe --extra-ldflags="-fuse-ld=lld-22 -Wl,--build-id"
           make -j$(nproc) ffmpeg_g
           cp ffmpeg_g program""",
    "", needs=("make",))
LIBRARIES = ("avdevice", "avfilter", "avformat", "avcodec", "swresample", "swscale", "avutil")

QUIET = "-nostdin -hide_banner -v error -threads 1 -filter_threads 1"
SCENARIOS = [f"{QUIET} {words}".split() for words in (
    "-f lavfi -i testsrc=d=0.1:s=64x48 -c:v mpeg4 -f avi -y /dev/null",
    "-f lavfi -i sine=d=0.1 -c:a flac -f flac -y /dev/null",
    "-f lavfi -i testsrc=d=0.1:s=64x48 -vf scale=32:24,hflip -c:v mjpeg -f matroska -y /dev/null")]


class Program:
    def __init__(self):
        self.folder = WORK / NAME
        self.version = source_package.version(NAME, self.folder)
        counting = run([PGOKIT, "flags", "order", "--style", "clang-config"])
        self.plain, self.instrumented = (real_programs.build_kind(RECIPE, NAME, self.folder, kind, options, FLAGS)
                                         for kind, options in (("plain", ""), ("instrumented", counting)))
        self.logs = [self.log(i, words) for i, words in enumerate(SCENARIOS)]
        self.names = [run([PGOKIT, "order", self.instrumented, log, "--algorithm", "first-touch", "-o", "-"]).split() for log in self.logs]

    def log(self, number, arguments):
        out = self.folder / f"{number}.mipraw"
        out.unlink(missing_ok=True)
        run([self.instrumented, *arguments], env={"PGOKIT_PROFILE_FILE": str(out)})
        return out

    def link(self, name, *more):
        """Of the objects of the plain build."""
        out, built = self.folder / name, self.folder / "plain"
        run(["clang-22", "-fuse-ld=lld-22", "-Wl,--build-id", "-Wl,--as-needed", "-Wl,-z,noexecstack", "-Wl,--no-warn-symbol-ordering", *more,
             "-o", out, *sorted(built.glob("fftools/*.o")), *(f"-L{built}/lib{one}" for one in LIBRARIES), *(f"-l{one}" for one in LIBRARIES),
             "-lm", "-latomic", "-pthread"])
        return out

    def orders(self, train):
        """name → the linked program"""
        logs, tag = [self.logs[i] for i in train], "-".join(map(str, train))
        result = {"none": self.link(f"none.{tag}")}
        for algorithm in ("auto", "first-touch", "bp"):
            out = self.folder / f"{algorithm}.{tag}.order"
            run([PGOKIT, "order", self.instrumented, *logs, "--link", result["none"], "--algorithm", algorithm, "-q", "-o", out])
            result[f"pgokit {algorithm}"] = self.link(f"{algorithm}.{tag}", f"-Wl,--symbol-ordering-file={out}")
        profile, out = start_up.temporal_profile(self.folder, [self.names[i] for i in train]), self.folder / f"llvm.{tag}.order"
        run(["llvm-profdata-22", "order", profile, "-o", out])
        ours = run([PGOKIT, "llvm-profdata", "order", profile, "-o", "-"])
        if ours != out.read_text(encoding="utf-8"):
            sys.exit("pgokit llvm-profdata order writes another order than llvm-profdata 22")
        result["llvm-profdata order"] = self.link(f"llvm.{tag}", f"-Wl,--symbol-ordering-file={out}")
        result["lld --bp-startup-sort"] = self.link(f"lld-bp.{tag}", "-Wl,--bp-startup-sort=function", f"-Wl,--irpgo-profile={profile}")
        calls = self.calls(train, result["none"])
        result["lld cdsort, exact calls"] = self.link(f"lld-calls.{tag}", f"-Wl,--call-graph-ordering-file={calls}",
                                                      "-Wl,--call-graph-profile-sort=cdsort")
        return result

    def calls(self, train, plain):
        """What lld's sort by calls is given: all calls of the same start-ups."""
        recordings = []
        for i in train:
            recordings.append(self.folder / f"{i}.perf")
            run([PGOKIT, "record", "--exact", "-o", recordings[-1], "--", plain, *SCENARIOS[i]])
        out = self.folder / "calls"
        run([PGOKIT, "order", *recordings, "-b", plain, "--format", "call-graph", "-q", "-o", out])
        return out


def pages_table(program):
    everything = list(range(len(SCENARIOS)))
    rows, cold = [], None
    for title, train, test in (("all start-ups", everything, everything), ("the last one, learnt from the others", everything[:-1], everything[-1:])):
        orders = program.orders(train)
        found = start_up.evaluate(list(orders.values()), program.instrumented, [program.logs[i] for i in test])
        rows += [f"Judged by {title}; text {found[0]['text'] / 1e6:.2f} MB:", "",
                 "| order | 4,096-byte pages | 16,384-byte | 65,536-byte | page-fault curve |", "|---|---|---|---|---|"]
        for name, one in zip(orders, found):
            rows.append(f"| {name} | {one['pages']['4096']:.0f} | {one['pages']['16384']:.0f} | {one['pages']['65536']:.0f} | "
                        f"{one['area']:.0f} ({100 * (one['area'] / found[0]['area'] - 1):+.1f} %) |")
            print(title, rows[-1], flush=True)
        rows.append("")
        cold = cold or orders
    return rows, cold


def interval(values, form):
    middle, low, high = (format(value, form) for value in start_up.median_interval(values))
    return middle if low == high else f"{middle} [{low}, {high}]"


def cell(samples, base):
    """Faults, time, and the time relative to that of no order in the same turn."""
    faults, times = zip(*samples)
    ratios = [mine / other for mine, (_, other) in zip(times, base)]
    relative = "" if samples is base else f", {interval(ratios, '.2f')} of none"
    return f"{interval(faults, '.0f')} faults, {interval([1000 * time for time in times], '.0f')} ms{relative}"


def cold_table(orders, disk, runs):
    rows = [f"Cold starts of the first one, {runs} of each in turns, by the device's read-ahead: medians with 95 %",
            "intervals of major faults, wall time, and wall time relative to no order in the same turn. Most",
            "faults are not for code.", "", "| order | " + " | ".join(f"{kb} kB" for kb in READ_AHEAD) + " |", "|---|" + "---|" * len(READ_AHEAD)]
    copies = {}
    for name, build in orders.items():
        copies[name] = disk.mount / build.name
        shutil.copy(build, copies[name])
    os.sync()
    samples = {(name, kb): [] for name in orders for kb in READ_AHEAD}
    for kb in READ_AHEAD:
        disk.read_ahead(kb)
        for _ in range(runs):
            for name, copy in copies.items():
                samples[name, kb].append(start_up.cold_start(copy, SCENARIOS[0]))
    for name in orders:
        rows.append(f"| {name} | " + " | ".join(cell(samples[name, kb], samples["none", kb]) for kb in READ_AHEAD) + " |")
        print(rows[-1], flush=True)
    return [*rows, ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--print", action="store_true", help="do not change bench/order.md")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    try:
        program = Program()
    except real_programs.Missing as why:
        print(f"SKIPPED: {why}")
        return
    rows = [f"### {NAME}: {NAME} {program.version} of Debian's sources, three start-ups (`./dev bench order_large`)", ""]
    table, orders = pages_table(program)
    rows += table
    with start_up.Disk(WORK, megabytes=512, direct=True) as disk:
        if disk.device:
            rows += cold_table(orders, disk, args.runs)
    if not args.print:
        start_up.replace_section(PAGE, NAME, rows)


main()

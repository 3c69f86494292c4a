#!/usr/bin/env python3
"""What more processors and more samples cost: a model by stage, and peak memory of up to 100 million samples.

    ./dev bench scale [--runs N] [--only CASE] [--millions N] [--no-memory]

Writes bench/scale.md. Stages are those of --timings --json, with --threads 1 and 2 (bench/support/scale_model.py). The model of
one input is held against another one: it says what 2 threads take there, from what 1 takes. Programs and recordings are those of
bench/generate.py. For memory there are five recordings that differ, and copies of them, 9 GB for 100 million samples, which are
removed at the end; where the disk has no place for them, there are fewer.
"""
import argparse
import dataclasses
import datetime
import json
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import textwrap

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "support")]
import e2e  # noqa: E402
import generate  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402
import profiles  # noqa: E402
import scale_model  # noqa: E402

FOLDER = e2e.WORK / "scale"
PROCESSORS = (8, 32, 128)
WINDOW, DEPTH, WINDOWS = 2000000, 2, 5  # samples of a recording, branches of a sample, recordings that differ
SHARDS, SHARD_BYTES = 96, 6000000

INTRODUCTION = """Seconds of stages with 1 and 2 threads (medians of {runs} runs), what of them is serial and what is divided, and what that
gives with more processors: Amdahl's law for each stage, where what two runs at once cost each other counts as no serial part
(bench/support/scale_model.py). What each thread does again, such as looking up code that is new to it, is serial there: more samples of
the same code have less of it. *at once*: a run with 1 thread beside another one. Of more than two processors nothing is measured: their
memory may be slower, or faster, than the model has it."""
MEMORY = """Peak memory of `pgokit generate` for the program of 4 MB that bench/generate.py makes, from perf.data with {depth} branches in a
sample: {windows} recordings of {window} million samples that differ, and copies of them. Recordings are mapped into memory; their
pages count while they are read."""
DISTINCT = """The same number of samples, of which more and more are different (*--repeat* of pgokit-walk):"""


@dataclasses.dataclass
class Case:
    title: str
    words: list  # pgokit's
    check: list  # the same of another input
    checked: str
    samples: int = 0


def cases():
    def generated(case, size, *options):
        program, recording = generate.recording(case, size)
        return ["generate", recording, "-b", program, *options]
    sizes, contexts = generate.SIZES, "--context-sensitive"
    yield "flat", lambda: Case("flat profile of perf.data", generated("perfdata", "L"), generated("perfdata", "S"), "size S", sizes["L"].samples)
    yield "lines", lambda: Case("contexts by lines", generated("lines", "L", contexts), generated("lines", "S", contexts), "size S", sizes["L"].samples)
    yield "probes", lambda: Case("contexts by probes", generated("probes", "L", contexts), generated("probes", "S", contexts), "size S",
                                 sizes["L"].samples)
    yield "merge", lambda: Case(f"sum of {SHARDS} profiles of {SHARD_BYTES / 1e6:.0f} MB", ["merge", *profiles.inputs("extbinary", SHARDS, SHARD_BYTES)],
                                ["merge", *profiles.inputs("probes", SHARDS // 4, SHARD_BYTES)], f"{SHARDS // 4} with probes")


def command(words, threads, number=0):
    return [e2e.PGOKIT, *words, "--json", "--timings", "--threads", threads, "-o", FOLDER / f"out{number}"]


def stages(text):
    found = {}
    for stage in json.loads(text)["timings"]:
        name = "reading" if stage["stage"].startswith("reading ") else stage["stage"]
        found[name] = found.get(name, 0) + stage["seconds"]
    return found


def run(words, threads):
    launch.run_once(command(words, threads), FOLDER, FOLDER / "said")
    return stages((FOLDER / "said").read_text(encoding="utf-8"))


def run_two(words):
    """Two runs with one thread each, at once."""
    both = [subprocess.Popen([str(word) for word in command(words, 1, number)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for number in (0, 1)]
    said = [one.communicate()[0] for one in both]
    if any(one.returncode for one in both):
        raise launch.Failed(f"{' '.join(map(str, words))}: failed beside itself")
    return [stages(text) for text in said]


def medians(found):
    names = dict.fromkeys(name for one in found for name in one)
    return {name: statistics.median(one.get(name, 0) for one in found) for name in names}


def measure(case, runs):
    """The model, and the seconds of the other input: with 1 thread, with 2, and what the model says of 2."""
    run(case.words, 2)
    found = {key: [] for key in ("one", "two", "both", "check one", "check two")}
    for _ in range(runs):
        found["one"].append(run(case.words, 1))
        found["two"].append(run(case.words, 2))
        found["both"] += run_two(case.words)
        found["check one"].append(run(case.check, 1))
        found["check two"].append(run(case.check, 2))
    one, two, both, check_one, check_two = map(medians, found.values())
    model = scale_model.Model(one, two, both)
    return model, sum(check_one.values()), sum(check_two.values()), model.total(2, check_one)


def table(case, model, check):
    lines = [f"### {case.title[0].upper()}{case.title[1:]}", "",
             "| stage | 1 thread | 2 threads | at once | serial | divided | " + " | ".join(f"{n} processors" for n in PROCESSORS) + " |",
             "|---|---|---|---|---|---|" + "---|" * len(PROCESSORS)]
    everything = scale_model.Stage(*(sum(getattr(stage, field) for stage in model.stages.values()) for field in ("one", "two", "both")))
    serial = sum(stage.serial for stage in model.stages.values())
    for name, stage in model.stages.items():
        if max(stage.one, stage.both) >= 0.0005:
            lines.append(row(name, stage, stage.serial, [stage.seconds(n) for n in PROCESSORS]))
    lines += [row("all", everything, serial, [model.total(n) for n in PROCESSORS]), ""]
    most = PROCESSORS[-1]
    limit, share = model.limit(most)
    one, two, predicted = check
    gains = ", ".join(f"{n} processors {everything.one / model.total(n):.1f}x" for n in PROCESSORS)
    text = (f"Times as fast as 1 thread: 2 threads {everything.one / everything.two:.2f}x, {gains}. With {most} processors, {limit} takes "
            f"{100 * share:.0f} % of the time. The model held against another input ({case.checked}): 1 thread {one:.3f} s, 2 threads by the model "
            f"{predicted:.3f} s, measured {two:.3f} s, {100 * (predicted / two - 1):+.0f} %.")
    return [*lines, *textwrap.wrap(text, 100, break_on_hyphens=False), ""]


def row(name, stage, serial, seconds):
    cells = [stage.one, stage.two, stage.both, serial, stage.one - serial, *seconds]
    return f"| {name} | " + " | ".join(f"{value:.3f} s" for value in cells) + " |"


@dataclasses.dataclass
class Grown:
    samples: int
    bytes: int
    wall: float
    cpu: float
    peak_mb: float
    distinct: int  # ranges and branches


def grown(program, files, samples):
    wall, cpu, peak = launch.run_once([e2e.PGOKIT, "generate", *files, "-b", program, "--json", "-o", FOLDER / "grown"], FOLDER, FOLDER / "said")
    said = json.loads((FOLDER / "said").read_text(encoding="utf-8"))
    return Grown(samples, sum(file.stat().st_size for file in files), wall, cpu, peak, said["distinct_ranges"] + said["distinct_branches"])


def walked(program, name, samples, *options):
    out = FOLDER / name
    if not out.exists():
        subprocess.run([e2e.find_walker(), program, "--samples", str(samples), "--depth", str(DEPTH), "--format", "perfdata", *options, "-o", out],
                       check=True)
    return out


def by_samples(millions):
    program = generate.deep_program.build(e2e.WORK / "S", generate.SIZES["S"].megabytes)["lines"]
    windows = [walked(program, f"window{seed}.perf", WINDOW, "--seed", str(seed), "--repeat", "60") for seed in range(1, WINDOWS + 1)]
    rows, copies = [grown(program, [walked(program, "half.perf", WINDOW // 2, "--repeat", "60")], WINDOW // 2)], []
    try:
        for count in (1, 2, 5, 10, 25, 50):
            needed = count * windows[0].stat().st_size
            if count * WINDOW > millions * 1000000 or needed > shutil.disk_usage(FOLDER).free // 2:
                print(f"scale: {count * WINDOW // 1000000} million samples are left out", file=sys.stderr)
                break
            for i in range(WINDOWS + len(copies), count):
                copies.append(FOLDER / f"copy{i}.perf")
                shutil.copyfile(windows[i % WINDOWS], copies[-1])
            rows.append(grown(program, [*windows, *copies][:count], count * WINDOW))
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)
    return rows


def by_distinct():
    program = generate.deep_program.build(e2e.WORK / "S", generate.SIZES["S"].megabytes)["lines"]
    return [(repeat, grown(program, [walked(program, f"repeat{repeat}.perf", WINDOW // 2, "--repeat", str(repeat))], WINDOW // 2))
            for repeat in (99, 95, 80, 0)]


def memory_part(millions):
    samples = by_samples(millions)
    text = MEMORY.format(depth=DEPTH, windows=WINDOWS, window=WINDOW // 1000000)
    lines = ["## Memory", "", *textwrap.wrap(text, 100, break_on_hyphens=False), "", "| samples | recordings | wall | CPU | different ranges and branches | peak memory |",
             "|---|---|---|---|---|---|"]
    for one in samples:
        lines.append(f"| {one.samples / 1e6:.0f} million | {one.bytes / 1e6:,.0f} MB | {one.wall:.2f} s | {one.cpu:.2f} s | {one.distinct:,} | "
                     f"{one.peak_mb:.0f} MB |")
    kinds = by_distinct()
    lines += ["", *textwrap.wrap(DISTINCT, 100), "", "| samples | seen before | different ranges and branches | peak memory |", "|---|---|---|---|"]
    lines += [f"| {one.samples / 1e6:.0f} million | {repeat} % | {one.distinct:,} | {one.peak_mb:.0f} MB |" for repeat, one in kinds]
    first, last = samples[0], samples[-1]
    base, each = scale_model.line_through([(one.distinct, one.peak_mb * 2**20) for one in [*samples, *(one for _, one in kinds)]])
    text = (f"{last.samples / first.samples:.0f} times the samples take {last.peak_mb / first.peak_mb:.2f} times the memory, and have "
            f"{last.distinct / first.distinct:.2f} times the different ranges and branches. A line through all rows: {base / 2**20:.0f} MB, and "
            f"{each:.0f} bytes for each of them.")
    return [*lines, "", *textwrap.wrap(text, 100, break_on_hyphens=False), ""], last


def end_of_one(last, models):
    """Where one machine ends."""
    rate = last.samples / last.wall
    lines = ["## Where one machine ends", ""]
    text = (f"On 2 processors, {rate / 1e6:.1f} million samples with {DEPTH} branches are read in a second, {rate * 3600 / 1e9:.0f} billion in an "
            f"hour: as many as {rate / 6400:,.0f} hosts with 64 processors record at 100 Hz. Memory sets no limit before the different branches of "
            "one program do.")
    if "merge" in models and "flat" in models:
        merge, flat = models["merge"], models["flat"]
        shards = [SHARDS / merge.total(n) for n in (2, PROCESSORS[-1])]
        faster = flat.total(2) / flat.total(PROCESSORS[-1])
        per_shard = SHARD_BYTES / (last.bytes / last.samples)
        text += (f" With {PROCESSORS[-1]} processors, the model has {faster:.1f} times that. A profile of {SHARD_BYTES / 1e6:.0f} MB is as large as a "
                 f"recording of {per_shard:,.0f} samples: hosts that record more send less by sending profiles. Of those, {shards[0]:.0f} are added "
                 f"up in a second, by the model {shards[1]:.0f} with {PROCESSORS[-1]} processors; above that, or where the disk is slower, the "
                 "tree of [fleet.md](fleet.md) divides the sum among machines.")
    return [*lines, *textwrap.wrap(text, 100, break_on_hyphens=False), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["flat", "lines", "probes", "merge"])
    parser.add_argument("--millions", type=int, default=100, help="of samples, at most")
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    others, models, parts = launch.Others(), {}, []
    for name, make in cases():
        if options.only not in (None, name):
            continue
        case = make()
        model, *check = measure(case, options.runs)
        models[name] = model
        parts += table(case, model, check)
        print("\n".join(parts[-12:]), flush=True)
    if not options.no_memory:
        lines, last = memory_part(options.millions)
        parts += lines + end_of_one(last, models)
    busy = others.busy()
    state = "" if busy < launch.IDLE else " **The machine was busy: these times are no measure.**"
    about = (f"Written by `./dev bench scale` on {launch.machine()}, {platform.system()} {platform.release()}, {datetime.date.today()}, pgokit "
             f"{goals.commit()}; other programs kept {busy:.1f} processors busy.{state}")
    text = ["# Scale", "", *textwrap.wrap(about, 100, break_on_hyphens=False), "", "## Processors", "", *textwrap.wrap(INTRODUCTION.format(runs=options.runs), 100), "", *parts]
    print("\n".join(text))
    if not options.only and not options.no_memory:
        (e2e.ROOT / "bench/scale.md").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

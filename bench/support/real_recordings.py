"""Ways to record the training runs of real_programs.py, each judged by exact counts and by what it costs.

    found = measure(program, pgokit, runs=3, rows=ways(pgokit, peers=False))
    lines = table(found)

All ways run in turn, so that whatever the machine does meanwhile meets them alike.
"""
import dataclasses
import shutil
import statistics
import textwrap

import exact
import launch
import real_programs
from unbiased_sampler import UnbiasedSampler

RECORDING = "recorded.data"


@dataclasses.dataclass
class Way:
    label: str
    before: list  # the words before the command
    generate: list = dataclasses.field(default_factory=list)  # options of `pgokit generate`
    recording: str = RECORDING  # none: only what it costs is measured
    each_program: bool = False  # they go before each program that the script runs, not before the shell
    runs: int = 0  # fewer than the others
    options: list = None  # of `pgokit record --software`, where the recording has branch stacks


def ways(pgokit, peers):
    """One line for each. The first is the program alone."""
    def ours(label, *options):
        return Way(label, [pgokit, "record", "-q", "--software", *options, "-o", RECORDING, "--"], options=list(options))

    rows = [
        Way("alone", [], recording=""),
        ours("default"),
        *(ours(f"--slowdown {percent}", "--slowdown", str(percent)) for percent in (5, 50)),
        ours("--memory", "--memory"),
        # No stacks to be judged for bias.
        Way("--exact", [pgokit, "record", "-q", "--exact", "-o", RECORDING, "--"]),
        Way("--exact --contexts", [pgokit, "record", "-q", "--exact", "--contexts", "-o", RECORDING, "--"]),
        Way("-e cpu-clock", [pgokit, "record", "-q", "-e", "cpu-clock", "-o", RECORDING, "--"], ["--allow-ip"]),
        Way("perf, cpu-clock", ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", RECORDING, "--"], ["--allow-ip"]),
    ]
    if peers:
        rows += [
            Way("callgrind", ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null"], [], "", True, 1),
            Way("qemu-user", ["qemu-x86_64"], [], "", True, 1),
        ]
    return [row for row in rows if not row.before or shutil.which(row.before[0])]


def judge(program, way, pgokit):
    """Samples, density, and how like the exact counts the profile of the recording is."""
    made = {kind: program.generate(pgokit, RECORDING, program.plain, "recorded", kind, way.generate) for kind in real_programs.KINDS}
    like = {kind: program.compare(pgokit, kind, "recorded") for kind in real_programs.KINDS}
    return {
        "samples": made["probes"]["samples"]["total"],
        "used": made["probes"]["samples"]["used"],
        "density": made["probes"]["profile"]["density"],
        "overlap": program.overlap(pgokit, "recorded"),
        "similarity": like["probes"]["similarity"],
        "similarity_by_lines": like["lines"]["similarity"],
        "found": 1 - like["probes"]["base_unique_samples"] / like["probes"]["base_samples"],
        "functions": like["probes"]["matched_functions"],
    }


def once(program, way, pgokit):
    command = [*way.before, *program.command(program.plain)]
    if way.each_program:
        command = program.command(*way.before, program.bare())
    (program.folder / RECORDING).unlink(missing_ok=True)
    wall, cpu, _ = launch.run_once(command, program.folder)
    return {"wall": wall, "cpu": cpu} | (judge(program, way, pgokit) if way.recording else {})


def summary(results):
    """Medians."""
    return {name: statistics.median(one[name] for one in results) for name in results[0]}


def times_alone(results, alone):
    """The median of how many times as long each run takes as the one alone in the same turn: the speed of virtual machines changes
    within minutes."""
    return {name: statistics.median(one[name] / beside[name] for one, beside in zip(results, alone)) for name in ("wall", "cpu")}


def unbiased_sampler(program, pgokit):
    """Drawn from a recording of all branches of the training run."""
    real_programs.run([pgokit, "record", "-q", "--exact", "-o", RECORDING, "--", *program.command(program.plain)], program.folder,
                      log="train.log")
    real_programs.run([pgokit, "generate", "-q", RECORDING, "-b", program.plain, "--format", "raw", "-o", "exact.raw"], program.folder)
    return UnbiasedSampler((program.folder / "exact.raw").read_text(encoding="utf-8"))


def without_bias(program, pgokit, sampler, samples):
    """How like the exact counts the profile of so many unbiased samples is."""
    (program.folder / "unbiased.raw").write_text(sampler.draw(samples), encoding="utf-8")
    program.generate(pgokit, "unbiased.raw", program.plain, "unbiased", "probes")
    return program.compare(pgokit, "probes", "unbiased")["similarity"]


def measure(program, pgokit, runs, rows):
    for name in ("truth", "again"):
        program.count(pgokit, name)
    again = program.compare(pgokit, "probes", "again")
    sampler = unbiased_sampler(program, pgokit)
    results, failed = {way.label: [] for way in rows}, {}
    launch.run_once(program.command(program.plain), program.folder)  # brings the files into memory
    for turn in range(runs):
        for way in rows:
            if turn >= (way.runs or runs) or way.label in failed:
                continue
            try:
                results[way.label].append(once(program, way, pgokit))
            except (launch.Failed, real_programs.Missing) as error:
                failed[way.label] = str(error)
    ways = {label: summary(one) | {"runs": one, "times_alone": times_alone(one, results["alone"])}
            for label, one in results.items() if one and label not in failed}
    for way in ways.values():
        if way.get("samples"):
            way["without_bias"] = without_bias(program, pgokit, sampler, round(way["samples"]))
    return {
        "program": program.name, "version": program.version, "training": program.recipe.about,
        "truth": {"samples": again["base_samples"], "functions": again["base_functions"], "similarity_of_two_runs": again["similarity"]},
        "ways": ways,
        "failed": failed,
    }


def bias(program, pgokit, rows):
    """The ways that give branch stacks, judged by the recorded run's own counters, beside a sampler without bias."""
    own, found = program.built_with(exact.FLAGS), {}
    for way in rows:
        if way.options is not None:
            samples, overlap, chance, counts = exact.measure_command(pgokit, own, program.command(own), program.folder, way.options,
                                                             cwd=program.folder)
            found[way.label] = {"samples": samples, "overlap": overlap, "without_bias": chance, "counts": counts}
    return found


def table(found):
    alone = found["ways"]["alone"]
    yield f"### {found['program']} {found['version']}"
    yield ""
    about = (f"{found['training']}; {alone['wall']:.2f} s, {alone['cpu']:.2f} s of CPU time; {found['truth']['functions']} "
             f"functions; two counted runs are {100 * found['truth']['similarity_of_two_runs']:.2f} % alike.")
    yield from textwrap.wrap(about, 100)
    yield ""
    yield ("| way | samples | functions | overlap | similarity | of an unbiased sampler | by lines | weight found | density | "
           "slow-down | in CPU time |")
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for label, way in found["ways"].items():
        if label == "alone":
            continue
        judged = "| | | | | | | | |"
        if "samples" in way:
            unbiased = f"{100 * way['without_bias']:.1f} %" if "without_bias" in way else ""
            judged = (f"| {way['samples']:,.0f} | {way['functions']:.0f} | {100 * way['overlap']:.1f} % | "
                      f"{100 * way['similarity']:.1f} % | {unbiased} | {100 * way['similarity_by_lines']:.1f} % | "
                      f"{100 * way['found']:.1f} % | {way['density']:.1f} |")
        yield f"| {label} {judged} {slow_down(way['times_alone']['wall'])} | {slow_down(way['times_alone']['cpu'])} |"
    for label, why in found["failed"].items():
        yield f"| {label} | failed: {why.splitlines()[0].replace('|', ' ')} | | | | | | | | | |"
    if found.get("bias"):
        yield from ["", "| way | samples | overlap of their stacks with the run's own counters | of a sampler without bias | of counts |",
                   "|---|---|---|---|---|"]
        for label, one in found["bias"].items():
            # Two halves of a short recording differ by the program's phases too, which says nothing about the whole.
            chance = f"{100 * one['without_bias']:.1f} %" if one["samples"] >= exact.SAMPLES else "too few to tell"
            yield f"| {label} | {one['samples']:,} | {100 * one['overlap']:.1f} % | {chance} | {100 * one['counts']:.1f} % |"


def slow_down(times):
    """In percent up to twice the time, then as a factor."""
    return f"{100 * (times - 1):.1f} %" if times < 2 else f"{times:.1f}x"

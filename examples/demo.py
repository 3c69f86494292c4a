#!/usr/bin/env python3
"""The main job from end to end: build, record, generate, rebuild, measure. Run by ./dev demo.

Each command is printed as one would type it (in build/demo/<program>, with pgokit on the PATH). The
programs are trained with one seed and measured with another. The runs of all builds are interleaved,
so that whatever the machine does meanwhile meets them all alike.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEBUG_INFO = "-g -fdebug-info-for-profiling -funique-internal-linkage-names"
PROBES = DEBUG_INFO + " -fpseudo-probe-for-profiling"


@dataclasses.dataclass
class Program:
    name: str
    about: str
    compile: str  # without flags for profiles and -o; {examples} is where the sources are
    arguments: str  # of a run; {seed} and {rounds} too are filled in
    train_rounds: int  # some 5 s, so that there are samples enough
    measure_rounds: int  # some 1 s


PROGRAMS = [
    Program("interpreter", "a small language: lexer, parser, a tree that evaluates itself by virtual calls",
            "clang++-22 -std=c++20 -O2 -fuse-ld=lld-22 {examples}/interpreter/*.cc",
            "{examples}/interpreter/workload.sprig {seed} {rounds}", 600, 110),
    Program("documents", "parses, changes and writes JSON with nlohmann::json, as Debian ships it",
            "clang++-22 -std=c++20 -O2 -fuse-ld=lld-22 {examples}/documents/*.cc",
            "{seed} {rounds}", 1500, 290),
]


@dataclasses.dataclass
class Row:
    """One way to build the program; what is measured."""
    binary: str
    label: str
    flags: str
    profile: str = ""
    times: list = dataclasses.field(default_factory=list)  # CPU seconds of each run

    def median(self):
        return statistics.median(self.times)

    def spread(self):
        """The distance between the quartiles."""
        if len(self.times) < 3:
            return max(self.times) - min(self.times)
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low


SKIPPED = 77  # the exit code that ctest takes for it


class Failure(Exception):
    pass


class Shell:
    """Runs commands in the program's folder, printing them first."""

    def __init__(self, folder, bin_folder):
        self.folder = folder
        self.examples = os.path.relpath(ROOT / "examples", folder)
        self.environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}")

    def run(self, command):
        print(f"$ {command}", flush=True)
        output = self.run_quietly(command)
        if output.strip():
            print("\n".join("  " + line for line in output.strip().splitlines()[-12:]), flush=True)

    def run_quietly(self, command):
        done = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise Failure(f"{command}\n{done.stdout}\nexit code {done.returncode}")
        return done.stdout

    def run_all(self, commands):
        """Side by side, as many as there are cores; output is shown of failures only."""
        print("\n".join(f"$ {command}" for command in commands), flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.run_quietly, commands))

    def as_text(self, profile):
        return subprocess.run(["llvm-profdata-22", "merge", "--sample", "--text", profile, "-o", "-"], cwd=self.folder,
                              stdout=subprocess.PIPE, check=True).stdout

    def measure(self, command):
        """CPU seconds and output of one run, kept to one core."""
        core = max(os.sched_getaffinity(0))
        with open(self.folder / "output", "wb+") as output:
            child = subprocess.Popen(command, shell=True, cwd=self.folder, env=self.environment, stdout=output,
                                     preexec_fn=lambda: os.sched_setaffinity(0, {core}))
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                raise Failure(f"{command}: exit code {child.returncode}")
            output.seek(0)
            return usage.ru_utime + usage.ru_stime, output.read()


def step(text):
    print(f"\n# {text}", flush=True)


def profile_rows(shell, program, rounds, with_probes):
    """Records the program once for each kind of build and makes the profiles of it."""
    run = program.arguments.format(seed=1, rounds=rounds, examples=shell.examples)
    kinds = [("lines", "debug info", DEBUG_INFO)] + ([("probes", "probes", PROBES)] if with_probes else [])
    rows = []
    for kind, words, flags in kinds:
        step(f"{program.name}: record the build with {words} and make its profile")
        shell.run(f"pgokit record -o {kind}.perf -- ./{kind} {run} > recorded.out")
        started = time.monotonic()
        shell.run(f"pgokit generate {kind}.perf -b {kind} -o {kind}.prof")
        ours = time.monotonic() - started
        rows.append(Row(f"{kind}.pgokit", f"pgokit, {words}", f"{flags} -fprofile-sample-use={kind}.prof",
                        f"{kind}.prof"))
        step("the same recording through llvm-profgen, which runs perf script")
        started = time.monotonic()
        shell.run(f"llvm-profgen-22 --perfdata={kind}.perf --binary={kind} --ignore-stack-samples "
                  f"--output={kind}.profgen.prof")
        theirs = time.monotonic() - started
        same = shell.as_text(f"{kind}.prof") == shell.as_text(f"{kind}.profgen.prof")
        print(f"  pgokit generate took {ours:.2f} s, llvm-profgen {theirs:.2f} s; "
              f"the profiles say {'the same' if same else 'NOT THE SAME'}")
        rows.append(Row(f"{kind}.profgen", f"llvm-profgen, {words}",
                        f"{flags} -fprofile-sample-use={kind}.profgen.prof", f"{kind}.profgen.prof"))
    return rows


def counted_row(shell, program, rounds):
    """A program with counters, without names and map as it ships, and the profile of its dump."""
    step(f"{program.name}: count blocks exactly and sample calls; what runs is stripped, its map stays here")
    compiler = program.compile.format(examples=shell.examples)
    run = program.arguments.format(seed=1, rounds=rounds, examples=shell.examples)
    shell.run(f"{compiler} {PROBES} $(pgokit flags blocks edges --compile) -o counted "
              "$(pgokit flags blocks edges --link)")
    shell.run("pgokit map counted -o counted.map && llvm-strip-22 counted -o shipped")
    shell.run(f"PGOKIT_PROFILE_FILE=shipped.mipraw ./shipped {run} > shipped.out")
    shell.run("pgokit merge counted.map shipped.mipraw -o counted.mip")
    shell.run("pgokit show counted.mip --top 3")
    shell.run("pgokit generate counted.mip -b counted -o counted.prof")
    return Row("counted.use", "pgokit, block counts", f"{PROBES} -fprofile-sample-use=counted.prof", "counted.prof")


def instrumented_row(shell, program, rounds):
    step(f"{program.name}: clang's instrumented PGO, the upper mark")
    run = program.arguments.format(seed=1, rounds=rounds, examples=shell.examples)
    shell.run(f"LLVM_PROFILE_FILE=instrumented.profraw ./instrumented {run} > instrumented.out")
    shell.run("llvm-profdata-22 merge -o instrumented.profdata instrumented.profraw")
    return Row("instrumented.use", "clang, instrumented", "-g -fprofile-use=instrumented.profdata",
               "instrumented.profdata")


def optimized_row(shell, program, compiler, train, rounds, seconds):
    step(f"{program.name}: all of it in one command, which counts the run and keeps the faster build")
    run, measured = (program.arguments.format(seed=seed, rounds=count, examples=shell.examples) for seed, count in ((1, train), (2, rounds)))
    shell.run(f"pgokit optimize --build '{compiler} -o app' --run './app {run}' --measure './app {measured}' --for {seconds}")
    return Row("app", "pgokit optimize", "", ".pgokit/app.prof")


def measure(shell, program, rows, runs, rounds):
    """Interleaved runs; every build must print the same."""
    arguments = program.arguments.format(seed=2, rounds=rounds, examples=shell.examples)
    step(f"{program.name}: {runs} interleaved runs of each of {len(rows)} builds: ./BUILD {arguments}")
    expected = None
    for _ in range(runs):
        for row in rows:
            seconds, output = shell.measure(f"exec ./{row.binary} {arguments}")
            row.times.append(seconds)
            expected = expected or output
            if output != expected:
                raise Failure(f"{row.binary} prints something else than {rows[0].binary}")


def table(rows):
    """One dictionary per row, ready to be printed."""
    plain, best = rows[0].median(), rows[-1].median()
    out = []
    for row in rows:
        gain = 1 - row.median() / plain
        possible = 1 - best / plain
        out.append({"build": row.label, "median_s": round(row.median(), 4), "spread_s": round(row.spread(), 4),
                    "gain": round(gain, 4), "share_of_instrumented": round(gain / possible, 4) if possible > 0 else None,
                    "times_s": [round(t, 4) for t in row.times]})
    return out


def percent(share, decimals):
    return f"{100 * share:.{decimals}f} %"


def print_table(program, lines):
    print(f"\n{program.name}: {program.about}\n")
    print(f"  {'build':<27} {'median':>8} {'spread':>8} {'less time':>10} {'of instrumented':>16}")
    for line in lines:
        first = line is lines[0]
        share = line["share_of_instrumented"]
        print(f"  {line['build']:<27} {line['median_s']:>6.3f} s {line['spread_s']:>6.3f} s "
              f"{'' if first else percent(line['gain'], 1):>10} "
              f"{'' if first or share is None else percent(share, 0):>16}")


def demonstrate(program, options):
    folder = options.folder.resolve() / program.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shell = Shell(folder, options.bin.resolve())
    train = program.train_rounds // (8 if options.quick else 1)
    rounds = program.measure_rounds // (4 if options.quick else 1)

    compiler = program.compile.format(examples=shell.examples) + (" -flto=thin" if options.thin_lto else "")
    print(f"\n{'=' * 100}\n{program.name}: {program.about}\n$ cd {os.path.relpath(folder, ROOT)}")
    step(f"{program.name}: build it to be profiled")
    builds = [f"{compiler} -o plain", f"{compiler} {DEBUG_INFO} -o lines",
              f"{compiler} -g -fprofile-generate -o instrumented"]
    if not options.quick:
        builds.append(f"{compiler} {PROBES} -o probes")
    shell.run_all(builds)

    sampled = profile_rows(shell, program, train, with_probes=not options.quick)
    if (options.bin.resolve().parent / "lib/pgokit/pgokit-plugin.so").exists():
        sampled.append(counted_row(shell, program, train // 5))
    instrumented = instrumented_row(shell, program, train // 5)
    for row in sampled + [instrumented]:
        if (folder / row.profile).stat().st_size < 100:
            raise Failure(f"{row.profile} is empty")

    step(f"{program.name}: build it again with each profile")
    shell.run_all([f"{compiler} {row.flags} -o {row.binary}" for row in sampled + [instrumented]])
    optimized = optimized_row(shell, program, compiler, train // 5, rounds, 3 if options.quick else 20)
    rows = [Row("plain", "plain -O2", "")] + sampled + [optimized, instrumented]
    measure(shell, program, rows, options.runs or (3 if options.quick else 11), rounds)
    lines = table(rows)
    print_table(program, lines)
    return lines


def missing_tools(bin_folder):
    missing = [name for name in ("clang++-22", "ld.lld-22", "llvm-profgen-22", "llvm-profdata-22", "perf")
               if not shutil.which(name)]
    for command in ("record", "generate"):
        try:
            done = subprocess.run([bin_folder / "pgokit", command, "--help"], capture_output=True, check=False)
            known = done.returncode == 0
        except OSError:
            known = False
        if not known:
            missing.append(f"pgokit {command}")
    return missing


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few short runs, debug info only: for tests")
    parser.add_argument("--runs", type=int, help="interleaved runs of each build (11; 3 with --quick)")
    parser.add_argument("--only", choices=[program.name for program in PROGRAMS], help="one program")
    parser.add_argument("--thin-lto", action="store_true", help="build everything with -flto=thin")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin", help="the folder pgokit is in")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/demo", help="where to build")
    options = parser.parse_args()
    if missing := missing_tools(options.bin):
        print(f"demo: skipped: not here: {', '.join(missing)}", file=sys.stderr)
        return SKIPPED
    started = time.monotonic()
    results = {}
    try:
        for program in PROGRAMS:
            if options.only in (None, program.name):
                results[program.name] = demonstrate(program, options)
    except Failure as failure:
        print(f"demo: failed: {failure}", file=sys.stderr)
        return 1
    if len(results) > 1:
        print(f"\n{'=' * 100}")
        for program in PROGRAMS:
            print_table(program, results[program.name])
    print(f"\nCPU seconds, pinned to one core of {os.cpu_count()} ({cpu_name()}, Linux {platform.release()}); "
          "spread is the distance between\nthe quartiles, 'of instrumented' the share of the gain that "
          f"instrumented PGO reaches. {time.monotonic() - started:.0f} s in all.")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Programs built small where they are cold and fast where they are hot, beside -Oz, -O2 and clang's own instrumented PGO.

    ./dev bench hotness [--only NAME] [--runs N] [--quick]

sqlite3, lua5.4 and zstd (bench/support/real_programs.py) are counted in the short run and measured in the long one, all builds in
turn. `pgokit export --hotness` makes a list of hot, warm and cold functions of the counts; the plugin gives them attributes by it
(-pgokit-use), and the machine outliner may take code from cold ones alone. "code" is the section .text, "file" the stripped program.
Writes bench/hotness.md after each program, with what was measured of the others before; with --quick nothing.
"""
import argparse
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support")]
import bench_options  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402
from real_programs import build_kind, run  # noqa: E402

PROGRAMS = ("sqlite3", "lua5.4", "zstd")
PLUGIN = ROOT / "build/lib/pgokit/pgokit-plugin.so"
LINES = "-gline-tables-only -fdebug-info-for-profiling"
OUTLINER = ("-enable-machine-outliner",)


def llvm(*options):
    """For the compiler alone: the assembler of .S files knows no plugin."""
    return "".join(f" -Xclang -mllvm -Xclang {option}" for option in options)


def stamp(profile):
    """A comment for the configuration: builds are made again when the profile has changed."""
    return f"\n# {hashlib.sha256(profile.read_bytes()).hexdigest()}\n"


def plugin(use, *options):
    return f"-fpass-plugin={PLUGIN}" + llvm(f"-pgokit-use={use}", *options) + stamp(use)


@dataclasses.dataclass
class Build:
    label: str
    level: str
    options: str = ""
    program: pathlib.Path = None
    code: int = 0
    file: int = 0
    time: float = 0


class Case:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.recipe, self.folder = real_programs.RECIPES[name], args.folder / name
        self.pgokit = args.bin / "pgokit"
        self.version = real_programs.source_package.version(name, self.folder)
        self.train = real_programs.prepare(self.recipe, self.folder)

    def build(self, kind, options, level="-O2"):
        return build_kind(self.recipe, self.name, self.folder, kind, options.strip() + "\n", f"{level} {LINES}")

    def use_file(self, kind, *contents):
        """Of one short run of the program that collects this kind."""
        counted = self.build(f"hot_{kind}", run([self.pgokit, "flags", kind, "--style", "clang-config"], self.folder))
        dumps, use = self.folder / f"dumps_{kind}", self.folder / f"{kind}.use"
        shutil.rmtree(dumps, ignore_errors=True)
        dumps.mkdir()
        self.short(counted, PGOKIT_PROFILE_FILE=str(dumps / "%p.mipraw"))
        run([self.pgokit, "merge", counted, *sorted(dumps.iterdir()), "-o", f"{kind}.mip"], self.folder)
        run([self.pgokit, "export", f"{kind}.mip", "-b", counted, "--hotness", *contents, "-o", use], self.folder)
        return use

    def clang_profile(self):
        generating = self.build("hot_generate", "-fprofile-generate")
        raw, profile = self.folder / "raw", self.folder / "clang.profdata"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        self.short(generating, LLVM_PROFILE_FILE=str(raw / "%m.profraw"))
        run(["llvm-profdata-22", "merge", *sorted(raw.iterdir()), "-o", profile], self.folder)
        return profile

    def short(self, program, **environment):
        run(["sh", "short.sh", program], self.train, **environment)

    def builds(self):
        counts, coverage, blocks = self.use_file("blocks"), self.use_file("coverage"), self.use_file("block-coverage", "--blocks")
        yield Build("-O2", "-O2")
        yield Build("-Oz", "-Oz")
        yield Build("-Oz and the outliner", "-Oz", llvm(*OUTLINER))
        profile = self.clang_profile()
        yield Build("clang, instrumented", "-O2", f"-fprofile-use={profile}" + stamp(profile))
        yield Build("-O2, cold minsize", "-O2", plugin(counts))
        yield Build("-O2, cold minsize and outlined", "-O2", plugin(counts, *OUTLINER))
        yield Build("... by coverage", "-O2", plugin(coverage, *OUTLINER))
        yield Build("... by block coverage, with weights", "-O2", plugin(blocks, *OUTLINER))
        yield Build("... and cold blocks split off", "-O2", plugin(blocks, "-hot-cold-split", *OUTLINER))
        yield Build("-O2, warm small too", "-O2", plugin(counts, "-pgokit-warm-size=optsize", *OUTLINER))
        yield Build("-O2, all but hot minsize", "-O2", plugin(counts, "-pgokit-warm-size=minsize", "-pgokit-outline=warm", *OUTLINER))
        yield Build("-Oz, hot fast", "-Oz", plugin(counts, "-pgokit-outline=warm", *OUTLINER))

    def measure(self):
        builds = list(self.builds())
        for number, one in enumerate(builds):
            one.program = self.build(f"hot_{number}", one.options, one.level)
            one.code, one.file = text_size(one.program), stripped_size(one.program)
        found = launch.in_turn([["sh", "train.sh", one.program] for one in builds], self.args.runs, self.train)
        for one, times in zip(builds, found):
            one.time = times.cpu
        return builds


def text_size(program):
    lines = run(["llvm-size-22", "-A", program], program.parent).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def stripped_size(program):
    out = program.with_name("stripped")
    subprocess.run(["llvm-strip-22", program, "-o", out], check=True)
    return out.stat().st_size


def table(results):
    """`results`: by program, what save() wrote."""
    yield "| program | build | CPU time, s | | code, bytes | | stripped file | |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, result in results.items():
        plain = result["builds"][0]
        for one in result["builds"]:
            figures = (f"{one[key]:{form}} | {100 * one[key] / plain[key] - 100:+.1f} %"
                       for key, form in (("time", ".2f"), ("code", ","), ("file", ",")))
            yield f"| {name} | {one['label']} | {' | '.join(figures)} |"


def page(results):
    yield from ("# Hot, warm and cold functions", "",
                f"Written by `./dev bench hotness` on {launch.machine()}, Linux {platform.release()}. Percent\nare over -O2; times are "
                "medians of CPU seconds, of all builds in turn.", "")
    yield from (f"* {name}: {one['date']}, {one['runs']} runs, load of the machine {one['load']:.1f}" for name, one in results.items())
    yield ""
    yield from table(results)
    yield ""


def save(args, name, builds):
    """Among what was measured before; all of it."""
    file = args.folder / "hotness.json"
    results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    results[name] = {"date": str(datetime.date.today()), "runs": args.runs, "load": os.getloadavg()[1],
                     "builds": [{"label": one.label, "time": one.time, "code": one.code, "file": one.file} for one in builds]}
    file.write_text(json.dumps(results), encoding="utf-8")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench_options.add(parser, PROGRAMS)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="one run each, nothing written")
    args = parser.parse_args()
    if args.quick:
        args.runs = 1
    measured = 0
    for name in args.only:
        try:
            case = Case(name, args)
            builds = case.measure()
        except real_programs.Missing as missing:
            print(f"SKIPPED: {name}: {missing}")
            continue
        measured += 1
        if args.quick:
            print("\n".join(table({name: {"builds": [vars(one) for one in builds]}})))
            continue
        text = "\n".join(page(save(args, f"{name} {case.version}", builds)))
        (ROOT / "bench/hotness.md").write_text(text, encoding="utf-8")
        print(text)
    return 0 if measured else 77


if __name__ == "__main__":
    sys.exit(main())

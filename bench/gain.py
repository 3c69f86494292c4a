#!/usr/bin/env python3
"""What profiles gain on real programs: pgokit's, llvm-profgen's and clang's own, trained with one input and measured with another.

    ./dev bench gain [--only sqlite3,lua5.4] [--rounds N]     # builds what is not there yet, then measures
    ./dev bench gain --build-only                             # builds, counts and compares what the builds print
    ./dev bench gain --measure --only lua5.4                  # measures what was built before
    ./dev bench gain --readme                                 # writes the table of README.md

Programs are built from Debian's sources by their own build systems (support/real_programs.py), trained by some two seconds of work and
measured by `pgokit measure` with other work. Cachegrind counts a short run of each. What is found of a program goes into
bench/gain.json, beside what was found of the others; bench/gain.md and bench/gain.svg are made of that. Builds stay in
build/bench/programs (--folder).
"""
import argparse
import datetime
import json
import pathlib
import platform
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support")]
import bench_options  # noqa: E402
import gain_picture  # noqa: E402
import gain_tables  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402
from gain_ways import WAYS, Builds  # noqa: E402
from real_programs import run  # noqa: E402

PROGRAMS = ("sqlite3", "lua5.4", "zstd", "xz-utils", "ninja-build", "leveldb", "gawk", "perl", "pulldown-cmark", "rust-ripgrep")
STORE = ROOT / "bench/gain.json"
MARK = "<!-- {} of ./dev bench gain --readme -->"


class Case:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.recipe, self.folder = real_programs.RECIPES[name], args.folder / name
        if missing := [tool for tool in (*self.recipe.needs, "clang-22", "lld-22", "valgrind") if not shutil.which(tool)]:
            raise real_programs.Missing(f"no {', '.join(missing)}")
        self.pgokit = args.bin / "pgokit"
        self.facts = {"version": real_programs.version(self.recipe, name, self.folder), "about": self.recipe.about}
        self.other = real_programs.prepare_measuring(self.recipe, self.folder)
        self.list = self.folder / "ways.json"  # of the ways that are built

    def place(self, way):
        """Names of equal length: the stack begins at the same address."""
        return self.other / way.ljust(max(map(len, WAYS)), "_")

    def build(self):
        """Builds all ways, and looks whether they print the same."""
        self.list.unlink(missing_ok=True)
        builds = Builds(self.recipe, self.name, self.folder, self.pgokit)
        printed = {}
        for way, program in builds.all():
            shutil.copy(program, self.place(way))
            printed[way] = run(["sh", "measure.sh", f"./{self.place(way).name}"], self.other)
        if others := [way for way, text in printed.items() if text != printed["plain"]]:
            raise real_programs.Missing(f"{', '.join(others)} and the plain program do not print the same")
        counts = {way: self.counted(way, builds.train) for way in WAYS if way in printed}
        self.list.write_text(json.dumps(list(counts)), encoding="utf-8")
        return {"counts": {"date": str(datetime.date.today()), "ways": counts}}

    def counted(self, way, train):
        """By cachegrind, in the short run: instructions, branches, what its simple predictor and a cache of 32 kB get wrong."""
        bare, log = self.other / "bare", self.folder / "cachegrind"
        print(f"{self.name}: counting {way}", flush=True)
        run(["llvm-objcopy-22", "--strip-debug", self.place(way), bare], self.other)
        shutil.rmtree(log, ignore_errors=True)
        log.mkdir()
        run(["sh", "short.sh", "valgrind", "--tool=cachegrind", "--branch-sim=yes", "--cache-sim=yes", f"--cachegrind-out-file={log}/%p",
             bare], train)
        total = {}
        for file in log.iterdir():
            text = file.read_text(encoding="utf-8")
            events = re.search(r"^events: (.*)$", text, re.M)[1].split()
            for event, count in zip(events, re.search(r"^summary: (.*)$", text, re.M)[1].split()):
                total[event] = total.get(event, 0) + int(count)
        return {"instructions": total["Ir"], "icache": total["I1mr"], "mispredicted": total["Bcm"] + total["Bim"]}

    def measure(self):
        if not self.list.exists():
            raise real_programs.Missing("it is not built yet (--build-only)")
        ways = json.loads(self.list.read_text(encoding="utf-8"))
        print(f"{self.name}: measuring {len(ways)} builds, {self.args.rounds} rounds", flush=True)
        said = run([self.pgokit, "measure", "--json", "-n", self.args.rounds, "--same-output", "--",
                    *[f"sh measure.sh ./{self.place(way).name}" for way in ways]], self.other)
        found = json.loads(said[said.index("{"):])
        ratios = [dict(ratio=1, low=1, high=1)] + [one["figures"]["cpu_s"] for one in found["comparisons"]]
        return {"times": {"date": str(datetime.date.today()), "machine": f"{launch.machine()}, Linux {platform.release()}",
                          "rounds": found["rounds"], "busy": found["busy_processors"],
                          "seconds": found["commands"][0]["figures"]["cpu_s"]["median"], "ways": dict(zip(ways, ratios))}}


def results():
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def store(name, facts):
    """Beside what was found before; in the order of PROGRAMS."""
    found = results()
    found[name] = dict(found.get(name, {}), **facts)
    found = {one: found[one] for one in (*PROGRAMS, *found) if one in found}
    STORE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (ROOT / "bench/gain.md").write_text("\n".join(gain_tables.page(found)), encoding="utf-8")
    (ROOT / "bench/gain.svg").write_text(gain_picture.picture(found, WAYS), encoding="utf-8")


def write_readme():
    file = ROOT / "README.md"
    begin, end = MARK.format("begin"), MARK.format("end")
    before, _, rest = file.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    file.write_text("\n".join([before + begin, *gain_tables.readme(results()), end + after]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench_options.add(parser, PROGRAMS)
    parser.add_argument("--rounds", type=int, default=12)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--build-only", action="store_true", help="build and count; times are measured later")
    what.add_argument("--measure", action="store_true", help="measure what is built")
    what.add_argument("--readme", action="store_true", help="write the table of README.md")
    args = parser.parse_args()
    if args.readme:
        return write_readme()
    done = 0
    for name in args.only:
        try:
            case = Case(name, args)
            found = dict(case.facts)
            if not args.measure:
                found |= case.build()
                store(name, found)
            if not args.build_only:
                found |= case.measure()
                store(name, found)
        except real_programs.Missing as missing:
            print(f"SKIPPED: {name}: {missing}", flush=True)
            continue
        done += 1
        print("\n".join(gain_tables.tables({name: found})), flush=True)
    return 0 if done else 77


if __name__ == "__main__":
    sys.exit(main())

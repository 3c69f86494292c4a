#!/usr/bin/env python3
"""What profiles gain on real programs: pgokit's, llvm-profgen's and clang's own, trained with one input and measured with another.

    ./dev bench gain [--programs sqlite3,lua5.4,...] [--rounds N]

Programs are built from Debian's sources by their own build systems (support/real_programs.py), trained by some two seconds of work and
measured by `pgokit measure` with other work. Then all are counted by cachegrind. Writes bench/gain.md and bench/gain.svg after each
program, with what was measured of the others before (build/bench/programs/gain.json).
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import platform
import re
import shutil
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support")]
import gain_picture  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402
from real_programs import build_kind, run  # noqa: E402

PROGRAMS = ("sqlite3", "lua5.4", "zstd", "xz-utils", "ninja-build", "leveldb", "gawk")
BOLT = pathlib.Path("/usr/lib/llvm-22/bin")
LINKER = "-fuse-ld=lld-22"
LINES = f"-g -fdebug-info-for-profiling -funique-internal-linkage-names {LINKER}"
PROBES = f"{LINES} -fpseudo-probe-for-profiling"

WAYS = {  # in the order of the table
    "plain": "-O2",
    "lines": "recorded, by lines",
    "probes": "recorded, by probes",
    "contexts": "recorded, contexts",
    "profgen": "llvm-profgen on the recording",
    "exact-lines": "exact, by lines",
    "exact-probes": "exact, by probes",
    "layout": "exact, probes, order",
    "bolt": "BOLT",
    "instrumented": "clang, instrumented",
}


class Case:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.recipe, self.folder = real_programs.RECIPES[name], args.folder.resolve() / name
        self.pgokit = args.bin / "pgokit"
        if missing := [tool for tool in (*self.recipe.needs, "clang-22", "lld-22", "valgrind") if not shutil.which(tool)]:
            raise real_programs.Missing(f"no {', '.join(missing)}")
        self.version = real_programs.source_package.version(name, self.folder)
        self.train = real_programs.prepare(self.recipe, self.folder)
        self.other = real_programs.prepare_measuring(self.recipe, self.folder)

    def build(self, kind, flags, profile=None):
        stamp = f"\n# {hashlib.sha256(profile.read_bytes()).hexdigest()}\n" if profile else "\n"
        return build_kind(self.recipe, self.name, self.folder, f"gain_{kind}", flags + stamp, "-O2")

    def make(self, *command):
        return run([self.pgokit, *command], self.train)

    def recorded(self, program, out, *options):
        self.make("record", "-q", "--software", *options, "-o", out, "--", "sh", "train.sh", program)
        return self.train / out

    def profile(self, recording, program, name, *options):
        self.make("generate", "-q", recording, "-b", program, "-o", f"gain.{name}.prof", *options)
        return self.train / f"gain.{name}.prof"

    def clang_profile(self):
        generating = self.build("generate", f"{LINKER} -fprofile-generate")
        raw, profile = self.folder / "gain_raw", self.folder / "gain.profdata"
        shutil.rmtree(raw, ignore_errors=True)
        raw.mkdir()
        run(["sh", "train.sh", generating], self.train, LLVM_PROFILE_FILE=str(raw / "%m.profraw"))
        run(["llvm-profdata-22", "merge", *sorted(raw.iterdir()), "-o", profile], self.folder)
        return profile

    def bolted(self):
        """The plain program, rewritten by llvm-bolt by the same kind of recording."""
        relocatable = self.build("relocs", f"{LINES} -Wl,--emit-relocs")
        recording = self.recorded(relocatable, "gain.relocs.perf")
        out = relocatable.with_name("bolted")
        run([BOLT / "perf2bolt", "-p", recording, "-o", "gain.fdata", relocatable], self.train)
        run([BOLT / "llvm-bolt", relocatable, "-o", out, "-data=gain.fdata", "-reorder-blocks=ext-tsp", "-reorder-functions=cdsort",
             "-split-functions", "-split-all-cold", "-split-eh", "-dyno-stats"], self.train)
        return out

    def builds(self):
        """(way, program); those that cannot be had here are missing."""
        plain, probed = self.build("plain", LINES), self.build("probed", PROBES)
        yield "plain", plain
        recordings = [self.recorded(plain, "gain.lines.perf"), self.recorded(probed, "gain.probes.perf")]
        exact = [self.recorded(plain, "gain.lines.counts", "--exact"), self.recorded(probed, "gain.probes.counts", "--exact")]
        used = {"lines": (LINES, self.profile(recordings[0], plain, "lines")),
                "probes": (PROBES, self.profile(recordings[1], probed, "probes")),
                "contexts": (PROBES, self.profile(recordings[1], probed, "contexts", "--cs")),
                "exact-lines": (LINES, self.profile(exact[0], plain, "exact-lines")),
                "exact-probes": (PROBES, self.profile(exact[1], probed, "exact-probes"))}
        peer = self.train / "gain.profgen.prof"
        run(["llvm-profgen-22", f"--perfdata={recordings[1]}", f"--binary={probed}", f"--output={peer}"], self.train)
        used["profgen"] = (PROBES, peer)
        for way, (flags, profile) in used.items():
            yield way, self.build(way, f"{flags} -fprofile-sample-use={profile}", profile)
        flags, profile = used["exact-probes"]
        flags += f" -fprofile-sample-use={profile} -ffunction-sections"
        ordered = self.build("sections", flags, profile)
        counts = self.recorded(ordered, "gain.order.counts", "--exact")
        order = self.train / "gain.order"
        self.make("order", "-q", counts, "-b", ordered, "--link", ordered, "-o", order)
        yield "layout", self.build("layout", f"{flags} -Wl,--symbol-ordering-file={order} -Wl,--no-warn-symbol-ordering", order)
        profile = self.clang_profile()
        yield "instrumented", self.build("instrumented", f"{LINKER} -fprofile-use={profile}", profile)
        if (BOLT / "perf2bolt").exists() and shutil.which("perf"):
            yield "bolt", self.bolted()

    def measure(self):
        made = dict(self.builds())
        programs = {way: made[way] for way in WAYS if way in made}
        for way, program in programs.items():  # all in places with names of equal length: the stack begins at the same address
            shutil.copy(program, self.other / f"way{list(WAYS).index(way):02}")
        names = [f"./way{list(WAYS).index(way):02}" for way in programs]
        said = run([self.pgokit, "measure", "--json", "-n", self.args.rounds, "--same-output", "--",
                    *[f"sh measure.sh {name}" for name in names]], self.other)
        found = json.loads(said[said.index("{"):])
        ratios = [dict(ratio=1, low=1, high=1)] + [one["figures"]["cpu_s"] for one in found["comparisons"]]
        return {"seconds": found["commands"][0]["figures"]["cpu_s"]["median"], "rounds": found["rounds"],
                "busy": found["busy_processors"], "date": str(datetime.date.today()), "about": self.recipe.about,
                "ways": {way: dict(ratio, **self.counted(name)) for way, name, ratio in zip(programs, names, ratios)}}

    def counted(self, program):
        """By cachegrind, in the short run: instructions, branches, what its simple predictor and a cache of 32 kB get wrong."""
        bare = pathlib.Path(program + ".bare")
        run(["llvm-objcopy-22", "--strip-debug", program, bare], self.other)
        log = self.train / "gain.%p.cachegrind"
        for old in self.train.glob("gain.*.cachegrind"):
            old.unlink()
        run(["sh", "short.sh", "valgrind", "--tool=cachegrind", "--branch-sim=yes", "--cache-sim=yes", f"--cachegrind-out-file={log}",
             self.other / bare], self.train)
        total = {}
        for file in self.train.glob("gain.*.cachegrind"):
            text = file.read_text(encoding="utf-8")
            events = re.search(r"^events: (.*)$", text, re.M)[1].split()
            for event, count in zip(events, re.search(r"^summary: (.*)$", text, re.M)[1].split()):
                total[event] = total.get(event, 0) + int(count)
        return {"instructions": total["Ir"], "icache": total["I1mr"], "mispredicted": total["Bcm"] + total["Bim"]}


def less(ratio):
    return 100 * (1 - ratio)


def cell(one):
    return f"**{less(one['ratio']):.1f}** ({less(one['high']):.1f} to {less(one['low']):.1f})"


def tables(results):
    """Ways are rows, programs columns."""
    yield from (f"| less CPU time, % | {' | '.join(results)} |", "|---|" + "---|" * len(results))
    yield "| -O2, seconds | " + " | ".join(f"{one['seconds']:.2f}" for one in results.values()) + " |"
    for way, label in list(WAYS.items())[1:]:
        yield f"| {label} | " + " | ".join(cell(one["ways"][way]) if way in one["ways"] else "" for one in results.values()) + " |"
    for key, what in (("instructions", "instructions"), ("mispredicted", "branches mispredicted"), ("icache", "i-cache misses")):
        yield from ("", f"| {what}, % more | {' | '.join(results)} |", "|---|" + "---|" * len(results))
        for way, label in list(WAYS.items())[1:]:
            figures = (f"{100 * one['ways'][way][key] / max(1, one['ways']['plain'][key]) - 100:+.1f}" if way in one["ways"] else ""
                       for one in results.values())
            yield f"| {label} | {' | '.join(figures)} |"


ABOUT = """Written by `./dev bench gain` on {machine}, Linux {system}. Debian's sources, built by clang-22 -O2 and lld-22 with
their own build systems; trained by some two seconds of work and measured with other work of the same kind. Percent of CPU time less
than -O2, with 95 % intervals (`pgokit measure`; those of all ways of a program together). *recorded*: the default of `pgokit record`, in
software, on a machine without branch stacks; *exact*: `pgokit record --exact`; *order*: functions in the order of `pgokit order` too.
Cachegrind counts a short run: its branch predictor is a simple one, its first cache has 32 kB."""


def page(results):
    yield from ("# What profiles gain", "", "![Gain on each program](gain.svg)", "",
                textwrap.fill(ABOUT.format(machine=launch.machine(), system=platform.release()), 100), "")
    yield from tables(results)
    yield ""
    for name, one in results.items():
        yield from textwrap.wrap(f"* {name}: trained with {one['about']}; {one['date']}, {one['rounds']} rounds, other programs kept "
                                 f"{one['busy']:.1f} processors busy", 100, subsequent_indent="  ")
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench/programs")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--programs", type=lambda names: names.split(","), default=PROGRAMS)
    args = parser.parse_args()
    store, measured = args.folder.resolve() / "gain.json", 0
    for name in args.programs:
        try:
            case = Case(name, args)
            found = case.measure()
        except real_programs.Missing as missing:
            print(f"SKIPPED: {name}: {missing}")
            continue
        measured += 1
        results = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
        results[f"{name} {case.version}"] = found
        store.write_text(json.dumps(results), encoding="utf-8")
        (ROOT / "bench/gain.md").write_text("\n".join(page(results)), encoding="utf-8")
        (ROOT / "bench/gain.svg").write_text(gain_picture.picture(results, WAYS), encoding="utf-8")
        print("\n".join(tables({name: found})), flush=True)
    return 0 if measured else 77


if __name__ == "__main__":
    sys.exit(main())

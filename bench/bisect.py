#!/usr/bin/env python3
"""Whether `pgokit bisect` finds what is planted in the profile of a real program, in how many builds, and what that regains.

    ./dev bench bisect [--only lua5.4] [--rounds N] [--build-only]

The program is built from Debian's sources (support/real_programs.py), and its profile holds the exact counts of its training run. In that
profile one count is made far too large; pgokit bisect has the program built with parts of it, until it has found which. The bad build, the build
without what was found and that with the good profile then run in turn. What is found of a program goes into bench/bisect.json, beside what
was found of the others, and bench/bisect.md is made of that. Builds stay in build/bench/programs (--folder).
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support")]
import bench_options  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402
from real_programs import run  # noqa: E402

FLAGS = "-O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names -fuse-ld=lld-22"
FAR_TOO_LARGE = 10 ** 17
STORE = ROOT / "bench/bisect.json"


def function_of(profile, name):
    """Of a text profile: what stands before the function, its lines, and what follows. Static ones have longer names."""
    lines = profile.splitlines(keepends=True)
    begin = next(at for at, line in enumerate(lines) if not line.startswith(" ") and name in line)
    end = next((at for at in range(begin + 1, len(lines)) if not lines[at].startswith(" ")), len(lines))
    return lines[:begin], lines[begin:end], lines[end:]


def one_too_large(profile, name):
    """The hottest line of a function counts more than all of the program: as when a counter ran over. All else looks cold by it."""
    before, own, after = function_of(profile, name)
    places = [(int(found[2]), at) for at, line in enumerate(own) if (found := re.match(r" ([\d.]+): (\d+)", line))]
    _, at = max(places)
    own[at] = re.sub(r"^( [\d.]+): \d+", rf"\1: {FAR_TOO_LARGE}", own[at])
    head = own[0].split(":")
    own[0] = ":".join([head[0], str(int(head[1]) + FAR_TOO_LARGE), *head[2:]])
    return "".join([*before, *own, *after])


# The bad profile costs lua5.4 a tenth of its time and sqlite3 a twentieth, but gawk and zstd nothing: they are not here.
VICTIMS = {"lua5.4": "luaH_getint", "sqlite3": "sqlite3VdbeRecordCompareWithSkip"}


class Case:
    def __init__(self, name, args):
        self.name, self.args, self.pgokit = name, args, args.bin / "pgokit"
        self.program = real_programs.built(name, args.folder, self.pgokit)
        self.folder = self.program.folder
        self.sources = self.folder.parent / "bisect"

    def good_profile(self):
        """Exact counts by lines, as text."""
        self.program.count(self.pgokit, "truth")
        run([self.pgokit, "llvm-profdata", "merge", "--sample", "--text", "truth.lines.prof", "-o", "good.txt"], self.folder)
        return (self.folder / "good.txt").read_text(encoding="utf-8")

    def build_command(self):
        """Of the sources with the profile {profile}, into the folder of the training run."""
        if not self.sources.exists():
            real_programs.unpack(self.program.recipe, self.name, self.folder.parent, self.sources)
        (self.sources / "build.sh").write_text("set -e\n" + self.program.recipe.build + f"\ncp program {shlex.quote(str(self.folder))}/\n", encoding="utf-8")
        return f"cd {shlex.quote(str(self.sources))} && CC=clang-22 CXX=clang++-22 FLAGS=\"{FLAGS} -fprofile-sample-use=$PGOKIT_PROFILE\" sh build.sh"

    def build(self, profile, out):
        subprocess.run(["sh", "-c", self.build_command()], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, PGOKIT_PROFILE=str(self.folder / profile)))
        shutil.copy(self.folder / "program", self.folder / out)

    def bisect(self, work):
        return json.loads(run([self.pgokit, "bisect", "bad.txt", "--work", work, "--build", self.build_command(), "--clean", "", "--run", "sh short.sh ./program",
                               "--program", "program", "-n", self.args.rounds, "-o", "found.txt", "-q", "--json"], self.folder))

    def measure(self, *programs):
        """Ratios of the CPU times to that of the first."""
        said = run([self.pgokit, "measure", "--json", "-n", self.args.rounds, "--", *[f"sh short.sh ./{one}" for one in programs]], self.folder)
        found = json.loads(said[said.index("{"):])
        return [one["figures"]["cpu_s"] for one in found["comparisons"]], found["busy_processors"]

    def told(self):
        victim = VICTIMS[self.name]
        bad, work = one_too_large(self.good_profile(), victim), self.folder / "bisect"
        # What was interrupted goes on, unless the profile is another one.
        if not (work / "bad.txt").exists() or (work / "bad.txt").read_text(encoding="utf-8") != bad:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
        for place in (self.folder, work):
            (place / "bad.txt").write_text(bad, encoding="utf-8")
        print(f"{self.name}: planted in {victim}", flush=True)
        found = self.bisect(work.name)
        print(json.dumps(found), flush=True)
        told = {"date": str(datetime.date.today()), "machine": launch.machine(), "rounds": self.args.rounds, "planted": victim,
                "functions": found["functions"], "builds": found["builds"], "found": "; ".join(map(words_of, found["culprits"])) or "nothing"}
        if not found["output"]:
            return told
        for profile, out in (("bad.txt", "bad"), ("found.txt", "better"), ("good.txt", "good")):
            self.build(profile, out)
        ratios, busy = self.measure("bad", "better", "good")
        return told | {"busy": busy} | dict(zip(("better", "good"), ratios))


def words_of(culprit):
    sites = [f"{pathlib.Path(site['file']).name}:{site['source_line']}" if site["file"] else f"line {site['line']}"
             for one in culprit["sites"] for site in one["sites"]]
    return ", ".join(culprit["functions"]) + (f" at {', '.join(sites)}" if sites else "")


def less(ratio):
    return f"{100 * (1 - ratio['ratio']):.1f} % ({100 * (1 - ratio['high']):.1f} to {100 * (1 - ratio['low']):.1f})" if ratio else ""


HEAD = ["program", "planted in", "functions", "found", "builds", "less time without it", "less time by the good profile", "rounds", "busy",
        "machine, date"]


def page(results):
    rows = [[name, one["planted"], str(one["functions"]), one["found"], str(one["builds"]), less(one.get("better")), less(one.get("good")),
             str(one["rounds"]), f"{one['busy']:.1f}" if "busy" in one else "", f"{one['machine']}, {one['date']}"] for name, one in results.items()]
    yield from ("# What `pgokit bisect` finds", "", "    ./dev bench bisect", "",
                "Real programs, built from Debian's sources with the exact counts of their training runs. The hottest",
                "line of one function was made to count more than all of the program, so that all else looks cold.",
                "*Less time*: CPU time of a short training run below that of the build with the bad profile, with",
                "95 % intervals, first without what was found, then with the good profile. *Busy*: processors that",
                "other programs used meanwhile.", "",
                *("| " + " | ".join(row) + " |" for row in (HEAD, ["---"] * len(HEAD), *rows)), "",
                "Where other programs are busy, let the runs come before theirs (`chrt -f 1 ./dev bench bisect`): the",
                "run of lua5.4 did. In an earlier one without that, the intervals of single comparisons were wider",
                "than the loss, and another function was found: give it more rounds (`-n`) there.")


def store(name, told):
    """Beside what was found before; in the order of VICTIMS."""
    results = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}
    results[name] = told
    results = {one: results[one] for one in VICTIMS if one in results}
    STORE.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(page(results)) + "\n"
    (ROOT / "bench/bisect.md").write_text(text, encoding="utf-8")
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench_options.add(parser, tuple(VICTIMS))
    parser.add_argument("--rounds", type=int, default=14, help="of each comparison")
    parser.add_argument("--build-only", action="store_true", help="build the programs and count their training runs")
    args = parser.parse_args()
    for name in args.only:
        try:
            case = Case(name, args)
            if args.build_only:
                case.good_profile()
            else:
                store(name, case.told())
        except real_programs.Missing as missing:
            print(f"{name} is left out: {missing}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What causes `pgokit explain` gives for the branches of real programs that clang holds for other than they run.

    ./dev bench explain [--only lua5.4,sqlite3]

Programs are built from Debian's sources (support/real_programs.py), by lines and by probes: plain, recorded in their short run, and
again with the profile of that recording and a block map. That build is recorded in the same run, each of its branches (`record
--exact`), and pgokit explain judges it. Writes bench/explain.md. Builds stay in build/bench/programs (--folder).
"""
import argparse
import collections
import datetime
import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support")]
import bench_options  # noqa: E402
import real_programs  # noqa: E402
from real_programs import run  # noqa: E402

PROGRAMS = ("lua5.4", "sqlite3", "gawk")
FLAGS = "-O2 -g -funique-internal-linkage-names -fdebug-info-for-profiling -fuse-ld=lld-22 -Wl,--build-id"
KINDS = {"lines": "", "probes": " -fpseudo-probe-for-profiling"}
MAP = "-fbasic-block-address-map\n-mllvm\n-pgo-analysis-map=all"
CAUSES = ("no-samples", "no-discriminators", "copied", "divided", "even", "joined", "unclear", "thin", "runs-differently",
          "not-followed", "stale")


class Case:
    def __init__(self, name, args):
        self.name, self.pgokit = name, args.bin / "pgokit"
        self.recipe, self.folder = real_programs.RECIPES[name], args.folder / name
        self.version = real_programs.version(self.recipe, name, self.folder)
        self.train = real_programs.prepare(self.recipe, self.folder)

    def build(self, kind, step, options):
        return real_programs.build_kind(self.recipe, self.name, self.folder, f"explain_{step}_{kind}", options + "\n",
                                        FLAGS + KINDS[kind])

    def record(self, program, out):
        run([self.pgokit, "record", "-q", "--exact", "-o", out, "--", "sh", "short.sh", program], self.train)

    def told(self, kind):
        """What pgokit explain says."""
        old = self.build(kind, "old", "")
        self.record(old, "old.perf")
        profile = self.train / f"explain.{kind}.prof"
        run([self.pgokit, "generate", "old.perf", "-b", old, "-o", profile], self.train)
        stamp = f"# {hashlib.sha256(profile.read_bytes()).hexdigest()}\n"  # built again when the profile has changed
        new = self.build(kind, "new", stamp + MAP + f"\n-fprofile-sample-use={profile}")
        self.record(new, f"new.{kind}.perf")
        return json.loads(run([self.pgokit, "explain", profile, "-b", new, "--recording", f"new.{kind}.perf", "--json", "--top", "0"],
                              self.train))


def row(name, kind, told):
    branches = told["branches"]
    worth = collections.Counter()
    for one in branches["list"]:
        worth[one["cause"]] += one["worth"]
    return [name, kind, f"{branches['judged']:,}", f"{branches['held_otherwise']:,}", f"{100 * branches['worth'] / branches['ran']:.1f} %",
            *(f"{100 * worth[cause] / branches['worth']:.1f} %" if worth[cause] else "" for cause in CAUSES)]


def page(rows):
    head = ["program", "by", "branches", "held otherwise", "of the times", *CAUSES]
    yield from ("# Branches that clang holds for other than they run, by cause", "", "    ./dev bench explain", "",
                "Real programs, built from Debian's sources with the profile of an exact recording of a short run,",
                "and recorded in the same run again (`pgokit record --exact`). *Held otherwise*: by 10 percentage",
                "points or more; *of the times*: that branches ran, so many they went another way than held. Causes,",
                "which [docs/explain.md](../docs/explain.md#branches) describes, by share of these times.", "",
                *("| " + " | ".join(one) + " |" for one in (head, ["---"] * len(head), *rows)), "",
                f"{datetime.date.today()}, clang 22. Nothing here depends on the speed of the machine.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench_options.add(parser, PROGRAMS)
    args = parser.parse_args()
    rows = []
    for name in args.only:
        try:
            case = Case(name, args)
        except real_programs.Missing as missing:
            print(f"SKIPPED: {name}: {missing}")
            continue
        for kind in KINDS:
            rows.append(row(f"{name} {case.version}", kind, case.told(kind)))
            print(" | ".join(rows[-1]), flush=True)
    if not rows:
        return 77
    if args.only == PROGRAMS:
        (ROOT / "bench/explain.md").write_text("\n".join(page(rows)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

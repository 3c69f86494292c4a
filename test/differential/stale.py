#!/usr/bin/env python3
"""Matches profiles of an older build to a newer one (`pgokit match`) and judges them by the profile
that the newer build itself has, and by what clang 22 says of them.

    stale.py --pgokit build/bin/pgokit [--print]

The program is ../programs/edited, before and after it was worked on, with debug information and with
probes. And what a program recorded itself must be found unchanged in it, to the byte, also where its source was
compiled at other levels. Exit code 1 if a profile is no better than it should be, 77 where nothing can be recorded.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"
SOURCES = PROGRAMS / "edited"
CLANG = "clang++-22"
WINDOWS = 50  # of a recording, so that none of the programs' functions is missing
# Flags, and how alike to the true profile the matched one is to be, per cent. Shares of samples are compared: how many
# samples a recording has depends on what else the machine does.
KINDS = {"lines": (["-fdebug-info-for-profiling"], 85), "probes": (["-fpseudo-probe-for-profiling"], 30)}
STALENESS = ["-mllvm", "-report-profile-staleness", "-mllvm", "-salvage-stale-profile={}",
             "-mllvm", "-salvage-unused-profile={}"]


def stale(fit):
    return fit["changed_functions"] + fit["vanished_functions"]


class Matching:
    def __init__(self, pgokit, folder, show):
        self.pgokit, self.folder, self.show, self.failed = pgokit, folder, show, False

    def run(self, *command):
        return subprocess.run([str(word) for word in command], check=True, text=True, capture_output=True)

    def make(self, kind, build):
        """A program and its profile."""
        out = self.folder / f"{kind}-{build}"
        self.compile(kind, SOURCES / build / "edited.cc", out)
        return out, self.profile(out)

    def compile(self, kind, source, out, *more):
        language = ["-x", "c"] if source.suffix == ".c" else []
        self.run(CLANG, "-O2", "-g", *KINDS[kind][0], "-fuse-ld=lld-22", *more, *language, source, "-o", out)

    def profile(self, out, *options):
        # How many samples a run gives depends on what else the machine does.
        for rounds in (200_000, 800_000, 3_200_000, 12_800_000):
            recorded = subprocess.run([self.pgokit, "record", "-F", "2000", "--stats", "-o", f"{out}.perf", "--", out, str(rounds)],
                                      text=True, capture_output=True)
            if "there are no samples in it" in recorded.stderr:
                continue  # it may have been too short
            if recorded.returncode:
                print(f"skipped: nothing can be recorded here: {recorded.stderr.strip()}")
                sys.exit(77)
            if json.loads(recorded.stderr[recorded.stderr.index("{"):])["windows"] >= WINDOWS:
                break
        assert recorded.returncode == 0, recorded.stderr
        self.run(self.pgokit, "generate", *options, f"{out}.perf", "-b", out, "-o", f"{out}.prof")
        return pathlib.Path(f"{out}.prof")

    def judge_unchanged(self, kind, source, *options):
        """The profile of a program, in that very program and in others of the same source."""
        out = self.folder / f"{kind}-{source.stem}"
        self.compile(kind, source, out)
        profile, matched = self.profile(out, *options), self.folder / f"{out}.matched"
        others = {"itself": out, "-O1": f"{out}.O1", "-O3": f"{out}.O3", "with its profile": f"{out}.pgo"}
        self.compile(kind, source, others["-O1"], "-O1")
        self.compile(kind, source, others["-O3"], "-O3")
        self.compile(kind, source, others["with its profile"], f"-fprofile-sample-use={profile}")
        for name, program in others.items():
            fit = self.check(profile, program)
            self.run(self.pgokit, "match", profile, "-b", program, "-o", matched)
            same = matched.read_bytes() == profile.read_bytes()
            good = stale(fit) == 0 and same
            self.failed |= not good
            print(f"{' '.join((kind, *options))}: {source.name} in {name}: {fit['changed_functions']} of {fit['functions']} functions changed, "
                  f"{fit['call_sites_there']} of {fit['call_sites']} call sites there, matched "
                  f"{'the same bytes' if same else 'OTHER BYTES'}: {'good' if good else 'BAD'}")

    def judge_folded(self, kind):
        """Functions of equal code, of which the linker has kept one: none has vanished, nor changed."""
        programs = {}
        for name, flag in ("plain", "--icf=none"), ("folded", "--icf=all"):
            programs[name] = self.folder / f"{kind}-{name}"
            self.compile(kind, PROGRAMS / "folded.cc", programs[name], "-ffunction-sections", f"-Wl,{flag}")
        symbols = self.run("nm", programs["folded"]).stdout
        folded = len(set(re.findall(r"(\w+) \w _Z(?:5first|6second)l", symbols))) == 1
        fits = {name: self.check(self.profile(program), programs["folded"]) for name, program in programs.items()}
        good = folded and all(stale(fit) == 0 and fit["call_sites_there"] == fit["call_sites"] for fit in fits.values())
        self.failed |= not good
        told = ", ".join(f"{fit['vanished_functions']} of {fit['functions']} vanished of the {name} one's" for name, fit in fits.items())
        print(f"{kind}: folded: {told}: {'good' if good else 'BAD'}")

    def judge_paths(self, kind):
        """The same source in two folders, given to the compiler by its absolute path."""
        programs = {}
        for folder in "here", "there":
            for name, mapped in (("", []), (".mapped", [f"-fmacro-prefix-map={self.folder / folder}/="])):
                source = self.folder / folder / "call_sites.c"
                source.parent.mkdir(exist_ok=True)
                shutil.copy(PROGRAMS / source.name, source)
                programs[folder + name] = out = self.folder / f"{kind}-{folder}{name}"
                self.compile(kind, source, out, "-funique-internal-linkage-names", *mapped)
        profile, matched = self.profile(programs["here"]), self.folder / "paths.matched"
        fit = self.check(profile, programs["there"])
        self.run(self.pgokit, "match", profile, "-b", programs["there"], "-o", matched)
        again = self.check(matched, programs["there"])
        told = self.run(self.pgokit, "generate", programs["here"].with_name(f"{kind}-here.perf"), "-b", programs["here"],
                        "-o", profile).stderr
        mapped = self.check(self.profile(programs["here.mapped"]), programs["there.mapped"])
        good = (fit["vanished_functions"] == fit["other_path_functions"] >= 7 and stale(again) == stale(mapped) == 0 and
                (f"({self.folder}/here/call_sites.c)" in told or kind == "probes"))
        self.failed |= not good
        print(f"{kind}: from another folder {fit['vanished_functions']} of {fit['functions']} functions vanished, "
              f"{fit['other_path_functions']} of them by the path; stale {stale(again)} matched, {stale(mapped)} mapped: "
              f"{'good' if good else 'BAD'}")

    def check(self, profile, program):
        """What the program has of the profile. Exit code 3: hardly anything."""
        said = subprocess.run([self.pgokit, "check", profile, "-b", program, "--json"], text=True, capture_output=True)
        return json.loads(said.stdout)["fit"]

    def similarity(self, a, b):
        return 100 * json.loads(self.run(self.pgokit, "compare", "--json", a, b).stdout)["similarity"]

    def discarded(self, kind, profile, salvage):
        """Of functions, call sites and samples, as clang says: those that do not fit."""
        flags = [flag.format("true" if salvage else "false") for flag in STALENESS]
        said = self.run(CLANG, "-O2", "-g", *KINDS[kind][0], f"-fprofile-sample-use={profile}", *flags, "-c",
                        "-o", self.folder / "unused.o", SOURCES / "after/edited.cc").stderr
        bad = re.findall(r"\((\d+)/(\d+)\) of (functions'|callsites') profile are invalid and \((\d+)/", said)
        again = re.search(r"\((\d+)/\d+\) of callsites and \((\d+)/", said)
        return {what[:-1]: int(n) for n, _, what, _ in bad}, int(again[1]) if again else 0

    def judge(self, kind):
        _, old = self.make(kind, "before")
        program, true = self.make(kind, "after")
        matched = self.folder / f"{kind}.matched"
        told = self.run(self.pgokit, "match", old, "-b", program, "-o", matched).stdout
        before, after = self.similarity(old, true), self.similarity(matched, true)
        bad_before, _ = self.discarded(kind, old, False)
        _, salvaged = self.discarded(kind, old, True)
        bad_after, _ = self.discarded(kind, matched, False)
        good = after > KINDS[kind][1] and after > 1.5 * before and sum(bad_after.values()) == 0
        self.failed |= not good
        print(f"{kind}: similarity to the true profile {before:.1f}% as it is, {after:.1f}% matched; "
              f"clang finds stale {bad_before} as it is (and salvages {salvaged} call sites itself), "
              f"{bad_after} matched: {'good' if good else 'BAD'}")
        if self.show or not good:
            print(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pgokit", required=True)
    parser.add_argument("--print", action="store_true", help="also what pgokit match says")
    args = parser.parse_args()
    if not shutil.which(CLANG):
        print(f"skipped: {CLANG} is not there (./dev setup)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        matching = Matching(pathlib.Path(args.pgokit).resolve(), pathlib.Path(folder), args.print)
        for kind in KINDS:
            matching.judge(kind)
            for source in PROGRAMS / "call_sites.c", SOURCES / "before/edited.cc":
                matching.judge_unchanged(kind, source)
                matching.judge_unchanged(kind, source, "--context-sensitive")
            matching.judge_paths(kind)
            matching.judge_folded(kind)
    return 1 if matching.failed else 0


sys.exit(main())

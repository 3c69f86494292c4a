#!/usr/bin/env python3
"""What `pgokit perf2bolt` writes is what perf2bolt 22 writes, line by line, and llvm-bolt and merge-fdata take it.

    compare.py PGOKIT FOLDER [--walk PGOKIT_WALK] [--only PROGRAM[,FORM]] [--keep]

Each program of programs/ is built in each of the FORMS, recorded by `pgokit record`, and its profile made by both tools. What
they say of traces, llvm-bolt's lines on the quality of the profile, and for some the profile without branch stacks and that of
pre-aggregated text, are compared too. With --walk so is a random walk over each program, which comes by code that is hardly
ever run, and without which programs for AArch64 are left out.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
LLVM = pathlib.Path("/usr/lib/llvm-22/bin")
PROGRAMS = {"jumps": ["jumps.c"], "sorts": ["sorts.c"], "throws": ["throws.cc"], "parts": ["parts_one.c", "parts_two.c"],
            "interpreter": sorted(str(p) for p in (HERE.parent.parent / "examples" / "interpreter").glob("*.cc"))}
ARGUMENTS = {"interpreter": [str(HERE.parent.parent / "examples" / "interpreter" / "workload.sprig"), "1", "15"]}
CLANG, GCC = ["clang-22", "clang++-22"], ["gcc", "g++"]
QUIET = ["-w", "-g"]
AARCH64 = ["--target=aarch64-linux-gnu", "-fuse-ld=lld"]
FORMS = {
    "plain": (CLANG, ["-O2"]),
    "unoptimized": (CLANG, ["-O0"]),
    "large": (CLANG, ["-O3", "-march=x86-64-v3"]),
    "no-pie": (CLANG, ["-O2", "-fno-pie", "-no-pie"]),
    "relocs": (CLANG, ["-O2", "-Wl,--emit-relocs"]),
    "relocs-no-pie": (CLANG, ["-O2", "-fno-pie", "-no-pie", "-Wl,--emit-relocs"]),
    "relocs-lld": (CLANG, ["-O2", "-fuse-ld=lld", "-Wl,--emit-relocs"]),
    "lto": (CLANG, ["-O2", "-flto", "-fuse-ld=lld"]),
    "lto-relocs": (CLANG, ["-O2", "-flto", "-fuse-ld=lld", "-Wl,--emit-relocs"]),
    "stripped": (CLANG, ["-O2", "-Wl,--strip-debug"]),
    "static": (CLANG, ["-O2", "-static"]),
    "sections": (CLANG, ["-O2", "-ffunction-sections", "-Wl,--gc-sections", "-Wl,--emit-relocs"]),
    "gcc": (GCC, ["-O2"]),
    "gcc-relocs": (GCC, ["-O2", "-Wl,--emit-relocs"]),
    "gcc-no-pie": (GCC, ["-O2", "-fno-pie", "-no-pie", "-Wl,--emit-relocs"]),
    "gcc-hardened": (GCC, ["-O2", "-fcf-protection=full", "-Wl,-z,ibtplt"]),
    "split": (CLANG, ["-O2", "-fuse-ld=lld", "-fsplit-machine-functions", "-Wl,--emit-relocs"]),
    "aarch64": (CLANG, ["-O2", *AARCH64]),
    "aarch64-relocs": (CLANG, ["-O2", *AARCH64, "-Wl,--emit-relocs"]),
    "aarch64-no-pie": (CLANG, ["-O1", *AARCH64, "-fno-pie", "-no-pie", "-Wl,--emit-relocs"]),
    "split-plain": (CLANG, ["-O2", "-fsplit-machine-functions"]),
}
LINES = re.compile(r"PERF2BOLT: (?:read|ignored|traces|out of range|wrote|input binary).*")
QUALITY = re.compile(r"BOLT-INFO: .*(?:profile|stale).*|BOLT-WARNING: .*profile.*")


class Failed(Exception):
    pass


def run(*command, may_fail=False):
    try:
        done = subprocess.run([str(c) for c in command], text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120 if may_fail else 300, check=False)
    except subprocess.TimeoutExpired:
        if not may_fail:
            raise
        return 124, "does not come to an end"
    if done.returncode and not may_fail:
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout if not may_fail else (done.returncode, done.stdout)


class Case:
    def __init__(self, pgokit, folder, program, form):
        self.pgokit, self.program, self.form = pgokit, program, form
        self.folder = folder / f"{program}-{form}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.binary = self.folder / program
        self.recording = self.folder / "perf.data"

    def build(self):
        compilers, flags = FORMS[self.form]
        sources = [HERE / "programs" / s for s in PROGRAMS[self.program]]
        compiler = compilers[any(str(s).endswith(".cc") for s in sources)]
        standard = ["-std=c++20"] if compiler.endswith("+22") or compiler.endswith("++") else []
        if self.form.startswith("split"):
            run(compiler, *QUIET, *standard, "-O2", "-fdebug-info-for-profiling", *sources, "-o", self.binary)
            self.record()
            run(self.pgokit, "generate", "-q", self.recording, "-b", self.binary, "-o", self.folder / "profile")
            flags = [*flags, f"-fprofile-sample-use={self.folder / 'profile'}"]
        run(compiler, *QUIET, *standard, *flags, *sources, "-o", self.binary)

    def record(self):
        arguments = ARGUMENTS.get(self.program, [])
        run(self.pgokit, "record", "-q", "--no-callchain", "-F", "20000", "-o", self.recording, "--", self.binary, *arguments)

    def walk(self, walker):
        self.recording = self.folder / "walk.data"
        run(walker, self.binary, "--seed", "7", "--samples", "3000", "--depth", "32", "--kind", "lbr", "--format", "perfdata",
            "-o", self.recording)

    def compare(self, *options, name="both"):
        """The lines of the two profiles that differ, and what the tools say of them."""
        ours, theirs = self.folder / f"{name}.ours", self.folder / f"{name}.theirs"
        recording = [] if "-p" in options else ["-p", self.recording]
        code, said = run(LLVM / "perf2bolt", *recording, *options, self.binary, "-o", theirs, may_fail=True)
        (self.folder / f"{name}.theirs.log").write_text(said)
        own = run(self.pgokit, "perf2bolt", *recording, *options, self.binary, "-o", ours)
        (self.folder / f"{name}.ours.log").write_text(own)
        if code or not theirs.exists():
            return f"no judgement: perf2bolt-22 failed ({said.strip().splitlines()[-1][:100]})"
        left, right = (sorted(p.read_text().splitlines()) for p in (ours, theirs))
        if left != right:
            only_ours, only_theirs = sorted(set(left) - set(right)), sorted(set(right) - set(left))
            raise Failed(f"{len(right)} lines of perf2bolt-22, {len(left)} of pgokit; "
                         f"only there: {only_theirs[:4]}; only here: {only_ours[:4]}")
        told, wanted = ([line.rsplit(" to ", 1)[0] for line in LINES.findall(text)] for text in (own, said))
        if told != wanted:
            raise Failed(f"perf2bolt-22 says {sorted(set(wanted) - set(told))}, pgokit {sorted(set(told) - set(wanted))}")
        return f"{len(right)} lines"

    def check_uses(self):
        """llvm-bolt takes our profile as it does theirs; merge-fdata adds it up; pre-aggregated text comes to the same."""
        said = [run(LLVM / "llvm-bolt", self.binary, "-o", self.folder / "bolted", "-data", self.folder / f"both.{whose}",
                    "-reorder-blocks=ext-tsp", "-dyno-stats", may_fail=True) for whose in ("ours", "theirs")]
        quality = [(code, QUALITY.findall(text)) for code, text in said]
        if quality[0] != quality[1]:
            raise Failed(f"llvm-bolt says {quality[1]} of the other profile, {quality[0]} of ours")
        for whose in ("ours", "theirs"):
            both = self.folder / f"both.{whose}"
            run(LLVM / "merge-fdata", both, both, "-o", self.folder / f"merged.{whose}")
        merged = [sorted((self.folder / f"merged.{whose}").read_text().splitlines()) for whose in ("ours", "theirs")]
        if merged[0] != merged[1] or not merged[0]:
            raise Failed("merge-fdata makes another sum of it")
        text = self.folder / "preaggregated"
        run(self.pgokit, "generate", "-q", "--format", "preaggregated", self.recording, "-b", self.binary, "-o", text)
        told = self.compare("-p", text, "-pa", name="pa")
        run(self.pgokit, "generate", "-q", "--for", "bolt", self.recording, "-b", self.binary, "-o", self.folder / "generated")
        if (self.folder / "generated").read_text() != (self.folder / "pa.ours").read_text():
            raise Failed("pre-aggregated text comes to another profile than fdata of the same recording")
        return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pgokit")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--walk", type=os.path.abspath)
    parser.add_argument("--only", default=",")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if not (LLVM / "perf2bolt").exists() or not all(map(shutil.which, ["perf", "clang-22", "ld.lld-22"])):
        print("SKIPPED: there is no bolt-22, perf, clang-22 or lld-22")
        return SKIPPED
    only_program, _, only_form = options.only.partition(",")
    folder = options.folder / "bolt"
    failed = compared = unjudged = 0
    for program in PROGRAMS:
        for form in FORMS:
            if only_program not in ("", program) or only_form not in ("", form):
                continue
            case = Case(os.path.abspath(options.pgokit), folder, program, form)
            native = not form.startswith("aarch64")
            if not native and not options.walk:
                continue
            try:
                case.build()
                told = []
                if native:
                    case.record()
                    told.append(case.compare())
                    if form in ("plain", "relocs", "split", "gcc-no-pie") and not told[0].startswith("no judgement"):
                        told.append(case.compare("-ba", name="basic"))
                        told.append(case.check_uses())
                if options.walk:
                    case.walk(options.walk)
                    told.append(case.compare(name="walk"))
                without = sum(one.startswith("no judgement") for one in told)
                unjudged += without
                compared += len(told) - without
                print(f"{program} {form}: {'; '.join(told)}", flush=True)
                if not options.keep:
                    shutil.rmtree(case.folder)
            except (Failed, subprocess.TimeoutExpired) as error:
                print(f"{program} {form}: FAILED: {error}", flush=True)
                failed += 1
    print(f"{compared} comparisons equal, {failed} failed, {unjudged} that perf2bolt-22 cannot judge")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

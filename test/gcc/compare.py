#!/usr/bin/env python3
"""Profiles for GCC: GCC takes and uses them, and they are those of AutoFDO's create_gcov but for what is listed here.

    compare.py PGOKIT FOLDER [--only PROGRAM,FORM] [--keep]

Each program is built by each GCC in each form, and counted. GCC builds it with the profile without a word, promotes the call
through a pointer, lays the branch that is taken first, and the program prints what it did before. Debian's create_gcov makes a
profile of the same branch stacks, and dump_gcov prints both: differences that are not explained in judge() are errors. Exit
code 1 if anything fails, 77 without GCC 11 and 12.
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
PROGRAMS = {"calls": "calls.c", "shapes": "shapes.cc"}
GCCS = {12: "2", 11: "1"}  # the version of the format
FORMS = {
    "O2": ["-O2"], "O1": ["-O1"], "O3": ["-O3"], "no-pie": ["-O2", "-fno-pie", "-no-pie"], "dwarf-4": ["-O2", "-gdwarf-4"],
    "dwarf-4-O1": ["-O1", "-gdwarf-4"], "dwarf-4-no-pie": ["-O2", "-gdwarf-4", "-fno-pie", "-no-pie"],
    "sections": ["-O2", "-ffunction-sections", "-Wl,--gc-sections"], "lto": ["-O2", "-flto=1"],
}
ARGUMENTS = {"calls": (500, 100000), "shapes": (300, 40000)}  # of counted and of recorded runs
OF_ASSEMBLER = {"_start", "_init", "_fini"}  # functions with lines, but not in the debug information
PROMOTED = {"calls": "=> often", "shapes": "=> area"}


class Failed(Exception):
    pass


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr[-600:]}")
    return done


def expect(condition, what):
    if not condition:
        raise Failed(what)


def dumped(text):
    """What dump_gcov prints, by the path of names and call sites: heads, and the counts and targets of places."""
    heads, places, open_ = {}, {}, []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        if top := re.fullmatch(r"(\S+) total:(\d+) head:(\d+)", line):
            open_ = [top[1]]
            heads[top[1]] = int(top[3])
        elif call := re.fullmatch(r"\s+([\d.]+): (\S+) total:\d+", line):
            open_ = open_[:depth] + [call[1] + " " + call[2]]
        elif place := re.fullmatch(r"\s+([\d.]+): (\d+)(.*)", line):
            targets = dict(re.findall(r"(\S+):(\d+)", place[3]))
            places[(*open_[:depth], place[1])] = (int(place[2]), targets)
        elif line.strip():
            raise Failed(f"dump_gcov prints {line!r}")
    return heads, places


def one_copy(name):
    """Both names of the group of copies of a constructor are one: create_gcov gives some the name of a copy, and some not."""
    return re.sub(r"(?<=[CD])[14](?=[EI])", "2", name)


def of_one_copy(dump):
    heads, places = dump
    return ({one_copy(name): head for name, head in heads.items()},
            {tuple(map(one_copy, key)): (count, {one_copy(name): n for name, n in targets.items()})
             for key, (count, targets) in places.items()})


def often_first(binary):
    """Whether the code of guarded() for the way that is nearly always taken, by its counter, is in front of the other."""
    listing = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=guarded", binary).stdout
    return re.findall(r"<counters\+(0xc|0x10)>", listing)[0] == "0x10"


class Case:
    def __init__(self, pgokit, folder, program, gcc, form):
        self.pgokit, self.program, self.gcc, self.form = pgokit, program, gcc, form
        self.source = HERE / "programs" / PROGRAMS[program]
        self.compiler = f"{'g++' if self.source.suffix == '.cc' else 'gcc'}-{gcc}"
        self.folder = folder / f"{program}-{gcc}-{form}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.binary = self.folder / program

    def build(self, *more, output=None):
        return run(self.compiler, "-w", "-g", *FORMS[self.form], *more, self.source, "-o", output or self.binary, cwd=self.folder)

    def make(self):
        self.build()
        few = ARGUMENTS[self.program][0]
        self.printed = run(self.binary, few).stdout
        run(self.pgokit, "record", "-q", "--exact", "-o", self.folder / "perf.data", "--", self.binary, few)
        self.profile = self.folder / "profile.afdo"
        run(self.pgokit, "generate", "-q", self.folder / "perf.data", "-b", self.binary, "--for", f"gcc-{self.gcc}", "-o", self.profile)

    def check_use(self):
        faster, told = self.folder / "faster", self.folder / "told"
        done = self.build(f"-fauto-profile={self.profile}", f"-fopt-info-all={told}", output=faster)
        expect(not done.stderr, f"GCC says: {done.stderr[:400]}")
        expect(run(faster, ARGUMENTS[self.program][0]).stdout == self.printed, "the program with the profile prints something else")
        promotes = [line for line in told.read_text().splitlines() if "Indirect call -> direct call" in line]
        if self.gcc == 11:  # it would read past the targets
            expect(not promotes, f"GCC has targets: {promotes}")
        else:
            expect(any(PROMOTED[self.program] in line for line in promotes), f"no call is promoted to {PROMOTED[self.program][3:]}: {promotes}")
        if self.program != "calls":
            return "used"
        expect(often_first(faster), "the way that is rarely taken lies in front")
        return "used" if often_first(self.binary) else "turned a branch round"

    def compare(self):
        """Of branch stacks: create_gcov does not know what else is in a recording of pgokit."""
        recording, raw, ours, theirs = (self.folder / name for name in ("stacks.data", "raw", "ours", "theirs"))
        run(self.pgokit, "record", "-q", "-F", "2000", "--no-callchain", "-o", recording, "--", self.binary, ARGUMENTS[self.program][1])
        run(self.pgokit, "llvm-profgen", "--quiet", "--skip-symbolization", f"--perfdata={recording}", f"--binary={self.binary}", f"--output={raw}")
        # For GCC 12: what is for GCC 11 has no targets.
        run(self.pgokit, "generate", "-q", raw, "-b", self.binary, "--for", "gcc-12", "-o", self.folder / "ours-2")
        run(self.pgokit, "merge", "-q", self.folder / "ours-2", "--format", "gcov", "--gcov-version", "1", "-o", ours)
        run("create_gcov", f"--binary={self.binary}", f"--profile={recording}", "--gcov_version=1", f"--gcov={theirs}")
        return judge(*(dumped(run("dump_gcov", "--gcov_version=1", "--dump_cutoff_percent=0", path).stdout) for path in (ours, theirs)))


def judge(ours, theirs):
    """How many places agree. What differs, but for this, is an error:

    * The count of a place with calls is at least the number of the calls, as llvm-profgen has it.
    * create_gcov leaves out functions with few samples, and targets of them.
    * It has functions with several symbols once for each, and calls constructors by the group of copies.
    * Cold parts are functions of their own to it, so that it has no zeros of their code.
    * Of the targets of a place that have one name it keeps the last count: ours are sums.
    * It has functions of assembler code too, where a stack of the program's first branches is in the recording.
    """
    ours, theirs = map(of_one_copy, (ours, theirs))
    heads, places = ({key: value for key, value in part.items() if (key if isinstance(key, str) else key[0]) not in OF_ASSEMBLER}
                     for part in theirs)
    same, explained, wrong = 0, 0, []
    for key, (count, targets) in places.items():
        if key not in ours[1]:
            wrong.append(f"{key}: is not there, {count} in create_gcov's")
            continue
        own, own_targets = ours[1][key]
        calls = sum(map(int, own_targets.values()))
        if own != count and own != calls:
            wrong.append(f"{key}: {own}, {count} in create_gcov's")
        elif any(int(own_targets.get(name, 0)) < int(n) for name, n in targets.items()):
            wrong.append(f"{key}: calls {own_targets}, {targets} in create_gcov's")
        elif own != count or own_targets != targets:
            explained += 1
        else:
            same += 1
    wrong += [f"{key}: {count}, not in create_gcov's" for key, (count, _) in ours[1].items()
              if count and key not in places and key[0] in heads]
    wrong += [f"{name}: entered {ours[0].get(name)} times, {head} in create_gcov's" for name, head in heads.items()
              if ours[0].get(name, -1) < head]
    if wrong:
        raise Failed(f"{len(wrong)} places differ, {same} agree: " + "; ".join(wrong[:4]))
    return f"{same} places as create_gcov's, {explained} explained"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    gccs = [gcc for gcc in GCCS if shutil.which(f"gcc-{gcc}") and shutil.which(f"g++-{gcc}")]
    if not gccs:
        print("SKIPPED: there is neither GCC 11 nor GCC 12")
        return SKIPPED
    judged = shutil.which("create_gcov") and shutil.which("dump_gcov")
    only_program, _, only_form = args.only.partition(",")
    failed = 0
    for program in PROGRAMS:
        for gcc in gccs:
            for form in FORMS:
                if only_program not in ("", program) or only_form not in ("", form):
                    continue
                if gcc == 11 and form == "lto":  # an error of its own in ipa_profile_write_edge_summary, with any such profile
                    continue
                case = Case(args.pgokit, args.folder.resolve() / "gcc", program, gcc, form)
                try:
                    case.make()
                    told = [case.check_use()]
                    if judged and form.startswith("dwarf-4"):  # it reads no other
                        told.append(case.compare())
                    print(f"{program} gcc-{gcc} {form}: {'; '.join(told)}", flush=True)
                    if not args.keep:
                        shutil.rmtree(case.folder)
                except (Failed, subprocess.TimeoutExpired) as error:
                    print(f"{program} gcc-{gcc} {form}: FAILED: {error}", flush=True)
                    failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""faults.py --pgokit PROGRAM --folder FOLDER [--cases N] [--seed N]: does `pgokit explain` name what is wrong?

Real programs are recorded and built again by clang 22 with their profile, in each case with one fault of a known kind: in
the profile, in the source, or in the options of a build. The options of a case are drawn with a fixed seed. The fault is
named rightly if it is the loss of most samples (and where there is none, if nothing is lost). Prints a line for each kind,
and each case that was named wrongly. Exit code 1 if less than 95 % are named rightly, 77 without clang 22."""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BASE = ["-g", "-fdebug-info-for-profiling", "-funique-internal-linkage-names", "-fuse-ld=lld-22", "-Wl,--build-id"]
PROBES = ["-fpseudo-probe-for-profiling"]
MAP = ["-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=all"]


@dataclasses.dataclass
class Program:
    name: str
    compiler: str
    sources: list
    arguments: list


PROGRAMS = [Program("mixed", "clang-22", ["test/explain/mixed.c"], ["60"]),
            Program("calc", "clang-22", ["test/programs/calc.c"], []),
            Program("rebuild", "clang++-22", ["test/rebuild/main.cc", "test/rebuild/work.cc"], ["30"]),
            Program("interpreter", "clang++-22", sorted(str(p.relative_to(ROOT)) for p in (ROOT / "examples/interpreter").glob("*.cc")),
                    [str(ROOT / "examples/interpreter/workload.sprig"), "1", "2"])]


DOES_NOT_FIT = 3  # the exit code of pgokit explain


def ended(*words, cwd=None, codes=(0,)):
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done


def run(*words, cwd=None):
    return ended(*words, cwd=cwd).stdout


class Profile:
    """A text profile as functions: the first line, and those of the body, of each."""

    def __init__(self, text):
        self.functions = []
        for line in text.splitlines():
            if line.startswith(" "):
                self.functions[-1][1].append(line)
            else:
                self.functions.append([line, []])

    def text(self):
        return "".join("\n".join([head, *body]) + "\n" for head, body in self.functions)

    def hot(self):
        """Numbers of the functions with most samples, downwards."""
        total = lambda i: int(self.functions[i][0].split(":")[-2])
        return sorted(range(len(self.functions)), key=total, reverse=True)

    def thin(self, divisor):
        def divided(match):
            return match[1] + str(int(match[2]) // divisor)
        for function in self.functions:
            function[0] = re.sub(r"(:)(\d+)", divided, function[0])
            function[1] = [line if "!" in line else re.sub(r"(: ?|:)(\d+)(?=$| |:)", divided, line) for line in function[1]]

    def rotate(self, numbers):
        """Each function gets the samples of the next one."""
        bodies = [self.functions[i] for i in numbers]
        for i, (head, body) in zip(numbers, bodies[1:] + bodies[:1]):
            name = self.functions[i][0].rsplit(":", 2)[0]
            self.functions[i] = [":".join([name, *head.rsplit(":", 2)[1:]]), body]

    def rename(self, numbers):
        names = {self.functions[i][0].rsplit(":", 2)[0] for i in numbers}
        text = self.text()
        for name in names:
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?=:)", f"{name}_before", text)
        self.__init__(text)


def edited(source):
    """The source with statements and a branch at the begin of every function."""
    return re.sub(r"(?m)^((?!namespace|struct|class|enum|extern)\w.*\)(?: const)? \{)$",
                  r"\1\n  static volatile int state_of_edit;\n\n  if (state_of_edit) {\n    state_of_edit = 2;\n    ++state_of_edit;\n  }\n",
                  source)


class Faults:
    def __init__(self, pgokit, folder, seed):
        self.pgokit, self.folder = pgokit, folder
        self.random = random.Random(seed)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.profiles = {}

    def build(self, program, output, flags, sources=None):
        run(program.compiler, *flags, *(sources or [ROOT / s for s in program.sources]), "-o", output, cwd=self.folder)

    def record(self, program, kind, without=()):
        """The profile of a build, as text. `without`: options that the build lacks."""
        key = (program.name, kind, tuple(without))
        if key not in self.profiles:
            name = f"{program.name}-{kind}-{len(self.profiles)}"
            app, recording, profile = (self.folder / f"{name}{end}" for end in ("", ".perf", ".prof"))
            self.build(program, app, ["-O2"] + [f for f in BASE if f not in without] + (PROBES if kind == "probes" else []))
            run(self.pgokit, "record", "--exact", "-o", recording, "--", app, *program.arguments)
            run(self.pgokit, "generate", recording, "-b", app, "-o", profile)
            run(self.pgokit, "merge", profile, "--format", "text", "-o", f"{profile}.text")
            self.profiles[key] = pathlib.Path(f"{profile}.text").read_text()
        return self.profiles[key]

    def record_all(self):
        for program in PROGRAMS:
            for kind in ("lines", "probes"):
                self.record(program, kind)
            self.record(program, "lines", ["-fdebug-info-for-profiling"])
            self.record(program, "lines", ["-funique-internal-linkage-names"])

    def draw(self, number):
        """A case: everything that is left to chance."""
        fault = list(EXPECTED)[number % len(EXPECTED)]
        kind = self.random.choice(KINDS.get(fault, ("lines", "probes")))
        # What a fault is about has to be there.
        names = WITH_STATIC if fault in ("unique names", "other path") else [p.name for p in PROGRAMS]
        if fault == "no discriminators":
            names = ["mixed"]
        weights = [1 if name == "interpreter" else 4 for name in names]
        name = self.random.choices(names, weights)[0]
        evidence = self.random.choice(["yaml", "bitstream", "map", "both"] if fault in NEED_EVIDENCE else
                                      ["none", "yaml", "bitstream", "map", "both"])
        return {"number": number, "fault": fault, "kind": kind, "program": name, "evidence": evidence,
                "level": self.random.choice(["-O1", "-O2", "-O3"]), "pie": self.random.choice([[], ["-fno-pie", "-no-pie"]]),
                "seed": self.random.random()}

    def run_case(self, case):
        """What pgokit explain says is wrong: the cause of most lost samples, or what became of all."""
        chance = random.Random(case["seed"])
        program = next(p for p in PROGRAMS if p.name == case["program"])
        fault, kind = case["fault"], case["kind"]
        folder = self.folder / f"case{case['number']}"
        folder.mkdir()
        without = {"no discriminators": ["-fdebug-info-for-profiling"]}.get(fault, [])
        profile = Profile(self.record(program, kind, without))
        flags = [case["level"], *case["pie"], *BASE] + (PROBES if kind == "probes" else [])
        sources, use = [ROOT / s for s in program.sources], True
        hot = profile.hot()
        if fault == "thin":
            places = max(int(n) for n in re.findall(r"(?m)^ [^!]*?: (\d+)", profile.text()))
            profile.thin(max(places // chance.choice([3, 8, 15]), 2))
        elif fault == "shuffled":
            profile.rotate(hot[:max(4, len(hot))])
        elif fault == "wrong function":
            profile.rotate(hot[:2])
        elif fault == "renamed":
            profile.rename(hot[:2])
        elif fault == "other program":
            other = chance.choice([p for p in PROGRAMS if p is not program])
            profile = Profile(self.record(other, kind))
        elif fault == "edited source":
            shutil.copytree(ROOT / pathlib.Path(program.sources[0]).parent, folder / "source", symlinks=True)
            sources = [folder / "source" / pathlib.Path(s).name for s in program.sources]
            for source in sources:
                source.write_text(edited(source.read_text()))
            flags += [f"-fmacro-prefix-map={folder}/source/={(ROOT / program.sources[0]).parent}/"]
        elif fault == "other path":
            shutil.copytree(ROOT / pathlib.Path(program.sources[0]).parent, folder / "source", symlinks=True)
            sources = [folder / "source" / pathlib.Path(s).name for s in program.sources]
        elif fault == "unique names":
            flags[flags.index("-funique-internal-linkage-names")] = "-fno-unique-internal-linkage-names"
        elif fault == "no probes":
            flags.remove(*PROBES)
        elif fault == "no debug":
            flags = [f for f in flags if f not in ("-g", "-fdebug-info-for-profiling")]
        elif fault == "not used":
            use = False
        written = folder / "app.prof"
        written.write_text(profile.text())
        if use:
            flags.append(f"-fprofile-sample-use={written}")
        words = []
        if case["evidence"] in ("map", "both"):
            flags += MAP
        form = "bitstream" if case["evidence"] == "bitstream" else "yaml"
        if case["evidence"] not in ("none", "map"):
            words = ["--remarks", folder]
        objects = []
        for i, source in enumerate(sources):
            objects.append(folder / f"{i}.o")
            record = [f"-fsave-optimization-record={form}", f"-foptimization-record-file={folder}/{i}.opt.{form}"] if words else []
            run(program.compiler, *[f for f in flags if not f.startswith(("-Wl", "-fuse", "-no-pie"))], "-Wno-everything", *record, "-c", source, "-o",
                objects[-1], cwd=folder)
        run(program.compiler, *[f for f in flags if f.startswith(("-Wl", "-fuse", "-no-pie"))], *objects, "-o", folder / "app", cwd=folder)
        explained = ended(self.pgokit, "explain", written, "-b", folder / "app", *words, "--json", codes=(0, DOES_NOT_FIT))
        told = json.loads(explained.stdout)
        first = told["findings"][0]
        shutil.rmtree(folder)
        cause = first["cause"] if first["is_loss"] and first["samples"] * 50 > told["samples"]["profile"] else "used"
        wanted = {"used": 0, "thin": 0, "other-program": DOES_NOT_FIT}.get(cause, explained.returncode)
        return cause if explained.returncode == wanted else f"{cause}, but exit code {explained.returncode}"


# What is planted, and the name it is to be given.
EXPECTED = {"none": "used", "thin": "thin", "shuffled": "stale", "wrong function": "stale", "edited source": "stale", "renamed": "not-found",
            "other program": "other-program", "other path": "other-path", "unique names": "unique-names", "no probes": "no-probes",
            "no debug": "no-debug-information", "no discriminators": "no-discriminators", "not used": "not-used"}
KINDS = {"no probes": ("probes",), "no debug": ("lines",), "no discriminators": ("lines",)}
NEED_EVIDENCE = {"not used"}
WITH_STATIC = ["mixed", "calc"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pgokit", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for tool in ("clang-22", "clang++-22", "ld.lld-22"):
        if not shutil.which(tool):
            print(f"{tool} is not installed")
            sys.exit(77)
    faults = Faults(options.pgokit.resolve(), options.folder.resolve(), options.seed)
    faults.record_all()
    cases = [faults.draw(i) for i in range(options.cases)]
    right, all_of = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, named in zip(cases, pool.map(faults.run_case, cases)):
            all_of[case["fault"]] += 1
            if named == EXPECTED[case["fault"]]:
                right[case["fault"]] += 1
            else:
                print(f"wrong: {named}: {case}")
    for fault, count in all_of.items():
        print(f"{fault:<18} {right[fault]:>3} of {count:>3} named {EXPECTED[fault]}")
    print(f"all                {right.total():>3} of {len(cases):>3}")
    sys.exit(right.total() * 100 < 95 * len(cases))


if __name__ == "__main__":
    main()

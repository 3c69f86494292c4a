#!/usr/bin/env python3
"""branches.py --pgokit PROGRAM --folder FOLDER: does `pgokit explain` find the branches that clang holds for other than they run?

branches.c has one branch in each function, taken nine times in ten. It is recorded, and built again by clang 22 with a profile in
which one fault is planted; the build is recorded too. `expected` has a __builtin_expect that is wrong, which clang 22 holds against
every sample profile. Of other functions' branches the compiler makes what no profile can tell (SHAPED). Exit code 1 if a fault is not found, has another cause, or if anything is said of a branch that clang holds
rightly; 77 without clang 22."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "branches.c"
LINES = ["-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id", "-Wno-everything"]
# Conditional moves become branches, as they do by themselves where one would wait for memory.
MAP = ["-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=all", "-mllvm", "-x86-cmov-converter-force-all"]
PROBES = ["-fpseudo-probe-for-profiling"]
FUNCTIONS = ("plain", "swapped", "expected", "on_one_line", "edited")
# Causes of the branches that clang makes of these functions, with each good profile. It joins the conditions of `divided` into one
# and parts them again, unless probes are between them; these tell, too, that there is nothing of a way.
SHAPED = {
    "lines": {"copied": ["copied"] * 3, "divided": ["divided"] * 2, "even": ["even"], "joined": ["joined"] * 2},
    "probes": {"copied": ["copied"] * 3, "divided": [], "even": ["no-samples"], "joined": ["joined"] * 2},
}


def run(*words, cwd):
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def functions_of(profile):
    """Of a text profile: the lines of each function."""
    found = {}
    for line in profile.splitlines():
        if not line.startswith(" "):
            found[line.split(":")[0]] = []
        found[list(found)[-1]].append(line)
    return found


def text_of(functions):
    return "".join("\n".join(lines) + "\n" for lines in functions.values())


class Tests:
    def __init__(self, pgokit, folder):
        self.pgokit, self.folder = pgokit, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.failed = 0
        self.shaped = {}

    def build(self, output, flags):
        """Of the source without what is between #ifdef and #endif, but for the edited one."""
        text = SOURCE.read_text()
        if "-DEDITED" not in flags:
            text = re.sub(r"#ifdef EDITED\n.*?#endif\n", "", text, flags=re.S)
        (self.folder / "branches.c").write_text(text)
        run("clang-22", *flags, "branches.c", "-o", output, cwd=self.folder)

    def profile(self, flags):
        """By function, of a build with these flags."""
        self.build("old", flags)
        run(self.pgokit, "record", "--exact", "-o", "old.perf", "--", "./old", cwd=self.folder)
        run(self.pgokit, "generate", "old.perf", "-b", "old", "-o", "old.prof", cwd=self.folder)
        run(self.pgokit, "merge", "old.prof", "--format", "text", "-o", "old.text", cwd=self.folder)
        return functions_of((self.folder / "old.text").read_text())

    def told(self, functions, flags, recording=True):
        """What is said of a build with this profile."""
        (self.folder / "new.prof").write_text(text_of(functions))
        self.build("new", [*flags, *MAP, "-fprofile-sample-use=new.prof"])
        words = []
        if recording:
            run(self.pgokit, "record", "--exact", "-o", "new.perf", "--", "./new", cwd=self.folder)
            words = ["--recording", "new.perf"]
        out = run(self.pgokit, "explain", "new.prof", "-b", "new", *words, "--json", "--top", "0", cwd=self.folder)
        branches = json.loads(out)["branches"]
        if not branches["judged"]:
            sys.exit("no branch was judged")
        lines = (self.folder / "branches.c").read_text().splitlines()
        self.shaped = {name: [one["cause"] for one in branches["list"] if one["source"] == name] for name in SHAPED["lines"]}
        return [one for one in branches["list"] if one["source"] in FUNCTIONS and "if (++calls" not in lines[one["line"] - 1]]

    def expect_shaped(self, kind):
        if self.shaped != SHAPED[kind]:
            self.fail(f"{kind}, shaped by the compiler", f"{self.shaped} instead of {SHAPED[kind]}")
        print(f"{kind}, shaped by the compiler: {self.shaped}")

    def expect(self, name, told, *wanted):
        """`wanted`: (function, cause, probability by the profile or None) of each, in any order."""
        found = sorted((one["source"], one["cause"]) for one in told)
        if found != sorted(one[:2] for one in wanted):
            self.fail(name, f"{found} instead of {wanted}")
        for one in told:
            measured = one["measured"]
            if not (0.88 < measured < 0.92 or 0.08 < measured < 0.12):
                self.fail(name, f"{one['source']} measured {measured}")
            if abs(one["worth"] - one["ran"] * abs(measured - one["believed"])) > 1:
                self.fail(name, f"{one['source']} is worth {one['worth']}")
            at = (self.folder / "branches.c").read_text().splitlines()[one["line"] - 1]
            if "if (" not in at:
                self.fail(name, f"{one['source']}: line {one['line']} is '{at}'")
        print(f"{name}: {', '.join(' '.join(one) for one in found) or 'nothing'}")

    def fail(self, name, what):
        self.failed += 1
        print(f"{name}: WRONG: {what}")


def swapped(lines):
    """The counts of the two ways exchanged: those of most samples and those of a tenth."""
    checksum = [line for line in lines if "!" in line]
    lines = [line for line in lines if "!" not in line]
    counts = [int(n) for line in lines[1:] for n in re.findall(r": (\d+)", line)]
    most, few = max(counts), min(n for n in counts if n > max(counts) / 20)
    often = max(n for n in counts if n < most * 0.95)
    other = {often: few, few: often}
    return [lines[0]] + [re.sub(r": (\d+)", lambda m: f": {other.get(int(m[1]), int(m[1]))}", line) for line in lines[1:]] + checksum


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pgokit", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for tool in ("clang-22", "ld.lld-22"):
        if not shutil.which(tool):
            print(f"{tool} is not installed")
            sys.exit(77)
    tests = Tests(options.pgokit.resolve(), options.folder.resolve())
    for kind, more in (("lines", []), ("probes", PROBES)):
        flags = LINES + more
        good = tests.profile(flags)
        expected = ("expected", "not-followed")
        tests.expect(f"{kind}, nothing planted", tests.told(good, flags), expected)
        tests.expect_shaped(kind)
        tests.expect(f"{kind}, without a recording", tests.told(good, flags, recording=False), expected)
        wrong = dict(good, swapped=swapped(good["swapped"]))
        tests.expect(f"{kind}, another profile", tests.told(wrong, flags), expected, ("swapped", "runs-differently"))
        without = {name: lines for name, lines in good.items() if name != "expected"}
        tests.expect(f"{kind}, __builtin_expect", tests.told(without, flags), ("expected", "no-samples"))
        tests.expect(f"{kind}, edited", tests.told(good, [*flags, "-DEDITED"]), expected, ("edited", "stale"))
    bare = tests.profile([flag for flag in LINES if flag != "-fdebug-info-for-profiling"])
    tests.expect("no discriminators", tests.told(bare, LINES), expected, ("on_one_line", "no-discriminators"))
    sys.exit(tests.failed > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every option of every command is honoured or refused, whatever it is given.

    options.py PGOKIT PGOKIT_WALK [--quick] [COMMAND]

scenes.py lists the kinds of input of each command. Each option that --help names is tried with each kind; with --quick
with one after the other until it is honoured. It is
honoured where output, written file or exit code differ from those without it, and refused where the exit code is
not 0 and a sentence tells why. What is neither stands in the list of scenes.py that tells the reason; and each option must
be honoured somewhere. The stand-ins for LLVM's tools take what those take: there each option is honoured somewhere, or
is in the list of docs/ of those without effect. Exit code 1 if an option does nothing, 77 without clang 22.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "hostile"))

import inputs as made  # noqa: E402
import measurer  # noqa: E402
import recorder  # noqa: E402
import scenes  # noqa: E402

QUICK = "--quick" in sys.argv
PGOKIT, WALK, ONLY = [*(word for word in sys.argv[1:] if word != "--quick"), ""][:3]
PGOKIT, WALK = (str(pathlib.Path(tool).resolve()) for tool in (PGOKIT, WALK))
failures = []


def wrong(what):
    failures.append(what)
    print(f"WRONG: {what}", flush=True)


def lines_of_help(command, help_option):
    text = subprocess.run([PGOKIT, *command.split(), help_option], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^ +(?:-\w,)?(--[\w-]+(?:,--[\w-]+)*)(.*)$", text, re.M)


def names_in_help(command, help_option):
    return {name for names, _ in lines_of_help(command, help_option) for name in names.split(",")}


def options_of(command):
    """Long names that --help lists, each with whether it takes a value."""
    found = {}
    for names, rest in lines_of_help(command, "--help"):
        found[names.split(",")[0]] = bool(re.match(r" [A-Z]", rest))
    found.pop("--help", None)
    return found


def run(words):
    """Exit code, both outputs and the files that were written."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PGOKIT, *words], capture_output=True, cwd=folder, timeout=120, stdin=subprocess.DEVNULL, check=False)
        files = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        return done.returncode, done.stdout, done.stderr, files


def words_of(files, words):
    return [word.replace(f"@{kind}", str(files[kind])) if (kind := found[1]) in files else word
            for word in words if (found := re.search(r"@([\w-]+)", word) or (None, None))]


def verdict(command, base, before, option):
    after = run([*command.split(), *base, *option])
    said = (after[1] + after[2]).decode(errors="replace")
    if after[0] < 0:
        wrong(f"{command} {option} crashes")
    if after == before:
        return "nothing"
    # 3: a threshold is missed, or inputs were left out, where --strict fails.
    if after[0] in (0, 3) or before[0] == 3:
        return "honoured"
    if len(said) < 20:
        wrong(f"{command} {option} does not tell why it fails: {said}")
    return "refused"


class Command:
    def __init__(self, name, scene, files):
        self.name, self.scene, self.files = name, scene, files
        self.options = options_of(name)
        self.honoured = set()

    def tries(self):
        """(kind, base, option with value): all options with all kinds, then those that want others beside them."""
        for kind, base in self.scene.kinds.items():
            for option, has_value in self.options.items():
                if option in base:
                    continue
                yield from ((kind, base, words) for words in self.words_of(option, has_value))
        for base, tried in self.scene.more:
            for option in tried:
                yield "", base, option.split()

    def words_of(self, option, has_value):
        """Switches of LLVM's tools are tried both ways."""
        if option in self.scene.values:
            return [[option, self.scene.values[option]]]
        if self.scene.drop_in:
            return [[f"{option}=0"], [f"{option}=1"] if has_value else [option]]
        if has_value:
            wrong(f"{self.name}: {option} has no value here to be tried with")
        return [] if has_value else [[option]]

    def check(self, pool):
        tries = [(kind, words_of(self.files, base), words_of(self.files, option)) for kind, base, option in self.tries()
                 if all(word[1:] in self.files for word in [*base, *option] if word.startswith("@"))]
        bases = {tuple(base): None for _, base, _ in tries}
        bases = dict(zip(bases, pool.map(lambda base: run([*self.name.split(), *base]), bases)))
        for kind, base, _ in tries:
            if kind and bases[tuple(base)][0] not in (0, 3):
                wrong(f"{self.name} {' '.join(base)}: {bases[tuple(base)][2].decode()}")
        by_option = collections.defaultdict(list)
        for one in tries:
            by_option[one[2][0].split("=")[0]].append(one)
        for found in pool.map(lambda some: self.verdicts(some, bases), by_option.values()):
            for (kind, base, option), one in found:
                self.judge(kind, base, option[0].split("=")[0], one)
        documented = documented_without_effect(self.name) if self.scene.drop_in else set()
        for option in self.options:
            if "live" not in self.files and (option == "--ignore-build-id" or self.name == "compare"):
                continue  # nothing has been recorded
            if option not in self.honoured and option not in self.scene.never and option not in documented:
                wrong(f"{self.name}: {option} is honoured in no scene")
        if self.scene.drop_in:
            self.check_hidden(documented)

    def verdicts(self, tries, bases):
        """(try, verdict) of one option."""
        found = []
        for kind, base, option in tries:
            found.append(((kind, base, option), verdict(self.name, base, bases[tuple(base)], option)))
            if QUICK and found[-1][1] == "honoured":
                break
        return found

    def try_hidden(self, option):
        base = words_of(self.files, next(iter(self.scene.kinds.values())))
        return verdict(self.name, base, run([*self.name.split(), *base]), [f"{option}=1"])

    def check_hidden(self, documented):
        """Options of LLVM's tools that mean nothing here are taken, and a page lists them."""
        for option in sorted(names_in_help(self.name, "--help-hidden") - names_in_help(self.name, "--help") - documented):
            if self.try_hidden(option) != "refused":
                wrong(f"{self.name}: {option} has no effect, and docs/llvm-options.md does not tell so")
        for option in sorted(documented & self.honoured):
            wrong(f"{self.name}: {option} has an effect, and docs/llvm-options.md says that it has none")

    def judge(self, kind, base, option, found):
        if found == "honoured":
            self.honoured.add(option)
        reason = self.scene.silent.get((kind, option)) or self.scene.silent.get(("*", option))
        if found == "nothing" and not reason and not self.scene.drop_in:
            wrong(f"{self.name}, {kind or ' '.join(base)}: {option} does nothing")


def documented_without_effect(command):
    """The table of docs/llvm-options.md: | command | options |"""
    page = (HERE.parent.parent / "docs" / "llvm-options.md").read_text()
    return set(re.findall(r"--[\w-]+", " ".join(re.findall(rf"^\| `{command}` \|(.*)$", page, re.M))))


def main():
    if missing := made.missing_tools():
        print("SKIPPED: not installed:", *missing)
        return 77
    with tempfile.TemporaryDirectory() as name:
        files = made.Inputs(name, PGOKIT, WALK)
        scenes.add_inputs(files)
        live = recorder.Recorder(files)
        if live.software:
            live.live()
            if ONLY in "record":
                recorder.check(live, options_of("record"), wrong)
        else:
            print("not tried: the options of record and optimize, and --ignore-build-id: ptrace() is not permitted here")
        measurer.check(files, ONLY, options_of, wrong)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for command, scene in scenes.SCENES.items():
                if ONLY in command:
                    Command(command, scene, files).check(pool)
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

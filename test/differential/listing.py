#!/usr/bin/env python3
"""Compares what pgokit lists of probes and code with llvm-profgen 22's listing.

    listing.py --pgokit build/bin/pgokit --walk PATH [--folder FOLDER] [--large] [--only REGEX]

For each program of the matrix:
* `pgokit llvm-profgen --show-disassembly-only`, with and without its companions, in both syntaxes: the
  same bytes, the text of AArch64 instructions apart;
* `pgokit probes disassemble`: the same probe lines at the same instructions, in the same order;
* `pgokit probes dump --json`: the same probes in the same inline contexts at the same addresses, and
  those of the unlinked objects at the same distances from their symbols.
Exit code 1 if anything differs, 77 without the tools.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import programs

JUDGE = ["llvm-profgen-22", "--output=/dev/null", "--show-disassembly-only"]
OPTION_SETS = [
    [], ["--show-pseudo-probe"], ["--show-source-locations"],
    ["--show-pseudo-probe", "--show-source-locations"],
    ["--show-canonical-fname", "--show-source-locations"],
    ["--show-pseudo-probe", "--disassemble-functions=main,nowhere"],
    ["--x86-asm-syntax=intel", "--show-source-locations"],
]
# Of probes only the text is the concern here: llvm-profgen shows branch targets of AArch64 four
# bytes too far, and Capstone writes some instructions in other words.
TYPES = {"block": "Block", "indirect call": "IndirectCall", "direct call": "DirectCall"}


class Different(Exception):
    pass


class Undecided(Exception):
    """The judge crashes: where a function has probes but no descriptor, for one."""


def output_of(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode < 0 and command[0] == JUDGE[0]:
        raise Undecided(f"the judge is killed by signal {-done.returncode}")
    if done.returncode < 0:
        raise Different(f"{' '.join(map(str, command))}: killed by signal {-done.returncode}: {done.stderr[:300]}")
    return done


def first_difference(theirs, ours):
    for number, (a, b) in enumerate(zip(theirs + ["(end)"], ours + ["(end)"]), 1):
        if a != b:
            return f"line {number}\n  expected {a}\n  got      {b}"
    return "the ends of lines"


def without_text(lines):
    """Instructions as their address alone."""
    return [re.sub(r"^( *[0-9a-f]+:)\t.*", r"\1", line) for line in lines]


def compare_listings(pgokit, program, any_text):
    lines = 0
    for options in OPTION_SETS:
        theirs = output_of(JUDGE + [f"--binary={program}", *options])
        ours = output_of([pgokit, "llvm-profgen", "--output=/dev/null", "--show-disassembly-only",
                          f"--binary={program}", *options])
        if theirs.returncode or ours.returncode:
            raise Different(f"{options}: exit {theirs.returncode} and {ours.returncode}: {ours.stderr[:300]}")
        a, b = theirs.stdout.splitlines(), ours.stdout.splitlines()
        if any_text:
            a, b = without_text(a), without_text(b)
        if a != b:
            raise Different(f"llvm-profgen {' '.join(options)}: {first_difference(a, b)}")
        lines += len(a)
    return lines


def probes_at_instructions(text):
    """[(address, probe line)] in the order of the listing."""
    found, waiting = [], []
    for line in text.splitlines():
        if line.startswith(" [Probe]:"):
            waiting.append(line)
        elif match := re.match(r" *([0-9a-f]+):\t", line):
            found += [(int(match[1], 16), probe) for probe in waiting]
            waiting = []
    return found


def compare_disassembly(pgokit, program):
    theirs = probes_at_instructions(
        output_of(JUDGE + [f"--binary={program}", "--show-pseudo-probe"]).stdout)
    done = output_of([pgokit, "probes", "disassemble", program])
    if done.returncode:
        raise Different(f"probes disassemble: exit {done.returncode}: {done.stderr[:300]}")
    ours = probes_at_instructions(done.stdout)
    if theirs != ours:
        raise Different(f"probes disassemble: {first_difference(theirs, ours)}")
    return theirs


def dumped(pgokit, program):
    """(line of the listing, place) of every probe; the place is an address, or of an object the
    distance from the symbol."""
    done = output_of([pgokit, "probes", "dump", "--json", program])
    if done.returncode:
        raise Different(f"probes dump: exit {done.returncode}: {done.stderr[:300]}")
    facts, found = json.loads(done.stdout), []
    for function in facts["functions"]:
        contexts = []
        for node in function["nodes"]:
            context = []
            if node["parent"] is not None:
                parent = node["parent"]
                context = contexts[parent] + [f"{function['nodes'][parent]['function']}:{node['call_site']}"]
            contexts.append(context)
            for probe in node["probes"]:
                text = f" [Probe]:\tFUNC: {node['function']} Index: {probe['index']}  "
                if "discriminator" in probe:
                    text += f"Discriminator: {probe['discriminator']}  "
                text += f"Type: {TYPES[probe['type']]}  "
                text += ("Inlined: @ " + " @ ".join(context)) if context else ""
                found.append((text, probe["at"], function["symbol"], function["start"]))
    return facts, found


def compare_dump(pgokit, program, listed):
    facts, found = dumped(pgokit, program)
    addresses = {address for address, _ in listed}
    ours = collections.Counter((at, text) for text, at, *_ in found if at in addresses)
    theirs = collections.Counter(listed)
    if ours != theirs:
        raise Different(f"probes dump: {sorted((theirs - ours) + (ours - theirs))[:3]}")
    return facts, found


def places_in_objects(pgokit, paths):
    found = set()
    for path in paths:
        for text, at, symbol, start in dumped(pgokit, path)[1]:
            if start is None:
                raise Different(f"probes dump {path.name}: it is not known where {symbol} is")
            found.add((text, symbol, at - start))
    return found


def compare_objects(pgokit, program, found, scratch):
    """Every probe of the linked program is in one of the objects, at the same place of its symbol; and
    all of these are in the one object that `ld -r` makes of them."""
    objects = list(program.parent.glob("*.o"))
    of_objects = places_in_objects(pgokit, objects)
    for linker in ("ld", "ld.lld-22"):
        joined = scratch / f"joined-{linker}.o"
        done = subprocess.run([linker, "-r", *objects, "-o", joined], capture_output=True, check=False)
        if done.returncode == 0 and not places_in_objects(pgokit, [joined]) <= of_objects:
            raise Different(f"probes dump of what {linker} -r made: others than in the objects")
    for text, at, symbol, start in found:
        if start is not None and (text, symbol, at - start) not in of_objects:
            raise Different(f"probes dump of the objects: {text} at {symbol}+{at - start:#x} is missing")


def compare_debug_files(pgokit, program, scratch):
    """Symbols, or symbols and probes, in another file."""
    whole = output_of([pgokit, "probes", "dump", program]).stdout
    for name, strip in (("symbols", []), ("both", ["-R", ".pseudo_probe", "-R", ".pseudo_probe_desc"])):
        part, debug = scratch / f"{name}.bin", scratch / f"{name}.debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", *strip, f"--add-gnu-debuglink={debug}", program, part],
                       check=True)
        for command in ([part], [part, "--debug-file", debug], [debug]):
            done = output_of([pgokit, "probes", "dump", *command])
            if done.stdout != whole:
                where = first_difference(whole.splitlines(), done.stdout.splitlines())
                raise Different(f"probes dump of {name} in a debug file, {command}: exit {done.returncode}: "
                                f"{done.stderr[:300]}{where}")
        code = output_of([pgokit, "probes", "disassemble", part]).stdout
        if probes_at_instructions(code) != probes_at_instructions(
                output_of([pgokit, "probes", "disassemble", program]).stdout):
            raise Different(f"probes disassemble with {name} in a debug file differs")


def is_aarch64(program):
    return bool({"aarch64", "arm64"} & set(program.choices))


def check(pgokit, program, path, scratch):
    lines = compare_listings(pgokit, path, is_aarch64(program))
    if not program.has_probes:
        return f"{lines} lines"
    listed = compare_disassembly(pgokit, path)
    _, found = compare_dump(pgokit, path, listed)
    # With clang 14 records do not tell in whose code they are; where that is another function's, linking moves
    # it away from the symbol.
    if not {"lto", "thinlto", "clang14"} & set(program.choices):
        compare_objects(pgokit, path, found, scratch)
    if not is_aarch64(program):
        compare_debug_files(pgokit, path, scratch)
    return f"{lines} lines, {len(listed)} probes"


def runs(pgokit, path):
    commands = (["probes", "dump", path], ["probes", "stats", path], ["probes", "disassemble", path],
                ["llvm-profgen", "--output=x", "--show-disassembly-only", "--show-pseudo-probe", f"--binary={path}"])
    return all(output_of([pgokit, *command]).returncode == 0 for command in commands)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pgokit", required=True, type=pathlib.Path)
    parser.add_argument("--walk", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("listing"))
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for tool in (JUDGE[0], "clang++-22", "ld.lld-22", "objcopy"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    folder = options.folder.resolve()
    pgokit = options.pgokit.resolve()
    failed = 0
    for program in programs.large() if options.large else programs.quick():
        if not re.search(options.only, program.name):
            continue
        path = program.build(folder, options.walk)
        if path is None:
            print(f"left out  {program.name}: {program.problem}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            try:
                print(f"same      {program.name}: {check(pgokit, program, path, pathlib.Path(scratch))}")
            except Undecided as crash:
                failed += not runs(pgokit, path)
                print(f"undecided {program.name}: {crash}")
            except Different as difference:
                failed += 1
                print(f"DIFFERENT {program.name}: {difference}")
    print(f"{failed} different")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares GNU as behind `pgokit probes lower` with clang's own assembler: the same probes.

    lower.py --pgokit build/bin/pgokit [--walk PATH] [--large] [--only REGEX] [--keep]
             [--program NAME=FILE,FILE...] [--flags "-Iinclude -DX"]

Each program is compiled to assembly once and assembled in both ways. Compared are the probe sections
of the objects (records, group, section they are linked to), the probes of linked files as a set of
(function, inline context, probe, type, attributes, place within the symbol), and profiles made of the same
samples. Programs that clang cannot assemble (split functions) are compared with labels put in the
place of the directives. Exit code 1 if anything differs, 77 without the tools.
"""
import argparse
import bisect
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import programs

PROBES = "-fpseudo-probe-for-profiling"

# Name -> flags for the compiler, and how it is linked: linker, flags; "-r" first makes one object.
BUILDS = {
    "O2": (["-O2", "-g"], [("bfd", ["-pie"]), ("lld", ["-pie"]), ("bfd", ["-r"]), ("lld", ["-r"])]),
    "O0": (["-O0"], [("bfd", ["-pie"])]),
    "gc": (["-O2", "-ffunction-sections", "-fdata-sections"],
           [("bfd", ["-pie", "-Wl,--gc-sections"]), ("lld", ["-pie", "-Wl,--gc-sections"]),
            ("bfd", ["-r"]), ("lld", ["-r"])]),
    "pic": (["-O3", "-fPIC"], [("bfd", ["-shared"]), ("lld", ["-shared"])]),
    "nopie": (["-O1", "-fno-pie", "-masm=intel"], [("bfd", ["-no-pie"]), ("lld", ["-no-pie"])]),
    "terse": (["-O2", "-fno-verbose-asm", "-fno-integrated-as", "-g1"], [("lld", ["-pie"])]),
    # Without padding, and where as keeps jumps to global symbols (-mshared), both assemblers choose the
    # same lengths of jumps; with a place of its own no frame information of another size moves the code.
    # The same samples fit both.
    "tight": (["-O2", "-g", "-falign-functions=1", "-falign-loops=1"],
              [("lld", ["-pie", "-Wl,--section-start=.text=0x800000"]),
               ("bfd", ["-pie", "-Wl,--section-start=.text=0x800000"])]),
    "fs": (["-O2", "-g", *programs.CHOICES["fs"][0]], [("lld", ["-pie", "-Wl,--icf=all"])]),
    "aarch64": (["-O2", "--target=aarch64-linux-gnu", "-ffreestanding"],
                [("lld", ["--target=aarch64-linux-gnu", "-nostdlib", "-static"])]),
    # With a profile: cold blocks become functions' .cold parts.
    "split": (["-O2", "-ffunction-sections", *programs.SPLIT], [("bfd", ["-pie"]), ("lld", ["-pie"])]),
    "blocks": (["-O2", "-fbasic-block-sections=all"], [("bfd", ["-pie"]), ("lld", ["-pie"])]),
}
QUICK = {"shapes": ["O2", "gc", "pic", "blocks"], "pair": ["gc", "nopie"], "calc": ["O2", "fs", "tight"],
         "bare": ["aarch64"], "interpreter": ["tight"]}
SOURCES = dict(programs.INPUTS, documents=[programs.EXAMPLES / "documents/main.cc"])


class Different(Exception):
    pass


def run(*command, cwd=None, text_in=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=text_in, capture_output=True, check=False)
    if done.returncode:
        shown = " ".join(str(word) for word in command)
        raise Different(f"{shown}: exit {done.returncode}\n{done.stderr.decode(errors='replace')[:600]}")
    return done.stdout


class Elf:
    """Names, links, groups and bytes of the sections of a 64-bit file."""

    def __init__(self, path):
        data = path.read_bytes()
        at, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        raw = [struct.unpack_from("<IIQQQQIIQQ", data, at + size * i) for i in range(count)]
        content = lambda one: b"" if one[1] == 8 else data[one[4]:one[4] + one[5]]
        strings = content(raw[names])
        text_at = lambda table, offset: table[offset:table.index(b"\0", offset)].decode()
        self.names = [text_at(strings, one[0]) for one in raw]
        self.group_of = {}
        for one in raw:
            if one[1] == 17:  # SHT_GROUP
                symbols = content(raw[one[6]])
                name_at, = struct.unpack_from("<I", symbols, 24 * one[7])
                info, shndx = symbols[24 * one[7] + 4], struct.unpack_from("<H", symbols, 24 * one[7] + 6)[0]
                name = self.names[shndx] if info & 15 == 3 else text_at(content(raw[raw[one[6]][6]]), name_at)
                words = struct.unpack(f"<{one[5] // 4}I", content(one))
                self.group_of.update({member: (name, words[0]) for member in words[1:]})
        self.probes = [(self.names[one[6]], self.group_of.get(i), self.group_of.get(one[6]), one[2], content(one))
                       for i, one in enumerate(raw) if self.names[i] == ".pseudo_probe"]


def symbols(path):
    """Address and name of what is in sections with code, sorted."""
    out = []
    for line in run("nm", "--defined-only", path).decode().splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwWiuV" and not name.startswith("probe."):
            out.append((int(address, 16), name))
    return sorted(out)


def ordinals(path):
    """Per section of code the addresses of its instructions, padding left out."""
    out = collections.defaultdict(list)
    section = None
    for line in run("objdump", "-d", "-w", "--no-show-raw-insn", path).decode().splitlines():
        if line.startswith("Disassembly of section "):
            section = line[len("Disassembly of section "):-1]
        found = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if found and not re.search(r"\bnop|xchg +%ax,%ax", found[2]):
            out[section].append(int(found[1], 16))
    return out


def place(address, table):
    """Within the first of the symbols that are nearest."""
    i = bisect.bisect_right(table, (address, "\uffff")) - 1
    if i < 0:
        return ("", address)
    base = table[i][0]
    while i > 0 and table[i - 1][0] == base:
        i -= 1
    return (table[i][1], address - base)


def read_probes(pgokit, path, position):
    """All probes of a file with their contexts, counted."""
    listing = json.loads(run(pgokit, "probes", "dump", "--json", path))
    out = collections.Counter()
    for record in listing["functions"]:
        contexts = []
        for node in record["nodes"]:
            if node["parent"] is None:
                context = (int(node["guid"]),)
            else:
                context = contexts[node["parent"]] + (node["call_site"], int(node["guid"]))
            contexts.append(context)
            for probe in node["probes"]:
                facts = tuple(sorted((key, value) for key, value in probe.items() if key != "at"))
                out[context, facts, position(record, probe["at"])] += 1
    return out


def first_difference(a, b, what):
    if a == b:
        return
    left, right = a - b, b - a
    show = lambda some: "\n".join(f"    {one}" for one in list(some)[:3])
    raise Different(f"{what}: {sum(left.values())} of {sum(a.values())} only in the first, "
                    f"{sum(right.values())} only in the second\n{show(left)}\n  and\n{show(right)}")


def compare_objects(pgokit, ours, theirs):
    """Sections, their groups and links; then probes by section and instruction."""
    mine, other = Elf(ours), Elf(theirs)
    shape = lambda elf: collections.Counter(one[:4] for one in elf.probes)
    first_difference(shape(mine), shape(other), f"probe sections of {ours}")
    for linked, group, group_of_linked, _, _ in mine.probes:
        if group != group_of_linked:
            raise Different(f"{ours}: probes of {linked} are in group {group}, it is in {group_of_linked}")
    if not mine.probes:
        return "no code"

    def probes(path, position):
        return read_probes(pgokit, path, position)

    def by_ordinal(path):
        table = ordinals(path)
        return probes(path, lambda record, at: (record["section"], bisect.bisect_left(table[record["section"]], at)))

    by_offset = lambda path: probes(path, lambda record, at: (record["section"], at))
    if by_offset(ours) != by_offset(theirs):
        first_difference(by_ordinal(ours), by_ordinal(theirs), f"probes of {ours}")
        return "unlike code"
    same = collections.Counter(mine.probes) == collections.Counter(other.probes)
    return "the same bytes" if same else "another order of functions"


DIRECTIVE = re.compile(rb"^\t\.pseudoprobe\t(.*)$", re.M)


def with_labels(text):
    """Each directive becomes a symbol: where a probe is, without any of the tools compared."""
    probes = []

    def label(match):
        probes.append(match.group(1).decode().split(" "))
        return b"probe.%d:" % (len(probes) - 1)

    return DIRECTIVE.sub(label, text), probes


def expected_probe(words):
    words = words[:-1]
    stack = [word.split(":") for word in words[words.index("@") + 1::2]] if "@" in words else []
    guid, index, kind, attributes = (int(word) for word in words[:4])
    facts = {"index": index, "type": ["block", "indirect call", "direct call"][kind], "attributes": attributes}
    if attributes & 4:
        facts["discriminator"] = int(words[4])
    context = tuple(int(word) for call in stack for word in call) + (guid,)
    return context, tuple(sorted(facts.items()))


def functions_of(pgokit, path):
    """Descriptors, and {symbol: nodes with their probes} with places counted from the symbol."""
    dump = json.loads(run(pgokit, "probes", "dump", "--json", path))
    found = [sorted((one["guid"], one["hash"], one["name"]) for one in dump["descriptors"] if "duplicate" not in one)]
    for one in sorted(dump["functions"], key=lambda one: (one["symbol"] or one["function"], one["guid"])):
        nodes = [[node["guid"], node["parent"], node["call_site"], [{**probe, "at": probe["at"] - (one["start"] or 0)} for probe in node["probes"]]]
                 for node in one["nodes"]]
        found.append((one["symbol"] or one["function"], one["guid"], nodes))
    return found


class Case:
    def __init__(self, args, name, build):
        self.args, self.name, self.build_name = args, f"{name}-{build}", build
        self.sources = SOURCES[name]
        self.flags, self.links = BUILDS[build]
        self.flags = self.flags + [PROBES, "-w", *args.flags.split()]
        self.work = pathlib.Path(tempfile.mkdtemp(dir=args.folder, prefix=self.name + "."))
        self.is_split = build in ("blocks", "split")
        self.program = name
        self.compared = collections.Counter()

    def clang(self, cxx=True):
        return "clang++-22" if cxx else "clang-22"

    def assemble(self):
        """The objects of GNU as, and those of clang (or of labels in the place of directives)."""
        gas = "aarch64-linux-gnu-as" if self.build_name == "aarch64" else "as"
        target = [flag for flag in self.flags if flag.startswith("--target")]
        self.labels = []
        if self.build_name == "split":
            self.flags.append(f"-fprofile-sample-use={self.profile()}")
        for folder in ("gas", "clang"):
            (self.work / folder).mkdir()
        objects = {"gas": [], "clang": []}
        for source in self.sources:
            assembly = self.work / f"{source.stem}.s"
            run(self.clang(source.suffix != ".c"), *self.flags, "-S", source, "-o", assembly)
            ours, theirs = (self.work / folder / f"{source.stem}.o" for folder in ("gas", "clang"))
            lowered = run(self.args.pgokit, "probes", "lower", "-", text_in=assembly.read_bytes())
            self.check_lines(assembly.read_bytes(), lowered)
            shared = ["-mshared"] if self.build_name == "tight" else []
            run(gas, *shared, "-o", ours, "-", text_in=lowered)
            if self.is_split:
                text, probes = with_labels(assembly.read_bytes())
                self.labels.append(probes)
                text = re.sub(rb"^\t\.(addrsig|cg_profile).*$", b"", text, flags=re.M)
                text = re.sub(rb"^probe\.", b"probe.%d." % (len(self.labels) - 1), text, flags=re.M)
                run(gas, "-o", theirs, "-", text_in=text)
            else:
                # clang's assembler does not take the discriminators that clang prints.
                from_source = self.build_name == "fs"
                run(self.clang(source.suffix != ".c"), *(self.flags if from_source else target), "-c",
                    source if from_source else assembly, "-o", theirs)
                self.compared["objects with " + compare_objects(self.args.pgokit, ours, theirs)] += 1
            objects["gas"].append(ours)
            objects["clang"].append(theirs)
        return objects

    def profile(self):
        plain = programs.Program(self.program, ("O2", "probes")).build(self.work, str(self.args.walk))
        if plain is None:
            raise Different("the program to train with was not built")
        return programs.train(plain, self.work, str(self.args.walk))

    def check_lines(self, before, after):
        """Every line is where it was, but for the directives."""
        old, new = before.split(b"\n"), after.split(b"\n")
        gone = (b".pseudoprobe", b".addrsig", b".cg_profile")
        for i, line in enumerate(old[:-1]):
            if line != new[i] and not line.strip().startswith(gone):
                raise Different(f"line {i + 1} was changed: {line!r} to {new[i]!r}")

    def link(self, objects, linker, flags):
        linked = {}
        for kind, some in objects.items():
            out = self.work / kind / ("linked." + linker + "".join(flags).translate(str.maketrans("/,.=", "____")))
            ld = "ld.lld-22" if linker == "lld" else "ld.bfd"
            if flags == ["-r"]:
                # Else ld.bfd makes one section of the probes of all text sections.
                apart = ["--unique=.pseudo_probe"] if linker == "bfd" else []
                run(ld, "-r", *apart, *some, "-o", out.with_suffix(".o"))
                some, flags_now = [out.with_suffix(".o")], self.links[0][1]
            else:
                flags_now = flags
            fuse = "-fuse-ld=" + ("lld-22" if linker == "lld" else "bfd")
            run(self.clang(any(one.suffix != ".c" for one in self.sources)), fuse, *flags_now, *some,
                *self.args.libraries.split(), "-o", out)
            linked[kind] = out
        return linked

    def compare_links(self, objects):
        kept = {}
        for linker, flags in self.links:
            linked = self.link(objects, linker, flags)
            if flags == ["-r"] and not self.is_split:
                compare_objects(self.args.pgokit, *(one.with_suffix(".o") for one in linked.values()))
            ours = self.probes_of(linked["gas"])
            theirs = self.labelled(linked["clang"]) if self.is_split else self.probes_of(linked["clang"])
            if self.build_name == "gc" and sum(ours.values()) != kept.setdefault(linker, sum(ours.values())):
                raise Different(f"{linker} keeps {sum(ours.values())} probes after -r, {kept[linker]} without")
            same_code = ours == theirs
            if not same_code and not self.is_split:
                ours, theirs = (self.by_ordinal(path) for path in linked.values())
            first_difference(ours, theirs, f"{linker} {' '.join(flags)}")
            self.compared["links"] += 1
            if not self.is_split:
                self.compare_listing(linked["clang"])
            self.compared["probes"] += sum(ours.values())
            if same_code and self.build_name == "tight" and self.args.walk:
                self.compare_profiles(linked)

    def compare_listing(self, program):
        """The directives of `probes dump --directives`, assembled by both: the sections of the program."""
        expected = functions_of(self.args.pgokit, program)
        listing = run(self.args.pgokit, "probes", "dump", "--directives", program)
        target = [flag for flag in self.flags if flag.startswith("--target")]
        gas = "aarch64-linux-gnu-as" if target else "as"
        made = {"gas": program.with_suffix(".listing-gas.o"), "clang": program.with_suffix(".listing-clang.o")}
        lowered = run(self.args.pgokit, "probes", "lower", "-", text_in=listing)
        run(gas, "-o", made["gas"], "-", text_in=lowered)
        run("clang-22", *target, "-x", "assembler", "-c", "-o", made["clang"], "-", text_in=listing)
        for kind, path in made.items():
            if (found := functions_of(self.args.pgokit, path)) != expected:
                raise Different(f"the listing of {program}, assembled by {kind}: {len(found)} functions, {len(expected)} in the program")
            self.compared["listings"] += 1

    def probes_of(self, path):
        table = symbols(path)
        return read_probes(self.args.pgokit, path, lambda record, at: place(at, table))

    def by_ordinal(self, path):
        table, order = symbols(path), sorted(sum(ordinals(path).values(), []))
        count = lambda address: bisect.bisect_left(order, address)

        def position(_, at):
            name, offset = place(at, table)
            return name, count(at) - count(at - offset)

        return read_probes(self.args.pgokit, path, position)

    def labelled(self, path):
        table, out = symbols(path), collections.Counter()
        for line in run("nm", path).decode().splitlines():
            found = re.match(r"([0-9a-f]+) t probe\.(\d+)\.(\d+)$", line)
            if found:
                facts = expected_probe(self.labels[int(found[2])][int(found[3])])
                out[*facts, place(int(found[1], 16), table)] += 1
        return out

    def compare_profiles(self, linked):
        """The samples of a walk over one of the two programs, made to profiles with both."""
        samples = self.work / "samples.script"
        run(self.args.walk, linked["clang"], "-o", samples, "--samples", 2000, "--kind", "lbr", "--seed", 5)
        for tool in (["llvm-profgen-22"], [self.args.pgokit, "llvm-profgen"]):
            profiles = []
            for path in linked.values():
                out = path.with_suffix(".prof")
                run(*tool, "--binary", path, "--perfscript", samples, "--format=text", "--output", out)
                profiles.append(collections.Counter(out.read_text().splitlines()))
            first_difference(*profiles, f"profile of {tool[-1]}")
            self.compared["profiles"] += 1

    def run(self):
        try:
            self.compare_links(self.assemble())
        except Different as error:
            return f"{self.name}: {error}"
        if not self.args.keep:
            shutil.rmtree(self.work)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pgokit", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--walk", type=lambda path: pathlib.Path(path).resolve(), help="pgokit-walk: compare profiles too")
    parser.add_argument("--folder", default="build/lower")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", default="", help="regular expression over the names of cases")
    parser.add_argument("--program", action="append", default=[], help="NAME=FILE,FILE...: one more, of these sources")
    parser.add_argument("--flags", default="", help="for the compiler")
    parser.add_argument("--libraries", default="", help="for the linker")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    missing = [tool for tool in ("clang-22", "as", "ld.bfd", "ld.lld-22", "llvm-profgen-22") if not shutil.which(tool)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return 77
    args.folder = pathlib.Path(args.folder).resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    return report(args, list(chosen_cases(args)))


def chosen_cases(args):
    chosen = dict(QUICK)
    if args.large:
        ordinary = [build for build in BUILDS if build not in ("aarch64", "split")]
        chosen = {name: ordinary for name in SOURCES if name != "bare"} | {"bare": ["aarch64"]}
        for name in ("interpreter", "calc"):
            chosen[name] = ordinary + ["split"] * bool(args.walk)
    if args.program:
        chosen = {}
        for one in args.program:
            name, files = one.split("=", 1)
            SOURCES[name] = [pathlib.Path(file).resolve() for file in files.split(",")]
            chosen[name] = [build for build in BUILDS if build not in ("aarch64", "split")]
    for name, builds in chosen.items():
        for build in builds:
            if build == "aarch64" and not shutil.which("aarch64-linux-gnu-as"):
                print("skipped: aarch64-linux-gnu-as is not installed")
            elif re.search(args.only, f"{name}-{build}"):
                yield Case(args, name, build)


def report(args, cases):
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    failures = [failure for failure in pool.map(Case.run, cases) if failure]
    for failure in failures:
        print("DIFFERENT:", failure)
    compared = sum((case.compared for case in cases), collections.Counter())
    print(", ".join(f"{count} {what}" for what, count in sorted(compared.items())))
    print(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
    return int(bool(failures) or not cases)


if __name__ == "__main__":
    sys.exit(main())

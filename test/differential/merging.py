#!/usr/bin/env python3
"""Compares `pgokit llvm-profdata merge` with llvm-profdata 22: the same bytes, from random profiles.

    merging.py --pgokit build/bin/pgokit [--every N] [--rounds N] [--seed N] [--keep]

Every round makes a few profiles of one shape (flat, nested, with probes, contexts, virtual tables, odd
names, large counts), lets both tools write them in every form, and merges mixtures of the forms with
weights and the tools' other options. pgokit's own files are read back by the peer as well. Exit code 1 if
anything differs, 77 without the peer.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import share

PEER = "llvm-profdata-22"
FORMS = {
    "text": ["--text"],
    "split text": ["--text", "--split-layout"],
    "binary": ["--binary"],
    "ext": ["--extbinary"],
    "md5": ["--extbinary", "--use-md5"],
    "compressed": ["--extbinary", "--compress-all-sections"],
    "split": ["--extbinary", "--split-layout"],
    "split md5 compressed": ["--extbinary", "--split-layout", "--use-md5", "--compress-all-sections"],
    "partial": ["--extbinary", "--gen-partial-profile"],
    "vtables": ["--extbinary", "--extbinary-write-vtable-type-prof"],
}
ODD = ["std::vector<int, a b>::f(char *)", "x:y z", "größe", "f.llvm.7", "g.__uniq.123.part.0", "n::m(1)", "a", "ab"]


class Maker:
    """Random profiles as text."""

    def __init__(self, rng, shape):
        self.rng, self.shape = rng, shape
        names = [f"_Z{rng.randrange(90)}f{i}v" for i in range(14)]
        self.names = names + ([] if "contexts" in shape else ODD)
        self.checksums = {name: rng.randrange(1, 1 << 60) for name in self.names}

    def count(self):
        kind = self.rng.randrange(10)
        if kind == 0 and "large" in self.shape:
            return self.rng.choice([2**64 - 1, 2**63, 2**64 - self.rng.randrange(1, 100)])
        return [0, 1, self.rng.randrange(1 << 40), *[self.rng.randrange(1000)] * 7][kind]

    def place(self):
        line = self.rng.randrange(65536) if self.rng.randrange(9) == 0 else self.rng.randrange(40)
        if "probes" in self.shape or self.rng.randrange(2):
            return (line, 0)
        return (line, self.rng.randrange(1 << self.rng.randrange(1, 31)))

    @staticmethod
    def text_of(place):
        return f"{place[0]}.{place[1]}" if place[1] else f"{place[0]}"

    def function(self, name, depth, lines):
        space = " " * (depth + 1)
        body = sorted({self.place() for _ in range(self.rng.randrange(8))})
        for place in body:
            targets = self.rng.sample(self.names, self.rng.choice([0, 0, 0, 1, 2, 5]))
            calls = "".join(f" {t}:{self.count()}" for t in targets)
            lines.append(f"{space}{self.text_of(place)}: {self.count()}{calls}")
            if "vtables" in self.shape and self.rng.randrange(3) == 0:
                lines.append(f"{space}{self.text_of(place)}: vtables _ZTV1A:{self.rng.randrange(99)} ")
        inlinees = self.rng.randrange(3) if "nested" in self.shape and depth < 4 else 0
        for _ in range(inlinees):
            place, callee = self.place(), self.rng.choice(self.names)
            if "vtables" in self.shape:
                place = (place[0] + 70000, place[1] + 1)
            lines.append(f"{space}{self.text_of(place)}: {callee}:{self.count()}")
            self.function(callee, depth + 1, lines)
        if "probes" in self.shape:
            odd = self.rng.randrange(12) == 0
            lines.append(f"{space}!CFGChecksum: {self.checksums[name] + odd}")
        if "contexts" in self.shape and self.rng.randrange(2):
            lines.append(f"{space}!Attributes: {self.rng.randrange(1, 4)}")

    def profile(self):
        lines, seen = [], set()
        for _ in range(self.rng.randrange(1, 25)):
            name = self.rng.choice(self.names)
            head = name
            if "contexts" in self.shape:
                callers = [f"{self.rng.choice(self.names)}:{self.text_of(self.place())}"
                           for _ in range(self.rng.choice([0, 0, 1, 2, 6]))]
                head = "[" + " @ ".join([*callers, name]) + "]"
            if head in seen:
                continue
            seen.add(head)
            lines.append(f"{head}:{self.count()}:{self.count()}")
            self.function(name, 0, lines)
        return "\n".join(lines) + "\n"


class Comparison:
    def __init__(self, pgokit, folder, every):
        self.ours = [str(pgokit), "llvm-profdata"]
        self.folder = folder
        self.compared = self.different = 0
        self.share = share.Share(every)

    def run(self, tool, words, out):
        out.unlink(missing_ok=True)
        done = subprocess.run([*tool, "merge", "--sample", *words, "-o", str(out)], capture_output=True)
        return done.returncode, out.read_bytes() if out.exists() else None

    def compare(self, words, note):
        theirs = self.run([PEER], words, self.folder / "theirs")
        ours = self.run(self.ours, words, self.folder / "ours")
        self.compared += 1
        same = theirs == ours or theirs[0] == ours[0] != 0  # what is left of a file then does not matter
        if same or theirs[0] < 0:  # the peer crashed
            return theirs[1]
        self.different += 1
        print(f"different ({note}): merge --sample {' '.join(words)}", f"exit codes {theirs[0]} {ours[0]}", file=sys.stderr)
        return theirs[1]

    def compare_some(self, words, note):
        """Where nothing else is made of the file."""
        if self.share.takes():
            self.compare(words, note)


def forms_of(shape):
    if "contexts" in shape:
        return {k: v for k, v in FORMS.items() if k not in ("binary", "split", "split md5 compressed", "split text")}
    return {k: v for k, v in FORMS.items() if not ("probes" in shape and k == "binary")}


def one_round(comparison, rng, shape):
    maker, files = Maker(rng, shape), []
    for i in range(3):
        text = comparison.folder / f"in{i}.txt"
        text.write_text(maker.profile())
        for name, flags in forms_of(shape).items():
            written = comparison.compare([*flags, str(text)], f"{shape} {name}")
            if written is None:
                continue
            file = comparison.folder / f"in{i}.{name.replace(' ', '_')}"
            file.write_bytes(written)
            comparison.compare_some(["--text", str(file)], f"{shape} {name} read back")
            if name not in ("md5", "split md5 compressed"):  # hashes and names mix in the peer's own way
                files.append(file)
    for _ in range(4):
        inputs = rng.sample(files, min(len(files), rng.randrange(2, 6)))
        words = [f"--weighted-input={rng.choice([1, 2, 7, 1000])},{f}" for f in inputs]
        flags = rng.choice(list(forms_of(shape).values()))
        comparison.compare_some([*flags, *words], f"{shape} mixture")
    inputs = [str(f) for f in rng.sample(files, min(len(files), 3))]
    options = [["--function=f1"], ["--no-function=f[1-5]"], ["--output-size-limit=1200"],
               ["--drop-profile-symbol-list"], ["-text", "-binary"]]
    options += [["--convert-sample-profile-layout=flat"], ["--sparse"], ["-print-all-options=0", "-profile-summary-contextless=0"]]
    options += [["-profile-isfs", f"-fs-discriminator-pass={level}"] for level in ("Base", "Pass1", "Pass2", "Pass3", "PassLast")]
    if "contexts" in shape:
        options += [["--convert-sample-profile-layout=nest"], ["--sample-trim-cold-context"],
                    ["--convert-sample-profile-layout=nest", "-generate-merged-base-profiles"],
                    ["--sample-trim-cold-context", "--profile-summary-contextless=0"],
                    ["--sample-trim-cold-context", "--profile-summary-cold-count=500"],
                    ["--sample-trim-cold-context", "-profile-summary-cutoff-cold=900000"]]
    # Of several checksums the first one in the order of a hash table decides: docs/peer-flaws.md.
    if "contexts" in shape and "probes" not in shape:
        options += [["--sample-merge-cold-context"],
                    ["--sample-merge-cold-context", "--sample-trim-cold-context",
                     "--sample-frame-depth-for-cold-context=2"]]
    for option in options:
        drops = option[0].startswith(("--function", "--no-function")) and "contexts" not in shape
        marked = option[0].startswith(("-pr", "--sparse")) and "contexts" not in shape
        form = "--extbinary" if drops or marked else "--text"
        comparison.compare_some([form, *option, *inputs], f"{shape} option")
    flow_sensitive(comparison, rng, shape)
    hashed_names(comparison, rng, shape, maker)
    if not shape & {"contexts", "probes"}:
        renamed(comparison, rng, shape, maker)


def flow_sensitive(comparison, rng, shape):
    """Marked files, beside others: each reader sets or keeps the mark in its own way."""
    text, plain = comparison.folder / "in0.txt", comparison.folder / "in1.ext"
    marked = comparison.compare(["-profile-isfs", "--extbinary", str(text)], f"{shape} flow-sensitive")
    if marked is None:
        return
    file = comparison.folder / "in0.fs"
    file.write_bytes(marked)
    for inputs in ([file], [file, plain], [plain, file], [file, text], [text, file]):
        mask = rng.choice(["Base", "Pass1", "PassLast"])
        for options in ([], [f"-fs-discriminator-pass={mask}"], ["-profile-isfs", f"-fs-discriminator-pass={mask}"]):
            comparison.compare_some([rng.choice(["--text", "--extbinary"]), *options, *map(str, inputs)], f"{shape} flow-sensitive")


def hashed_names(comparison, rng, shape, maker):
    """Filters find hashes by the name they are of."""
    files = [str(f) for f in (comparison.folder / "in0.md5", comparison.folder / "in1.md5") if f.exists()]
    for name in maker.names[:3] + ["f[1-5]", "1", "nobody"]:
        for option in ("function", "no-function"):
            words = [f"--{option}={name}", *rng.choice([files, files[:1]])]
            comparison.compare_some(["--text", *words], f"{shape} filtered hashes")


def renamed(comparison, rng, shape, maker):
    """Several functions get one name, also a name that is there; lines for one name repeat."""
    table = comparison.folder / "table"
    names = [name for name in maker.names if " " not in name]
    lines = [f"{rng.choice(names)} {rng.choice([*names[:3], 'new', 'newer'])}\n" for _ in range(8)]
    table.write_text("# old names and new ones\n\n" + "".join(lines))
    files = [str(comparison.folder / f"in{i}.{form}") for i in range(3) for form in ("text", "ext", "vtables", "split")]
    files = [file for file in files if pathlib.Path(file).exists()]
    for form in "--text", "--extbinary", "--extbinary-write-vtable-type-prof":
        comparison.compare_some([form, f"-remapping-file={table}", *rng.sample(files, min(len(files), 3))], f"{shape} renamed")
        comparison.compare_some([form, f"-r={table}", "--sparse", str(comparison.folder / "in0.txt")], f"{shape} renamed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pgokit", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    share.add_option(parser)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    if not shutil.which(PEER):
        print(f"no {PEER}")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="merging-"))
    comparison = Comparison(args.pgokit.resolve(), folder, args.every)
    shapes = [{"flat"}, {"nested"}, {"nested", "large"}, {"nested", "probes"}, {"contexts"}, {"contexts", "probes"},
              {"nested", "vtables"}]
    for number in range(args.rounds):
        for place, shape in enumerate(shapes):
            one_round(comparison, random.Random(args.seed * 1000 + number * 100 + place), shape)
    print(f"{comparison.compared} compared, {comparison.different} different")
    if args.keep or comparison.different:
        print(f"inputs of the last round are in {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if comparison.different else 0


if __name__ == "__main__":
    sys.exit(main())

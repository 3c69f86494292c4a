#!/usr/bin/env python3
"""Compares `pgokit llvm-profdata show|overlap --sample` with llvm-profdata 22: the same text, the same
exit codes, over made-up profiles in every form and the profiles of the corpus.

    profdata.py --pgokit build/bin/pgokit [--every N] [--large] [--keep]

Exit code 1 if anything differs, 77 without the tool.
"""
import argparse
import itertools
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import share

JUDGE = "llvm-profdata-22"
CORPUS = pathlib.Path(__file__).resolve().parents[2] / "../shared/corpus"
FORMS = {"ext": ["--extbinary"], "md5": ["--extbinary", "--use-md5"], "bin": ["--binary"],
         "zip": ["--extbinary", "--compress-all-sections"], "split": ["--extbinary", "--split-layout"],
         "again": ["--text"]}
SHOWS = [[], ["--json"], ["--show-format=json", "--all-functions"], ["--function", "main", "--detailed-summary"],
         ["--function=f7", "--hot-func-list"], ["--topn", "3", "--detailed-summary", "-all-functions"],
         ["--topn=5", "--json"], ["--show-sec-info-only"], ["--function=main", "--json"], ["--show-format=yaml"],
         ["-profile-isfs", "--fs-discriminator-pass=Base", "--detailed-summary"], ["--fs-discriminator-pass", "Pass1", "--json"],
         ["--profile-summary-contextless=0", "--detailed-summary", "--hot-func-list"],
         ["-profile-summary-contextless", "-detailed-summary"], ["--sparse"], ["-fs-discriminator-pass=Pass9"]]
OVERLAPS = [[], ["--value-cutoff", "0"], ["--similarity-cutoff=500000", "--function", "f1"],
            ["-value-cutoff=50"], ["--function=main"], ["-profile-summary-cutoff-hot=500000"],
            ["--profile-summary-hot-count=40"], ["-profile-isfs", "-fs-discriminator-pass=Base", "--value-cutoff=0"],
            ["-profile-summary-cold-count=3", "-profile-summary-contextless=0"]]


def location(rnd):
    return f"{rnd.randrange(20)}" + rnd.choice(["", "", f".{rnd.randrange(1, 5)}", f".{rnd.randrange(3) + (1 << rnd.randrange(2, 32)) % (1 << 32)}"])


def count(rnd):
    return rnd.choice([0, 1, rnd.randrange(100), rnd.randrange(100), rnd.randrange(1 << 20), 1 << 40])


def body(rnd, names, depth, probes, checksum):
    lines, indent = [], " " * depth
    key = lambda text: tuple(map(int, (text.split(".") + ["0"])[:2]))
    for place in sorted({location(rnd) for _ in range(rnd.randrange(8))}, key=key):
        samples = count(rnd)
        targets = "".join(f" {name}:{rnd.randrange(1, 50)}" for name in sorted(rnd.sample(names, rnd.choice([0, 0, 1, 3]))))
        lines.append(f"{indent}{place}: {samples}{targets}")
    for place in sorted({location(rnd) for _ in range(rnd.randrange(3) if depth < 4 else 0)}, key=key):
        for name in sorted(rnd.sample(names, rnd.choice([1, 1, 2]))):
            lines.append(f"{indent}{place}: {name}:{count(rnd)}")
            lines += body(rnd, names, depth + 1, probes, checksum)
    if probes:
        lines.append(f"{indent}!CFGChecksum: {checksum}")
    return lines


def profile(seed, functions, probes, contexts):
    """Totals repeat, so that the order of equal ones shows."""
    rnd = random.Random(seed)
    # the judge ends the names of callers at their first colon
    names = ["main", "_Z3foov", "größe", "x y", "n.m" if contexts else "n::m(int)"]
    names += [f"f{i}" for i in range(functions)]
    out, done = [], set()
    for name in names:
        if rnd.random() < 0.1:
            continue
        for _ in range(rnd.choice([1, 1, 3]) if contexts else 1):
            frames = [rnd.choice(names) + (f":{location(rnd)}" if rnd.random() < 0.9 else "") for _ in range(rnd.choice([0, 1, 2, 3, 7, 8, 15]))]
            head = "[" + " @ ".join(frames + [name]) + "]" if contexts else name
            if head in done:
                continue
            done.add(head)
            out.append(f"{head}:{rnd.choice([10, 20, count(rnd)])}:{rnd.randrange(5)}")
            if contexts:
                out += [f" {i}: {count(rnd)}" for i in range(rnd.randrange(4))]
                out.append(f" !CFGChecksum: {len(name)}")
            else:
                out += body(rnd, names, 1, probes, len(name))
    return "\n".join(out) + "\n"


class Comparison:
    def __init__(self, pgokit, folder, every):
        self.pgokit, self.folder, self.compared, self.different = pgokit, folder, 0, 0
        self.share = share.Share(every)

    def run(self, program, arguments):
        return subprocess.run([*program, *arguments], capture_output=True, timeout=120)

    def compare(self, *arguments):
        if not self.share.takes():
            return
        judge = self.run([JUDGE], arguments)
        if judge.returncode < 0:
            return  # it crashed
        ours = self.run([self.pgokit, "llvm-profdata"], arguments)
        self.compared += 1
        if (judge.returncode, judge.stdout) == (ours.returncode, ours.stdout):
            return
        self.different += 1
        print(f"different ({judge.returncode}, {ours.returncode}): {' '.join(map(str, arguments))}")

    def forms(self, text):
        """The profile in every form that the judge writes."""
        files = [text]
        for suffix, flags in FORMS.items():
            file = text.with_suffix("." + suffix)
            if not subprocess.run([JUDGE, "merge", "--sample", *flags, text, "-o", file], capture_output=True).returncode:
                files.append(file)
        return files

    def show(self, file):
        for options in SHOWS:
            self.compare("show", "--sample", file, *options)

    def overlap(self, a, b):
        for options in OVERLAPS:
            self.compare("overlap", "--sample", a, b, *options)

    def generated(self, seeds, functions):
        kinds = [(False, False), (True, False), (True, True)]
        for probes, contexts in kinds:
            families = []
            for seed in range(seeds):
                text = self.folder / f"{'p' if probes else 'l'}{'c' if contexts else 'f'}{seed}.txt"
                text.write_text(profile(seed, functions, probes, contexts))
                families.append(self.forms(text))
            for file in itertools.chain(*families):
                self.show(file)
            for a, b in zip(families, families[1:] + families[:1]):
                for one, other in zip(a, b[1:] + b[:1]):
                    self.overlap(one, other)

    def corpus(self):
        for file in sorted(CORPUS.glob("*/profiles/*prof")):
            self.show(file)
            self.overlap(file, file)

    def bad_files(self):
        empty, broken = self.folder / "empty", self.folder / "broken.ext"
        empty.write_bytes(b"")
        whole = next(iter(sorted(self.folder.glob("*.ext")))).read_bytes()
        broken.write_bytes(whole[:len(whole) // 2])
        for file in (empty, broken, self.folder / "nowhere", self.folder):
            self.compare("show", "--sample", file)
            self.compare("overlap", "--sample", file, file)
        self.compare("show", "--sample")
        self.compare("overlap", "--sample", empty)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pgokit", required=True)
    share.add_option(parser)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--keep", action="store_true", help="the files, in profdata.kept")
    args = parser.parse_args()
    if not shutil.which(JUDGE):
        print(f"skipped: {JUDGE} is not there (./dev setup)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(pathlib.Path(args.pgokit).resolve(), pathlib.Path(folder), args.every)
        comparison.generated(*((12, 300) if args.large else (2, 40)))
        comparison.corpus()
        comparison.bad_files()
        if args.keep:
            shutil.copytree(folder, "profdata.kept", dirs_exist_ok=True)
    print(f"{comparison.compared} compared, {comparison.different} different")
    return 1 if comparison.different else 0


sys.exit(main())

#!/usr/bin/env python3
"""What pseudo probes cost a program: sizes, and instructions that it executes.

    ./dev bench probe_cost [--programs sqlite3,lua5.4,zstd]

Writes bench/probe_cost.md. Real programs (support/real_programs.py) are built with -O2 and the same with
-fpseudo-probe-for-profiling; both run their short training under callgrind, which counts instructions. Sections
are those of the linked program; stripped is what ships (llvm-strip-22).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/support"))
import real_programs  # noqa: E402

WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
PROBES = "-fpseudo-probe-for-profiling"


def sections(program):
    """{name: bytes}"""
    shown = subprocess.run(["llvm-readelf-22", "-SW", program], capture_output=True, text=True, check=True).stdout
    return {name: int(size, 16) for name, size in
            re.findall(r"^  \[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", shown, re.M)}


def stripped(program):
    out = program.with_name("stripped")
    subprocess.run(["llvm-strip-22", program, "-o", out], check=True)
    return out


def instructions(program, built):
    """Of all processes of the training run."""
    counts = program.folder / "callgrind"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    real_programs.run(program.command("valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={counts}/%p", built,
                                      script="short.sh"), program.folder)
    return sum(int(re.search(r"^(?:summary|totals): (\d+)", file.read_text(encoding="utf-8"), re.M)[1]) for file in counts.iterdir())


def measure(name):
    program = real_programs.built(name, WORK / "programs", PGOKIT)
    # Without debug information, at which valgrind 3.19 gives up.
    builds = {kind: stripped(real_programs.build_kind(program.recipe, name, program.folder.parent, kind, "", flags))
              for kind, flags in (("without-probes", "-O2"), ("with-probes", f"-O2 {PROBES}"))}
    named = {kind: sections(file.with_name("program")) for kind, file in builds.items()}
    return {
        "name": f"{name} {program.version}",
        "sections": {one: named["with-probes"].get(one, 0) for one in (".pseudo_probe", ".pseudo_probe_desc")},
        "text": {kind: sizes.get(".text", 0) for kind, sizes in named.items()},
        "stripped": {kind: file.stat().st_size for kind, file in builds.items()},
        "instructions": {kind: instructions(program, file) for kind, file in builds.items()},
    }


def kilobytes(size):
    return f"{size / 1000:,.1f} kB"


def change(pair):
    before, after = pair["without-probes"], pair["with-probes"]
    return f"{100 * (after / before - 1):+.2f} %"


def row(one):
    text, ships, executed = one["text"], one["stripped"], one["instructions"]
    return (f"| {one['name']} | {kilobytes(one['sections']['.pseudo_probe'])} | {kilobytes(one['sections']['.pseudo_probe_desc'])} "
            f"| {kilobytes(text['without-probes'])} | {change(text)} | {kilobytes(ships['without-probes'])} | {change(ships)} "
            f"| {executed['without-probes'] / 1e6:,.1f} million | {change(executed)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="sqlite3,lua5.4,zstd")
    options = parser.parse_args()
    rows = [row(measure(name)) for name in options.programs.split(",")]
    text = "\n".join([
        "# What pseudo probes cost", "", f"    {' '.join(['./dev bench probe_cost', *sys.argv[1:]])}", "",
        *textwrap.wrap("clang-22 -O2 with and without `-fpseudo-probe-for-profiling`. The probe sections are not loaded when the program runs, and "
        "`strip` takes them away. What remains is that probes keep the optimizer from merging some blocks: code of another size, and a "
        "few instructions more or less.", 100), "",
        "| program | .pseudo_probe | .pseudo_probe_desc | .text without | with | stripped, without | with | instructions executed without | with |",
        "|---|---|---|---|---|---|---|---|---|", *rows]) + "\n"
    (ROOT / "bench/probe_cost.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares what pgokit prints of Arm and Thumb code (`pgokit llvm-profgen --show-disassembly-only`) with llvm-objdump 22.

    disassembly.py --pgokit build/bin/pgokit [--folder FOLDER] [--only REGEX]

Instructions have to begin at the same addresses, and the text of all but those of KNOWN, which is Capstone's, has to be the same.
Programs are linked with the C library of Debian's cross compilers where there is one: Thumb code with data between functions.
(llvm-profgen 22 takes Thumb code for Arm code; RISC-V is compared with it, in formats.py.) Exit code 1 if anything differs, 77
without the tools.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BARE = ["-ffreestanding", "-fno-exceptions", "-fno-rtti", "-nostdlib", "-static", "-Wl,-e,start", HERE / "freestanding.cc"]
HOSTED = ["-static", HERE.parent / "programs/calc.c"]
CROSS = pathlib.Path("/usr/arm-linux-gnueabihf")
PROGRAMS = {
    "armv7": ["--target=armv7-linux-gnueabihf", *BARE],
    "thumbv7": ["--target=armv7-linux-gnueabihf", "-mthumb", *BARE],
    "armv7 with libc": ["--target=arm-linux-gnueabihf", "-march=armv7-a", "-mfpu=neon", *HOSTED],
    "thumbv7 with libc": ["--target=arm-linux-gnueabihf", "-march=armv7-a", "-mfpu=neon", "-mthumb", *HOSTED],
}
# What Capstone 4 writes otherwise, or does not know: coprocessors.
KNOWN = re.compile(r"(ldc2|stc2|cdp2?|mcr2|mrc2)\b|vmrs APSR_nzcv|ldr\w* r\d+, \[sp\], #4$")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def instructions(text):
    """By address: mnemonic and operands, without names of places and remarks."""
    found = {}
    for line in text.splitlines():
        match = re.match(r" *([0-9a-f]+): *\t(.*)", line)
        if not match:
            continue
        words = re.sub(r"\s*(@|#) .*|\s*//.*| <[^>]*>", "", match[2])
        found[int(match[1], 16)] = re.sub(r"\s+", " ", words).strip()
    return found


def compare(pgokit, program):
    theirs = instructions(run("llvm-objdump-22", "-d", "--no-show-raw-insn", "--no-print-imm-hex", "--section=.text", program))
    ours = instructions(run(pgokit, "llvm-profgen", "--output=/dev/null", "--show-disassembly-only", f"--binary={program}"))
    data = re.compile(r"\.(word|short|byte)\b|<unknown>")
    # Of functions that are chosen at run time llvm-objdump takes the lowest bit, which says Thumb, for a part of the address.
    code = {at for at, text in theirs.items() if not data.match(text) and at % 2 == 0}
    other = sorted(code - ours.keys())
    if other:
        return f"{len(other)} instructions not at the same addresses, the first at {other[0]:#x}: {theirs[other[0]]}"
    different = [(theirs[at], ours[at]) for at in sorted(code) if theirs[at] != ours[at]]
    unknown = [(a, b) for a, b in different if not KNOWN.match(a)]
    if unknown:
        return f"{len(unknown)} of {len(code)} differ:\n" + "\n".join(f"  {a:<44} ours {b}" for a, b in unknown[:40])
    print(f"  {len(code)} instructions, {len(different)} in other words")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pgokit", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("disassembly"))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for tool in ("clang++-22", "ld.lld-22", "llvm-objdump-22"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    folder = options.folder.resolve() / "disassembly"
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, flags in PROGRAMS.items():
        if not re.search(options.only, name) or (flags[-1] == HOSTED[-1] and not CROSS.is_dir()):
            continue
        program = folder / name.replace(" ", "-")
        compiler = "clang-22" if flags[-1] == HOSTED[-1] else "clang++-22"
        run(compiler, *flags[:-1], "-x", "c" if compiler == "clang-22" else "c++", flags[-1], "-O2", "-g1", "-fuse-ld=lld-22", "-o", program)
        print(name)
        wrong = compare(options.pgokit.resolve(), program)
        if wrong:
            failed += 1
            print(wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares the text of x86 instructions with llvm-profgen 22's, in both syntaxes, over the opcode space.

    instructions.py --pgokit build/bin/pgokit [--folder FOLDER] [--machine i386]

Every opcode of every map is tried with prefixes, registers and forms of memory operands that a fixed seed
chooses. Each encoding has a symbol of its own, at which both tools begin anew; compared is its first
instruction. Encodings that one of the two does not know say nothing about words and are left out.
Exit code 1 if anything differs but the instructions of KNOWN, 77 without the tools.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

LISTING = ["--output=/dev/null", "--show-disassembly-only"]
LEGACY_PREFIXES = ["", "66", "f3", "f2", "48", "6648", "f248", "f348", "45", "4f", "67", "64", "2e", "3e"]
LEGACY_MAPS = ["", "0f", "0f38", "0f3a"]
TAIL = 8  # bytes that immediates are taken from

# Where Zydis 4.0 decodes something else than LLVM 22 (docs/probes.md).
KNOWN = re.compile("|".join([
    r"j\w+\t0x",  # with an operand size prefix
    r"prefetch(rst2|it[01])\b", r"cldemote\b", r"wbnoinvd\b", r"xsaveopt64\b", r"monitorx\b",  # newer
    r"xrelease$",  # after other prefixes
    r"senduipi\b", r"vmovw\b", r"movq\t.*\bmm\d", r"xchgq?\t%?rax, %?rax", r"(push|pop)w\t%[fg]s",
    r"vgatherpf", r"vscatterpf"]))
# On i386, bits that mean nothing there: LLVM 22 names registers, or takes a width, that it has not.
KNOWN_I386 = re.compile(r"[xy]mm(8|15)\b|(call|jmp)w\t0x|kmovq|vpinsrq|v\w+\d\dx\d|vmovdqu32")


def forms(choose, registers):
    """Bytes from modrm on, without immediates: registers, and memory operands of all kinds."""
    for register in registers:
        yield bytes([0xC0 | register << 3 | choose.randrange(8)])
        yield choose.choice([
            bytes([register << 3]),  # [rax]
            bytes([register << 3 | 5]) + b"\x10\x20\0\0",  # [rip + 8208]
            bytes([register << 3 | 4, 0x25]) + b"\xf8\xff\xff\xff",  # an address
            bytes([register << 3 | 4, choose.randrange(256) | 5]) + b"\x44\0\0\0",  # no base
            bytes([register << 3 | 4, choose.randrange(256)]),
            bytes([0x40 | register << 3 | 4, choose.randrange(256), 0x80]),
            bytes([0x40 | register << 3 | 5, choose.choice([0xF8, 0x10, 0])]),
            bytes([0x80 | register << 3 | 3]) + choose.choice([b"\0\1\0\0", b"\0\xff\xff\xff"])])


def legacy(choose):
    for prefix in LEGACY_PREFIXES:
        for escape in LEGACY_MAPS:
            for opcode in range(256):
                for form in forms(choose, choose.sample(range(8), 1 if prefix else 8)):
                    yield bytes.fromhex(prefix + escape) + bytes([opcode]) + form


def x87(choose):
    for opcode in range(0xD8, 0xE0):
        for modrm in range(256):
            yield bytes([opcode, modrm]) + choose.choice([b"\x25\0\0\0\0", b"\xf0\xff\xff\xff\xff"])


def vex(choose):
    for opcode_map in (1, 2, 3, 8, 9, 10):
        for last in range(16):  # w, pp and the vector's length
            for opcode in range(256):
                second = choose.choice([0xE0, 0xE0, 0x60, 0xC0, 0xA0]) | opcode_map
                third = (last & 8) << 4 | choose.choice([15, 15, 9]) << 3 | last & 7
                for form in forms(choose, choose.sample(range(8), 2)):
                    yield bytes([0x8F if opcode_map >= 8 else 0xC4, second, third, opcode]) + form


def evex(choose):
    for opcode_map in (1, 2, 3, 5, 6):
        for w_pp in range(8):
            for length in range(3):
                for opcode in range(256):
                    broadcast = choose.randrange(2)
                    zeroing = choose.randrange(3) == 0
                    mask = choose.choice([1, 6]) if zeroing else choose.choice([0, 1, 7])
                    vvvv, high = choose.choice([(15, 1), (15, 1), (9, 1), (3, 0)])
                    second = choose.choice([0xF0, 0xF0, 0x70, 0xB0, 0xE0]) | opcode_map
                    third = (w_pp & 4) << 5 | vvvv << 3 | 4 | w_pp & 3
                    fourth = zeroing << 7 | length << 5 | broadcast << 4 | high << 3 | mask
                    for form in forms(choose, choose.sample(range(8), 1)):
                        yield bytes([0x62, second, third, fourth, opcode]) + form


def encodings():
    choose = random.Random(1)
    seen = set()
    for kind in (legacy, x87, vex, evex):
        for code in kind(choose):
            code += bytes(choose.choice([0, 1, 2, 5, 0x11, 0x7F, 0x80, 0xFF]) for _ in range(TAIL))
            if code not in seen:
                seen.add(code)
                yield code


def build(folder, machine):
    folder.mkdir(parents=True, exist_ok=True)
    source, program = folder / f"{machine}.s", folder / f"{machine}.bin"
    with open(source, "w", encoding="ascii") as out:
        for number, code in enumerate(encodings()):
            listed = ",".join(map(str, code))
            out.write(f".globl f{number}\n.type f{number},@function\nf{number}: .byte {listed}\n.size f{number},.-f{number}\n")
        out.write(".globl _start\n.type _start,@function\n_start: .fill 16,1,0x90\n.size _start,.-_start\n")
    subprocess.run(["clang-22", f"--target={machine}-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", source, "-o", program], check=True)
    return program


def first_instructions(command, program):
    done = subprocess.run([*command, f"--binary={program}"], capture_output=True, text=True, check=True)
    found, name = {}, None
    for line in done.stdout.splitlines():
        if line.endswith(">:"):
            name = line
        elif name:
            found[name], name = line, None
    return found


def compare(pgokit, program, syntax, is_known):
    options = [*LISTING, f"--x86-asm-syntax={syntax}"]
    theirs = first_instructions(["llvm-profgen-22", *options], program)
    ours = first_instructions([pgokit, "llvm-profgen", *options], program)
    if theirs.keys() != ours.keys():
        raise SystemExit(f"{syntax}: other functions are listed")
    compared, known, different = 0, 0, []
    for name, line in theirs.items():
        if "<unknown>" in line or "<unknown>" in ours[name]:
            continue
        compared += 1
        if line != ours[name]:
            if is_known(line):
                known += 1
            else:
                different.append((line, ours[name]))
    print(f"{syntax}: {compared} instructions, {known} of known words, {len(different)} different")
    for judge, mine in different[:20]:
        print(f"  judge  {judge}\n  pgokit {mine}")
    return len(different)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pgokit", required=True, type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("instructions"))
    parser.add_argument("--machine", choices=["x86_64", "i386"], default="x86_64")
    options = parser.parse_args()
    for tool in ("llvm-profgen-22", "clang-22", "ld.lld-22"):
        if not shutil.which(tool):
            print(f"SKIPPED: {tool} is not installed")
            return 77
    program = build(options.folder.resolve(), options.machine)
    i386 = options.machine == "i386"
    is_known = lambda line: KNOWN.search(line) or i386 and KNOWN_I386.search(line)
    different = sum(compare(options.pgokit.resolve(), program, syntax, is_known) for syntax in ("att", "intel"))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares pgokit with llvm-profgen 22 on programs of other formats than 64-bit ELF.

    formats.py --pgokit build/bin/pgokit [--folder FOLDER] [--only REGEX] [--every N]

Freestanding programs are built for i386 and x32 (ELF of 32 bits) and for Windows (COFF), with probes or
with lines, in several ways of optimizing. Compared, byte by byte:

* the listing of code and probes (`--show-disassembly-only --show-pseudo-probe`);
* profiles made of branch stacks in text, with and without call stacks, of a program that was loaded
  elsewhere, of unsymbolized profiles, and what is written with --skip-symbolization. The branches are
  made up at random along real ones.

Besides, assembly for COFF behind `pgokit probes lower` has the probe sections that clang makes, RISC-V
has the same listing, Armv7 and RISC-V have the same profiles of counts, and lld-link and ld64.lld put functions where `pgokit order` says.
Exit code 1 if anything differs, 77 without the tools.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

import share

PROBES = ["-fpseudo-probe-for-profiling"]
SOURCE = pathlib.Path(__file__).parent / "freestanding.cc"

# Name -> target of clang, linker and its options.
ELF = ["-fuse-ld=lld", "-nostdlib", "-static", "-Wl,-e,start", "-Wl,--build-id"]
LINK = ["lld-link-22", "/nodefaultlib", "/subsystem:console", "/debug:dwarf"]
TARGETS = {
    "i386": ("i386-linux-gnu", ELF),
    "i386-pie": ("i386-linux-gnu", ["-fuse-ld=lld", "-nostdlib", "-pie", "-Wl,-e,start"]),
    "x32": ("x86_64-linux-gnux32", ELF),
    "coff": ("x86_64-windows-msvc", [*LINK, "/entry:start"]),
    "coff-i386": ("i686-windows-msvc", [*LINK, "/entry:start", "/safeseh:no"]),
}
BUILDS = {"O2": ["-O2"], "O0": ["-O0"], "Os": ["-Os", "-ffunction-sections"], "O3": ["-O3", "-mavx2"]}
DEBUG = ["-gdwarf", "-fdebug-info-for-profiling"]


class Different(Exception):
    pass


def run(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, check=False)
    if check and done.returncode:
        raise Different(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.decode()[:600]}")
    return done


def build(folder, target, flags):
    triple, link = TARGETS[target]
    compiler = ["clang++-22", f"--target={triple}", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
                "-fno-stack-protector", *DEBUG, *flags]
    program = folder / "program"
    if link[0] != LINK[0]:
        run(*compiler, SOURCE, *link, "-o", program)
        return program
    run(*compiler, "-c", SOURCE, "-o", folder / "program.obj")
    run(*link, folder / "program.obj", f"/out:{program}.exe")
    return folder / "program.exe"


def listing(tool, program):
    return run(*tool, f"--binary={program}", "--output=/dev/null", "--show-disassembly-only", "--show-pseudo-probe").stdout


def instructions(text):
    """(address, mnemonic, target) of each, in order."""
    found = []
    for line in text.splitlines():
        if match := re.match(r"\s*([0-9a-f]+):\t(\S+)(?:\t(.*))?$", line):
            operand = match[3] or ""
            target = int(operand, 16) if re.fullmatch(r"0x[0-9a-f]+", operand) else None
            found.append((int(match[1], 16), match[2], target))
    return found


def walks(code, choose, count, length):
    """Branch stacks, the last branch first: from a random place along the code."""
    place = {one[0]: i for i, one in enumerate(code)}
    starts = [i for i, one in enumerate(code) if one[1].startswith("call")]
    for _ in range(count):
        at, calls, branches = choose.choice(starts), [], []
        while len(branches) < length:
            address, mnemonic, target = code[at]
            if mnemonic.startswith("call") and target in place:
                calls.append(at + 1)
                branches.append((address, target))
                at = place[target]
            elif mnemonic.startswith("ret"):
                if not calls:
                    break
                at = calls.pop()
                branches.append((address, code[at][0]))
            elif mnemonic.startswith("j") and target in place and (mnemonic == "jmp" or choose.random() < 0.5):
                branches.append((address, target))
                at = place[target]
            else:
                at += 1
            if at >= len(code):
                break
        if branches:
            yield branches[::-1], code[at][0], [code[i][0] for i in calls[::-1] if i < len(code)]


def scripts(code, choose, moved=0, event=""):
    """Text of branch stacks, without call stacks and with them, of the program `moved` up."""
    flat, hybrid = [event], [event]
    for branches, place, stack in walks(code, choose, 300, 16):
        line = " ".join(f"{a + moved:#x}/{b + moved:#x}/P/-/-/0" for a, b in branches)
        flat.append(f" {line}\n")
        frames = "".join(f"\t{address + moved:x}\n" for address in [place, *stack])
        hybrid.append(f"{frames} {line}\n\n")
    return "".join(flat), "".join(hybrid)


def mapping(program, target):
    """Address and offset that a mapping event of the code has, where the program lies as linked."""
    text = run("llvm-readobj-22", "--file-headers", "-l", "-S", program).stdout.decode()
    if target.startswith("coff"):
        rva = re.search(r"Name: \.text .*?VirtualAddress: (0x\w+)", text, re.S)[1]
        return int(re.search(r"ImageBase: (0x\w+)", text)[1], 16), int(rva, 16)
    for one in re.findall(r"ProgramHeader \{(.*?)\n  \}", text, re.S):
        value = lambda name, text=one: int(re.search(rf"{name}: (\w+)", text)[1], 0)
        if "PT_LOAD" in one and "PF_X" in one:
            return value("VirtualAddress") & ~0xFFF, value("Offset") & ~0xFFF
    raise Different("no code segment")


def same(what, theirs, ours):
    if theirs == ours:
        return
    pairs = zip(theirs.split(b"\n") + [b""], ours.split(b"\n") + [b""])
    first = next(((a, b) for a, b in pairs if a != b), (b"", b""))
    raise Different(f"{what}\n  judge  {first[0][:200]!r}\n  pgokit {first[1][:200]!r}")


def profile(tool, program, out, *options):
    out.unlink(missing_ok=True)
    done = run(*tool, f"--binary={program}", f"--output={out}", "--format=text", *options, check=False)
    return done.returncode, out.read_bytes() if done.returncode == 0 else b""


def compare(pgokit, folder, target, flags):
    program = build(folder, target, flags)
    judge, candidate = ["llvm-profgen-22"], [pgokit, "llvm-profgen"]
    text = listing(judge, program)
    same("listing", text, listing(candidate, program))
    code, count = instructions(text.decode()), 0
    address, offset = mapping(program, target)
    moved = 0x10000000
    event = (f"PERF_RECORD_MMAP2 7/7: [{address + moved:#x}(0x10000) @ {offset:#x} fe:01 7 0]: r-xp "
             f"/bin/{program.name}\n")
    plain, elsewhere = scripts(code, random.Random(1)), scripts(code, random.Random(2), moved, event)
    for name, script in zip(("flat", "hybrid", "flat-moved", "hybrid-moved"), plain + elsewhere):
        path = folder / f"{name}.script"
        path.write_text(script, encoding="ascii")
        modes = [[f"--perfscript={path}", *more]
                 for more in ([], ["--skip-symbolization"], ["--skip-symbolization", "--use-offset=0"],
                              ["--use-dwarf-correlation"])]
        for more in ([], ["--use-offset=0"]):
            raw = folder / f"{name}{len(more)}.raw"
            profile(judge, program, raw, f"--perfscript={path}", "--skip-symbolization", *more)
            modes.append([f"--unsymbolized-profile={raw}", *more])
        for options in modes:
            theirs = profile(judge, program, folder / "judge.out", *options)
            if theirs[0] < 0:
                continue  # it crashed, as it does on contexts of programs with probes
            ours = profile(candidate, program, folder / "pgokit.out", *options)
            if theirs[0] != ours[0]:
                raise Different(f"{name} {options}: exit {theirs[0]} and {ours[0]}")
            same(f"{name} {options}", theirs[1], ours[1])
            count += len(theirs[1]) > 0
    return count


def probe_sections(path):
    """Names, flags, associations and bytes, where the order of records does not count."""
    text = run("llvm-readobj-22", "-S", "--symbols", "--section-data", path).stdout.decode()
    found = []
    for one in re.findall(r"Section \{\n(.*?)\n  \}\n", text, re.S):
        if ".pseudo_probe" in one:
            data = "".join(re.findall(r"^ +[0-9A-F]{4}: ([0-9A-F ]+?)  \|", one, re.M)).replace(" ", "")
            found.append((re.search(r"Characteristics \[ \((.*?)\)", one)[1], sorted(data)))
    links = re.findall(r"Name: (\.pseudo_probe\S*)[^}]*?Selection: (.*)\n(?:.*AssocSection: (.*) \()?", text)
    return sorted(found), sorted(links)


def lower(pgokit, folder, target, flags):
    compiler = ["clang++-22", f"--target={target}", "-Wno-unused-command-line-argument", "-ffreestanding", *PROBES, *flags]
    plain, lowered = folder / "plain.s", folder / "lowered.s"
    run(*compiler, "-S", SOURCE, "-o", plain)
    run(pgokit, "probes", "lower", plain, "-o", lowered)
    objects = []
    for source in (plain, lowered):
        run(*compiler, "-c", source, "-o", source.with_suffix(".obj"))
        objects.append(probe_sections(source.with_suffix(".obj")))
    if objects[0] != objects[1]:
        raise Different("the probe sections differ")


def riscv(pgokit, folder, target):
    program = folder / "program"
    run("clang++-22", f"--target={target}-linux-gnu", "-mno-relax", "-O2", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
        *PROBES, SOURCE, "-fuse-ld=lld", "-nostdlib", "-static", "-Wl,-e,start", "-o", program)
    same("listing", listing(["llvm-profgen-22"], program), listing([pgokit, "llvm-profgen"], program))


# Counts for machines of which there are no branch stacks: at random, of pieces of code and between them.
COUNTED = {"riscv64": ["-mno-relax"], "riscv64 with probes": ["-mno-relax", *PROBES], "riscv32": ["-march=rv32gc", "-mno-relax"],
           "riscv32 with probes": ["-march=rv32gc", "-mno-relax", *PROBES], "armv7": []}


def counts(pgokit, folder, name):
    program, raw, choose = folder / "program", folder / "counts.raw", random.Random(1)
    run("clang++-22", f"--target={name.split()[0]}-linux-{'gnueabihf' if name == 'armv7' else 'gnu'}", "-O2", "-ffreestanding", "-fno-exceptions",
        "-fno-rtti", *DEBUG, *COUNTED[name], SOURCE, "-fuse-ld=lld", "-nostdlib", "-static", "-Wl,-e,start", "-o", program)
    code = [address for address, *_ in instructions(listing(["llvm-profgen-22"], program).decode())]
    named = [line.split() for line in run("llvm-nm-22", "--defined-only", "--special-syms", "-n", program).stdout.decode().splitlines()]
    starts = [int(address, 16) for address, kind, text in named if kind in "tTW" and not text.startswith("$")]
    # Data between functions, which llvm-profgen takes for code.
    places = [(int(address, 16), text) for address, _, text in named if text[:2] in ("$a", "$d", "$x")] + [(1 << 32, "")]
    data = [range(begin, end) for (begin, text), (end, _) in zip(places, places[1:]) if text.startswith("$d")]
    ranges, branches = set(), set()
    for _ in range(200):
        first = choose.randrange(len(code) - 12)
        last = code[first + choose.randrange(12)]
        if any(place[0] <= last and code[first] < place[-1] + 1 for place in data if place):
            continue
        ranges.add((code[first], last))
        branches.add((last, choose.choice(starts)))
    lines = [str(len(ranges)), *(f"{a:x}-{b:x}:{choose.randrange(1, 999)}" for a, b in sorted(ranges)),
             str(len(branches)), *(f"{a:x}->{b:x}:{choose.randrange(1, 999)}" for a, b in sorted(branches))]
    raw.write_text("\n".join(lines) + "\n", encoding="ascii")
    options = [f"--unsymbolized-profile={raw}", "--use-offset=0"]
    theirs = profile(["llvm-profgen-22"], program, folder / "judge.out", *options)
    ours = profile([pgokit, "llvm-profgen"], program, folder / "pgokit.out", *options)
    if theirs[0] or not theirs[1]:
        raise Different("the judge makes no profile")
    same("profile", theirs[1], ours[1])


# Target, linker, its option for order files, pgokit's form of these.
LINKERS = {
    "coff": ("x86_64-windows-msvc", [*LINK, "/entry:start"], "/order:@", "lld"),
    "coff-i386": ("i686-windows-msvc", [*LINK, "/entry:start", "/safeseh:no"], "/order:@", "lld"),
    "mach-o": ("arm64-apple-macos11",
               ["ld64.lld-22", "-arch", "arm64", "-platform_version", "macos", "11", "11", "-e", "_start"],
               "-order_file", "ld64"),
    "i386": ("i386-linux-gnu", ["ld.lld-22", "-e", "start"], "--symbol-ordering-file=", "lld"),
}


def order(pgokit, folder, name):
    target, link, option, form = LINKERS[name]
    source, unit = folder / "order.c", folder / "order.obj"
    names = [f"step{i}" for i in range(8)]
    source.write_text("".join(f"int {one}(int x) {{ return x + {i}; }}\n" for i, one in enumerate(names)) +
                      "int start(void) { return step0(1); }\n", encoding="ascii")
    run("clang-22", f"--target={target}", "-O0", "-ffreestanding", "-ffunction-sections", "-c", source, "-o", unit)
    wanted = names[::-1]
    (folder / "wanted").write_text("\n".join(wanted), encoding="ascii")

    def linked(suffix, *more):
        program = folder / f"{name}{suffix}"
        out = [f"/out:{program}"] if link[0] == LINK[0] else ["-o", program]
        run(*link, unit, *out, *more)
        return program

    file = folder / "order.txt"
    run(pgokit, "order", folder / "wanted", "--link", linked("-first"), "--format", form, "-o", file)
    flags = [option, file] if not option.endswith(("=", "@")) else [f"{option}{file}"]
    program = linked("-ordered", *flags)
    listed = run("llvm-nm-22", "-n", program).stdout.decode().split("\n")
    found = [one.split()[-1].lstrip("_") for one in listed if re.search(r" [tT] _?step\d$", one)]
    if found != wanted:
        raise Different(f"{found} instead of {wanted}")
    shown = run(pgokit, "order", "--evaluate", program, "--with", file).stdout.decode()
    if "8/8" not in shown:
        raise Different(f"not all functions of the order are known:\n{shown}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pgokit", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("formats"))
    parser.add_argument("--only", default="")
    share.add_option(parser)
    options = parser.parse_args()
    for tool in ("clang++-22", "lld-link-22", "ld.lld-22", "ld64.lld-22", "llvm-profgen-22", "llvm-readobj-22", "llvm-nm-22"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    pgokit, failed = options.pgokit.resolve(), 0
    folder = options.folder.resolve() / "formats"
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(f"{target} {name} {'probes' if probes else 'lines'}", lambda t=target, f=flags + probes: compare(pgokit, folder, t, f))
            for target in TARGETS for name, flags in BUILDS.items() for probes in (PROBES, [])]
    for target in ("x86_64-windows-msvc", "i686-windows-msvc", "aarch64-windows-msvc", "x86_64-w64-mingw32"):
        for flags in (["-O2"], ["-O2", "-ffunction-sections"], ["-O0"], ["-O2", "-gdwarf"], ["-O2", "-g"]):
            jobs.append((f"lower {target} {' '.join(flags)}", lambda t=target, f=flags: lower(pgokit, folder, t, f)))
    jobs += [(f"listing {target}", lambda t=target: riscv(pgokit, folder, t)) for target in ("riscv64", "riscv32")]
    jobs += [(f"counts {name}", lambda n=name: counts(pgokit, folder, n)) for name in COUNTED]
    jobs += [(f"order {name}", lambda n=name: order(pgokit, folder, n)) for name in LINKERS]
    for name, job in share.Share(options.every).of([job for job in jobs if re.search(options.only, job[0])]):
        try:
            profiles = job()
            print(f"{name}: same" + (f", {profiles} profiles" if profiles else ""))
        except Different as difference:
            failed += 1
            print(f"{name}: {difference}")
    return 1 if failed else 0


sys.exit(main())

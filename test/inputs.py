#!/usr/bin/env python3
"""Inputs in other clothes give the same profile: compressed recordings, texts, programs and profiles; counts as
AutoFDO's text; a stripped program with .gnu_debugdata; compact binary profiles of LLVM 14.

    inputs.py PGOKIT PGOKIT_WALK

Exit code 1 if anything differs, 77 without clang 22. Parts whose tool is missing are left out, and said.
"""
import gzip
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PGOKIT, WALK = (str(pathlib.Path(tool).resolve()) for tool in sys.argv[1:3])
SOURCE = pathlib.Path(__file__).resolve().parent / "programs" / "calc.c"
failures = 0


def run(*command, stdin=None, code=0):
    done = subprocess.run([*map(str, command)], input=stdin, capture_output=True)
    if code is not None and done.returncode != code:
        expect(False, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.decode()}")
    return done


def expect(good, what):
    global failures
    if not good:
        failures += 1
        print(f"WRONG: {what}")


def generate(recording, binary, *options, code=0):
    done = run(PGOKIT, "generate", recording, "-b", binary, *options, "--format", "text", "-o", "-", code=code)
    return done.stdout if code == 0 else done.stderr.decode()


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def compressed(folder, inputs, program, wanted):
    packers = {"gz": gzip.compress, "xz": lzma.compress}
    if shutil.which("zstd"):
        packers["zst"] = zstd
    else:
        print("left out: zstd is not installed")
    for suffix, pack in packers.items():
        def packed(path):
            path.with_name(f"{path.name}.{suffix}").write_bytes(pack(path.read_bytes()))
            return path.with_name(f"{path.name}.{suffix}")
        for recording in inputs:
            file = packed(recording)
            expect(generate(file, program) == wanted, f"{file.name} gives another profile")
            expect(run(PGOKIT, "show", file, "--json").returncode == 0, f"{file.name} is not shown")
        renamed = folder / suffix / program.name  # programs are known by their names
        renamed.parent.mkdir()
        packed(program).rename(renamed)
        expect(generate(inputs[0], renamed) == wanted, f"{suffix} around the program")
        profile = folder / "calc.prof"
        profile.write_bytes(wanted)
        merged = run(PGOKIT, "merge", "-", "--format", "text", "-q", "-o", "-", stdin=packed(profile).read_bytes()).stdout
        expect(merged == run(PGOKIT, "merge", profile, "--format", "text", "-q", "-o", "-").stdout, f"{suffix} on standard input")
        cut = folder / f"cut.{suffix}"
        whole = packed(inputs[0]).read_bytes()
        cut.write_bytes(whole[:len(whole) // 2])
        message = generate(cut, program, code=1)
        expect(re.search(rf"cut\.{suffix}: its \w+ data is cut short", message), f"a file cut short: {message}")


def autofdo_text(folder, recording, program, wanted):
    raw = folder / "raw"
    run(PGOKIT, "llvm-profgen", "--perfscript", recording, "--binary", program, "--skip-symbolization", "--use-offset=0", "-o", raw)
    first_segment = int(re.search(r"LOAD\s+0x\w+ (0x\w+)", run("readelf", "-lW", program).stdout.decode()).group(1), 16)
    offset = lambda match: "0" if match[0] == "1" else f"{int(match[0], 16) - first_segment:x}"
    lines = [re.sub(r"^\w+(?=-)|(?<=[->])\w+(?=:)", offset, line) for line in raw.read_text().splitlines()]
    ranges = int(lines[0])
    branches = lines[ranges + 2:]
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", program).stdout.decode()).group(1)
    parts = [*lines[:ranges + 1], "0", lines[ranges + 1], *branches]
    for name, end in {"plain": [], "simpleperf": [f"// build_id: 0x{build_id}", f"// /system/bin/{program.name}", ""]}.items():
        text = folder / f"autofdo.{name}"
        text.write_text("\n".join([*parts, *end]) + "\n")
        expect(generate(text, program) == wanted, f"AutoFDO's text ({name}) gives another profile")
    text.write_text(text.read_text().replace(build_id, "ab" * 20))
    expect("another build" in generate(text, program, code=1), "counts of another build")
    expect(generate(text, program, "--ignore-build-id") == wanted, "counts of another build, wanted")
    two = folder / "autofdo.two"
    two.write_text("1\n10-20:3\n0\n0\n// build_id: 0x12\n// /lib/libc.so\n\n" + (folder / "autofdo.simpleperf").read_text())
    expect(generate(two, program, "--ignore-build-id") == wanted, "the program among others")


def embedded_symbols(folder, recording, program, wanted):
    """What distributions do, by the recipe in GDB's manual."""
    debug, keep, mini = folder / "calc.debug", folder / "keep", folder / "mini"
    names = lambda *options: {line.split()[0] for line in run("nm", *options, "--format=posix", "--defined-only", program)
                              .stdout.decode().splitlines() if line.split()[1] in "Tt" or "-D" in options}
    keep.write_text("\n".join(sorted(names() - names("-D"))) + "\n")
    run("objcopy", "--only-keep-debug", program, debug)
    run("objcopy", "-S", "--remove-section", ".comment", f"--keep-symbols={keep}", debug, mini)
    stripped = folder / "bare" / program.name
    stripped.parent.mkdir()
    run("strip", "--strip-all", "-R", ".comment", "-o", stripped, program)
    expect("is stripped" in generate(recording, stripped, "--debug-binary", debug, code=1), "a stripped program")
    packed = folder / "mini.xz"
    packed.write_bytes(lzma.compress(mini.read_bytes()))
    run("objcopy", f"--add-section=.gnu_debugdata={packed}", stripped)
    expect(generate(recording, stripped, "--debug-binary", debug) == wanted, "symbols of .gnu_debugdata give another profile")
    expect(b"stripped" not in run(PGOKIT, "show", stripped).stdout, "show says stripped")


def compact_profile(folder, profile):
    tool = next((name for name in ("llvm-profdata-14", "llvm-profdata-15", "llvm-profdata-16") if shutil.which(name)), None)
    if not tool:
        print("left out: no llvm-profdata of LLVM 14 to 16 is installed")
        return
    compact = folder / "calc.compact"
    run(tool, "merge", "--sample", "--compbinary", profile, "-o", compact)
    theirs = run(tool, "merge", "--sample", "--text", compact).stdout
    ours = run(PGOKIT, "merge", compact, "--format", "text", "-q", "-o", "-").stdout
    expect(theirs == ours, "a compact binary profile")
    expect(b"compact binary" in run(PGOKIT, "show", compact).stdout, "show names the form")


def of_another_build(folder, script):
    """A text has no build ids: what most of its ranges cannot be of was not recorded."""
    other = folder / "other" / "calc"
    other.parent.mkdir()
    run("clang-22", "-O2", "-g", "-fno-inline", "-funroll-loops", SOURCE, "-o", other, "-lm")
    expect("it is another build than the one that was recorded" in generate(script, other, code=1), "a program of another build")
    run(PGOKIT, "generate", script, "-b", other, "--ignore-build-id", "-o", folder / "nevertheless.prof")


def main():
    if not shutil.which("clang-22"):
        print("skipped: clang-22 is not there (./dev setup)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, data, script = folder / "calc", folder / "calc.data", folder / "calc.script"
        run("clang-22", "-O1", "-g", "-Wl,--build-id", SOURCE, "-o", program, "-lm")
        for out, form in ((data, "perfdata"), (script, "script")):
            run(WALK, program, "-o", out, "--kind", "lbr", "--samples", "300", "--format", form)
        wanted = generate(script, program)
        expect(wanted and generate(data, program) == wanted, "recording and text give different profiles")
        compressed(folder, (data, script), program, wanted)
        autofdo_text(folder, script, program, wanted)
        embedded_symbols(folder, script, program, wanted)
        compact_profile(folder, folder / "calc.prof")
        of_another_build(folder, script)
    print(f"{failures} wrong")
    return 1 if failures else 0


sys.exit(main())

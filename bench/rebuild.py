#!/usr/bin/env python3
"""Programs rebuilt with context-sensitive profiles: pgokit's beside llvm-profgen's of the same recording.

    ./dev bench rebuild [--runs N] [--only NAME] [--quick]

Each example program is recorded once (pgokit record). pgokit reads the recording; llvm-profgen gets the same samples as text,
because perf prints the frames of call chains relative to their files. clang builds the program with each profile, by probes and
by lines, with ThinLTO. The builds run in turn; every one must print the same. "followed" are the contexts that the pre-inliner
marked and clang's remarks tell of.
Writes bench/rebuild.md, with --quick nothing.
"""
import argparse
import dataclasses
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support"), str(ROOT / "examples"), str(ROOT / "test/rebuild")]
import demo  # noqa: E402
import launch  # noqa: E402
import run as rebuild  # noqa: E402

FRAMES = " -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -flto=thin"
KINDS = {"probes": demo.PROBES, "lines": demo.DEBUG_INFO}
REMARKS = " -Rpass=inline -Wl,-mllvm,-pass-remarks=inline"

# Layout of perf.data: linux/tools/perf/Documentation/perf.data-file-format.txt, perf_event_open(2).
RECORD_MMAP2, RECORD_SAMPLE = 10, 9
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, CHAIN, BRANCHES = (
    1 << bit for bit in (16, 0, 1, 2, 3, 6, 9, 7, 8, 5, 11))
FIRST_MARKER = 2**64 - 4095  # of call chains: no addresses


def as_script(recording, script):
    """The samples of one event with call chains and branch stacks, as `perf script -F ip,brstack` printed them once."""
    data = recording.read_bytes()
    attrs, first, size = struct.unpack_from("<Q8xQQ", data, 24)
    kind, = struct.unpack_from("<Q", data, attrs + 24)
    fixed = sum(8 for field in (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD) if kind & field)
    assert kind & CHAIN and kind & BRANCHES and not kind & ~(2 * TIME * ADDR | 0x10fef)
    at = first
    with open(script, "w", encoding="utf-8") as out:
        while at < first + size:
            record, _, length = struct.unpack_from("<IHH", data, at)
            if record == RECORD_MMAP2:
                pid, tid, start, extent, offset = struct.unpack_from("<IIQQQ", data, at + 8)
                path = data[at + 72:data.index(b"\0", at + 72)].decode()
                out.write(f"PERF_RECORD_MMAP2 {pid}/{tid}: [{start:#x}({extent:#x}) @ {offset:#x} 00:00 0 0]: r-xp {path}\n")
            elif record == RECORD_SAMPLE:
                print_sample(data, at + 8 + fixed, out)
            at += length


def print_sample(data, at, out):
    frames, = struct.unpack_from("<Q", data, at)
    chain = struct.unpack_from(f"<{frames}Q", data, at + 8)
    at += 8 + 8 * frames
    count, = struct.unpack_from("<Q", data, at)
    branches = struct.unpack_from("<" + "QQ8x" * count, data, at + 8)
    out.writelines(f"\t{frame:16x}\n" for frame in chain if frame < FIRST_MARKER)
    out.write("".join(f" {branches[2 * i]:#x}/{branches[2 * i + 1]:#x}/P/-/-/0 " for i in range(count)) + "\n\n")


@dataclasses.dataclass
class Build:
    row: demo.Row
    remarks: str
    code: bytes


def build(shell, compiler, name, label, flags, profile=""):
    use = f" -fprofile-sample-use={profile}" if profile else ""
    remarks = shell.run_quietly(f"{compiler} {flags}{FRAMES}{use}{REMARKS} -o {name}")
    shell.run_quietly(f"llvm-objcopy-22 --dump-section .text={name}.text {name} {name}.unused")
    return Build(demo.Row(name, label, "", profile), remarks, (shell.folder / f"{name}.text").read_bytes())


def followed(contexts, remarks):
    """(how many marked contexts clang inlined, how many marked contexts of code that it compiled)"""
    done = rebuild.inlined(remarks)
    plain = {(re.sub(r"\.llvm\.\d+", "", callee), tuple(re.sub(r"\.llvm\.\d+", "", one) for one in way), why)
             for callee, way, why in done}
    marked = [frames for frames, attributes in contexts.items()
              if attributes & rebuild.SHOULD_BE_INLINED and len(frames) > 1]
    return sum(rebuild.follows(frames, plain) for frames in marked), len(marked)


def profiles(shell, kind):
    """Both tools' profiles of one recording; whether they say the same, and the contexts of ours."""
    as_script(shell.folder / f"{kind}.perf", shell.folder / f"{kind}.script")
    ours = f"pgokit llvm-profgen --quiet --binary={kind} --perfdata={kind}.perf"
    shell.run_quietly(f"{ours} --output={kind}.ours.prof")
    shell.run_quietly(f"llvm-profgen-22 --binary={kind} --perfscript={kind}.script --output={kind}.theirs.prof")
    shell.run_quietly(f"{ours} --format=text --gen-cs-nested-profile=0 --output={kind}.contexts")
    same = shell.as_text(f"{kind}.ours.prof") == shell.as_text(f"{kind}.theirs.prof")
    return same, rebuild.contexts(shell.folder / f"{kind}.contexts")


def measure(program, args):
    folder = args.folder.resolve() / program.name
    folder.mkdir(parents=True, exist_ok=True)
    shell = demo.Shell(folder, args.bin.resolve())
    compiler = program.compile.format(examples=shell.examples)
    train = program.train_rounds // (8 if args.quick else 2)
    arguments = program.arguments.format(seed=1, rounds=train, examples=shell.examples)
    builds, lines = [build(shell, compiler, "plain", "plain -O2", "")], []
    for kind, flags in KINDS.items():
        build(shell, compiler, kind, kind, flags)
        shell.run_quietly(f"pgokit record -q -F 200 -o {kind}.perf -- ./{kind} {arguments} > recorded.out")
        same, contexts = profiles(shell, kind)
        pair = [build(shell, compiler, f"{kind}.{name}", f"{tool}, contexts by {kind}", flags, f"{kind}.{name}.prof")
                for name, tool in (("ours", "pgokit"), ("theirs", "llvm-profgen"))]
        builds += pair
        facts = {"profiles": same, "code": pair[0].code == pair[1].code}
        lines += [facts | {"followed": followed(contexts, one.remarks)} for one in pair]
    rows = [one.row for one in builds]
    demo.measure(shell, program, rows, args.runs, program.measure_rounds // (8 if args.quick else 1))
    return list(zip(rows, [None, *lines]))


def yes(fact):
    return "the same" if fact else "other"


def table(results):
    yield "| program | build | CPU time, median | spread | less time than plain | profile, code | followed |"
    yield "|---|---|---|---|---|---|---|"
    for name, lines in results.items():
        plain = lines[0][0].median()
        for row, facts in lines:
            time = f"| {name} | {row.label} | {row.median():.3f} s | {row.spread():.3f} s |"
            if not facts:
                yield f"{time} | | |"
                continue
            done, marked = facts["followed"]
            yield (f"{time} {100 - 100 * row.median() / plain:.1f} % | {yes(facts['profiles'])}, {yes(facts['code'])} | "
                   f"{done} of {marked} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench/rebuild")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--only", choices=[program.name for program in demo.PROGRAMS])
    parser.add_argument("--quick", action="store_true", help="short runs, nothing written")
    args = parser.parse_args()
    if missing := demo.missing_tools(args.bin):
        print(f"SKIPPED: not here: {', '.join(missing)}")
        return 77
    results = {program.name: measure(program, args) for program in demo.PROGRAMS if args.only in (None, program.name)}
    text = "\n".join([
        "# Rebuilt with context-sensitive profiles", "",
        f"Written by `./dev bench rebuild`: {args.runs} runs of each build in turn, trained with another input, on "
        f"{launch.machine()}, Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}.", "",
        *table(results), "",
        "\"profile, code\": whether pgokit's and llvm-profgen's say the same, and clang made the same machine code of them.",
        "\"followed\": contexts marked by the pre-inliner that clang's remarks tell of; most of the others are virtual calls that",
        "clang did not promote, and recursion.", ""])
    print(text)
    if not args.quick and not args.only:
        (ROOT / "bench/rebuild.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How good are profiles from recordings without branch stacks?

    ip.py [--bin DIR] [--folder DIR] [--least PERCENT] [--program NAME]

Each example program is recorded three ways: by branch stacks (pgokit record), by instruction pointers
(perf record -e cpu-clock:u) and by these with call chains (-g). Their profiles are compared with the exact one, which
valgrind's callgrind counts instruction by instruction: llvm-profdata's overlap, of the whole program. It writes bench/ip.md.
With --least it fails where an overlap is less, and writes nothing. Skips (77) without perf or valgrind.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
FLAGS = ["-O2", "-g", "-fdebug-info-for-profiling", "-funique-internal-linkage-names", "-fno-omit-frame-pointer",
         "-fno-pie", "-no-pie", "-fuse-ld=lld-22", "-std=c++20"]
# Name -> sources, arguments to be recorded with, arguments for callgrind (which is 50 times as slow).
PROGRAMS = {
    "interpreter": (sorted(EXAMPLES.glob("interpreter/*.cc")),
                    [EXAMPLES / "interpreter/workload.sprig", "1", "300"],
                    [EXAMPLES / "interpreter/workload.sprig", "1", "30"]),
    "documents": ([EXAMPLES / "documents/main.cc"], ["1", "1000"], ["1", "6"]),
}


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more).stdout


def exact_counts(program, arguments, folder):
    """Callgrind's counts as a raw profile: each instruction a range, each call a branch."""
    out, bare = folder / "callgrind.out", folder / "bare"
    run("llvm-objcopy-22", "--strip-debug", program, bare)  # valgrind 3.19 gives up at clang 22's debug information
    run("valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no",
        "--compress-strings=no", f"--callgrind-out-file={out}", bare, *arguments)
    ranges, calls = {}, {}
    ours, callee_ours, pending = False, None, None
    for line in out.read_text().splitlines():
        if line.startswith("ob="):
            ours = line[3:] == str(bare)
        elif line.startswith("fn="):
            callee_ours = None
        elif line.startswith("cob="):
            callee_ours = line[4:] == str(bare)
        elif line.startswith("calls="):
            count, target = line[6:].split()
            pending = (int(count), int(target, 16), ours if callee_ours is None else callee_ours)
            callee_ours = None
        elif line.startswith("0x"):
            at, cost = (int(word, 0) for word in line.split()[:2])
            if pending:
                count, target, inside = pending
                if inside:
                    key = (at if ours else 1, target)
                    calls[key] = calls.get(key, 0) + count
            elif ours:
                ranges[at] = ranges.get(at, 0) + cost
            pending = None
    raw = folder / "exact.raw"
    raw.write_text("\n".join([str(len(ranges))] + [f"{a:x}-{a:x}:{n}" for a, n in sorted(ranges.items())] +
                             [str(len(calls))] + [f"{a:x}->{b:x}:{n}" for (a, b), n in sorted(calls.items())]) + "\n")
    return raw


def overlap(one, other):
    text = run("llvm-profdata-22", "overlap", "--sample", one, other)
    return float(re.search(r"Whole program profile similarity: *([\d.]+)%|program.*?([\d.]+)%", text)[1])


def measure(name, pgokit, folder):
    sources, recorded, counted = PROGRAMS[name]
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    program = (folder / name).resolve()
    run("clang++-22", *FLAGS, *sources, "-o", program)
    raw = exact_counts(program, counted, folder)
    profiles = {"exact": folder / "exact.prof"}
    run(pgokit, "llvm-profgen", "--binary", program, "--unsymbolized-profile", raw, "--use-offset=0", "--format=extbinary",
        "--output", profiles["exact"])
    ways = {
        "branch stacks": [pgokit, "record", "-q", "--software", "-F", "500"],
        "instruction pointers": ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4000"],
        "with call chains": ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4000", "-g"],
    }
    rows = []
    for way, command in ways.items():
        data, profile = folder / "way.data", folder / f"{way.replace(' ', '_')}.prof"
        run(*command, "-o", data, "--", program, *recorded)
        said = run(pgokit, "generate", "--allow-ip", data, "-b", program, "-o", profile)
        samples = re.search(r"= ([\d,]+) used", said)[1]
        profiles[way] = profile
        rows.append((way, samples, overlap(profile, profiles["exact"]), overlap(profile, profiles["branch stacks"])))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/ip")
    parser.add_argument("--program", action="append", choices=PROGRAMS)
    parser.add_argument("--least", type=float)
    args = parser.parse_args()
    for tool in ("perf", "valgrind", "clang++-22", "llvm-profdata-22"):
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return 77
    if subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "true"], capture_output=True).returncode:
        print("SKIPPED: perf record -e cpu-clock:u does not work here")
        return 77
    lines = ["| program | recorded by | samples | overlap with the exact profile | with that of branch stacks |",
             "|---|---|---|---|---|"]
    failed = False
    for name in args.program or PROGRAMS:
        for way, samples, exact, stacks in measure(name, args.bin / "pgokit", args.folder):
            lines.append(f"| {name} | {way} | {samples} | {exact:.1f} % | {stacks:.1f} % |")
            failed |= args.least is not None and exact < args.least
    print("\n".join(lines))
    if args.least is None:
        (ROOT / "bench/ip.md").write_text("\n".join(lines) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

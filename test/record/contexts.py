#!/usr/bin/env python3
"""What `pgokit record --exact --contexts` counts by calling context.

    contexts.py PGOKIT PROGRAM SOURCE FOLDER [--only MODE[,MODE...]]

PROGRAM is SOURCE (program.cc) without inlining and tail calls, linked statically. For each of its modes:
- the counts of all contexts add up to those of --exact without contexts, branch by branch, and so does the flat profile;
- how often each function was called in which context is what callgrind says;
- two runs give the same bytes.
SOURCE is also built as programs are that are to be optimized. Profiles by lines and by probes are made of it;
llvm-profdata reads them, and clang takes them without a warning.

The recording is read here as docs/formats/perf-data.md describes it.
"""
import argparse
import bisect
import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import callgrind
import survive

MODES = "sort exceptions longjumps goto calls recursion threads sigprof sigtrap processes".split()
DETERMINISTIC = "sort exceptions longjumps goto calls recursion".split()
ROUNDS = {"recursion": "9"}
OWN = re.compile(r"_ZN12_GLOBAL__N_1|_ZSt\d+__|_ZN9__gnu_cxx|main$")


class Numbers(callgrind.Numbers):
    number = callgrind.Numbers.next
    text = callgrind.Numbers.bytes

    def place(self, before):
        """(file, offset); the file -1 is none."""
        return super().place([before])


def flat_counts(feature):
    """Files, and branches as (from, to, count)."""
    read = Numbers(feature)
    assert read.number() == 2
    read.number(), read.number(), read.number()  # scale, windows, their uncertainty
    files = [(read.text(), read.text())[0].decode() for _ in range(read.number())]
    branches, source, target = [], (0, 0), (0, 0)
    for _ in range(read.number()):
        source, target = read.place(source[1]), read.place(target[1])
        branches.append((source, target, read.number()))
    return files, branches


def counts_by_context(feature, branches):
    """Nodes as (parent, place that the call returns to), and steps as (node, branch, start, count)."""
    read = Numbers(feature)
    assert read.number() == 1
    cut = read.number()
    nodes, steps, before = [(0, None)], [], 0
    for own in range(1, read.number() + 1):
        parent = own - read.number()
        place = read.place(before)
        before = place[1]
        nodes.append((parent, place))
    for node in range(len(nodes)):
        branch = before = 0
        for _ in range(read.number()):
            branch += read.number()
            start = read.place(branches[branch][0][1])
            steps.append((node, branch, start, read.number()))
        for _ in range(read.number()):
            start = read.place(before)
            end = read.place(start[1])
            before = end[1]
            read.number()
    assert read.at == len(feature)
    return cut, nodes, steps


class Program:
    def __init__(self, path):
        data = path.read_bytes()
        table, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        self.loads = []
        for i in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
            if kind == 1:
                self.loads.append((offset, address, length))
        self.names, self.starts = {}, []
        for line in output("nm", "-n", "--defined-only", path).splitlines():
            address, kind, name = line.split(maxsplit=2)
            if kind in "TtWwi":
                self.names[name] = int(address, 16)
                self.starts.append((int(address, 16), name))
        self.own = {address for name, address in self.names.items() if OWN.match(name)}
        self.ends = {}  # address behind a call: the call
        self.calls = set()
        for line in output("objdump", "-d", "--no-show-raw-insn", path).splitlines():
            found = re.match(r"\s+([0-9a-f]+):\s+(\S+)", line)
            if not found:
                continue
            if self.calls and last_is_call:
                self.ends[int(found[1], 16)] = last
            last, last_is_call = int(found[1], 16), found[2].startswith("call")
            if last_is_call:
                self.calls.add(last)

    def address(self, offset):
        for start, address, length in self.loads:
            if start <= offset < start + length:
                return offset - start + address
        return None

    def function(self, address):
        i = bisect.bisect_right(self.starts, (address, "\x7f")) - 1
        return self.starts[i][0] if i >= 0 else None


def rounds(mode):
    return ROUNDS.get(mode, "2")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def without_recursion(chain):
    """No series of functions stands twice in a row."""
    kept = []
    for one in chain:
        kept.append(one)
        for length in range(1, len(kept) // 2 + 1):
            if kept[-length:] == kept[-2 * length:-length]:
                del kept[-length:]
                break
    return tuple(kept)


def own_part(chain, program):
    """The innermost functions of the program itself, outermost first."""
    kept = []
    for one in reversed(chain):
        if one not in program.own:
            break
        kept.append(one)
    return without_recursion(reversed(kept))


def calls_by_context(data, program, path):
    """How often each chain of functions was entered by a call."""
    files, branches = flat_counts(callgrind.feature(data, 240))
    cut, nodes, steps = counts_by_context(callgrind.feature(data, 241), branches)
    if cut:
        raise ValueError(f"{cut} contexts are cut")
    sums = collections.Counter()
    for _, branch, _, count in steps:
        sums[branch] += count
    if any(sums[i] != count for i, (_, _, count) in enumerate(branches)):
        raise ValueError("the contexts do not add up to the flat counts")
    own_file = files.index(str(path))

    def address(place):
        return program.address(place[1]) if place[0] == own_file else None

    chains = [()]
    for parent, returns_to in nodes[1:]:
        behind = address(returns_to)
        call = program.ends.get(behind) if behind is not None else None
        chains.append(chains[parent] + (program.function(call) if call is not None else None,))
    calls = collections.Counter()
    for node, branch, _, count in steps:
        source, target = address(branches[branch][0]), address(branches[branch][1])
        if source in program.calls and target in program.own:
            calls[own_part(chains[node] + (program.function(source), target), program)] += count
    return calls


def callgrind_calls(program, path, mode, folder):
    """The same of all processes."""
    for old in folder.glob("contexts.callgrind.*"):
        old.unlink()
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/contexts.callgrind.%p", "--separate-callers=100",
                    "--trace-children=yes", "--demangle=no", "--compress-strings=no", "--compress-pos=no", path, mode, rounds(mode)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    calls = collections.Counter()
    callee = None
    for out in folder.glob("contexts.callgrind.*"):
        for line in out.read_text().splitlines():
            if line.startswith("cfn="):
                names = [name for name in line[4:].split("'") if not name.isdigit()]
                callee = [program.names.get(name) for name in reversed(names)]
            elif line.startswith("calls=") and callee[-1] in program.own:
                calls[own_part(callee, program)] += int(line[6:].split()[0])
    return calls


def record(options, mode, data, *contexts):
    command = [options.program, mode, rounds(mode)]
    done = survive.run([options.pgokit, "record", "--exact", *contexts, "-q", "-o", data, "--", *command], 300)
    # Its exit code is told, as it is none of success.
    if done[0] != len(mode) or done[2].count("\n") > 1 or f"ended with exit code {len(mode)}," not in done[2]:
        raise ValueError(f"exit code {done[0]}, {done[2]!r}")
    return data.read_bytes()


def try_mode(options, program, mode):
    data, flat = options.folder / "contexts.data", options.folder / "contexts-flat.data"
    first = record(options, mode, data, "--contexts")
    record(options, mode, flat)
    if mode in DETERMINISTIC:
        profiles = []
        for recording in (data, flat):
            profile = recording.with_suffix(".prof")
            output(options.pgokit, "generate", recording, "-b", options.program, "-q", "-o", profile)
            profiles.append(profile.read_bytes())
        if profiles[0] != profiles[1]:
            raise ValueError("the flat profile is another one than without --contexts")
        if record(options, mode, data, "--contexts") != first:
            raise ValueError("a second run gives other bytes")
    ours = calls_by_context(first, program, options.program)
    if not shutil.which("valgrind"):
        return f"{len(ours)} contexts; valgrind is not there to compare them with"
    theirs = callgrind_calls(program, options.program, mode, options.folder)
    wrong = {chain for chain in ours.keys() | theirs.keys() if ours[chain] != theirs[chain]}
    if mode == "processes":  # a forked process has, for callgrind, done what its parent did before
        work = program.names["_ZN12_GLOBAL__N_14workEji"]
        wrong = {chain for chain in wrong if work in chain}
    if wrong or not ours:
        names = {address: name for name, address in program.names.items()}
        shown = [("'".join(names[one] for one in reversed(chain)), ours[chain], theirs[chain]) for chain in sorted(wrong)]
        raise ValueError(f"{len(wrong)} of {len(ours)} contexts differ (calls, callgrind's): {shown[:5]}")
    deepest = max(map(len, ours))
    return f"{len(ours)} contexts of up to {deepest} functions, {sum(ours.values()):,} calls, as callgrind counts them"


def raw_sums(options, built, data, *contexts):
    """How often each instruction at which ranges begin or end ran, and each branch inside."""
    raw = options.folder / "contexts.raw"
    output(options.pgokit, "generate", *contexts, data, "-b", built, "--format", "raw", "-q", "-o", raw)
    change, branches = collections.Counter(), collections.Counter()
    for line in raw.read_text().splitlines():
        if found := re.match(r"\s*([0-9a-f]+)-([0-9a-f]+):(\d+)", line):
            change[int(found[1], 16), 0] += int(found[3])
            change[int(found[2], 16), 1] -= int(found[3])
        elif found := re.match(r"\s*([0-9a-f]+)->([0-9a-f]+):(\d+)", line):
            if int(found[2], 16) < 2**63:  # not out of the program
                branches[found[1], found[2]] += int(found[3])
    return {at: by for at, by in change.items() if by}, branches


def check_sums(options, built, data):
    if raw_sums(options, built, data) != raw_sums(options, built, data, "--cs"):
        raise ValueError("the profile's contexts do not add up to the flat counts")


def try_profiles(options, kind):
    """That clang uses them. Returns what it says."""
    flags = ["-O2", "-g", "-funique-internal-linkage-names", "-pthread"]
    flags += ["-fpseudo-probe-for-profiling"] if kind == "probes" else ["-fdebug-info-for-profiling"]
    built, data, profile = (options.folder / f"contexts-{kind}{suffix}" for suffix in ("", ".data", ".prof"))
    subprocess.run(["clang++-22", *flags, options.source, "-o", built], check=True)
    for mode in ("sort", "recursion"):
        subprocess.run([options.pgokit, "record", "--exact", "--contexts", "-q", "-o", data, "--", built, mode, "20"],
                       stdout=subprocess.DEVNULL)
        output(options.pgokit, "generate", "--cs", data, "-b", built, "-q", "-o", profile)
        shown = output("llvm-profdata-22", "show", "--sample", profile)
        nested = shown.count("Samples collected in the function's body") - shown.count("Function: ")
        if kind == "probes":
            check_sums(options, built, data)
        again = subprocess.run(["clang++-22", *flags, f"-fprofile-sample-use={profile}", "-Wall", options.source, "-o", built],
                               stderr=subprocess.PIPE, text=True)
        if again.returncode or again.stderr or nested < 5:
            raise ValueError(f"{nested} functions in others, clang says {again.stderr!r}")
    return f"llvm-profdata shows {nested} functions in others, and clang takes them"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgokit")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(MODES + ["lines", "probes"]))
    options = parser.parse_args()
    if not survive.can_record(options.pgokit) or not shutil.which("objdump"):
        print("SKIPPED: ptrace is not permitted here, or there is no objdump")
        return survive.NO_TRACING
    program, failed = Program(options.program), False
    for mode in options.only.split(","):
        if mode not in MODES and not (shutil.which("clang++-22") and shutil.which("llvm-profdata-22")):
            print(f"{mode}: skipped, as clang 22 is not there")
            continue
        try:
            print(f"{mode}: {try_mode(options, program, mode) if mode in MODES else try_profiles(options, mode)}", flush=True)
        except (ValueError, subprocess.CalledProcessError) as error:
            print(f"{mode}: FAILED: {error}", flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

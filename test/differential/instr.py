#!/usr/bin/env python3
"""Compares `pgokit llvm-profdata merge|show|overlap|order` of instrumentation profiles with llvm-profdata 22: the same bytes, the same
text, the same exit codes, over counted programs of several compilers and over made-up text.

    instr.py --pgokit build/bin/pgokit [--every N] [--large] [--keep]

Exit code 1 if anything differs, 77 without the tools. llvm-profdata takes weights of values in another way on several
threads, so that it has one here. What is broken is left out whole by pgokit.
"""
import argparse
import itertools
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import share

ROOT = pathlib.Path(__file__).resolve().parents[2]
JUDGE = "llvm-profdata-22"
OLD_JUDGE = "/usr/lib/llvm-14/bin/llvm-profdata"
SOURCE = ROOT / "test/programs/counted.cc"

IR = ["-fprofile-generate"]
FRONT_END = ["-fprofile-instr-generate"]
# name: compiler and options
PROGRAMS = {
    "ir": ["clang++-22", "-O2", *IR],
    "ir0": ["clang++-22", "-O0", *IR, "-Wl,--build-id=none"],
    "plain-names": ["clang++-22", "-O1", *IR, "-mllvm", "-enable-name-compression=false", "-no-pie"],
    "entry": ["clang++-22", "-O2", *IR, "-mllvm", "-pgo-instrument-entry=true"],
    "loops": ["clang++-22", "-O2", *IR, "-mllvm", "-pgo-instrument-loop-entries=true"],
    "atomic": ["clang++-22", "-O2", *IR, "-fprofile-update=atomic"],
    "no-values": ["clang++-22", "-O2", *IR, "-mllvm", "-disable-vp=true"],
    "temporal": ["clang++-22", "-O1", *IR, "-mllvm", "-pgo-temporal-instrumentation"],
    "blocks": ["clang++-22", "-O1", *IR, "-mllvm", "-pgo-block-coverage"],
    "entries": ["clang++-22", "-O1", *IR, "-mllvm", "-pgo-function-entry-coverage"],
    "temporal-blocks": ["clang++-22", "-O1", *IR, "-mllvm", "-pgo-temporal-instrumentation", "-mllvm", "-pgo-block-coverage"],
    "vtables": ["clang++-22", "-O2", *IR, "-mllvm", "-enable-vtable-value-profiling", "-flto", "-fuse-ld=lld",
                "-fwhole-program-vtables"],
    "fe": ["clang++-22", "-O1", *FRONT_END],
    "mcdc": ["clang++-22", "-O1", *FRONT_END, "-fcoverage-mapping", "-fcoverage-mcdc"],
    "fe-atomic": ["clang++-22", "-O0", *FRONT_END, "-fprofile-update=atomic"],
}
# Their functions are in the program. (clang 22 crashes where these count values.)
CORRELATED = {
    "debug-info": ["clang++-22", "-O2", "-g"], "debug-info-4": ["clang++-22", "-O1", "-gdwarf-4", "-no-pie"],
    "debug-info-entries": ["clang++-22", "-O1", "-g", "-mllvm", "-pgo-function-entry-coverage"],
    "debug-info-blocks": ["clang++-22", "-O1", "-g", "-gz", "-mllvm", "-pgo-block-coverage"],
    "debug-info-times": ["clang++-22", "-O1", "-g", "-mllvm", "-pgo-temporal-instrumentation"],
    "binary": ["clang++-22", "-O2"], "binary-plain": ["clang++-22", "-O1", "-no-pie", "-mllvm", "-enable-name-compression=false"],
    "binary-blocks": ["clang++-22", "-O1", "-fuse-ld=lld", "-mllvm", "-pgo-block-coverage"],
}
# Their raw profiles have an older version, which llvm-profdata 22 refuses.
OLD_PROGRAMS = {"ir": ["clang++-14", "-O2", *IR], "fe": ["clang++-14", "-O1", *FRONT_END],
                "entry": ["clang++-14", "-O2", *IR, "-mllvm", "-pgo-instrument-entry=true"]}
RUNS = [3, 14, 200, 1001]
SHOWS = [[], ["--all-functions", "--counts"], ["-all-functions", "-ic-targets", "-memop-sizes", "-show-vtables"],
         ["-text", "-all-functions"], ["-text", "-function=total"], ["-function=e", "-counts", "-detailed-summary"],
         ["-topn=3", "-binary-ids", "-profile-version"], ["-temporal-profile-traces"], ["-covered"],
         ["-value-cutoff=20", "-all-functions"], ["-value-cutoff=20", "-list-below-cutoff"], ["-showcs", "-all-functions"],
         ["-detailed-summary-cutoffs=500000,999000", "-topn=100"], ["-json"], ["-show-format=yaml"],
         ["-text", "-showcs", "-all-functions"]]

OVERLAPS = [[], ["-cs"], ["-value-cutoff=0"], ["-value-cutoff=1000"], ["-function=total"], ["-function=1", "-value-cutoff=5"],
            ["-sample", "-instr", "-value-cutoff=100", "-cs"], ["-similarity-cutoff=500000"]]


def text_profile(seed, functions):
    """Names repeat with other hashes; some functions have values or bitmaps."""
    rnd = random.Random(seed)
    count = lambda: rnd.choice([0, 0, 1, rnd.randrange(50), rnd.randrange(1 << 20), 1 << 60, (1 << 64) - 3])
    names = [rnd.choice(["", "a.c;", "dir/b.cc;"]) + rnd.choice(["f", "_Z1g", "größe"]) + str(i) for i in range(functions)]
    out = [rnd.choice([":ir", ":csir", ":ir\n:entry_first", ":ir\n:instrument_loop_entries", ":IR", ":ir\n:single_byte_coverage"])]
    if seed % 3 == 0:
        traces = [[rnd.choice(names) for _ in range(rnd.randrange(1, 9))] for _ in range(rnd.randrange(1, 5))]
        out += [":temporal_prof_traces", str(len(traces)), str(len(traces) + 3 * (seed % 2))]
        out += [line for trace in traces for line in (str(rnd.randrange(1, 4)), ",".join(trace) + ",")]
    for name in names:
        for _ in range(rnd.choice([1, 1, 1, 2, 3, 7])):
            shape = random.Random(name + str(functions))
            hash_ = rnd.choice([shape.randrange(1 << 60), rnd.randrange(1 << 30), rnd.randrange(1 << 60) | 1 << 60])
            shape = random.Random(hash_ + seed % 4 // 3)
            counters = shape.randrange(1, 8)
            out += [name, "# Func Hash:", str(hash_), str(counters), *(str(count()) for _ in range(counters))]
            # The judge gives a function without this line the bitmap of the one before it.
            out += [f"${(n := shape.choice([0, 0, 0, 1, 4]))}", *(f"{rnd.randrange(256):#x}" for _ in range(n))]
            kinds = [kind for kind in range(3) if shape.random() < 0.3]
            out += [str(len(kinds))] if kinds else []
            for kind in kinds:
                out += [str(kind), str(sites := shape.randrange(1, 4))]
                for _ in range(sites):
                    if kind == 1:
                        values = rnd.sample(range(600), rnd.choice([0, 1, 3, 20]))
                    else:
                        values = rnd.sample([*names, "outside", "** External Symbol **"], rnd.randrange(4))
                    out += [str(len(values)), *(f"{value}:{rnd.randrange(1, 30)}" for value in values)]
            out += [""]
    return "\n".join(out) + "\n"


def traces_profile(seed, functions, traces):
    """Start-ups that have a part in common, whole or in another order: many functions are as good in one place as in another."""
    rnd = random.Random(seed)
    names = [rnd.choice(["", "", "a.c;", "b.c:"]) + f"f{i}" for i in range(functions)]
    common = rnd.sample(names, functions // 2)
    out = [":ir", ":temporal_prof_traces", str(traces), str(traces)]
    for _ in range(traces):
        size = rnd.randrange(1, functions + 1)
        start = rnd.randrange(functions)
        trace = rnd.choice([rnd.sample(names, size), list(dict.fromkeys(common + rnd.sample(names, size))), names[start:] + names[:start]])
        out += [str(rnd.randrange(1, 4)), ",".join(trace[::rnd.choice([1, -1])])]
    return "\n".join(out + [line for name in names for line in (name, "1", "1", "1", "")]) + "\n"


class Comparison:
    def __init__(self, pgokit, folder, every):
        self.pgokit, self.folder, self.compared, self.different = pgokit, folder, 0, 0
        self.share = share.Share(every)

    def run(self, program, arguments):
        return subprocess.run([*program, *map(str, arguments)], capture_output=True, timeout=120, cwd=self.folder)

    def count(self, same, *what):
        self.compared += 1
        if not same:
            self.different += 1
            print("different:", *what)

    def merge(self, *arguments, judge=JUDGE):
        """The bytes that both tools make, and what they say."""
        if not self.share.takes():
            return
        outputs = self.folder / "theirs", self.folder / "ours"
        for output in outputs:
            output.unlink(missing_ok=True)
        theirs = self.run([judge, "merge"], ["-num-threads=1", *arguments, "-o", outputs[0]])
        if theirs.returncode < 0:
            return  # it crashed
        ours = self.run([self.pgokit, "llvm-profdata", "merge"], [*arguments, "-o", outputs[1]])
        contents = [output.read_bytes() if output.exists() else b"" for output in outputs]
        same = theirs.returncode == ours.returncode and contents[0] == contents[1]
        # Ours say where in the file something is wrong.
        said = [[line.split(" (offset")[0].split(": ")[:3] for line in run.stderr.decode().splitlines()
                 if not line.startswith("PLEASE")] for run in (theirs, ours)]
        self.count(same and said[0] == said[1], theirs.returncode, ours.returncode, "merge", *arguments)

    def show(self, file, shows=None):
        for options in self.share.of(shows or SHOWS):
            theirs, ours = (self.run(tool, ["show", file, *options]) for tool in ([JUDGE], [self.pgokit, "llvm-profdata"]))
            if theirs.returncode < 0:
                continue
            self.count((theirs.returncode, theirs.stdout) == (ours.returncode, ours.stdout), "show", file, *options)

    def overlap(self, base, test, overlaps=None):
        for options in self.share.of(overlaps or OVERLAPS):
            theirs, ours = (self.run(tool, ["overlap", base, test, *options]) for tool in
                            ([JUDGE], [self.pgokit, "llvm-profdata"]))
            if theirs.returncode < 0:
                continue
            self.count((theirs.returncode, theirs.stdout) == (ours.returncode, ours.stdout), "overlap", base, test, *options)

    def order(self, *arguments):
        if not self.share.takes():
            return
        outputs = self.folder / "theirs", self.folder / "ours"
        done = []
        for tool, output in zip(([JUDGE], [self.pgokit, "llvm-profdata"]), outputs):
            output.unlink(missing_ok=True)
            done.append(self.run(tool, ["order", *arguments, "-o", output]))
        contents = [output.read_bytes() if output.exists() else b"" for output in outputs]
        said = [run.stderr.decode().split(" (offset")[0].split(": ")[:3] for run in done]
        same = (done[0].returncode, contents[0]) == (done[1].returncode, contents[1])
        # Where a file is broken, ours say more.
        self.count(same and (said[0] == said[1] or done[0].returncode), "order", *arguments)

    def orders(self, every, seeds):
        for name in "temporal", "temporal-blocks", "ir":
            for file in every.get(name, []):
                self.order(file)
            if every.get(name) and (made := self.sum_of(*every[name])):
                self.order(made)
        for seed in range(seeds):
            file = self.folder / f"traces{seed}.proftext"
            functions = [4, 9, 30, 100, 1000][seed % 5]
            file.write_text(traces_profile(seed, functions, 1 + seed * 7 % 25))
            self.order(file)
            self.order("-num-test-traces=1", file)
            self.order("--num-test-traces=7", file)
            if seed % 4 == 0:
                self.order(self.sum_of(file))
        self.order(self.folder / "nowhere.profdata")

    def sum_of(self, *arguments):
        """A file that the judge makes; None where it does not."""
        made = self.folder / f"sum{self.share.asked}.profdata"
        done = self.run([JUDGE, "merge"], [*arguments, "-o", made])
        return made if done.returncode == 0 else None

    def build(self, name, compile_, source=SOURCE):
        program = self.folder / name
        if not shutil.which(compile_[0]):
            return None
        done = self.run(compile_, ["-w", source, "-o", program])
        if done.returncode:
            print(f"not built: {name}: {done.stderr.decode().strip().splitlines()[-1:]}")
            return None
        return program

    def raw_files(self, program, pattern="{name}-{n}.profraw"):
        files = []
        for n in RUNS:
            file = self.folder / pattern.format(name=program.name, n=n)
            subprocess.run([program, str(n)], env={"LLVM_PROFILE_FILE": str(file)}, stdout=subprocess.DEVNULL, check=True)
            files.append(file)
        return files

    def family(self, files):
        for options in [], ["-text"], ["-sparse"], ["-sparse", "-text"]:
            self.merge(*options, *files)
            self.merge(*options, files[0])
        self.merge("-weighted-input=3," + str(files[0]), "-weighted-input=10," + str(files[1]), files[2])
        self.merge("-text", "-weighted-input=10," + str(files[1]), files[0])
        made = self.sum_of(*files)
        if made:
            self.merge(made, files[0])
            self.merge("-text", files[1], made, made)
            self.show(made)
            self.overlap(made, files[1], OVERLAPS[::2])
            self.overlap(files[2], made, OVERLAPS[1::2])
        self.show(files[1], SHOWS[1:6:2] + SHOWS[6:8])
        self.overlap(files[0], files[1])
        self.overlap(files[2], files[2], OVERLAPS[:1])

    def programs(self):
        every = {}
        for name, compile_ in PROGRAMS.items():
            if program := self.build(name, compile_):
                every[name] = self.raw_files(program)
                self.family(every[name])
        table = self.folder / "names"
        table.write_text("main start\n_Z8classifyi _Z5totali\ncounted.cc;_ZL4stepii start\n_Z4stepii _Z8classifyi\n")
        for a, b in itertools.pairwise(sorted(every)):
            self.merge("-text", every[a][0], every[b][1])
            self.merge(f"-remapping-file={table}", every[a][0], *every[a])
            self.overlap(every[a][0], every[b][1], OVERLAPS[:4])
            self.merge("-failure-mode=warn", *every[b][:2], every[a][0], *every[b][2:])
        every |= self.context_sensitive(every)
        self.pools(every)
        self.correlated(every)
        self.covered_entries()
        self.memory_profiles(every)
        return every

    def raw_memory_profiles(self, program, raw, other):
        """Merged and shown; of several profiles the judge keeps the first, and so do we, with a warning."""
        both = self.folder / "both-dumps.raw"
        both.write_bytes(raw.read_bytes() + other.read_bytes())
        how = [f"-profiled-binary={program}"]
        for version in 2, 3, 4:
            for schema in [], ["-memprof-full-schema"]:
                for files in [raw], [other], [both], [other, raw, both]:
                    theirs, ours = self.folder / "theirs.profdata", self.folder / "ours.profdata"
                    options = [*files, *how, f"-memprof-version={version}", *schema]
                    self.run([JUDGE, "merge", "-num-threads=1"], [*options, "-o", theirs])
                    done = self.run([self.pgokit, "llvm-profdata", "merge"], [*options, "-o", ours])
                    self.count(theirs.read_bytes() == ours.read_bytes(), "raw memory profile", version, *schema, *files)
                    self.count(done.stderr.count(b"left out") == len(files) - 1, "warnings", *files)
                    self.show(theirs, [["--memory"]])
        for file in raw, both:
            self.show(file, [["--memory", *how]])
        # Added up, there is what is in both.
        one, two, sum_ = (self.folder / name for name in ("one.profdata", "two.profdata", "sum.profdata"))
        for file, made in (raw, one), (other, two):
            self.run([self.pgokit, "llvm-profdata", "merge"], [file, *how, "-o", made])
        self.run([self.pgokit, "merge"], [one, two, "-o", sum_])
        allocations = [self.run([JUDGE, "show"], ["--memory", file]).stdout.count(b"AllocCount:") for file in (one, two, sum_)]
        self.count(allocations[2] == allocations[0] + allocations[1] > 0, "sum of memory profiles", allocations)

    def memory_profiles(self, every):
        """The judge keeps a memory profile only where it reads the raw one, so that is what indexed ones are compared with."""
        program = self.build("memory", ["clang++-22", "-O1", "-g", "-fmemory-profile", "-fdebug-info-for-profiling", "-no-pie",
                                        "-fno-omit-frame-pointer", "-Wl,--build-id"], ROOT / "test/programs/allocations.cc")
        if not program:
            return
        for _ in range(2):  # libraries in the same places
            subprocess.run(["setarch", "-R", program], env={"MEMPROF_OPTIONS": f"log_path={program}.raw:print_text=0"}, check=True,
                           stderr=subprocess.DEVNULL)
        raw, other = sorted(self.folder.glob("memory.raw.*"))
        self.raw_memory_profiles(program, raw, other)
        data = self.folder / "data.yaml"
        data.write_text("---\nDataAccessProfiles:\n  SampledRecords:\n    - Symbol: foo\n      AccessCount: 100\n      Locations: []\n"
                        "  KnownColdSymbols:\n    - bar\nHeapProfileRecords: []\n...\n")
        for version, source in (2, raw), (3, raw), (4, raw), (4, data):
            how = [f"-memprof-version={version}", f"-profiled-binary={program}"]
            alone, whole, ours = (self.folder / name for name in ("alone.profdata", "whole.profdata", "ours.profdata"))
            self.run([JUDGE, "merge"], [source, *how, "-o", alone])
            self.run([self.pgokit, "llvm-profdata", "merge"], [alone, "-o", ours])
            self.count(alone.read_bytes() == ours.read_bytes(), "memory profile", version, source)
            for name in "ir", "fe", "temporal", "vtables":
                files = every.get(name, [])
                self.run([JUDGE, "merge", "-num-threads=1"], [*files, source, *how, "-o", whole])
                for inputs in [*files, alone], [alone, *files]:
                    for tool in ["llvm-profdata", "merge"], ["merge", "--quiet"]:
                        if name == "vtables" and tool[0] == "merge":
                            continue  # values that are as frequent as others are in another order
                        ours.unlink(missing_ok=True)
                        self.run([self.pgokit, *tool], [*inputs, "-o", ours])
                        same = ours.exists() and whole.read_bytes() == ours.read_bytes()
                        self.count(same, "memory profile", version, source, name, tool)
            self.run([self.pgokit, "llvm-profdata", "merge"], [whole, "-o", ours])
            self.count(whole.read_bytes() == ours.read_bytes(), "memory profile again", version, source)

    def covered_entries(self):
        """Said to have times, and have none; what the judge makes of several of them, or of its own sum, crashes it."""
        flags = [*IR, "-mllvm", "-pgo-function-entry-coverage", "-mllvm", "-pgo-temporal-instrumentation"]
        if program := self.build("timed-entries", ["clang++-22", "-O1", *flags]):
            for file in self.raw_files(program):
                self.merge("-text", file)
                self.order(file)
                if made := self.sum_of(file):
                    self.merge("-text", made)
                    self.order(made)
                merged = self.folder / "entries.profdata"
                done = self.run([self.pgokit, "merge"], [file, "-o", merged])
                self.count(b"no times of first runs" in done.stderr and not done.returncode, "merge", file)
                self.show(merged, SHOWS[:2])

    def correlated(self, every):
        programs = {}
        for name, compile_ in CORRELATED.items():
            kind = "binary" if name.startswith("binary") else "debug-info"
            flags = [*IR, "-mllvm", "-disable-vp=true", "-mllvm", f"-profile-correlate={kind}"]
            if program := self.build(name, [*compile_, *flags]):
                files = self.raw_files(program)
                programs[kind] = program, files
                option = f"-{'binary-file' if kind == 'binary' else kind}={program}"
                self.merge(option, *files)
                self.merge("-text", option, files[0], files[0])
                self.merge("-sparse", option, f"-weighted-input=7,{files[1]}", files[2])
                self.merge("-text", option, "-max-debug-info-correlation-warnings=1", files[0], every["no-values"][0])
                self.merge("-failure-mode=all", option, "-max-debug-info-correlation-warnings=0", files[0], every["ir"][1])
                self.merge(*files)
        if len(programs) < 2:
            return
        (by_debug_info, files), (by_sections, others) = programs["debug-info"], programs["binary"]
        self.merge(f"-debug-info={by_debug_info}", f"-binary-file={by_sections}", files[0])
        self.merge(f"-debug-info={by_debug_info}", *others)
        self.merge(f"-binary-file={by_debug_info}", *files)
        self.merge(f"-debug-info={self.folder / 'ir'}", *files)
        self.merge(f"-binary-file={self.folder / 'ir'}", *others)

    def context_sensitive(self, every):
        used = self.sum_of(*every["ir"])
        program = self.build("cs", ["clang++-22", "-O2", "-fcs-profile-generate", f"-fprofile-use={used}"])
        if not program:
            return {}
        files = self.raw_files(program)
        self.family(files)
        self.merge(used, *files)
        self.merge("-text", used, *files)
        if both := self.sum_of(used, *files):
            self.show(both)
            self.overlap(both, files[0])
            self.overlap(used, both)
        return {"cs": files}

    def pools(self, every):
        """Files that the runtime itself adds up, and one per process; two profiles in one file."""
        for name in "ir", "fe":
            program = self.folder / name
            self.raw_files(program, f"pool-{name}-%2m.profraw")
            self.raw_files(program, f"process-{name}-%p.profraw")
            self.merge("-text", *sorted(self.folder.glob(f"pool-{name}-*.profraw")))
            self.merge(*sorted(self.folder.glob(f"process-{name}-*.profraw")))
        joined = self.folder / "joined.profraw"
        joined.write_bytes(every["ir"][0].read_bytes() + bytes(16) + every["entry"][1].read_bytes())
        self.merge(joined, every["ir"][1])
        self.show(joined, [["-all-functions", "-counts"]])

    def texts(self, seeds, functions):
        files = []
        for seed in range(seeds):
            files.append(self.folder / f"text{seed}.proftext")
            files[-1].write_text(text_profile(seed, functions))
        for i in range(0, seeds - 3, 4):
            self.family(files[i:i + 4])
        many = files * 30  # more traces than are kept
        self.merge("-text", *many)
        self.merge("-temporal-profile-max-trace-length=2", "-temporal-profile-trace-reservoir-size=5", *files)
        self.merge("-text", "-temporal-profile-trace-reservoir-size=3", *many)
        self.merge("-function=f1", "-text", *files)
        table = self.folder / "table"
        table.write_text("# old names and new ones\n\nf1 f2\na.c;f2 f3\nf4 new\nf4 newer\n_Z1g1 f2\nf5 f6\nf6 f5\n")
        for i in range(0, seeds, 2):
            self.merge("-text", f"-remapping-file={table}", *files[i:i + 2])
        self.merge("-sparse", f"-r={table}", "-function=f[2-6]", *files)
        self.merge("-no-function=f", "-function=[0-3]", *files)

    def supplemented(self, seeds):
        """Functions that are cold in one profile and hot in the other; static ones have other names in samples."""
        plain = [f"f{i}" for i in range(12)]
        static = ["x.c;s1", "y.cc;s1", "x.c;s2", "a/b.CPP;s3", "h.h;s4.__uniq.77", "k.hpp;s5", "m.c;s6.__uniq.5"]
        for seed in range(seeds):
            rnd = random.Random(seed)
            sampled = plain + ["s1", "s2", "s3", "s4", "s5", "other", "s6"] + seed % 2 * ["s4.__uniq.77", "s2.__uniq.1"]

            def body(depth):
                for line in range(1, rnd.randrange(2, 5)):
                    if rnd.random() < 0.3 and depth < 4:
                        yield " " * depth + f"{line + 10}: {rnd.choice(sampled)}:{rnd.randrange(1000)}"
                        yield from body(depth + 1)
                    else:
                        yield " " * depth + f"{line}: {rnd.choice([0, rnd.randrange(10), rnd.randrange(100000)])}"

            counted, samples = [":ir"], []
            for name in rnd.sample(plain + static, 16):
                for hash_ in [1, 2][:rnd.choice([1, 1, 1, 1, 2])]:
                    hot = rnd.random() < 0.3
                    counts = [rnd.randrange(100000) if hot else rnd.choice([0, 0, rnd.randrange(5)])
                              for _ in range(rnd.choice([1, 3, 10, 12, 20]))]
                    counted += [name, str(hash_), str(len(counts)), *map(str, counts)]
                    counted += ["1", "0", "1", "2", f"f1:{rnd.randrange(1000)}", "f2:3"] if rnd.random() < 0.3 else []
                    counted += [""]
            for name in rnd.sample(sampled, rnd.randrange(1, len(sampled))):
                samples += [f"{name}:{rnd.randrange(100000)}:{rnd.randrange(1000)}", *body(1)]
            profile, text, binary = (self.folder / f"supplement.{end}" for end in ("proftext", "txt", "prof"))
            profile.write_text("\n".join(counted) + "\n")
            text.write_text("\n".join(samples) + "\n")
            self.run([JUDGE, "merge"], ["-sample", text, "-o", binary])
            for options in ([], ["-suppl-min-size-threshold=0"], ["-zero-counter-threshold=0.2", "-text"],
                            ["-zero-counter-threshold=1", "-text", "-suppl-min-size-threshold=2"],
                            ["-instr-prof-cold-threshold=500", "-text"]):
                self.merge(f"-supplement-instr-with-sample={rnd.choice([text, binary])}", *options, profile)
        self.merge(f"-supplement-instr-with-sample={text}", profile, profile)
        self.merge(f"-supplement-instr-with-sample={text}", f"-weighted-input=2,{profile}")

    def old_compilers(self):
        """Of older versions the text is compared with that of the tool that belongs to them."""
        for name, compile_ in OLD_PROGRAMS.items():
            program = self.build("old-" + name, compile_) if shutil.which(OLD_JUDGE) else None
            if not program:
                continue
            files = self.raw_files(program)
            for inputs in files[:1], files:
                outputs = [self.folder / "theirs", self.folder / "ours"]
                self.run([OLD_JUDGE, "merge", "-text", "-num-threads=1"], [*inputs, "-o", outputs[0]])
                self.run([self.pgokit, "llvm-profdata", "merge", "-text"], [*inputs, "-o", outputs[1]])
                self.count(outputs[0].read_bytes() == outputs[1].read_bytes(), "old", *inputs)
            indexed = self.folder / f"old-{name}.profdata"
            self.run([OLD_JUDGE, "merge"], [*files, "-o", indexed])
            self.merge(indexed)
            self.merge("-text", indexed, indexed)
            self.show(indexed)

    def bad_files(self, every):
        """Not an indexed file that is cut: the judge reads past its end."""
        raw = every["ir"][0].read_bytes()
        indexed = self.sum_of(every["ir"][0]).read_bytes()
        bad = {"empty": b"", "half.profraw": raw[:len(raw) // 2], "head.profraw": raw[:40], "tail.profraw": raw + b"more",
               "version.profraw": raw[:8] + struct.pack("<Q", 77) + raw[16:],
               "version.profdata": indexed[:8] + struct.pack("<Q", 99) + indexed[16:], "junk": b"\1\2\3",
               "number.proftext": b":ir\nf\n1\n2\n3\nx\n", "cut.proftext": b":ir\nf\n1\n2\n3\n", "flag.proftext": b":no\nf\n1\n1\n1\n",
               "zero.proftext": b"f\n1\n0\n", "kinds.proftext": b"f\n1\n1\n1\n9\n", "hash.proftext": b"f\nx\n1\n1\n"}
        good = self.folder / "good.proftext"
        good.write_bytes(b":ir\nf\n1\n2\n3\n4\n")
        for name, contents in bad.items():
            file = self.folder / name
            file.write_bytes(contents)
            self.merge(file)
            if name not in ("tail.profraw", "number.proftext", "cut.proftext"):  # the judge adds the part in front
                self.merge("-failure-mode=all", file, good)
                self.merge("-failure-mode=warn", file)
            self.show(file, [[]])
            if name != "tail.profraw" and not name.endswith(".proftext"):  # the same
                self.overlap(file, good, OVERLAPS[:1])
                self.overlap(good, file, OVERLAPS[:1])
        self.merge("-text", self.folder / "nowhere")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pgokit", required=True)
    share.add_option(parser)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--keep", action="store_true", help="the files, in instr.kept")
    args = parser.parse_args()
    for tool in JUDGE, "clang++-22":
        if not shutil.which(tool):
            print(f"skipped: {tool} is not there (./dev setup)")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(pathlib.Path(args.pgokit).resolve(), pathlib.Path(folder), args.every)
        every = comparison.programs()
        comparison.bad_files(every)
        comparison.old_compilers()
        comparison.orders(every, 200 if args.large else 25)
        comparison.supplemented(60 if args.large else 12)
        comparison.texts(*((40, 400) if args.large else (8, 30)))
        if args.keep:
            shutil.copytree(folder, "instr.kept", dirs_exist_ok=True)
    print(f"{comparison.compared} compared, {comparison.different} different")
    return 1 if comparison.different else 0


sys.exit(main())

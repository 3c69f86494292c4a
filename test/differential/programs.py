"""The matrix of test programs: sources x flags, built by clang 22 and kept in the build folder.

    for program in matrix(large=False):
        path = program.build(folder)      # None where it cannot be built here; program.problem tells
"""
import dataclasses
import hashlib
import pathlib
import shutil
import subprocess

import rust_programs

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent / "programs"
# Of Debian's libc6-dev-arm64-cross; clang finds it by itself.
CROSS_LIBRARIES = pathlib.Path("/usr/aarch64-linux-gnu/include/stdio.h")
EXAMPLES = HERE.parent.parent / "examples"

INPUTS = {
    "calc": [SOURCES / "calc.c"],
    "shapes": [SOURCES / "shapes.cc"],
    "pair": [SOURCES / "pair_main.cc", SOURCES / "pair_lib.cc"],
    "bare": [SOURCES / "bare.c"],
    "interpreter": sorted(EXAMPLES.glob("interpreter/*.cc")),
}

# Name of a choice -> (flags for the compiler, flags for the linker).
CHOICES = {
    "O0": (["-O0"], []), "O1": (["-O1"], []), "O2": (["-O2"], []), "O3": (["-O3"], []),
    "probes": (["-fpseudo-probe-for-profiling"], ["-fpseudo-probe-for-profiling"]),
    "nopie": (["-fno-pie"], ["-no-pie"]),
    "pie": (["-fPIE"], ["-pie"]),
    "shared": (["-fPIC"], ["-shared"]),
    "gc": (["-ffunction-sections", "-fdata-sections"], ["-Wl,--gc-sections"]),
    "thinlto": (["-flto=thin"], ["-flto=thin"]),
    "lto": (["-flto"], ["-flto"]),
    "dbgprof": (["-fdebug-info-for-profiling"], []),
    "unique": (["-funique-internal-linkage-names"], []),
    "dwarf4": (["-gdwarf-4"], []),
    "splitdwarf": (["-gsplit-dwarf"], []),
    "gz": (["-gz"], ["-gz"]),
    "gzstd": (["-gz=zstd"], ["-gz=zstd"]),
    "lines": (["-gline-tables-only"], []),
    "bfd": ([], ["-fuse-ld=bfd"]),
    "icf": (["-ffunction-sections"], ["-Wl,--icf=all"]),
    "ehsplit": (["-fsplit-machine-functions", "-mllvm", "-mfs-split-ehcode"], []),
    "hotcold": (["-mllvm", "-hot-cold-split=true", "-mllvm", "-hotcoldsplit-threshold=-1"], []),
    "sections": (["-fbasic-block-sections=all"], []),
    "dup": (["-mllvm", "-unroll-threshold=2000", "-mllvm", "-unroll-runtime"], []),
    "aarch64": (["--target=aarch64-linux-gnu", "-ffreestanding"],
                ["--target=aarch64-linux-gnu", "-nostdlib", "-static"]),
    "arm64": (["--target=aarch64-linux-gnu"], ["--target=aarch64-linux-gnu"]),  # with the cross libraries
    "pac": (["-march=armv8.3-a", "-mbranch-protection=standard"], []),
    "sve": (["-march=armv9-a"], []),
    "page64k": ([], ["-Wl,-z,max-page-size=65536", "-Wl,-z,separate-loadable-segments"]),
    "fs": (["-fdebug-info-for-profiling", "-mllvm", "-enable-fs-discriminator=true"], []),
}
# Older compilers, whose checksums of copies of one function differ.
COMPILERS = {"clang14": "14", "clang16": "16"}
# "trained" is built twice: the second time with a profile that llvm-profgen made of a walk over the
# first, and split by it. clang 22 cannot assemble probes of split functions.
SPLIT = ["-fsplit-machine-functions", "-mllvm", "-mfs-psi-cutoff=950000"]


@dataclasses.dataclass(eq=False)
class Program:
    source: str
    choices: tuple
    problem: str = ""

    @property
    def name(self):
        return "-".join((self.source,) + self.choices)

    @property
    def has_probes(self):
        return "probes" in self.choices

    @property
    def compiler(self):
        return next((f"clang-{COMPILERS[choice]}" for choice in self.choices if choice in COMPILERS), "clang-22")

    def compiler_for(self, source):
        return self.compiler if source.suffix == ".c" else self.compiler.replace("clang", "clang++")

    def flags(self):
        compile_flags, link_flags = ["-g"], []
        for choice in self.choices:
            if choice in COMPILERS:
                compile_flags.append("-std=c++17")
            elif choice != "trained":
                compile_flags += CHOICES[choice][0]
                link_flags += CHOICES[choice][1]
        if not any(flag.startswith("-fuse-ld") for flag in link_flags):
            link_flags.append("-fuse-ld=lld-22")
        return compile_flags, link_flags

    def key(self):
        digest = hashlib.sha1(repr((self.flags(), self.choices)).encode())
        for file in INPUTS[self.source]:
            for part in sorted(file.parent.glob("*.h")) + [file]:
                digest.update(part.read_bytes())
        return digest.hexdigest()[:12]

    def build(self, folder, walk):
        out = folder / f"{self.name}.{self.key()}" / self.name
        if out.exists():
            return out
        if "arm64" in self.choices and not CROSS_LIBRARIES.exists():
            return self.give_up("skipped, the cross libraries for AArch64 are not there (./dev setup)")
        if not shutil.which(self.compiler):
            return self.give_up(f"skipped, {self.compiler} is not installed (./dev setup)")
        work = out.parent
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        extra = []
        if "trained" in self.choices:
            plain = Program(self.source, tuple(c for c in self.choices if c != "trained"))
            before = plain.build(folder, walk)
            if before is None:
                return self.give_up(plain.problem)
            extra = [f"-fprofile-sample-use={train(before, work, walk)}"]
            extra += [] if self.has_probes else SPLIT
        return self.compile(work, out, extra)

    def compile(self, work, out, extra):
        compile_flags, link_flags = self.flags()
        objects = []
        for file in INPUTS[self.source]:
            objects.append(f"{file.stem}.o")
            command = [self.compiler_for(file), "-w", *compile_flags, *extra, "-c", str(file), "-o", objects[-1]]
            if not self.run(command, work):
                return None
        clang = self.compiler_for(INPUTS[self.source][0])
        if not self.run([clang, *link_flags, *objects, "-o", out.name + ".new"], work):
            return None
        (work / (out.name + ".new")).rename(out)
        return out

    def run(self, command, work):
        try:
            done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        except FileNotFoundError as error:
            self.give_up(str(error))
            return False
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            self.give_up((errors or [f"exit {done.returncode}"])[0])
        return done.returncode == 0

    def give_up(self, problem):
        self.problem = problem
        return None


def train(binary, work, walk):
    script, profile = work / "train.script", work / "train.prof"
    subprocess.run([walk, binary, "-o", script, "--samples", "4000", "--seed", "9"], check=True)
    subprocess.run(["llvm-profgen-22", "--binary", binary, "--perfscript", script,
                    "--output", profile, "--format=text"], check=True, capture_output=True)
    return profile


QUICK = [
    "calc O2 nopie", "calc O0 pie", "calc O2 nopie probes", "calc O3 pie probes dwarf4",
    "shapes O2 nopie", "shapes O3 pie probes", "shapes O2 nopie ehsplit",
    "pair O2 nopie gc", "pair O2 nopie probes", "pair O2 nopie probes thinlto",
    "pair O3 shared probes", "pair O2 pie splitdwarf", "pair O2 nopie trained",
    "pair O2 nopie probes trained", "interpreter O2 nopie", "interpreter O2 nopie probes",
    "interpreter O2 nopie probes clang14", "interpreter O2 nopie probes clang16",
    "bare O2 nopie aarch64", "bare O2 nopie probes aarch64",
    "shapes O2 pie arm64", "shapes O2 nopie probes arm64", "pair O2 nopie probes thinlto arm64",
    "shapes O2 pac pie arm64",
]


def quick():
    return [Program(line.split()[0], tuple(line.split()[1:])) for line in QUICK] + rust_programs.quick()


def large():
    out = quick()
    for source in ("calc", "shapes", "pair"):
        for level in ("O0", "O1", "O2", "O3"):
            for link in ("nopie", "pie", "shared"):
                for probes in ((), ("probes",)):
                    out.append(Program(source, (level, link) + probes))
    for source in ("shapes", "pair"):
        for special in ("gc", "thinlto", "lto", "dbgprof", "unique", "dwarf4", "splitdwarf", "gz",
                        "gzstd", "lines", "bfd", "icf", "ehsplit", "hotcold", "sections", "dup",
                        "fs", "trained"):
            for probes in ((), ("probes",)):
                out.append(Program(source, ("O2", "nopie") + probes + (special,)))
    for level in ("O0", "O1", "O3"):
        out.append(Program("bare", (level, "nopie", "aarch64")))
        out.append(Program("bare", (level, "nopie", "probes", "aarch64")))
    for source in ("calc", "shapes", "pair"):
        for link in ("nopie", "pie", "shared"):
            for probes in ((), ("probes",)):
                out.append(Program(source, ("O2", link) + probes + ("arm64",)))
    for special in ("O0", "O3", "gc", "thinlto", "lto", "dbgprof", "dwarf4", "splitdwarf", "icf", "ehsplit",
                    "hotcold", "dup", "trained", "pac", "sve", "page64k"):
        level = () if special.startswith("O") else ("O2",)
        for probes in ((), ("probes",)):
            out.append(Program("shapes", level + (special, "pie") + probes + ("arm64",)))
    for choices in ("O2 nopie thinlto", "O2 nopie probes lto", "O3 pie probes", "O2 pie trained",
                    "O2 pie arm64", "O2 pie probes arm64"):
        out.append(Program("interpreter", tuple(choices.split())))
    out += rust_programs.large()
    return list({program.name: program for program in reversed(out)}.values())[::-1]

"""Builds and runs instrumented programs, and asks the judges: nm, callgrind, clang's own instrumentation."""
import collections
import os
import re
import shutil
import subprocess
import sys

import mip

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHAPES = [os.path.join(HERE, "shapes.cc"), os.path.join(HERE, "shapes_other.cc")]
LINKERS = {"lld": "lld-22", "bfd": "bfd", "gold": "gold"}


class Skip(Exception):
    pass


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def run(command, env=None, check=True, text=True, **more):
    result = subprocess.run(command, text=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=dict(os.environ, **(env or {})), **more)
    if check and result.returncode:
        raise AssertionError(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result


class Build:
    """lib: the folder of the plugin and the run time; folder: where files may be written."""

    def __init__(self, lib, folder):
        self.lib, self.folder = lib, folder
        self.plugin = os.path.join(lib, "pgokit-plugin.so")
        self.runtime = os.path.join(lib, "libpgokit_rt.a")
        self.target = []  # flags of the compiler for another processor
        self.runner = []  # what runs its programs
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def flags(self, kinds, *options):
        result = [f"-fpass-plugin={self.plugin}", "-mllvm", f"-pgokit-kinds={kinds}"]
        for option in options:
            result += ["-mllvm", f"-pgokit-{option}"]
        return result

    def program(self, name, kinds, sources=SHAPES, flags=("-O2",), linker="lld", link=(), options=(), runtime=True,
                compiler="clang++-22"):
        out = self.path(name)
        library = [self.runtime] if runtime and kinds else []
        instrument = self.flags(kinds, *options) if kinds else []
        objects = []
        for index, source in enumerate(sources):
            objects.append(f"{out}.{index}.o")
            run([compiler, *self.target, *flags, *instrument, "-c", source, "-o", objects[-1]])
        extra = [f"-fuse-ld={LINKERS[linker]}"] if linker else []
        run([compiler, *self.target, *flags, *extra, *objects, *library, "-Wl,--build-id", *link, "-o", out])
        return out

    def dump(self, program, *arguments, name=None, env=None):
        out = name or program + ".mipraw"
        if os.path.exists(out):
            os.unlink(out)
        run([*self.runner, program, *arguments], env={"PGOKIT_PROFILE_FILE": out, **(env or {})})
        return mip.read_dumps(out)

    def counts(self, program, *arguments, env=None):
        """Functions of the map by name, with what one run counted; one name may be there more than once."""
        functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
        dumps = self.dump(program, *arguments, env=env)
        assert len(dumps) == 1 and dumps[0].crc_ok, dumps
        result = collections.defaultdict(list)
        for function in functions:
            assert function.raw_start == dumps[0].raw_address
            result[function.name].append((function, mip.counts_of(function, dumps[0].raw)))
        return result


def symbols(program):
    """name → [(address, size)] of functions."""
    result = collections.defaultdict(list)
    for line in run(["llvm-nm-22", "--defined-only", "-S", program]).stdout.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tTwWi":
            result[parts[3]].append((int(parts[0], 16), int(parts[1], 16)))
    return result


Callgrind = collections.namedtuple("Callgrind", "calls edges executed")


def callgrind(program, out, *arguments, env=None):
    """Calls by name of the function called, by (caller, callee), and executions by instruction address."""
    plain = program + ".plain"  # valgrind 3.19 stumbles over clang's debug information
    run(["llvm-objcopy-22", "--strip-debug", program, plain])
    program = plain
    run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no",
         "--demangle=no", "--separate-recs=1", f"--callgrind-out-file={out}", program, *arguments],
        env={"PGOKIT_PROFILE_FILE": "", **(env or {})})
    calls, edges, executed = collections.Counter(), collections.Counter(), collections.Counter()
    function = callee = None
    skip = inside = False
    with open(out, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ob="):
                inside = os.path.basename(line[3:].strip()) == os.path.basename(program)
            elif line.startswith("fn="):
                function = line[3:].strip().split("'")[0]
            elif line.startswith("cfn="):
                callee = line[4:].strip().split("'")[0]
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
                calls[callee] += count
                edges[function, callee] += count
                skip = True
            elif match := re.match(r"0x([0-9a-f]+) \S+ (\d+)", line):
                if not skip and inside:
                    executed[int(match[1], 16)] += int(match[2])
                skip = False
    return Callgrind(calls, edges, executed)


def main(cases):
    lib, folder, name = sys.argv[1:4]
    try:
        need("clang-22", "llvm-objcopy-22", "llvm-nm-22", "ld.lld-22")
        if not os.path.exists(os.path.join(lib, "pgokit-plugin.so")):
            raise Skip("the plugin is not built")
        cases[name](Build(lib, os.path.join(folder, name)))
    except Skip as skip:
        print(f"skipped: {skip}")
        sys.exit(77)
    print(f"{name}: as expected")

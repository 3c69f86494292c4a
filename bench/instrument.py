#!/usr/bin/env python3
"""What instrumentation costs: pgokit's kinds beside clang's own modes, on real programs.

    ./dev bench instrument [--sources DIR] [--programs interpreter,lua] [--kinds base,coverage] [--update]

Programs are those of examples/ and, where DIR has them unpacked, lua (github.com/lua/lua), quickjs
(github.com/bellard/quickjs) and zstd (github.com/facebook/zstd). All are built with -O2, sections per function, lld and
--gc-sections. Of each build: bytes of executable sections, of the stripped file, and instructions that callgrind
counts, all as percent over the plain build. Nothing is timed, so that the figures are the same
anywhere. --update writes bench/instrument.md."""
import argparse
import concurrent.futures
import glob
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/instrument"
LIB = pathlib.Path(os.environ.get("PGOKIT_LIB", ROOT / "build/lib/pgokit"))
COMMON = ["-O2", "-w", "-ffunction-sections", "-fuse-ld=lld-22", "-Wl,--gc-sections"]


def ours(kinds, *options, runtime="libpgokit_rt.a"):
    flags = [f"-fpass-plugin={LIB}/pgokit-plugin.so", "-mllvm", f"-pgokit-kinds={kinds}"]
    for option in options:
        flags += ["-mllvm", f"-pgokit-{option}"]
    return flags, [f"{LIB}/{runtime}"]


def clang(*flags):
    return list(flags), list(flags)


SMALL = {"runtime": "libpgokit_rt_small.a"}
KINDS = {
    "base": ([], []),
    "coverage": ours("coverage"),
    "coverage, small run time": ours("coverage", **SMALL),
    "calls32": ours("calls32"),
    "calls32, small run time": ours("calls32", **SMALL),
    "order": ours("order"),
    "order, small run time": ours("order", **SMALL),
    "order-log": ours("order-log"),
    "order-log, small run time": ours("order-log", **SMALL),
    "order-calls": ours("order-calls"),
    "order-calls, small run time": ours("order-calls", **SMALL),
    "edges": ours("edges"),
    "edges, small run time": ours("edges", **SMALL),
    "block-coverage": ours("block-coverage"),
    "blocks": ours("blocks"),
    "-fprofile-generate": clang("-fprofile-generate"),
    "-pgo-function-entry-coverage": clang("-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"),
    "-ftemporal-profile": clang("-fprofile-generate", "-ftemporal-profile"),
    "-fprofile-instr-generate": clang("-fprofile-instr-generate"),
    "-pgo-block-coverage": clang("-fprofile-generate", "-mllvm", "-pgo-block-coverage"),
    "--coverage (gcov)": clang("--coverage"),
}

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words = {}
for i = 1, 3000 do words[#words + 1] = string.format("%05d", (i * 7919) % 10007) end
table.sort(words)
local joined = table.concat(words, ",")
local count = 0
for word in joined:gmatch("%d+") do if word:find("7") then count = count + #word:gsub("7", "x") end end
local point = setmetatable({}, {__index = function(_, key) return #key end})
for i = 1, 5000 do count = count + point["k" .. i % 10] end
print(fib(20), count, math.floor(math.sin(1) * 1000))
"""
JAVASCRIPT = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
class Shape { area() { return 1; } } class Square extends Shape { constructor(s) { super(); this.s = s; } area() { return this.s * this.s; } }
let words = []; for (let i = 0; i < 2000; i++) words.push(String((i * 7919) % 10007).padStart(5, '0'));
words.sort(); let text = JSON.stringify({words, nested: words.map(w => ({w, n: +w}))});
let parsed = JSON.parse(text), sum = 0;
for (const each of parsed.nested) sum += each.n;
const found = words.join(',').match(/7[0-4]+/g).length;
let shapes = []; for (let i = 0; i < 2000; i++) shapes.push(i % 2 ? new Shape() : new Square(i));
console.log(fib(18), sum, found, shapes.reduce((a, s) => a + s.area(), 0), new Map(words.map(w => [w, 1])).size);
"""


class Program:
    def __init__(self, name, compiler, sources, flags=(), link=(), arguments=()):
        self.name, self.compiler, self.flags, self.link = name, compiler, list(flags), list(link)
        self.sources, self.arguments = [str(s) for s in sources], [str(a) for a in arguments]


def text(name, content):
    path = WORK / name
    path.write_text(content)
    return path


def programs(folder):
    examples = ROOT / "examples"
    yield Program("interpreter", "clang++-22", sorted(glob.glob(f"{examples}/interpreter/*.cc")), ["-std=c++20"],
                  arguments=[examples / "interpreter/workload.sprig", 1, 2])
    yield Program("documents", "clang++-22", [examples / "documents/main.cc"], ["-std=c++20"], arguments=[1, 5])
    if (folder / "lua/onelua.c").exists():
        yield Program("lua", "clang-22", [folder / "lua/onelua.c"], ["-DLUA_USE_POSIX", "-Dluai_makeseed()=1"], ["-lm"], [text("bench.lua", LUA)])
    if (folder / "quickjs/quickjs.c").exists():
        stub = text("repl.c", "#include <stdint.h>\nconst uint8_t qjsc_repl[1]; const uint32_t qjsc_repl_size = 0;\n")
        names = ["quickjs", "libregexp", "libunicode", "cutils", "quickjs-libc", "qjs", "dtoa"]
        yield Program("quickjs", "clang-22", [folder / f"quickjs/{n}.c" for n in names] + [stub],
                      ["-D_GNU_SOURCE", '-DCONFIG_VERSION="x"', "-fwrapv"], ["-lm", "-lpthread", "-ldl"],
                      [text("bench.js", JAVASCRIPT)])
    if (folder / "zstd/lib").exists():
        sources = [s for part in ("common", "compress", "decompress", "dictBuilder") for s in
                   sorted(glob.glob(f"{folder}/zstd/lib/{part}/*.c"))] + sorted(glob.glob(f"{folder}/zstd/programs/*.c"))
        data = WORK / "bench.data"
        data.write_bytes(b"".join(b"%d:%d;" % (i * i % 9973, i % 61) for i in range(60000)))
        yield Program("zstd", "clang-22", sources, ["-DZSTD_DISABLE_ASM", "-DXXH_NAMESPACE=ZSTD_", "-DZSTD_LEGACY_SUPPORT=0"],
                      ["-lpthread"], ["-5", "-q", "-f", "--single-thread", data, "-o", WORK / "bench.zst"])


built = set()  # objects of this run: kinds that differ in the link only share them


def build(program, kind):
    compile_flags, link_flags = KINDS[kind]
    folder = WORK / program.name / re.sub(r"\W+", "_", kind)
    objects = folder.parent / re.sub(r"\W+", "_", "objects " + " ".join(compile_flags[-6:]))
    out = folder / "program"
    for each in (folder, objects):
        each.mkdir(parents=True, exist_ok=True)

    def compile_one(source):
        target = objects / (pathlib.Path(source).stem + ".o")
        if target in built:
            return str(target)
        built.add(target)
        subprocess.run([program.compiler, *COMMON, *program.flags, *compile_flags, "-c", source, "-o", target], check=True,
                       stderr=subprocess.DEVNULL)
        return str(target)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = list(pool.map(compile_one, program.sources))
    subprocess.run([program.compiler, *COMMON, *files, *link_flags, *program.link, "-o", out], check=True)
    return out


def executable_bytes(path):
    listing = subprocess.run(["llvm-readelf-22", "-SW", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    return sum(int(m[1], 16) for m in re.finditer(r"(?:PROGBITS)\s+\S+ \S+ (\S+) \S+\s+\w*X\w*", listing))


def measure(program, kind):
    path = build(program, kind)
    shipped = str(path) + ".shipped"
    subprocess.run(["llvm-strip-22", path, "-o", shipped], check=True)
    env = dict(os.environ, PGOKIT_PROFILE_FILE=str(path) + ".mipraw", LLVM_PROFILE_FILE=str(path) + ".profraw")
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", shipped, *program.arguments],
                            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode or not found:
        sys.exit(f"{program.name}, {kind}: the run failed\n{result.stderr}")
    return executable_bytes(shipped), os.path.getsize(shipped), int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, default=ROOT / "build/bench/sources")
    parser.add_argument("--programs", help="only these, separated by commas")
    parser.add_argument("--kinds", help="only these, separated by semicolons")
    parser.add_argument("--resume", action="store_true", help="take what an earlier run has measured from its results")
    parser.add_argument("--update", action="store_true", help="write bench/instrument.md")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    kinds = [k for k in KINDS if not options.kinds or k == "base" or k in options.kinds.split(";")]
    chosen = [p for p in programs(options.sources) if not options.programs or p.name in options.programs.split(",")]
    store = WORK / "results.json"
    results = json.loads(store.read_text()) if store.exists() else {}
    cells, notes = {kind: [] for kind in kinds}, []
    for program in chosen:
        base = None
        for kind in kinds:
            key = f"{program.name}: {kind}"
            values = results[key] if options.resume and key in results else measure(program, kind)
            results[key] = values
            store.write_text(json.dumps(results, indent=1))
            base = base or values
            if kind == "base":
                notes.append(f"{program.name}: {values[0]:,} bytes of text, {values[1]:,} of file, {values[2]:,} instructions")
                cells[kind].append("")
            else:
                cells[kind].append(" / ".join(f"{100 * (v / b - 1):+.1f}" for v, b in zip(values, base)))
            print(f"{program.name}, {kind}: {values} {cells[kind][-1]}", flush=True)
    lines = ["| text / file / instructions, percent | " + " | ".join(p.name for p in chosen) + " |",
             "|---|" + "---|" * len(chosen)]
    lines += [f"| {kind} | " + " | ".join(row) + " |" for kind, row in cells.items() if kind != "base"]
    table = "\n".join(lines) + "\n\nPlain builds: " + "; ".join(notes) + ".\n"
    print(table)
    if options.update:
        (ROOT / "bench/instrument.md").write_text(table)


if __name__ == "__main__":
    main()

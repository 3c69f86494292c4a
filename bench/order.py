#!/usr/bin/env python3
"""Function orders: pages that start-up touches, beside llvm-profdata order and lld's own; cold starts; call orders; and ways to
collect first runs, beside clang's temporal profiles, XRay and calls at entries.

    ./dev bench order [--runs N] [--only made|interpreter|calls|ways|none] [--lua FOLDER] [--quickjs FOLDER]

Writes bench/order.md, if nothing is left out; `--only ways` replaces that section. bench/order_large.py has a large program. Lua
and QuickJS are measured where their sources are given. Cold starts are measured on an ext4 image of its own, because read-ahead
decides what an order can gain: it is set to 0, 16 and 128 kB (needs root and a loop device; left out otherwise).
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test/order"), str(ROOT / "bench/support")]
import made  # noqa: E402
import order_ways  # noqa: E402
import start_up  # noqa: E402
from start_up import PGOKIT, READ_AHEAD, run  # noqa: E402

WORK = ROOT / "build/bench/order"
PAGE = ROOT / "bench/order.md"
CXX = "clang++-22"
PLAIN = ["-O2", "-ffunction-sections", "-std=c++23"]


def seconds(command):
    """Wall time, the best of three."""
    times = []
    for _ in range(3):
        start = time.monotonic()
        run(command)
        times.append(time.monotonic() - start)
    return min(times)


class Program:
    """A program built plain and instrumented; each scenario is a list of arguments."""

    def __init__(self, name, what, sources, scenarios, language=(CXX, *PLAIN), libraries=()):
        self.libraries = list(libraries)
        self.name, self.what, self.scenarios = name, what, scenarios
        self.folder = WORK / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.build(sources, language)
        self.logs = [self.log(i, arguments) for i, arguments in enumerate(scenarios)]
        self.names = [run([PGOKIT, "order", self.instrumented, log, "--algorithm", "first-touch", "-o", "-"]).split()
                      for log in self.logs]

    def build(self, sources, language):
        flags = {"plain": [], "instrumented": run([PGOKIT, "flags", "order", "--compile"]).split()}
        libraries = {"plain": [], "instrumented": run([PGOKIT, "flags", "order", "--link"]).split()}
        self.objects = {}
        for kind in flags:
            self.objects[kind] = []
            for source in sources:
                out = self.folder / f"{pathlib.Path(source).name}.{kind}.o"
                if not out.exists():
                    run([*language, *flags[kind], "-c", source, "-o", out])
                self.objects[kind].append(out)
        self.instrumented = self.folder / "instrumented"
        run([CXX, "-fuse-ld=lld-22", *self.objects["instrumented"], *libraries["instrumented"], *self.libraries,
             "-o", self.instrumented])
        self.plain = self.link("plain")

    def link(self, name, *more):
        out = self.folder / name
        run([CXX, "-fuse-ld=lld-22", *self.objects["plain"], "-Wl,--build-id", "-Wl,--no-warn-symbol-ordering", *more,
             *self.libraries, "-o", out])
        return out

    def log(self, number, arguments):
        out = self.folder / f"{number}.mipraw"
        out.unlink(missing_ok=True)
        run([self.instrumented, *arguments], env={"PGOKIT_PROFILE_FILE": str(out)})
        return out


def orders_of(program, train):
    """name → (seconds to make the order, the linked program)"""
    logs = [program.logs[i] for i in train]
    profile = start_up.temporal_profile(program.folder, [program.names[i] for i in train])
    tag = "-".join(map(str, train))
    result = {"none": (0, program.plain)}
    for algorithm in ("auto", "first-touch", "bp"):
        out = program.folder / f"{algorithm}.{tag}.order"
        took = seconds([PGOKIT, "order", program.instrumented, *logs, "--link", program.plain, "--algorithm", algorithm, "-q",
                        "-o", out])
        result[f"pgokit {algorithm}"] = (took, program.link(f"{algorithm}.{tag}", f"-Wl,--symbol-ordering-file={out}"))
    out = program.folder / f"llvm.{tag}.order"
    took = seconds(["llvm-profdata-22", "order", profile, "-o", out])
    result["llvm-profdata order"] = (took, program.link(f"llvm.{tag}", f"-Wl,--symbol-ordering-file={out}"))
    start = time.monotonic()
    program.link(f"again.{tag}")
    without = time.monotonic() - start
    start = time.monotonic()
    linked = program.link(f"lld.{tag}", "-Wl,--bp-startup-sort=function", f"-Wl,--irpgo-profile={profile}")
    result["lld --bp-startup-sort"] = (max(0, time.monotonic() - start - without), linked)
    return result


def pages_table(program):
    everything = list(range(len(program.logs)))
    rows = [f"### {program.name}: {program.what}", ""]
    judged = [("all start-ups", everything, everything)]
    if len(everything) > 2:
        judged.append(("the last one, learnt from the others", everything[:-1], everything[-1:]))
    cold = None
    for title, train, test in judged:
        orders = orders_of(program, train)
        found = start_up.evaluate([build for _, build in orders.values()], program.instrumented, [program.logs[i] for i in test])
        first = found[0]
        rows += [f"Judged by {title}; text {first['text'] / 1e6:.2f} MB:", "",
                 "| order | 4,096-byte pages | 16,384-byte | 65,536-byte | page-fault curve | made in |", "|---|---|---|---|---|---|"]
        for (name, (took, _)), one in zip(orders.items(), found):
            area = one["area"] / first["area"] - 1 if first["area"] else 0
            rows.append(f"| {name} | {one['pages']['4096']:.0f} | {one['pages']['16384']:.0f} | {one['pages']['65536']:.0f} | "
                        f"{one['area']:.0f} ({100 * area:+.1f} %) | {f'{took * 1000:.0f} ms' if took else ''} |")
            print(program.name, title, rows[-1], flush=True)
        rows.append("")
        cold = cold or orders
    return rows, cold


def cold_starts(path, arguments, runs):
    """Medians of the major faults and the wall time."""
    faults, times = zip(*(start_up.cold_start(path, arguments) for _ in range(runs)))
    return statistics.median(faults), statistics.median(times)


def cold_table(program, orders, disk, runs):
    rows = ["Cold starts of the first scenario, median of "
            f"{runs}: major faults, wall time, by the device's read-ahead:", "",
            "| order | " + " | ".join(f"{kb} kB" for kb in READ_AHEAD) + " |", "|---|" + "---|" * len(READ_AHEAD)]
    copies = {}
    for name, (_, build) in orders.items():
        copies[name] = disk.mount / build.name
        shutil.copy(build, copies[name])
        run(["llvm-strip-22", "--strip-debug", copies[name]])
    os.sync()
    cells = {name: [] for name in orders}
    for kb in READ_AHEAD:
        disk.read_ahead(kb)
        for name, copy in copies.items():
            faults, wall = cold_starts(copy, program.scenarios[0], runs)
            cells[name].append(f"{faults:.0f}, {wall * 1000:.1f} ms")
    for name, cell in cells.items():
        rows.append(f"| {name} | " + " | ".join(cell) + " |")
        print(program.name, rows[-1], flush=True)
    for copy in copies.values():
        copy.unlink()
    return [*rows, ""]


def call_graph(functions, edges):
    """Calls as programs have them: few functions hot, most calls between neighbours of one module."""
    chance = random.Random(5)
    graph = {}
    for _ in range(edges):
        caller = int(functions * chance.random() ** 2)
        near = chance.random() < 0.8
        callee = (caller + chance.randrange(1, 60)) % functions if near else int(functions * chance.random() ** 3)
        graph[caller, callee] = graph.get((caller, callee), 0) + int(10 / (chance.random() + 0.001))
    return {pair: weight for pair, weight in graph.items() if pair[0] != pair[1]}


def calls_table():
    folder = WORK / "calls"
    folder.mkdir(parents=True, exist_ok=True)
    functions, chance = 20000, random.Random(7)
    sizes = [int(30 + chance.expovariate(1 / 300)) for _ in range(functions)]
    shuffled = list(range(functions))
    chance.shuffle(shuffled)
    source, program = folder / "calls.s", folder / "calls"
    with open(source, "w", encoding="utf-8") as file:
        file.write('.section .text.start,"ax",@progbits\n.globl _start\n_start: ret\n')
        for f in shuffled:
            file.write(f'.section .text.f{f},"ax",@progbits\n.globl f{f}\n.type f{f},@function\nf{f}: .skip {sizes[f]},0x90\n'
                       f".size f{f},{sizes[f]}\n")
    run(["clang-22", "-c", source, "-o", folder / "calls.o"])
    graph = call_graph(functions, 60000)
    text = folder / "calls.graph"
    text.write_text("".join(f"f{a} f{b} {weight}\n" for (a, b), weight in graph.items()))
    # The same calls as a sample profile: what pgokit reads.
    by_caller = {}
    for (a, b), weight in graph.items():
        by_caller.setdefault(a, []).append((b, weight))
    profile = folder / "calls.prof"
    with open(profile, "w", encoding="utf-8") as file:
        for caller, callees in by_caller.items():
            file.write(f"f{caller}:0:0\n")
            for line, (callee, weight) in enumerate(callees, 1):
                file.write(f" {line}: {weight} f{callee}:{weight}\n")

    def link(name, *flags):
        out = folder / name
        start = time.monotonic()
        run(["ld.lld-22", folder / "calls.o", "-o", out, *flags])
        return out, time.monotonic() - start

    plain, without = link("plain", "--call-graph-profile-sort=none")
    rows = {"none": (plain, 0)}
    for algorithm in ("hfsort", "cdsort"):
        took = []
        for _ in range(3):
            out, wall = link(f"lld.{algorithm}", f"--call-graph-ordering-file={text}", f"--call-graph-profile-sort={algorithm}")
            took.append(wall - without)
        rows[f"lld {algorithm}"] = (out, max(0, min(took)))
    for algorithm in ("c3", "cdsort"):
        order = folder / f"{algorithm}.order"
        took = seconds([PGOKIT, "order", profile, "--link", plain, "--algorithm", algorithm, "-q", "-o", order])
        rows[f"pgokit {algorithm}"] = (link(f"pgokit.{algorithm}", f"--symbol-ordering-file={order}")[0], took)
    found = json.loads(run([PGOKIT, "order", "--evaluate", *(build for build, _ in rows.values()), "--json", "--with", profile]))
    table = [f"### calls: {functions:,} functions, {len(graph):,} different calls between them", "",
             "| order | calls within 4,096 bytes | 65,536 | 2,097,152 | mean distance | made in |", "|---|---|---|---|---|---|"]
    for (name, (_, took)), one in zip(rows.items(), found):
        table.append(f"| {name} | {100 * one['calls_within_4k']:.1f} % | {100 * one['calls_within_64k']:.1f} % | "
                     f"{100 * one['calls_within_2m']:.1f} % | 2^{one['calls_mean_log2_distance']:.2f} bytes | "
                     f"{f'{took * 1000:.0f} ms' if took else ''} |")
        print(table[-1], flush=True)
    return [*table, ""]


def programs(args):
    only = args.only
    if only in (None, "lua") and args.lua.exists():
        yield lambda: lua(args.lua)
    if only in (None, "quickjs") and args.quickjs.exists():
        yield lambda: quickjs(args.quickjs)
    if only in (None, "made"):
        sources = made.write(str(WORK / "made/source"), 16000)
        yield lambda: Program("made", "16,000 functions, four start-ups that run a tenth of them each, half of it in common", sources,
                              [[str(i)] for i in range(made.SCENARIOS)], ("clang-22", "-O1", "-ffunction-sections"))
    examples = ROOT / "examples/interpreter"
    if only in (None, "interpreter"):
        empty = WORK / "empty.sprig"
        WORK.mkdir(parents=True, exist_ok=True)
        empty.write_text("print(1);\n")
        yield lambda: Program("interpreter", "examples/interpreter, reading and running a small script", sorted(examples.glob("*.cc")),
                              [[str(examples / "workload.sprig"), "1", "1"], [str(empty)], [str(empty), "2", "3"]])


def write(name, text):
    path = WORK / name
    path.write_text(text)
    return str(path)


def lua(folder):
    sources = [file for file in sorted(folder.glob("*.c")) if file.name not in ("onelua.c", "ltests.c")]
    words = write("words.lua", "local t = {} for w in ('one two three'):gmatch('%a+') do t[#t + 1] = w:upper() end table.sort(t)\n"
                               "print(table.concat(t, ','), string.format('%5.2f', math.sin(1)))\n")
    objects = write("objects.lua", "local C = {} C.__index = C function C.new(x) return setmetatable({x = x}, C) end\n"
                                   "local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(C.new(i).x) end end)\n"
                                   "print(co(), co(), pcall(error, 'x'), os.time() > 0, utf8.char(228))\n")
    return Program("lua", "the Lua interpreter: three scripts", sources, [[words], [objects], ["-v"]],
                   ("clang-22", "-O2", "-std=gnu99", "-ffunction-sections", "-DLUA_USE_POSIX", f"-I{folder}"), ["-lm"])


def quickjs(folder):
    stub = write("repl.c", "#include <stdint.h>\nconst uint32_t qjsc_repl_size = 0;\nconst uint8_t qjsc_repl[1];\n")
    sources = [folder / f"{name}.c" for name in ("qjs", "quickjs", "quickjs-libc", "libregexp", "libunicode", "cutils", "dtoa")]
    hello = write("hello.js", "console.log('hello');\n")
    texts = write("texts.js", "const m = 'a1b22'.match(/[0-9]+/g); console.log(JSON.stringify({m, d: new Date(0).toISOString()}),\n"
                              "  [3, 1, 2].sort().map(x => x * 2).join(), parseFloat('1.5').toFixed(2));\n")
    classes = write("classes.js", "class A { #x = 1; get x() { return this.#x; } } const s = new Set([new A().x]);\n"
                                  "function* g() { yield* s; } (async () => { for (const v of g()) console.log(await v); })();\n"
                                  "try { null.x; } catch (e) { console.log(e.message); } console.log(new Map([[1n, 2n]]).get(1n));\n")
    return Program("quickjs", "the QuickJS engine: three scripts", [*sources, stub], [[hello], [texts], [classes]],
                   ("clang-22", "-O2", "-ffunction-sections", "-D_GNU_SOURCE", '-DCONFIG_VERSION="bench"', f"-I{folder}"),
                   ["-lm", "-ldl", "-lpthread"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only")
    parser.add_argument("--lua", type=pathlib.Path, default=ROOT / "build/bench/sources/lua", help="the sources of Lua (github.com/lua/lua)")
    parser.add_argument("--quickjs", type=pathlib.Path, default=ROOT / "build/bench/sources/quickjs", help="the sources of QuickJS (github.com/bellard/quickjs)")
    args = parser.parse_args()
    for tool in ("llvm-profdata-22", "ld.lld-22", CXX):
        if not shutil.which(tool):
            print(f"SKIPPED: no {tool}")
            return
    WORK.mkdir(parents=True, exist_ok=True)
    rows = ["# Function order", "",
            "Written by `./dev bench order`. Pages are counted by `pgokit order --evaluate` from logs and symbols: the same on every",
            "machine. The page-fault curve is the area under the number of pages over the course of a start-up, LLVM's measure too.",
            "Times to make an order include reading all files; lld's are the time that the link takes longer.", ""]
    with start_up.Disk(WORK, megabytes=128) as disk:
        for make in programs(args):
            program = make()
            table, orders = pages_table(program)
            rows += table
            if disk.device:
                rows += cold_table(program, orders, disk, args.runs)
    if args.only in (None, "calls"):
        rows += calls_table()
    if args.only in (None, "ways"):
        ways = order_ways.table(WORK / "ways")
        rows += ways
    if args.only == "ways":
        start_up.replace_section(PAGE, "ways", ways)
    if not args.only and args.lua.exists() and args.quickjs.exists():
        large = start_up.section_of(PAGE.read_text(encoding="utf-8"), "ffmpeg")  # of bench/order_large.py
        PAGE.write_text("\n".join(rows).rstrip() + "\n" + ("\n" + large.rstrip() + "\n" if large else ""))


main()

#!/usr/bin/env python3
"""pgokit on instrumented programs: map, merge, show, export, generate, and what clang makes of it."""
import json
import os
import re

import tools
from tools import run

SOURCE = os.path.join(tools.HERE, "collatz.c")
DEBUG = ("-O2", "-g", "-fdebug-info-for-profiling")


def expected(last):
    """Calls of odd and even, as the program makes them."""
    odd = even = 0
    for n in range(1, last + 1):
        while n != 1:
            if n & 1:
                n, odd = 3 * n + 1, odd + 1
            else:
                n, even = n // 2, even + 1
    return odd, even


def entry_counts(module):
    """Of functions in clang's output, less the one that it adds to all."""
    found = {int(count) for count in re.findall(r'"function_entry_count", i64 (\d+)', module)}
    return found | {count - 1 for count in found}


class Road:
    """An instrumented program, its map taken out, stripped, and run with these arguments."""

    def __init__(self, build, kinds, *runs, flags=DEBUG, options=()):
        self.build = build
        self.pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
        self.program = build.program("app", kinds, sources=[SOURCE], flags=flags, compiler="clang-22", options=options)
        self.map, self.profile = build.path("app.map"), build.path("app.mip")
        self.tool("map", self.program, "-o", self.map)
        shipped = build.path("shipped")
        run(["llvm-strip-22", self.program, "-o", shipped])
        self.dumps = []
        for number, arguments in enumerate(runs):
            self.dumps.append(build.path(f"{number}.mipraw"))
            build.dump(shipped, *arguments, name=self.dumps[-1])
        self.tool("merge", self.map, *self.dumps, "-o", self.profile)

    def tool(self, *arguments, code=0):
        result = run([self.pgokit, *arguments], check=False)
        assert result.returncode == code, (arguments, result.returncode, result.stdout, result.stderr)
        return result.stdout + result.stderr

    def functions(self):
        shown = json.loads(self.tool("show", self.profile, "--json"))
        return {f["name"]: f for f in shown["programs"][0]["functions"]}


def counts(build):
    odd, even = expected(100)
    for kinds in ("blocks,order,edges", "calls", "calls32"):
        road = Road(build, kinds, ["100"], ["100"])
        found = {name: f["calls"] for name, f in road.functions().items()}
        assert found == {"odd": 2 * odd, "even": 2 * even, "steps": 200, "main": 2, "usage": 0}, found
        weighted = build.path("weighted.mip")
        road.tool("merge", road.profile, "-w", f"4,{road.dumps[0]}", "-o", weighted)
        assert f"{6 * odd:>15,}" in road.tool("show", weighted)


def coverage(build):
    for kinds in ("coverage", "block-coverage"):
        road = Road(build, kinds, ["5"], ["1"])
        ran = {name: f["ran"] for name, f in road.functions().items()}
        assert ran == {"odd": 1, "even": 1, "steps": 2, "main": 2, "usage": 0}, ran
        never = road.tool("show", road.profile, "--uncovered")
        assert "usage" in never and "steps" not in never


def order(build):
    road = Road(build, "order", ["1"], ["3"])
    text = road.tool("show", road.profile, "--order")
    places = [text.index(name) for name in ("main", "steps", "even", "odd")]
    assert places == sorted(places), text


def source(build):
    odd, even = expected(100)
    road = Road(build, "blocks", ["100"])
    text = road.tool("show", road.profile, "-b", road.program, "--source", "collatz.c")
    lines = {line.split(":", 2)[2]: line.split(":", 2)[0].strip() for line in text.splitlines() if line.count(":") > 1}
    assert lines["       n = odd(n);"] == str(odd), text
    assert lines["       n = even(n);"] == str(even), text
    assert lines["   return count;"] == "100", text
    assert lines["   exit(2);"] == "#####", text
    line = open(SOURCE, encoding="utf-8").read().splitlines().index("      n = odd(n);") + 1
    info = road.tool("export", road.profile, "-b", road.program)
    assert f"SF:{SOURCE}\n" in info and f"DA:{line},{odd}\n" in info and "FNDA:0,usage\n" in info, info
    assert info.count("SF:") == info.count("end_of_record")


def generated(build):
    """The profile has the program's counts, from lines and probes, and clang finds all of it."""
    odd, even = expected(100)
    for extra in ((), ("-fpseudo-probe-for-profiling",)):
        road = Road(build, "blocks", ["100"], flags=DEBUG + extra)
        out = build.path("app.prof")
        road.tool("generate", road.profile, "-b", road.program, "-o", out, "--format", "text")
        text = open(out, encoding="utf-8").read()
        # With probes clang makes names of static functions unique.
        text = re.sub(r"_ZL\d+(\w+)i\.__uniq\.\d+", r"\1", text)
        heads = {line.split(":")[0]: int(line.split(":")[2]) for line in text.splitlines() if not line.startswith(" ")}
        assert heads["odd"] == odd and heads["even"] == even and heads["steps"] == 100, text
        assert f" odd:{odd}" in text, text
        assert "usage" not in heads
        road.tool("generate", road.profile, "-b", road.program, "-o", out)
        listed = run(["llvm-profdata-22", "show", "--sample", "--show-prof-sym-list", out]).stdout
        assert "usage" in listed.split("symbol list")[1], listed
        result = run(["clang-22", *DEBUG, *extra, f"-fprofile-sample-use={out}", "-Werror", "-S", "-emit-llvm", SOURCE,
                      "-o", "-"])
        assert entry_counts(result.stdout) >= {odd, 100}, result.stdout
        # usage: on the list and not in the profile
        assert '"function_entry_count", i64 0}' in result.stdout, result.stdout


def entries(build):
    odd, _ = expected(100)
    for extra in ((), ("-fpseudo-probe-for-profiling",)):
        road = Road(build, "calls", ["100"], flags=DEBUG + extra)
        out = build.path("calls.prof")
        road.tool("generate", road.profile, "-b", road.program, "-o", out)
        result = run(["clang-22", *DEBUG, *extra, f"-fprofile-sample-use={out}", "-Werror", "-S", "-emit-llvm", SOURCE,
                      "-o", "-"])
        # Without probes clang divides the loop's first line among its parts.
        wanted = {odd, 100, 0} if extra else {odd, 0}
        assert entry_counts(result.stdout) >= wanted, entry_counts(result.stdout)


def cold(build):
    """Of coverage comes a profile that only says what never ran."""
    road = Road(build, "coverage", ["100"])
    out = build.path("cold.prof")
    road.tool("generate", road.profile, "-b", road.program, "-o", out)
    road.tool("generate", road.profile, "-b", road.program, "-o", out, "--format", "text", code=2)
    # Nothing takes the marker in it for a function of the program.
    said = road.tool("generate", road.profile, "-b", road.program, "-o", out)
    assert "which functions ran, no counts" in said and "0 functions" not in said, said
    for words in (("show", out), ("check", out), ("check", out, "-b", road.program)):
        said = road.tool(*words)
        assert "__pgokit" not in said and "1 function" in said and "coverage" in said and "stale" not in said.replace("could be stale", ""), said
    assert "no counts" in road.tool("check", out, "--min-density", "1", code=1)
    assert "no counts to compare" in road.tool("compare", out, out, code=1)
    assert "no counts to match" in road.tool("match", out, "-b", road.program, "-o", build.path("matched.prof"), code=1)
    result = run(["clang-22", *DEBUG, f"-fprofile-sample-use={out}", "-mllvm", "-pgo-cold-func-opt=minsize", "-Werror", "-S",
                  "-emit-llvm", SOURCE, "-o", "-"])
    zero, = re.findall(r'^(!\d+) = !{!"function_entry_count", i64 0}', result.stdout, re.M)
    for line in result.stdout.splitlines():
        if line.startswith("define"):
            assert line.endswith(f"!prof {zero} {{") == ("@usage" in line), line
    assert "minsize" in result.stdout
    # A function that ran only where it was inlined is none of them.
    source = build.path("inlined.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("volatile int sink;\nint twice(int n) { sink = n; return 2 * sink; }\nint unused(int n) { return n - 1; }\n"
                   "int main(int count, char** words) { (void)words; return twice(count) != 2; }\n")
    program = build.program("inlined", "coverage", sources=[source], flags=DEBUG, compiler="clang-22")
    build.dump(program, name=build.path("inlined.mipraw"))
    road.tool("merge", program, build.path("inlined.mipraw"), "-o", build.path("inlined.mip"))
    assert "never ran 1 function," in road.tool("generate", build.path("inlined.mip"), "-b", program, "-o", out)


def bad_input(build):
    road = Road(build, "coverage", ["5"])
    folder, out = build.path("bad"), build.path("out.mip")
    os.makedirs(folder, exist_ok=True)

    def file(name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as handle:
            handle.write(data)
        return path

    dump = open(road.dumps[0], "rb").read()
    broken = file("broken.mipraw", dump[:200] + bytes([dump[200] ^ 1]) + dump[201:])
    cut = file("cut.mipraw", dump[:-8])
    empty = file("empty", b"")
    for bad, words in ((broken, "checksum"), (cut, "cut short"), (empty, "empty"), (SOURCE, "neither a dump"),
                       ("/nonexistent", "cannot open"), (road.build.path("shipped"), "was taken away")):
        text = road.tool("merge", road.map, bad, *road.dumps, "-o", out, code=3)
        assert words in text and "4 of them ran" in text, text
        text = road.tool("merge", road.map, bad, *road.dumps, "-o", out, "--strict", code=1)
        assert words in text, text
    # The rest of a file counts.
    text = road.tool("merge", road.map, file("both", dump[:-8] + dump), "-o", out, code=3)
    assert "1 dump" in text, text
    # A dump without its map, with that of another program; nothing but dumps.
    other = build.program("other", "coverage", sources=[SOURCE], flags=("-O1",), compiler="clang-22")
    text = road.tool("merge", other, *road.dumps, "-o", out, code=1)
    assert "without a map" in text and "no dump could be used" in text, text
    text = road.tool("merge", *road.dumps, "-o", out, code=1)
    assert "no map" in text, text
    # A map with nothing but unusable dumps; the map of a program without any of the functions.
    nothing = build.path("nothing.mip")
    for bad in (empty, cut):
        text = road.tool("merge", road.map, bad, "-o", nothing, code=1)
        assert "nothing is written" in text and not os.path.exists(nothing), text
    source = build.path("stranger.c")
    with open(source, "w", encoding="utf-8") as handle:
        handle.write("int stranger(int n) { return n; }\nint main(int count, char** words) { (void)words; return stranger(count) - count; }\n")
    stranger = build.program("stranger", "coverage", sources=[source], flags=("-O1", "-fno-inline"), compiler="clang-22")
    text = road.tool("merge", road.profile, "--onto", stranger, "-o", nothing, code=1)
    assert "takes none of the functions" in text and not os.path.exists(nothing), text
    # What was not collected.
    for view, words in (("--order", "first runs were not collected; 'pgokit flags order'"), ("--edges", "'pgokit flags edges'")):
        assert words in road.tool("show", road.profile, view, code=2)
    data = open(road.map, "rb").read()
    text = road.tool("merge", file("bad.map", data[:99] + bytes([data[99] ^ 4]) + data[100:]), *road.dumps, "-o", out, code=1)
    assert "checksum" in text, text
    for bad in (empty, folder, SOURCE, build.path("shipped")):
        road.tool("map", bad, "-o", out, code=1)


if __name__ == "__main__":
    tools.main({f.__name__: f for f in (counts, coverage, order, source, generated, entries, cold, bad_input)})

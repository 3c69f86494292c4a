#!/usr/bin/env python3
"""A program and its shared library, both instrumented: one profile, from which pgokit serves both; and what libraries without a map call."""
import json
import os
import re
import shutil

import tools
from tools import run

MAIN = """
#include <stdio.h>
#include <stdlib.h>
int twice(int x);
int apply(int (*f)(int), int x);
static int thrice(int x) { return x * 3; }
__attribute__((noinline)) int through(int (*f)(int), int x) { return f(x); }
int main(int argc, char **argv) {
  int sum = 0, times = argc > 1 ? atoi(argv[1]) : 100;
  for (int i = 0; i < times; ++i) {
    sum += through(i % 4 ? twice : abs, i);
    sum += apply(thrice, i);
  }
  printf("%d\\n", sum);
  return 0;
}
"""
LIBRARY = """
int twice(int x) { return x * 2; }
__attribute__((noinline)) int apply(int (*f)(int), int x) { return x & 1 ? f(x) : f(x + 1); }
int never(int x) { return x - 1; }
"""


class Pair:
    """One run of ./app with libpair.so beside it."""

    def __init__(self, build, kinds="blocks,targets", instrument_library=True, flags=("-O2", "-g", "-fdebug-info-for-profiling")):
        self.pgokit = os.path.abspath(os.path.join(build.lib, "..", "..", "bin", "pgokit"))
        self.folder = build.path("pair")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        for name, text in (("main.c", MAIN), ("pair.c", LIBRARY)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        counted, runtime = build.flags(kinds), [os.path.abspath(build.runtime)]
        self.run("clang-22", *flags, "-fPIC", "-shared", *(counted if instrument_library else []), "pair.c",
                 *(runtime if instrument_library else []), "-Wl,--build-id", "-fuse-ld=lld-22", "-o", "libpair.so")
        self.run("clang-22", *flags, *counted, "main.c", "./libpair.so", *runtime, "-Wl,--build-id", "-fuse-ld=lld-22", "-o", "app")
        self.run("./app", env={"PGOKIT_PROFILE_FILE": "%p.mipraw"})

    def run(self, *words, env=None):
        return run(list(words), env=env, cwd=self.folder)

    def tool(self, *words, code=0):
        result = run([self.pgokit, *words], check=False, cwd=self.folder)
        assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
        return result.stdout + result.stderr

    def fails(self, text, *words, code=1):
        told = self.tool(*words, code=code)
        assert text in told and told.count("\n") == 1, (words, told)

    def names(self):
        return {name for name in os.listdir(self.folder) if name.endswith(".mipraw")}

    def there(self, name):
        return os.path.exists(os.path.join(self.folder, name))


def programs(build):
    """Every command takes both, names the next step, and makes the folder that it writes into."""
    pair = Pair(build)
    told = pair.tool("merge", "app", "libpair.so", *pair.names(), "-o", "app.mip")
    assert "next      pgokit show app.mip\n" in told and "pgokit generate app.mip -b app -b libpair.so -o profiles/\n" in told, told
    assert "pgokit export app.mip --targets -o app.use\n" in told, told

    # The way that is recommended, and all that they are.
    told = pair.tool("generate", "app.mip", "-b", "app", "-b", "libpair.so", "-o", "profiles/")
    heads = {}
    for name in ("app", "libpair.so"):
        shown = json.loads(pair.tool("show", f"profiles/{name}.prof", "--json"))
        heads[name] = {f["name"]: f["head"] for f in shown["hottest"]}
    assert "through" in heads["app"] and "apply" not in heads["app"], heads
    assert "apply" in heads["libpair.so"] and "through" not in heads["libpair.so"], heads
    one = build.path("one.prof")
    pair.tool("generate", "app.mip", "-b", "libpair.so", "-o", one)
    with open(one, "rb") as alone, open(os.path.join(pair.folder, "profiles/libpair.so.prof"), "rb") as beside:
        assert alone.read() == beside.read()
    for source in (["app.mip"], sorted(pair.names())):
        pair.tool("generate", *source, "--all-programs", "-o", "all/of/them/")
        assert pair.there("all/of/them/app.prof") and pair.there("all/of/them/libpair.so.prof"), source
        shutil.rmtree(os.path.join(pair.folder, "all"))

    # What is missing is said with what to give.
    pair.fails("app.mip is of ", "generate", "app.mip", "-o", "x.prof", code=2)
    told = pair.tool("generate", "app.mip", "-o", "x.prof", code=2)
    assert "give one or several of them, or all by --all-programs (with -o FOLDER/)" in told, told
    pair.run("clang-22", "-g", "-Wl,--build-id", "main.c", "pair.c", "-o", "other")
    told = pair.tool("generate", "app.mip", "-b", "app", "-b", "other", "-o", "one/", code=3)
    assert "other is not the program of it: it holds " in told and "give one of them with -b" in told, told
    assert pair.there("one/app.prof") and not pair.there("one/other.prof"), told
    shutil.copy(os.path.join(pair.folder, "other"), os.path.join(pair.folder, "another"))
    pair.tool("generate", "app.mip", "-b", "another", "-b", "other", "-o", "none/", code=1)
    assert not pair.there("none"), "no empty folder stays"
    pair.fails("give a folder (-o FOLDER/)", "generate", "app.mip", "--all-programs", "-o", "one.prof", code=2)

    # show: places of both.
    shown = pair.tool("show", "app.mip", "-b", "app", "-b", "libpair.so", "--functions")
    assert re.search(r"  through  at main\.c:\d+", shown) and re.search(r"  apply  at pair\.c:\d+", shown), shown
    assert "#####" in pair.tool("show", "app.mip", "-b", "app", "-b", "libpair.so", "--source", "pair.c")
    pair.fails("it is not a program of app.mip, which holds ", "show", "app.mip", "-b", "other")
    assert "share      of the blocks that were executed, " in pair.tool("show", "app.mip")

    # export: the sources of both in one file.
    info = pair.tool("export", "app.mip", "-b", "app", "-b", "libpair.so")
    assert re.search(r"^SF:.*main\.c$", info, re.M) and re.search(r"^SF:.*pair\.c$", info, re.M), info
    pair.tool("export", "app.mip", "-b", "app", "-b", "libpair.so", "--hotness", "--blocks", "-o", "app.use")
    pair.fails("it is not a program of app.mip, which holds ", "export", "app.mip", "-b", "app", "-b", "other")

    # report: a page or a table each.
    pair.tool("report", "app.mip", "-b", "app", "-b", "libpair.so", "-o", "pages/")
    for name, function in (("app", "through"), ("libpair.so", "apply")):
        with open(os.path.join(pair.folder, f"pages/{name}.html"), encoding="utf-8") as page:
            assert function in page.read()
    text = pair.tool("report", "app.mip", "--all-programs", "--text")
    assert re.findall(r"^program +(?:.*/)?(\S+)$", text, re.M) in (["app", "libpair.so"], ["libpair.so", "app"]), text
    listed = json.loads(pair.tool("report", "app.mip", "--all-programs", "--json"))
    assert {os.path.basename(one["program"]) for one in listed} == {"app", "libpair.so"}, listed
    pair.fails("--annotate is of one program", "report", "app.mip", "--all-programs", "--annotate", "main", code=2)

    # One program needs no -b.
    pair.tool("merge", "app", *pair.names(), "-o", "one.mip", code=3)
    pair.tool("generate", "one.mip", "-o", "one.prof")


def maps(build):
    """pgokit map of both into folders that it makes, and the stripped ones count as before."""
    pair = Pair(build)
    told = pair.tool("map", "app", "libpair.so", "-o", "maps/", "--strip", "shipped/bin/")
    assert told.count("next      run the program, then: pgokit merge maps/") == 2, told
    assert os.access(os.path.join(pair.folder, "shipped/bin/app"), os.X_OK)
    assert "__llvm_mipmap" not in pair.run("llvm-readelf-22", "-SW", "shipped/bin/libpair.so").stdout
    for name in pair.names():
        os.unlink(os.path.join(pair.folder, name))
    pair.run("./app", env={"PGOKIT_PROFILE_FILE": "%p.mipraw", "LD_LIBRARY_PATH": "shipped/bin"})
    pair.tool("merge", "maps/app.map", "maps/libpair.so.map", *pair.names(), "-o", "app.mip")
    pair.fails("would be written for two programs of that name", "map", "app", "shipped/../app", "-o", "maps/", code=2)
    pair.fails("several programs want several files", "map", "app", "libpair.so", "-o", "one.map", code=2)
    told = pair.tool("map", "main.c", "app", "-o", "other/", code=1)
    assert not pair.there("other"), told


def names(build):
    """Functions that are called in libraries without a map have their names by .dynsym, without versions, or by the debug file."""
    pair = Pair(build, instrument_library=False)
    pair.run("llvm-objcopy-22", "--strip-all", "libpair.so")
    pair.tool("merge", "app", *pair.names(), "-o", "app.mip")
    shown = pair.tool("show", "app.mip", "--targets")
    assert re.search(r"75 +75\.0 % +twice in .*libpair\.so$", shown, re.M), shown
    assert re.search(r"25 +25\.0 % +abs in .*libc\.so\.6$", shown, re.M), shown
    listed = json.loads(pair.tool("show", "app.mip", "--targets", "--json"))
    assert any(value["name"].startswith("twice in ") for site in listed["sites"] for value in site["values"]), listed

    # Moved away, it is found beside the profile or where -b says; another build is none of it.
    os.makedirs(os.path.join(pair.folder, "away"))
    pair.run("mv", "libpair.so", "away/libpair.so")
    shown = pair.tool("show", "app.mip", "--targets")
    assert re.search(r"0x[0-9a-f]+ in libpair\.so$", shown, re.M) and "twice" not in shown, shown
    assert "twice in " in pair.tool("show", "app.mip", "--targets", "-b", "app", "-b", "away/libpair.so")
    pair.run("clang-22", "-shared", "-fPIC", "-Wl,--build-id", "pair.c", "-o", "libpair.so")
    assert "twice" not in pair.tool("show", "app.mip", "--targets")


def nothing(build):
    """A list that would be empty is an error with its cause and the next step."""
    pair = Pair(build, "blocks")
    pair.tool("merge", "app", "libpair.so", *pair.names(), "-o", "app.mip")
    pair.fails("'pgokit flags targets' tells how to collect them", "show", "app.mip", "--targets", code=2)
    pair.fails("'pgokit flags order' tells how to collect them", "show", "app.mip", "--order", code=2)
    pair.fails("'pgokit flags edges' tells how to sample them", "show", "app.mip", "--edges", code=2)
    pair.tool("merge", "app", "-o", "map.mip")
    pair.fails("run app, then 'pgokit merge map.mip DUMPS -o app.mip'", "generate", "map.mip", "-b", "app", "-o", "x.prof")
    pair.fails("adds what runs have written", "generate", "map.mip", "-o", "x.prof")
    pair = Pair(build, "targets,edges,order")
    pair.tool("merge", "libpair.so", *pair.names(), "-o", "app.mip", code=3)
    pair.tool("map", "app", "-o", "map.mip")
    for option in ("--targets", "--edges", "--order"):
        pair.fails("no dump is in it: run the program, then 'pgokit merge'", "show", "map.mip", option)


if __name__ == "__main__":
    tools.main({f.__name__: f for f in (programs, maps, names, nothing)})

"""Targets of calls on the way to the compiler: which function they are of, and whether it is still the same."""
import collections
import os
import re

import mip
import tools
from tools import run

# Two files with functions of the same names.
FIRST = """typedef int (*fn)(int);
__attribute__((noinline)) static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }
static fn table[] = {one, two};
static int apply(fn f, int n) { return f(n); }
int first(int n) { int s = 0; for (int i = 0; i < n; ++i) s += apply(table[i % 10 ? 0 : 1], i); return s; }
"""
SECOND = """typedef int (*fn)(int);
__attribute__((noinline)) static int one(int n) { return n * 3; }
static int three(int n) { return n * 2; }
int other(int n) { return n - 1; }
static fn table[] = {one, three, other};
static int apply(fn f, int n) { return f(n); }
int second(int n) { int s = 0; for (int i = 0; i < n; ++i) s += apply(table[i % 10 ? 1 : 2], i); return s; }
"""
MAIN = "int first(int), second(int);\nint main(void) { return first(1000) + second(500) == 7; }\n"
EXPECTED = {"first.c": {"one": (900, 1000), "two": (100, 100)}, "second.c": {"three": (450, 500), "other": (50, 50)}, "main.c": {}}
REMARK = re.compile(r"Promote indirect call to (\S+) with count (\d+) out of (\d+)")


def pgokit(build, *arguments, check=True):
    return run([os.path.join(build.lib, "..", "..", "bin", "pgokit"), *arguments], check=check)


def sources(folder, **changed):
    os.makedirs(folder, exist_ok=True)
    for name, text in {"first.c": FIRST, "second.c": SECOND, "main.c": MAIN, **changed}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def measured(build, folder, flags=("-O2", "-g1"), link=()):
    """The targets file of the program in the folder, built there as people do, and its profile."""
    program, lines = os.path.join(folder, "app"), []
    for name in EXPECTED:
        run(["clang-22", *flags, *build.flags("targets"), "-c", name, "-o", name + ".o"], cwd=folder)
        lines.append(name + ".o")
    run(["clang-22", *flags, "-fuse-ld=lld-22", *lines, build.runtime, "-Wl,--build-id", *link, "-o", program], cwd=folder)
    build.dump(program, name=build.path("app.mipraw"))
    profile, targets = build.path("app.mip"), build.path("app.targets")
    pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
    pgokit(build, "export", profile, "--targets", "-o", targets)
    return targets, profile, program


def used(build, targets, name, folder, flags=("-O2", "-g1")):
    result = run(["clang-22", *flags, f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}",
                  "-Rpass=pgo-icall-prom", "-c", name, "-o", os.devnull], cwd=folder)
    found = {callee: (int(count), int(total)) for callee, count, total in REMARK.findall(result.stderr)}
    return found, result.stderr


def namesakes(build):
    """Static functions of one name in two files are two functions, also as targets; so is what was inlined."""
    for name, flags, link in (("plain", ("-O2", "-g1"), ()), ("never", ("-O1", "-g1", "-fno-inline"), ()),
                              ("thin", ("-O2", "-g1", "-flto=thin"), (f"-Wl,--load-pass-plugin={build.plugin}",)),
                              ("full", ("-O2", "-g1", "-flto"), (f"-Wl,--load-pass-plugin={build.plugin}",))):
        folder = sources(build.path(name))
        targets, profile, program = measured(build, folder, flags, link)
        for file, expected in EXPECTED.items():
            found, told = used(build, targets, file, folder)
            assert found == expected and "warning" not in told, (name, file, found, told)
        shown = pgokit(build, "show", profile, "--targets").stdout
        assert re.findall(r"apply \((\w+\.c)\):0:\d+", shown) == ["first.c", "second.c"] and ";" not in shown, shown
        if name == "never":
            listed = pgokit(build, "show", profile, "--functions").stdout
            assert sorted(re.findall(r"  apply \((\w+\.c)\)\n", listed)) == ["first.c", "second.c"], listed
        section = mip.section(program, "__llvm_mipmap")
        checksums = mip.read_checksums(section)
        names = collections.Counter(each for each, _ in checksums)
        assert set(names) == {"first.c;apply", "second.c;apply"} and all(sum for _, sum in checksums), checksums
        print(name, ", ".join(sorted({f.source for f in mip.read_map(section)})))


def recorded(build):
    """Recorded branches tell functions of one name apart too, by the debug information."""
    folder = sources(build.path("project"))
    lines = measured_places(build, folder, "-g1")
    result = pgokit(build, "export", lines[0], "--targets", "-b", lines[1], check=False)
    assert result.returncode == 1 and "measured with -g" in result.stderr, result
    script, program = measured_places(build, folder, "-g")
    targets = build.path("script.targets")
    pgokit(build, "export", script, "--targets", "-b", program, "-o", targets)
    with open(targets, encoding="utf-8") as file:
        written = file.read()
    assert "function - first.c;apply\n" in written and " 900 first.c;one\n" in written, written
    there = sources(build.path("there"))
    for where, path in ((folder, ""), (build.folder, there)):
        for file, expected in EXPECTED.items():
            found, told = used(build, targets, os.path.join(path, file), where)
            assert found == expected and "warning" not in told, (file, found, told)


def measured_places(build, folder, debug):
    """Branches as perf script would tell them, and their program."""
    program, objects = os.path.join(folder, "app"), []
    for name in EXPECTED:
        objects.append(name + ".o")
        run(["clang-22", "-O2", debug, "-fno-pie", *build.flags("targets"), "-c", name, "-o", objects[-1]], cwd=folder)
    run(["clang-22", "-no-pie", "-fuse-ld=lld-22", *objects, build.runtime, "-o", program], cwd=folder)
    section = mip.read_map(mip.section(program, "__llvm_mipmap"))
    place = {f.source: f.address for f in section}
    site = {s.function: s.address for f in section for s in f.sites}
    offset, start, size = (int(part, 16) for part in re.search(
        r"LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ (0x\w+) R E", run(["llvm-readelf-22", "-lW", program]).stdout).groups())
    text = f"app 7 PERF_RECORD_MMAP2 7/7: [{start & ~0xfff:#x}({size + 0x1000:#x}) @ {offset & ~0xfff:#x} 08:04 19 3]: r-xp {program}\n"
    for file, callees in EXPECTED.items():
        for callee, (count, _) in callees.items():
            target = place.get(f"{file};{callee}") or place[callee]
            text += f" {target:x} {site[file + ';apply']:#x}/{target:#x}/P/-/-/0\n" * count
    script = build.path("script.txt")
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    return script, program


def moved(build):
    """Sources at another path are the same if nothing else is."""
    targets, _, _ = measured(build, sources(build.path("here")))
    there = sources(build.path("there"))
    for file, expected in EXPECTED.items():
        found, told = used(build, targets, os.path.join(there, file), build.folder)
        assert found == expected, (file, found, told)
    # Another file with a function of that name has none; neither has one that differs, where nothing else tells.
    with open(os.path.join(there, "third.c"), "w", encoding="utf-8") as file:
        file.write(FIRST.replace("first", "third"))
    assert used(build, targets, "third.c", there)[0] == {}
    changed = sources(build.path("changed"), **{"first.c": FIRST.replace("return f(n)", "return n ? f(n) : 0")})
    assert used(build, targets, os.path.join(changed, "first.c"), build.folder)[0] == {}


def changed(build):
    """A function with another control flow gets no targets, and that is told; what did not change does."""
    folder = sources(build.path("project"))
    targets, _, _ = measured(build, folder)
    for text, expected in ((FIRST.replace("return f(n)", "return n & 1 ? f(n) : n"), {}),
                           (FIRST.replace("return f(n)", "return f(n) + f(n + 1)"), {}),
                           (FIRST.replace("return n + 1", "return n & 1 ? n : 0"), EXPECTED["first.c"])):
        sources(folder, **{"first.c": text})
        found, told = used(build, targets, "first.c", folder)
        assert found == expected, (text, found, told)
        assert ("not used for 1 function that changed since it was made: apply" in told) == (not expected), told
        assert "warning" not in used(build, targets, "second.c", folder)[1]
    sources(folder)
    # A recording knows lines alone. (Remarks would turn them on.)
    with open(targets, "w", encoding="utf-8") as file:
        file.write("# pgokit targets 3\nfunction - first.c;apply\ncall - 0 35 9\n 9 first.c;one\n")
    told = run(["clang-22", "-O2", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}", "-c", "first.c", "-o", os.devnull],
               cwd=folder).stderr
    assert "not used for 1 function without lines" in told and "-gline-tables-only" in told, told


# Two calls of one line and column, which inlining copies into two functions.
TWICE = """typedef int (*fn)(int);
static int one(int n) { return n + 1; }
static int two(int n) { return n * 3; }
static fn first[] = {one, two}, second[] = {two, one};
#define BOTH(i) first[(i) % 10 == 0](i) + second[(i) % 5 == 0](i)
static int apply(int i) { return BOTH(i); }
int even(int n) { int s = 0; for (int i = 0; i < n; i += 2) s += apply(i); return s; }
int main(void) { int s = even(1000); for (int i = 1; i < 1000; i += 2) s += apply(i); return s == 7; }
"""
CALL = re.compile(r"call (\S+) (\S+) (\S+) (\d+)\n((?: .*\n)*)")


def numbers(build):
    """Calls are found by their number in the function: without debug information, and where lines do not tell them apart."""
    folder = sources(build.path("project"), **{"twice.c": TWICE})
    thin = ("-flto=thin", f"-Wl,--load-pass-plugin={build.plugin}")
    for name, flags, link in (("plain", (), ()), ("inlined", ("-fno-semantic-interposition", "-O3"), ()), ("thin", thin[:1], thin[1:]),
                              ("full", ("-flto",), thin[1:])):
        targets, _, _ = measured(build, folder, ("-O2", *flags), link)
        for file, expected in EXPECTED.items():
            for debug in ((), ("-g",)):
                found, told = used(build, targets, file, folder, ("-O2", *debug))
                assert found == expected and "warning" not in told, (name, file, debug, found, told)
        if not link:
            assert ".debug_" not in run(["llvm-readelf-22", "-SW", os.path.join(folder, "first.c.o")]).stdout
    for debug in ([], ["-g1"], ["-g"]):
        program, profile, targets = build.path("twice"), build.path("twice.mip"), build.path("twice.targets")
        run(["clang-22", "-O2", *debug, *build.flags("targets"), "twice.c", build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
        sites = [site for f in mip.read_map(mip.section(program, "__llvm_mipmap")) for site in f.sites]
        assert {site.number for site in sites} == {1, 2} and {s.function for s in sites} == {"twice.c;apply"}, sites
        assert all((site.line is None) == (not debug) for site in sites), sites
        build.dump(program, name=build.path("twice.mipraw"))
        pgokit(build, "merge", program, build.path("twice.mipraw"), "-o", profile)
        written = pgokit(build, "export", profile, "--targets", "-o", targets)
        with open(targets, encoding="utf-8") as file:
            calls = {number: (place, total, rows.split()) for number, *place, total, rows in CALL.findall(file.read())}
        assert set(calls) == {"1", "2"} and written.stderr.startswith(f"pgokit export: {targets}: 2 calls with targets"), (calls, written.stderr)
        assert calls["1"][0] == calls["2"][0] and (calls["1"][0] == ["-", "-"]) == (not debug), calls
        assert calls["1"][1:] == ("1000", ["900", "twice.c;one", "100", "twice.c;two"]), calls
        assert calls["2"][1:] == ("1000", ["800", "twice.c;two", "200", "twice.c;one"]), calls
        shown = pgokit(build, "show", profile, "--targets").stdout
        assert (set(re.findall(r"apply, number (\d), inlined", shown)) == {"1", "2"}) == (not debug), shown
        told = used(build, targets, "twice.c", folder, ("-O2", *debug))[1]
        assert sorted(REMARK.findall(told)) == sorted([("one", "900", "1000"), ("two", "800", "1000"), ("two", "100", "100"),
                                                       ("one", "200", "200")]), told
    # Numbers of another version of the function are refused, and that is told.
    for text in (TWICE.replace("return BOTH(i)", "return i ? BOTH(i) : 0"), TWICE.replace("return BOTH(i)", "return second[0](i) + BOTH(i)")):
        sources(folder, **{"twice.c": text})
        found, told = used(build, targets, "twice.c", folder)
        assert not found and "not used for 1 function that changed since it was made: apply" in told, told


LINKED = """typedef int (*fn)(int);
int far_away(int), rest(int), rand(void);
static _Thread_local fn local;
__attribute__((noinline)) static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }
static fn table[] = {one, two};
__attribute__((noinline)) int indirect(int n) { int s = 0; for (int i = 0; i < n; ++i) s += table[i % 10 == 0](i); return s; }
__attribute__((noinline)) int tail(fn f, int n) { return f(n); }
__attribute__((noinline)) int in_thread(int n) { return local(n) + 1; }
__attribute__((noinline)) int either(int n) { return (n % 4 ? far_away : rest)(n); }
__attribute__((noinline)) int direct(int n) { int s = 0; for (int i = 0; i < n; ++i) s += far_away(i) + far_away(s); return s + far_away(n); }
int main(void) { local = one; int s = indirect(1000) + direct(100) + rand(); for (int i = 0; i < 20; ++i) s += tail(table[i & 1], i) + in_thread(i) + either(i); return s == 7; }
"""


def linkage(build):
    """Direct calls through the linker's table are none of the sites, also where the load is moved out of a loop; calls through thunks are."""
    folder = sources(build.path("project"), **{"linked.c": LINKED, "far.c": "int far_away(int n) { return n ^ 5; }\nint rest(int n) { return n; }\n"})
    program, profile = build.path("app"), build.path("app.mip")
    for flags in (["-fno-plt"], ["-O1", "-fno-plt", "-fPIC"], ["-O0", "-fno-plt"], ["-mretpoline"], ["-O0", "-mretpoline"],
                  ["-mretpoline", "-fno-plt"], ["-mlvi-cfi"], ["-mcmodel=large", "-fno-pie", "-no-pie"],
                  ["-mcmodel=large", "-fPIE"], ["-O0", "-mcmodel=large", "-fPIE"], ["-O1", "-mcmodel=large", "-fPIC"]):
        run(["clang-22", "-O2", *flags, *build.flags("targets"), "linked.c", "far.c", build.runtime, "-Wl,--build-id",
             "-Wno-unused-command-line-argument", "-o", program], cwd=folder)
        build.dump(program, name=build.path("app.mipraw"))
        pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
        written = pgokit(build, "export", profile, "--targets").stdout
        found = {function: (int(total), rows.split()) for function, total, rows in re.findall(
            r"function \w+ (\w+)\ncall 1 - - (\d+)\n((?: .*\n)*)", written)}
        both = ["10", "linked.c;one", "10", "linked.c;two"]
        assert found == {"indirect": (1000, ["900", "linked.c;one", "100", "linked.c;two"]), "tail": (20, both),
                         "in_thread": (20, ["20", "linked.c;one"]), "either": (20, ["15", "far_away", "5", "rest"])} and \
            written.count("call ") == 4, (flags, written)
    for flags in ([], ["-fno-plt"], ["-O1", "-fno-plt", "-fPIC"], ["-O0", "-fno-plt"], ["-mcmodel=large", "-fno-pie"]):
        text = run(["clang-22", "--target=aarch64-linux-gnu", "-O2", *flags, *build.flags("targets"), "-S", "linked.c", "-o", "-"],
                   cwd=folder).stdout
        assert len(re.findall(r"\bbl\s+__pgokit_value\b", text)) == 4, flags


TABLE = """static int up(int n) { return n + 1; }
static int down(int n) { return n - 1; }
int (*table[])(int) = {up, down};
"""
CALLER = """extern int (*table[])(int);
int main(void) { int s = 0; for (int i = 0; i < 10000; ++i) s += table[i % 10 == 0](i); return s == 7; }
"""


def across(build):
    """ThinLTO promotes calls to static functions of other files; counts of calls go into a profile beside targets."""
    folder = sources(build.path("project"), **{"table.c": TABLE, "caller.c": CALLER})
    program, profile, targets, text = (build.path(name) for name in ("app", "app.mip", "app.targets", "app.txt"))
    run(["clang-22", "-O2", "-g", *build.flags("targets,calls"), "table.c", "caller.c", build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
    build.dump(program, name=build.path("app.mipraw"))
    pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
    pgokit(build, "generate", profile, "-b", program, "--format", "text", "-o", text)
    with open(text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    heads = {line.split(":")[0]: line.split(":")[2] for line in lines if re.match(r"(up|down):", line)}
    assert heads == {"up": "9000", "down": "1000"}, lines
    assert any(re.match(r" [\d.]+: 10000 up:9000 down:1000", line) for line in lines), lines
    pgokit(build, "export", profile, "--targets", "-o", targets)
    use = ["-O2", "-flto=thin", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}"]
    for name in ("table", "caller"):
        run(["clang-22", *use, "-c", f"{name}.c", "-o", f"{name}.o"], cwd=folder)
    told = run(["clang-22", "-O2", "-flto=thin", "-fuse-ld=lld-22", "-Wl,-mllvm,-pass-remarks=pgo-icall-prom", "table.o", "caller.o", "-o", program],
               cwd=folder).stdout
    assert {(name.split(".")[0], count) for name, count, _ in REMARK.findall(told)} == {("up", "9000"), ("down", "1000")}, told


COPIES = """#include <string.h>
__attribute__((noinline)) void copy(char *to, const char *from, unsigned long n) { memcpy(to, from, n); }
__attribute__((noinline)) void fill(char *to, unsigned long n) { to[0] = 1; if (n) { memset(to, 7, n); memmove(to + 1, to, n); } }
int main(void) { char a[300], b[300] = ""; for (int i = 0; i < 10000; ++i) { copy(a, b, i % 10 ? 8 : 24); fill(a, i % 4 ? 16 : 200); } return a[3] == 9; }
"""


def sizes(build):
    """Frequent sizes of copies and fills get code of their own by the stock pass, without lines and counts of blocks."""
    folder = sources(build.path("project"), **{"copies.c": COPIES})
    program, profile, targets = build.path("app"), build.path("app.mip"), build.path("app.targets")
    for flags in (["-O2"], ["-O1", "-g"], ["-O2", "-mcmodel=large", "-fno-pie", "-no-pie"], ["-O2", "-mcmodel=large", "-fPIE"]):
        run(["clang-22", *flags, *build.flags("sizes"), "copies.c", build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
        build.dump(program, name=build.path("app.mipraw"))
        pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
        pgokit(build, "export", profile, "--targets", "-o", targets)
        for more in ((), ("-g",)):
            told = run(["clang-22", "-O2", *more, f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}", "-Rpass=pgo-memop-opt",
                        "-S", "copies.c", "-o", build.path("copies.s")], cwd=folder).stderr
            found = re.findall(r"optimized (\S+) with count (\d+) out of (\d+) for (\d+) versions", told)
            # (Of memmove it makes none.)
            assert sorted(found) == [("memcpy", "9000", "10000", "1"), ("memset", "7500", "10000", "1")], (flags, told)
        with open(build.path("copies.s"), encoding="utf-8") as file:
            assert re.search(r"^copy:(?:.*\n)*?\s+cmpq\s+\$8, %rdx", file.read(), re.M)
    changed = COPIES.replace("memcpy(to, from, n)", "memcpy(to, from, n); memcpy(to, from + 1, n)")
    sources(folder, **{"copies.c": changed})
    told = run(["clang-22", "-O2", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}", "-Rpass=pgo-memop-opt", "-c", "copies.c",
                "-o", os.devnull], cwd=folder).stderr
    assert "not used for 1 function that changed since it was made: copy" in told and "optimized memcpy" not in told, told


# One function of several classes, tables at an offset, classes and tables of one name in two files, C's tables, one that is elsewhere.
CLASSES = """#include <cstdio>
struct Shape { virtual int area(int) const = 0; virtual ~Shape() = default; };
struct Named { virtual int name(int) const { return 1; } virtual ~Named() = default; };
struct Square : Shape { int area(int x) const override { return x * x; } };
struct Round : Named, Shape { int area(int x) const override { return x * 3; } int name(int) const override { return 2; } };
struct Bend : virtual Shape { int more = 1; int area(int x) const override { return x + more; } };
struct Tilted : Square { int tilt = 2; };
struct Elsewhere : Shape { virtual void key(); int area(int x) const override { return x * 7; } };
namespace { struct Local : Shape { int area(int x) const override { return x ^ 1; } }; }
__attribute__((noinline)) int direct(Elsewhere* e) { return e->Elsewhere::area(2); }
int rounded(Shape* s, int x) { return s->area(x); }
int squared(Shape* s, int x) { return s->area(x); }
int secret(Shape* s, int x) { return s->area(x); }
int far(Shape* s, int x) { return s->area(x); }
int named(Named* n, int x) { return n->name(x); }
struct Operations { int (*open)(int); int (*close)(int); };
static int one(int x) { return x + 1; }
static int two(int x) { return x - 1; }
static const Operations plain = {one, two}, swapped = {two, one};
struct File { const Operations* operations; };
int closed(File* f, int x) { return f->operations->close(x); }
Shape* other_local();
int other(Shape* s, int x);
int main() {
  Square square; Round round; Bend bend; Tilted tilted; Elsewhere elsewhere; Local local;
  Shape* hidden = other_local();
  File files[] = {{&plain}, {&swapped}};
  int sum = direct(&elsewhere);
  for (int i = 0; i < 1000; ++i) {
    bool often = i % 10;
    sum += rounded(often ? static_cast<Shape*>(&round) : &bend, i) + squared(often ? static_cast<Shape*>(&square) : &tilted, i) + secret(often ? static_cast<Shape*>(&local) : hidden, i);
    sum += far(often ? static_cast<Shape*>(&elsewhere) : &local, i) + named(&round, i) + closed(&files[!often], i) + other(often ? hidden : &local, i);
  }
  std::printf("%d\\n", sum);
}
"""
OTHER = """struct Shape { virtual int area(int) const = 0; virtual ~Shape() = default; };
struct Elsewhere : Shape { virtual void key(); int area(int x) const override { return x * 7; } };
void Elsewhere::key() {}
namespace { struct Local : Shape { int area(int x) const override { return x ^ 3; } }; }
Shape* other_local() { static Local local; return &local; }
int other(Shape* s, int x) { return s->area(x); }
"""
COMPARED = re.compile(r"(\w+\.cc):(\d+):\d+: remark: Promote indirect call to (\S+) with count (\d+) out of \d+"
                      r"(?:, sink (\d+) instruction\(s\) and compare (\d+) vtable\(s\): \{(.*)\})?")
TABLES = {("app.cc", "rounded"): {("_ZThn8_NK5Round4areaEi", 900, "_ZTV5Round"), ("_ZNK4Bend4areaEi", 100, "_ZTV4Bend")},
          ("app.cc", "squared"): {("_ZNK6Square4areaEi", 1000, "")},  # of two classes
          ("app.cc", "secret"): {("_ZNK12_GLOBAL__N_15Local4areaEi", 900, "_ZTVN12_GLOBAL__N_15LocalE")},
          ("app.cc", "far"): {("_ZNK9Elsewhere4areaEi", 900, ""), ("_ZNK12_GLOBAL__N_15Local4areaEi", 100, "")},
          ("app.cc", "named"): {("_ZNK5Round4nameEi", 1000, "_ZTV5Round")},
          ("app.cc", "closed"): {("_ZL3twoi", 900, "_ZL5plain"), ("_ZL3onei", 100, "_ZL7swapped")},
          ("other.cc", "other"): {("_ZNK12_GLOBAL__N_15Local4areaEi", 900, "_ZTVN12_GLOBAL__N_15LocalE")}}
LIKE_CLANG = (("app.cc", "rounded"), ("app.cc", "squared"), ("app.cc", "secret"), ("app.cc", "named"), ("other.cc", "other"))


def compared(build, flags, folder):
    """{(file, function): {(callee, count, table)}} that the stock pass says it promotes."""
    found, told = collections.defaultdict(set), ""
    for name in ("app.cc", "other.cc"):
        result = run(["clang++-22", *flags, "-g1", "-Rpass=pgo-icall-prom", "-c", name, "-o", name + ".used.o"], cwd=folder)
        told += result.stderr
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read().splitlines()
        for where, line, callee, count, sunk, tables, names in COMPARED.findall(result.stderr):
            function = re.match(r"int (\w+)\(", text[int(line) - 1])
            assert not tables or (int(tables) == len(names.split()) and int(sunk)), (where, line, callee, sunk, tables)
            found[where, function[1] if function else line].add((callee, int(count), " ".join(sorted(names.replace(",", " ").split()))))
    return dict(found), told


def tables(build):
    """The stock pass compares tables of functions, of any class that the file has and in C too, and needs no flag for it."""
    folder = sources(build.path("project"), **{"app.cc": CLASSES, "other.cc": OTHER})
    program, profile, targets = build.path("app"), build.path("app.mip"), build.path("app.use")
    thin = ("-flto=thin", f"-Wl,--load-pass-plugin={build.plugin}")
    plain = ["clang++-22", "-O2", "app.cc", "other.cc", "-fuse-ld=lld-22", "-o", program]
    run(plain, cwd=folder)
    printed = run([program]).stdout
    for flags, link in ((["-O2"], ()), (["-O2", "-fno-pie", "-no-pie", "-ffunction-sections"], ("-Wl,--gc-sections",)), (["-O1", "-fPIC"], ()),
                        (["-O2", thin[0]], thin[1:])):
        run(["clang++-22", *flags, "-Wno-unused-command-line-argument", *build.flags("targets,tables"), "app.cc", "other.cc", "-fuse-ld=lld-22",
             *link, build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
        symbols = {(int(line.split()[0], 16), line.split()[-1]) for line in run(["llvm-nm-22", program]).stdout.splitlines() if line[0] != " "}
        named = mip.read_tables(mip.section(program, "__llvm_mipmap"))
        assert {"_ZTV6Square", "app.cc;_ZTVN12_GLOBAL__N_15LocalE", "other.cc;_ZTVN12_GLOBAL__N_15LocalE", "app.cc;_ZL5plain",
                "_ZTV9Elsewhere"} <= set(named.values()), named
        assert {(address, name.split(";")[-1]) for address, name in named.items()} <= symbols, (named, symbols)
        build.dump(program, name=build.path("app.mipraw"))
        pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
        pgokit(build, "export", profile, "--targets", "-o", targets)
        use = [f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}"]
        found, told = compared(build, ["-O2", *use], folder)
        assert found == TABLES and "warning" not in told, (flags, found, told)
        run(["clang++-22", "app.cc.used.o", "other.cc.used.o", "-o", program], cwd=folder)
        assert run([program]).stdout == printed
    shown = pgokit(build, "show", profile, "--targets").stdout
    assert re.search(r" 900  90.0 %    vtable for Round\+\d+\n", shown) and " plain\n" in shown, shown
    for flags in (["-fPIC"], ["-fvisibility=hidden"], ["-flto"], ["-flto=thin", "-fwhole-program-vtables"],
                  ["-flto=thin", "-fwhole-program-vtables", "-fvisibility=hidden"]):
        found, told = compared(build, ["-O2", *flags, *use], folder)
        assert found == TABLES and "warning" not in told, (flags, found, told)
    # Nothing is left of the tests that are for this pass alone; those of clang are.
    for flags, left in (([], 0), (["-flto", "-fwhole-program-vtables", "-fvisibility=hidden"], 6)):
        text = run(["clang++-22", "-O2", *flags, *use, "-S", "-emit-llvm", "app.cc", "-o", "-"], cwd=folder).stdout
        assert "pgokit.table" not in text and text.count("call i1 @llvm.type.test") >= left, (flags, text.count("@llvm.type.test"))
        assert left or "type.test" not in text
    # Stock options decide as for any profile.
    found, _ = compared(build, ["-O2", *use, "-mllvm=-icp-max-num-vtable-last-candidate=2"], folder)
    assert found["app.cc", "squared"] == {("_ZNK6Square4areaEi", 1000, "_ZTV6Square _ZTV6Tilted")}, found
    found, _ = compared(build, ["-O2", *use, "-mllvm=-enable-vtable-profile-use=false"], folder)
    assert {key: {(callee, count, "") for callee, count, _ in rows} for key, rows in TABLES.items()} == found, found
    judged_by_clang(build, folder, use)


def judged_by_clang(build, folder, use):
    """clang's own profile of tables, with all the flags that it needs, makes the same of what it records."""
    hidden = ["-O2", "-fvisibility=hidden", "-Xclang", "-flto-unit", "-Xclang", "-fwhole-program-vtables"]
    program, raw = build.path("clang"), build.path("clang.profraw")
    run(["clang++-22", "-O2", "-fprofile-generate", "-mllvm", "-enable-vtable-value-profiling", "app.cc", "other.cc", "-o", program], cwd=folder)
    run([program], env={"LLVM_PROFILE_FILE": raw})
    run(["llvm-profdata-22", "merge", raw, "-o", build.path("clang.profdata")])
    judged, _ = compared(build, [*hidden, f"-fprofile-use={build.path('clang.profdata')}", "-mllvm", "-enable-vtable-profile-use"], folder)
    ours, _ = compared(build, [*hidden, *use], folder)
    for key in LIKE_CLANG:
        assert judged[key] == ours[key] == TABLES[key], (key, judged, ours)
    print(f"{len(LIKE_CLANG)} calls as with clang's own profile")


def many(build):
    """As many targets of a call as the options say are recorded, attached and promoted; eight are attached without."""
    names = [f"f{i}" for i in range(24)]
    text = "typedef int (*fn)(int);\n" + "".join(f"static int {name}(int n) {{ return n * {i}; }}\n" for i, name in enumerate(names))
    text += f"static fn table[] = {{{', '.join(names)}}};\n"
    text += "int main(void) { int s = 0; for (int i = 0; i < 24; ++i) for (int k = 0; k < 100 + i; ++k) s += table[i](k); return s == 7; }\n"
    folder = sources(build.path("project"), **{"many.c": text})
    program, profile, targets = build.path("app"), build.path("app.mip"), build.path("app.targets")
    run(["clang-22", "-O1", *build.flags("targets", "targets-per-site=32"), "many.c", build.runtime, "-Wl,--build-id", "-o", program],
        cwd=folder)
    build.dump(program, name=build.path("app.mipraw"))
    pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
    pgokit(build, "export", profile, "--targets", "-o", targets)
    stock = ["-mllvm=-icp-max-prom=32", "-mllvm=-icp-remaining-percent-threshold=0", "-mllvm=-icp-total-percent-threshold=0"]
    for option, count in ((None, 8), (3, 3), (20, 20), (0, 24)):
        flags = ["-O1", *stock, *([f"-mllvm=-pgokit-use-targets={option}"] if option is not None else [])]
        found, told = used(build, targets, "many.c", folder, flags)
        assert {name: each for name, (each, _) in found.items()} == {f"f{i}": 100 + i for i in range(24 - count, 24)}, (option, told)


def lines(build):
    """Without numbers and lines there is nothing to write: an error, no empty file."""
    hidden = FIRST.replace("static int apply", "__attribute__((nodebug)) static int apply").replace(
        "int first", "__attribute__((nodebug)) int first")
    folder = sources(build.path("project"), **{"first.c": hidden})
    profile = build.path("app.mip")
    for name in EXPECTED:
        debug = ["-g1"] if name != "second.c" else []
        run(["clang-22", "-O2", *build.flags("targets"), *debug, "-c", name, "-o", name + ".o"], cwd=folder)
    program = os.path.join(folder, "some")
    run(["clang-22", "-fuse-ld=lld-22", *(name + ".o" for name in EXPECTED), build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
    build.dump(program, name=build.path("some.mipraw"))
    pgokit(build, "merge", program, build.path("some.mipraw"), "-o", profile)
    result = pgokit(build, "export", profile, "--targets")
    assert re.search(r"which are left out: 1, \d+\.\d % of what was recorded\n", result.stderr) and "call 1 - - 500\n" in result.stdout, result
    with open(os.path.join(folder, "second.c"), "w", encoding="utf-8") as file:
        file.write("int second(int n) { return n; }\n")
    run(["clang-22", "-O2", *build.flags("targets"), "-c", "second.c", "-o", "second.c.o"], cwd=folder)
    run(["clang-22", "-fuse-ld=lld-22", *(name + ".o" for name in EXPECTED), build.runtime, "-Wl,--build-id", "-o", program], cwd=folder)
    build.dump(program, name=build.path("none.mipraw"))
    pgokit(build, "merge", program, build.path("none.mipraw"), "-o", profile)
    out = build.path("none.targets")
    result = pgokit(build, "export", profile, "--targets", "-o", out, check=False)
    assert result.returncode == 1 and "measured with -g\n" in result.stderr and profile in result.stderr, result
    assert not os.path.exists(out)


def first_version(build):
    """Files of before names had files and functions checksums."""
    folder = sources(build.path("project"))
    column = FIRST.splitlines()[4].index("f(n)") + 1
    targets = build.path("old.targets")
    with open(targets, "w", encoding="utf-8") as file:
        file.write(f"# pgokit targets 1\ncall 0 {column} 1000 apply\n 900 one\n 100 two\ntable 0 7 9 apply\n 9 x\n")
    assert used(build, targets, "first.c", folder)[0] == EXPECTED["first.c"]
    with open(targets, "w", encoding="utf-8") as file:
        file.write(f"# pgokit targets 2\nfunction - first.c;apply\ncall 0 {column} 1000\n 900 first.c;one\n 100 first.c;two\n")
    assert used(build, targets, "first.c", folder)[0] == EXPECTED["first.c"]
    for text, complaint in (("# pgokit targets 4\n", "version 4"), ("# pgokit targets 2\ncall 1 2 3\n", "line 2"),
                            ("# pgokit targets 2\nfunction x y\n", "line 2"), ("# pgokit targets 2\nfunction - f\ncall 1 2 3 f\n", "line 3"),
                            ("# pgokit targets 1\nfunction - f\n", "line 2"), ("# pgokit targets 3\nfunction - f\ncall 1 2 3 4\n", "line 3"),
                            ("# pgokit targets 3\nfunction - f\ncall - - - 4\n", "line 3"),
                            ("# pgokit targets 3\nfunction a f\ncall 1 2 3\n", "line 3"), ("", "not a file of hotness or targets")):
        with open(targets, "w", encoding="utf-8") as file:
            file.write(text)
        result = run(["clang-22", "-O2", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={targets}", "-c", "first.c", "-o", os.devnull],
                     cwd=folder, check=False)
        assert result.returncode and complaint in result.stderr, (text, result.stderr)


if __name__ == "__main__":
    tools.main({"namesakes": namesakes, "recorded": recorded, "moved": moved, "changed": changed, "numbers": numbers, "linkage": linkage, "across": across, "many": many, "sizes": sizes, "tables": tables, "lines": lines,
                "first_version": first_version})

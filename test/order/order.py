"""order.py PGOKIT LIB FOLDER CASE: orders from instrumented programs, given to the linkers, judged by nm."""
import json
import os
import re
import shutil
import subprocess
import sys

import made

HERE = os.path.dirname(os.path.abspath(__file__))
PGOKIT, LIB, FOLDER, CASE = sys.argv[1:5]
FOLDER = os.path.join(FOLDER, CASE)
LINKERS = {"lld": "lld-22", "gold": "gold", "ld": "bfd"}
LINKER_FLAG = {"lld": "-Wl,--symbol-ordering-file=", "gold": "-Wl,--section-ordering-file=", "ld": "-Wl,-T,"}


def path(name):
    return os.path.join(FOLDER, name)


def run(*command, env=None, code=0):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})))
    assert done.returncode == code, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def order(*arguments, code=0):
    return run(PGOKIT, "order", *arguments, code=code)


def objects(sources, *flags, suffix=""):
    result = []
    for source in sources:
        result.append(path(os.path.basename(source) + suffix + ".o"))
        run("clang-22", "-O1", "-ffunction-sections", *flags, "-c", source, "-o", result[-1])
    return result


def flags(kind, stage):
    return run(PGOKIT, "flags", kind, f"--{stage}", "--lib-dir", LIB).stdout.split()


def link(name, parts, *more, linker="lld"):
    run("clang-22", f"-fuse-ld={LINKERS[linker]}", *parts, "-Wl,--build-id", *more, "-o", path(name))
    return path(name)


def instrumented(sources, kind="order"):
    parts = objects(sources, *flags(kind, "compile"), suffix=f".{kind}")
    return link(f"app.{kind}", parts, *flags(kind, "link"))


def dump(program, *arguments):
    out = f"{program}.{'-'.join(arguments)}.mipraw"
    if os.path.exists(out):
        os.unlink(out)
    run(program, *arguments, env={"PGOKIT_PROFILE_FILE": out})
    return out


def addresses(program):
    """name → address of functions."""
    result = {}
    for line in run("llvm-nm-22", "--defined-only", program).stdout.splitlines():
        address, kind, name = line.split(maxsplit=2)
        if kind in "tT":
            result[name] = int(address, 16)
    return result


def small():
    return made.write(path("source"), 400, files=2)


def placed(program, names):
    """The program has these functions one behind the other."""
    where = addresses(program)
    found = [where[name] for name in names]
    assert found == sorted(found), "they are not in that order"
    between = [name for name, at in where.items() if found[0] < at < found[-1] and name not in names]
    assert not between, f"{between[:5]} lie between them"


def linkers():
    """lld, gold and GNU ld put the functions of a start-up where the order says."""
    sources = small()
    program = instrumented(sources)
    log = dump(program, "1")
    parts = objects(sources)
    names = ["main"] + [f"f{i}" for i in made.start_up(1, 400)] + ["started", "work"]
    for linker, flag in LINKER_FLAG.items():
        if not shutil.which(f"ld.{LINKERS[linker]}"):
            print(f"{linker} is not installed: left out")
            continue
        plain = link(f"plain.{linker}", parts, linker=linker)
        text = order(program, log, "--link", plain, "--format", linker, "-o", path(f"order.{linker}")).stdout
        assert "43 of 43 functions" in text and "no better" not in text, text
        ordered = link(f"ordered.{linker}", parts, flag + path(f"order.{linker}"), linker=linker)
        placed(ordered, names)
        # It runs as before.
        run(ordered, "1")
        pages = json.loads(order("--evaluate", plain, ordered, "--with", program, "--with", log, "--json").stdout)
        assert pages[1]["pages"]["4096"] < 0.6 * pages[0]["pages"]["4096"], pages
        again = order(program, log, "--link", ordered).stdout
        assert "no better than the order that the program has now" in again, again
    graph = path("calls")
    order(program, log, "--format", "call-graph", "-o", graph, code=1)
    mach = order(program, log, "--format", "ld64", "-o", "-").stdout.split()
    assert mach[:2] == ["_main", f"_f{made.start_up(1, 400)[0]}"], mach[:2]


def same_names():
    """Static functions that share a name are named; GNU ld can tell them apart by their objects."""
    sources = []
    for name in "ab":
        sources.append(path(f"{name}.c"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write(f"extern volatile int sink;\n__attribute__((noinline)) static void init(void) {{ sink++; }}\n"
                       f"__attribute__((noinline)) void {name}(void) {{ init(); }}\n"
                       f"__attribute__((noinline)) void unused_{name}(void) {{ sink--; }}\n")
    sources.append(path("main.c"))
    with open(sources[-1], "w", encoding="utf-8") as file:
        file.write("volatile int sink; void a(void); void b(void);\nint main(void) { b(); a(); return 0; }\n")
    program = instrumented(sources)
    log = dump(program)
    parts = objects(sources)
    plain = link("plain", parts)
    text = order(program, log, "--link", plain, "-o", path("order")).stdout
    assert re.search(r"several +init: 2 static functions \(a.c, b.c\), placed together", text), text
    with open(path("order"), encoding="utf-8") as file:
        assert file.read().split() == ["main", "b", "init", "a"]
    arguments = [word for part in parts for word in ("--link", part)]
    script = order(program, log, *arguments, "--format", "ld", "-o", "-").stdout
    assert "*a.c.o(.text.init)" in script and "*b.c.o(.text.init)" in script, script


def archives():
    """--link takes archives, whole and thin, and bitcode: the same order as of the objects, and a link that has it."""
    sources = small()
    program = instrumented(sources)
    log = dump(program, "1")
    parts = objects(sources)
    expected = order(program, log, *[f"--link={part}" for part in parts], "-o", "-").stdout
    for archiver in "llvm-ar-22", "ar":
        for kind, options in ("whole", ["rcs"]), ("thin", ["rcs", "--thin"]):
            archive = path(f"lib{archiver}-{kind}.a")
            if shutil.which(archiver):
                run(archiver, *options, archive, *parts[:-1])
                assert order(program, log, "--link", archive, "--link", parts[-1], "-o", path("order")).stdout
                with open(path("order"), encoding="utf-8") as file:
                    assert file.read() == expected, archive
    placed(link("ordered", [parts[-1], archive], LINKER_FLAG["lld"] + path("order")), expected.split())
    if shutil.which("ld.bfd"):
        order(program, log, "--link", archive, "--link", parts[-1], "--format", "ld", "-o", path("script"))
        placed(link("ordered", [parts[-1], archive], LINKER_FLAG["ld"] + path("script"), linker="ld"), expected.split())
    for kind in "full", "thin":
        bitcode = objects(sources, f"-flto={kind}", suffix=f".{kind}")
        run("llvm-ar-22", "rcs", path("bitcode.a"), *bitcode[:-1])
        for given in bitcode, [path("bitcode.a"), bitcode[-1]]:
            text = order(program, log, *[f"--link={part}" for part in given], "-o", path("order")).stdout
            assert "43 of 43 functions" in text and "no better" not in text, text
            ordered = link("ordered", given, f"-flto={kind}", "-Wl,-u,main", LINKER_FLAG["lld"] + path("order"))
            with open(path("order"), encoding="utf-8") as file:
                placed(ordered, file.read().split())


def archived_statics():
    """Static functions that share a name, in two members of an archive: GNU ld's script tells them apart."""
    sources = [path(f"{name}.c") for name in "ab"]
    for name, source in zip("ab", sources):
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"extern volatile int sink;\n__attribute__((noinline)) static void init(void) {{ sink++; }}\n"
                       f"__attribute__((noinline)) void {name}(void) {{ init(); }}\n")
    run("llvm-ar-22", "rcs", path("lib.a"), *objects(sources))
    with open(path("main.c"), "w", encoding="utf-8") as file:
        file.write("volatile int sink; void a(void); void b(void);\nint main(void) { b(); a(); return 0; }\n")
    main_object = objects([path("main.c")])
    with open(path("log"), "w", encoding="utf-8") as file:
        file.write("main\nb\ninit\na\n")
    script = order(path("log"), f"--link={path('lib.a')}", "--link", *main_object, "--format", "ld", "-o", path("script"))
    assert "init: 2 static functions" in script.stdout, script.stdout
    with open(path("script"), encoding="utf-8") as file:
        text = file.read()
    assert "*lib.a:a.c.o(.text.init)" in text and "*lib.a:b.c.o(.text.init)" in text, text
    if shutil.which("ld.bfd"):
        placed(link("ordered", [*main_object, path("lib.a")], LINKER_FLAG["ld"] + path("script"), linker="ld"), ["main", "b", "init", "a"])


def suffixes():
    """What compilers append to names changes from build to build; the order has the link's names."""
    with open(path("log"), "w", encoding="utf-8") as file:
        file.write("main\nf.llvm.111\ngone\ng.cold\n")
    with open(path("new.s"), "w", encoding="utf-8") as file:
        for name in ("f.llvm.222", "main", "g.cold.1", "g", "f.cold"):
            file.write(f'.section .text.{name},"ax",@progbits\n.globl "{name}"\n.type "{name}",@function\n"{name}": nop\n'
                       f'.size "{name}",1\n')
    run("clang-22", "-c", path("new.s"), "-o", path("new.o"))
    text = order(path("log"), "--link", path("new.o"), "-o", path("order")).stdout
    with open(path("order"), encoding="utf-8") as file:
        assert file.read().split() == ["main", "f.llvm.222", "g.cold.1"]
    assert "3 of 4 functions are in it, 2 of them under names with other suffixes" in text, text
    assert "not there gone" in text, text


def gate():
    """5 MB of text, start-up runs a tenth of the functions: at least 40 % fewer pages of text."""
    sources = made.write(path("source"), 16000)
    program = instrumented(sources)
    log = dump(program, "0")
    parts = objects(sources)
    plain = link("plain", parts)
    order(program, log, "--link", plain, "-o", path("order"))
    ordered = link("ordered", parts, LINKER_FLAG["lld"] + path("order"))
    pages = json.loads(order("--evaluate", plain, ordered, "--with", program, "--with", log, "--json").stdout)
    assert pages[0]["text"] > 5e6 and pages[0]["functions"] > 1500, pages
    before, after = (one["pages"]["4096"] for one in pages)
    print(f"{before:.0f} pages before, {after:.0f} after: {100 * (1 - after / before):.1f} % fewer")
    assert after <= 0.6 * before


def scenarios():
    """Several start-ups and weights; the picture; the score by traces held out."""
    sources = small()
    program = instrumented(sources)
    logs = [dump(program, str(i)) for i in range(made.SCENARIOS)]
    first = order(program, *logs, f"--weighted-input=9,{logs[2]}", "--algorithm", "first-touch", "-o", "-").stdout.split()
    assert first[1] == f"f{made.start_up(2, 400)[0]}", "the heaviest comes first"
    text = order(program, *logs, "--held-out", "1", "--svg", path("map.svg"), "-o", path("order")).stdout
    assert "3 and 1 held out" in text and "by the traces held out" in text, text
    with open(path("map.svg"), encoding="utf-8") as file:
        assert file.read().startswith("<svg")
    merged = path("merged.mip")
    run(PGOKIT, "merge", program, *logs, "-o", merged, "-q")
    assert len(order(merged, "-o", "-").stdout.split()) == len(set(first))
    for algorithm in ("c3", "cdsort"):
        assert "is for calls and samples" in order(program, *logs, "--algorithm", algorithm, "-o", "-", code=2).stderr
    for algorithm in ("auto", "bp", "first-touch"):
        names = order(program, *logs, "--algorithm", algorithm, "-o", "-").stdout.split()
        assert sorted(names) == sorted(set(first)), algorithm
        again = order(program, *logs, "--algorithm", algorithm, "--threads", "1", "-o", "-").stdout.split()
        assert names == again, "threads show"


def cut():
    """Start-up ends with a function, a time, or a mark."""
    sources = small()
    with open(sources[-1], encoding="utf-8") as file:
        text = file.read()
    with open(sources[-1], "w", encoding="utf-8") as file:
        file.write(text.replace("int main", "void pgokit_mark(unsigned long);\nint main").replace("  work();", "  pgokit_mark(7);\n  work();"))
    program = instrumented(sources)
    log = dump(program, "0")
    whole = order(program, log, "-o", "-").stdout.split()
    assert whole[-2:] == ["started", "work"]
    assert order(program, log, "--until", "started", "-o", "-").stdout.split() == whole[:-1]
    assert order(program, log, "--until-mark", "7", "-o", "-").stdout.split() == whole[:-1]
    assert order(program, log, "--until-time", "1000s", "-o", "-").stdout.split() == whole
    never = order(program, log, "--until", "nobody", "--until-mark", "8", "-o", "-")
    assert "never ran nobody: taken whole" in never.stderr and "never said mark 8" in never.stderr, never.stderr
    order(program, log, "--until-time", "soon", code=2)


def logs():
    """The three ways of logging first runs give the same order; a ring that wrapped says what is lost."""
    sources = small()
    orders = {}
    for kind in ("order", "order-log", "order-calls"):
        program = instrumented(sources, kind)
        orders[kind] = order(program, dump(program, "3"), "-o", "-").stdout.split()
    assert orders["order"] == orders["order-log"] == orders["order-calls"]
    parts = objects(sources, *run(PGOKIT, "flags", "order-log", "--compile", "--buffer", "16", "--lib-dir", LIB).stdout.split(),
                    suffix=".ring")
    program = link("ring", parts, *flags("order-log", "link"))
    done = order(program, dump(program, "3"), "-o", "-")
    assert done.stdout.split() == orders["order"][-16:]
    assert f"{len(orders['order']) - 16} first runs are lost" in done.stderr, done.stderr


def ids():
    """`show --ids`: the logs entry by entry, which are the order; of another build there are no names."""
    sources = small()
    for kind, keys in (("order-log", {"module", "function"}), ("order-calls", {"return_address", "microseconds"})):
        program = instrumented(sources, kind)
        log = dump(program, "2")
        names = order(program, log, "-o", "-").stdout.split()
        mapped = path(f"{kind}.map")
        run(PGOKIT, "map", program, "-o", mapped)
        for source in program, mapped:
            shown = json.loads(run(PGOKIT, "show", log, "--ids", "-b", source, "--json").stdout)[0]
            assert shown["map_fits"] and shown["lost"] == 0, shown
            assert list(dict.fromkeys(entry["name"] for entry in shown["entries"])) == names, shown
            assert all(keys <= set(entry) for entry in shown["entries"]), shown
        text = run(PGOKIT, "show", log, "--ids", "-b", program, "--top", "3").stdout.splitlines()
        assert [line.split()[-1] for line in text[-4:-1]] == names[:3] and text[-1].startswith("... and "), text
        plain = run(PGOKIT, "show", log, "--ids")
        assert "main" not in plain.stdout.split() and "-b MAP names the functions" in plain.stderr, plain
        other = run(PGOKIT, "show", log, "--ids", "-b", instrumented(made.write(path("other"), 200, files=2), kind)).stdout
        assert "is of another build: no names" in other, other
    program = instrumented(sources)
    refused = run(PGOKIT, "show", dump(program, "2"), "--ids", code=1).stderr
    assert "no log of first runs is in it; 'pgokit flags order-log'" in refused, refused
    assert "--ids" in run(PGOKIT, "show", program, "--ids", code=2).stderr


def recordings():
    """Text of perf script, with branch stacks and with call chains: who calls whom."""
    with open(path("app.s"), "w", encoding="utf-8") as file:
        for name in ("a", "b", "c"):
            file.write(f'.section .text.{name},"ax",@progbits\n.globl {name}\n.type {name},@function\n{name}:\n .rept 31\n nop\n .endr\n'
                       f' ret\n.size {name},32\n')
        file.write(".globl _start\n.text\n.type _start,@function\n_start:\n call c\n ret\n.size _start,.-_start\n")
    run("clang-22", "-nostdlib", "-static", "-fuse-ld=lld-22", path("app.s"), "-o", path("app"))
    where = addresses(path("app"))
    with open(path("branches"), "w", encoding="utf-8") as file:
        branch = f"0x{where['c'] + 5:x}/0x{where['a']:x}/P/-/-/0"
        for _ in range(9):
            file.write(f" {where['a']:x} {branch} {branch}\n")
    names = order(path("branches"), "-b", path("app"), "-o", "-").stdout.split()
    assert names == ["c", "a"], names
    graph = order(path("branches"), "-b", path("app"), "--format", "call-graph", "-o", "-").stdout
    assert graph == "c a 18\n", graph
    with open(path("graph"), "w", encoding="utf-8") as file:
        file.write(graph)
    run("clang-22", "-nostdlib", "-static", "-fuse-ld=lld-22", path("app.s"), "-Wl,--call-graph-ordering-file=" + path("graph"),
        "-o", path("ordered"))
    placed(path("ordered"), ["c", "a"])
    with open(path("app.prof"), "w", encoding="utf-8") as file:
        file.write("b:100:10\n 1: 50 c:40\n 2: inlined:20\n  1: 20 a:7\nc:60:40\n 1: 60\n")
    graph = order(path("app.prof"), "--link", path("app"), "--format", "call-graph", "-o", "-").stdout
    assert sorted(graph.splitlines()) == ["b a 7", "b c 40"], graph
    assert "-b is needed" in order(path("branches"), code=2).stderr


def recorded():
    """A recording of our own: perf.data tells the same calls as its text does."""
    with open(path("app.c"), "w", encoding="utf-8") as file:
        file.write("""
#define KEPT __attribute__((noinline))
volatile unsigned sink;
KEPT void unused(void) { sink = 1; }
KEPT void near_one(unsigned i) { sink += i; }
KEPT void near_two(unsigned i) { sink ^= i; near_one(i); sink += 3; }
KEPT void far_one(unsigned i) { for (unsigned k = 0; k < 3; ++k) sink += k * i; }
int main(void) { for (unsigned i = 0; i < 100000000u; ++i) { near_two(i); if (i % 32 == 0) far_one(i); } }
""")
    plain = link("app", objects([path("app.c")]))
    run(PGOKIT, "record", "-o", path("app.perf"), "--", plain)
    graph = order(path("app.perf"), "-b", plain, "--format", "call-graph", "-o", "-").stdout
    calls = {(caller, callee): int(weight) for caller, callee, weight in map(str.split, graph.splitlines())}
    assert set(calls) == {("main", "near_two"), ("near_two", "near_one"), ("main", "far_one")}, calls
    assert calls["main", "near_two"] > 4 * calls["main", "far_one"] > 0, calls
    for algorithm in ("c3", "cdsort", "auto"):
        names = order(path("app.perf"), "-b", plain, "--algorithm", algorithm, "-o", "-").stdout.split()
        assert set(names) == {"main", "near_two", "near_one", "far_one"}, names
        assert abs(names.index("near_two") - names.index("near_one")) == 1, names
    first = order(path("app.perf"), "-b", plain, "--algorithm", "first-touch", "-o", "-").stdout.split()
    assert set(first) - {"_start"} == set(names), first  # which call chains begin with


def counters():
    """Targets of indirect calls are calls; coverage says what belongs together. Neither tells first runs."""
    sources = small()
    program = instrumented(sources, "targets")
    log = dump(program, "1")
    done = order(program, log, "--format", "call-graph", "-o", "-")
    graph = [line.split() for line in done.stdout.splitlines()]
    called = {f"f{i}" for i in made.start_up(1, 400)}
    assert len(graph) > 15 and all(line[::2] == ["main", "1"] and line[1] in called for line in graph), graph
    # All calls are made at one site.
    assert f"{len(called) - len(graph)} indirect calls of sites with more targets than were kept" in done.stderr, done.stderr
    names = order(program, log, "-o", "-").stdout.split()
    assert sorted(names) == sorted(["main", *(line[1] for line in graph)]), names
    merged = path("merged.mip")
    run(PGOKIT, "merge", program, log, "-o", merged, "-q")
    assert order(merged, "-o", "-").stdout.split() == names
    plain = link("plain", objects(sources))
    expected = {"main", "started", "work"} | {f"f{i}" for scenario in "12" for i in made.start_up(int(scenario), 400)}
    for kind in "coverage", "block-coverage", "calls":
        program = instrumented(sources, kind)
        logs = [dump(program, scenario) for scenario in "12"]
        done = order(program, *logs, "--link", plain, "-o", path("order"))
        with open(path("order"), encoding="utf-8") as file:
            assert set(file.read().split()) == expected, kind
        assert not done.stderr, done.stderr
        placed(link("ordered", objects(sources), LINKER_FLAG["lld"] + path("order")), open(path("order"), encoding="utf-8").read().split())
        for algorithm in "bp", "first-touch":
            refused = order(program, *logs, "--algorithm", algorithm, code=2).stderr
            assert "build with 'pgokit flags order'" in refused, refused
    for kind in "tables", "sizes":
        program = instrumented(sources, kind)
        assert "nothing to put in order" in order(program, dump(program, "1"), code=1).stderr, kind


def mach_o():
    """ld64's order files, judged by the symbols of what ld64.lld links of Mach-O objects; statics are told apart by their objects."""
    if not shutil.which("ld64.lld-22"):
        print("skipped: ld64.lld-22 is not installed")
        sys.exit(77)
    count = 60
    sources = made.write(path("source"), count, files=2)[:-1]
    names = [f"f{i}" for i in made.start_up(1, count)]
    for name in "ab":
        sources.append(path(f"{name}.c"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write(f"extern volatile int sink;\n__attribute__((noinline)) static void init(void) {{ sink += '{name}'; }}\n"
                       f"__attribute__((noinline)) void {name}(void) {{ init(); }}\n")
    sources.append(path("sink.c"))
    with open(sources[-1], "w", encoding="utf-8") as file:
        file.write("volatile int sink;\n")
    with open(path("log"), "w", encoding="utf-8") as file:
        file.write("\n".join([*names, "b", "init", "a"]))
    plain = order(path("log"), "--format", "ld64", "-o", "-").stdout.split()
    assert plain == [f"_{name}" for name in [*names, "b", "init", "a"]], plain
    # The objects are ELF here, and have the names of those that are linked.
    by_object = order(path("log"), *[f"--link={part}" for part in objects(sources)], "--format", "ld64", "-o", path("order"), "-q")
    with open(path("order"), encoding="utf-8") as file:
        text = file.read().split()
    assert not by_object.stdout and sorted(line for line in text if "init" in line) == ["a.c.o:_init", "b.c.o:_init"], text
    for arch in "arm64", "x86_64":
        parts = []
        os.makedirs(path(arch), exist_ok=True)
        for source in sources:
            parts.append(path(f"{arch}/{os.path.basename(source)}.o"))
            text_of_arch = open(source, encoding="utf-8").read()
            if arch == "arm64":
                text_of_arch = re.sub(r"jmp 1f(.*?),0x90", r"b 1f\1\\n.balign 4", text_of_arch)
            with open(path(f"{arch}/{os.path.basename(source)}"), "w", encoding="utf-8") as file:
                file.write(text_of_arch)
            run("clang-22", "-target", f"{arch}-apple-macos13", "-O1", "-c", path(f"{arch}/{os.path.basename(source)}"), "-o", parts[-1])

        def functions(name, *more):
            run("ld64.lld-22", "-arch", arch, "-platform_version", "macos", "13", "13", "-dylib", *parts, *more, "-o", path(name))
            lines = run("llvm-nm-22", "-n", "--defined-only", path(name)).stdout.splitlines()
            return [line.split()[2] for line in lines if line.split()[1] in "tT"]

        before = functions(f"{arch}/plain")
        after = functions(f"{arch}/ordered", "-order_file", path("order"))
        expected = [line.rpartition(":")[2] for line in text]
        assert after[:len(expected)] == expected != before[:len(expected)], (arch, after[:len(expected)], expected)
        assert sorted(before) == sorted(after)
        # Statics by their objects: of b.c first, as the file says the opposite of the link.
        with open(path("statics"), "w", encoding="utf-8") as file:
            file.write("b.c.o:_init\n_f7\na.c.o:_init\n")
        done = run("llvm-objdump-22", "-d", "--no-show-raw-insn", (functions(f"{arch}/statics", "-order_file", path("statics")), path(f"{arch}/statics"))[1]).stdout
        bodies = re.findall(r"<_init>:\n(.*?)\n\n", done, re.DOTALL)
        added = [next(c for c in "ab" if re.search(rf"\b(0x{ord(c):x}|{ord(c)})\b", body)) for body in bodies]
        assert added == ["b", "a"], (arch, added)


def temporal():
    """Profiles of clang's temporal instrumentation: the same first runs as ours, raw, merged and as text."""
    sources = small()
    parts = objects(sources, "-fprofile-generate", "-ftemporal-profile", suffix=".temporal")
    program = link("app.temporal", parts, "-fprofile-generate")
    raw = []
    for scenario in "12":
        raw.append(path(f"{scenario}.profraw"))
        run(program, scenario, env={"LLVM_PROFILE_FILE": raw[-1]})
    ours = instrumented(sources)
    plain = link("plain", objects(sources))
    for scenario, file in zip("12", raw):
        names = order(file, "-o", "-").stdout.split()
        assert names == order(ours, dump(ours, scenario), "-o", "-").stdout.split(), names
    indexed, text = path("merged.profdata"), path("merged.proftext")
    run(PGOKIT, "merge", *raw, "-o", indexed)
    run(PGOKIT, "merge", *raw, "-o", text)
    said = order(indexed, "--link", plain, "-o", path("order")).stdout
    assert re.search(r"traces    2, ", said) and " functions are in it\n" in said, said
    for others in [text], raw:
        assert order(*others, "--link", plain, "-o", "-").stdout == open(path("order"), encoding="utf-8").read()
    ordered = link("ordered", objects(sources), LINKER_FLAG["lld"] + path("order"))
    pages = json.loads(order("--evaluate", plain, ordered, "--with", indexed, "--json").stdout)
    assert pages[1]["pages"]["4096"] < 0.6 * pages[0]["pages"]["4096"], pages
    counted = link("counted", objects(sources, "-fprofile-generate", suffix=".counted"), "-fprofile-generate")
    run(counted, "1", env={"LLVM_PROFILE_FILE": path("counted.profraw")})
    refused = order(path("counted.profraw"), "--algorithm", "bp", code=2).stderr
    assert "has no traces: build with -fprofile-generate -ftemporal-profile" in refused, refused
    assert "main" in order(path("counted.profraw"), "-o", "-").stdout.split()


def bad_input():
    """One line each, nothing invented."""
    sources = small()
    program = instrumented(sources)
    log = dump(program, "0")
    other = instrumented(made.write(path("other"), 200, files=2), "order-log")
    plain = link("plain", objects(sources))

    def refused(part, *arguments, code=1):
        error = order(*arguments, code=code).stderr
        assert part in error and error.count("\n") == 1, error

    refused("a dump tells numbers, not names", log, "-o", path("out"))
    refused("programs without a map", other, log)
    refused("not an instrumented program", plain)
    refused("it is empty", "/dev/null")
    refused("no text", write("zeros", b"\0\0\0\0"))
    refused("has no symbols", program, log, "--link", strip(plain))
    refused("none of the 2 functions is in ", write("names", b"x\ny\n"), "--link", plain)
    refused("no function is in it", program, log, "--link", write("lib.a", b"!<arch>\n"))
    refused("no member at offset 0x8", program, log, "--link", write("cut.a", b"!<arch>\nf.o/"))
    refused("its member f.o is not there", program, log, "--link", write("thin.a", b"!<thin>\n" + b"f.o/".ljust(48) + b"9         `\n"))
    refused("the bitcode is damaged", program, log, "--link", write("cut.o", b"BC\xc0\xdecut"))
    refused("neither a program, an object file, bitcode nor an archive", program, log, "--link", log)
    refused("--algorithm best", program, "--algorithm", "best", code=2)
    refused("mold cannot be told", program, "--format", "mold", code=2)
    refused("it is not linked", "--evaluate", path("part0.c.o"), "--with", program, "--with", log)
    refused("has none of the functions", "--evaluate", plain, "--with", path("names"))
    refused("No such file", path("nothing"))
    refused("there is 1 trace", program, log, "--held-out", "1")
    assert not os.path.exists(path("out"))


def many_sections():
    """More than the 65,279 that fit into a symbol. The sections' names do not follow from those of their functions."""
    count = 66_000
    lines = (f'.section .text.part{i},"ax",@progbits\n.type f{i},@function\nf{i}: ret\n.size f{i},.-f{i}\n' for i in range(count))
    source, made_of_it = write("many.s", "".join(lines).encode()), path("many.o")
    run("llvm-mc-22", "-filetype=obj", "-triple=x86_64-linux-gnu", source, "-o", made_of_it)
    names = dict(re.findall(r"^ *\[ *(\d+)\] (\.text\S*)", run("llvm-readelf-22", "-SW", made_of_it).stdout, re.M))
    symbols = re.findall(r" FUNC +LOCAL +DEFAULT +(\d+) (\S+)$", run("llvm-readelf-22", "-sW", made_of_it).stdout, re.M)
    assert len(symbols) == count and int(symbols[-1][0]) > 0xffff
    symbols.reverse()
    wanted = write("wanted", "".join(f"{name}\n" for _, name in symbols).encode())
    order(wanted, "--link", made_of_it, "--format", "gold", "-o", path("sections"))
    with open(path("sections"), encoding="utf-8") as file:
        assert file.read().split() == [names[number] for number, _ in symbols]


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)


def strip(program):
    run("llvm-strip-22", program, "-o", path("stripped"))
    return path("stripped")


def main():
    for tool in ("clang-22", "ld.lld-22", "llvm-nm-22"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    if not os.path.exists(os.path.join(LIB, "pgokit-plugin.so")):
        print("skipped: the plugin is not built")
        sys.exit(77)
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    globals()[CASE]()
    print(f"{CASE}: as expected")


main()

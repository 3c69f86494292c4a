"""The kinds of input that options are tried with, by command."""
import dataclasses
import pathlib
import re
import subprocess

from inputs import run

SEEDS = pathlib.Path(__file__).resolve().parent.parent.parent / "fuzz" / "seeds"


@dataclasses.dataclass
class Scene:
    kinds: dict  # command lines by kind of input; @KIND is a file of hostile/inputs.py or one of add_inputs
    values: dict  # of the options that take one
    more: list = dataclasses.field(default_factory=list)  # command lines, and options that want others beside them
    silent: dict = dataclasses.field(default_factory=dict)  # (kind, option) of which nothing is seen, and why
    never: dict = dataclasses.field(default_factory=dict)  # options that are honoured in no scene, and why
    drop_in: bool = False


JUMPS = """
__attribute__((noinline)) int odd(int x) { return x * 3; }
__attribute__((noinline)) int even(int x) { return x / 2; }
__attribute__((noinline)) int never(int x) { return x - 7; }
int (*volatile table[])(int) = {odd, even};
int main(int argc, char **) {
  int s = 0;
  for (int i = 0; i < 1000; i++) s += table[i & 1](i);
  return argc > 9 ? never(s) : 0;
}
"""


# Functions of both stages, one of which did not run, with values, and in the order of their first runs.
COUNTED = """:csir
:temporal_prof_traces
2
2
1
main,f,
1
main,
f
1152921504606846977
2
9
4
g
7
1
0
main
5
2
9
90
3
0
1
1
f:7
1
1
1
16:3
2
1
1
f:2
"""


def add_jumps(files):
    """A program in C++ with a call of several targets, and a function that does not run; instrumented where the plugin was built."""
    source = files.folder / "jumps.cc"
    source.write_text(JUMPS)
    build = ["clang++-22", "-O1", "-g", "-fuse-ld=lld-22", "-Wl,--build-id", source]
    run(*build, "-no-pie", "-o", files.new("jumps"))
    run(files.walk, files["jumps"], "-o", files.new("jumps-perf"), "--kind", "lbr", "--format", "perfdata", "--samples", "60", "--depth", "8")
    run(files.pgokit, "generate", files["jumps-perf"], "-b", files["jumps"], "-o", files.new("jumps-profile"))
    files.new("jumps-order").write_text("_Z4eveni\n_Z3oddi\nmain\nnot_there\nneither\n")
    if "mip" not in files:
        return
    flags = {part: subprocess.run([files.pgokit, "flags", "blocks", "targets", "order", f"--{part}"], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.split() for part in ("compile", "link")}
    run(*build, *flags["compile"], "-o", files.new("jumps-instrumented"), *flags["link"])
    run(files["jumps-instrumented"], env={"PGOKIT_PROFILE_FILE": str(files.new("jumps-dump", "jumps.mipraw"))}, cwd=files.folder)
    run(files.pgokit, "merge", files["jumps-instrumented"], files["jumps-dump"], "-o", files.new("jumps-mip"))
    run("llvm-objcopy-22", "--dump-section", f"__llvm_mipmap={files.new('cut-map')}", files["jumps-instrumented"])
    files["cut-map"].write_bytes(files["cut-map"].read_bytes()[:-5])
    files.new("lib").symlink_to(pathlib.Path(files.pgokit).parent.parent / "lib" / "pgokit")


def add_split(files):
    """A program whose split units are in a package that has another name, and nowhere else."""
    folder = files.folder / "alone"
    folder.mkdir()
    (folder / "calc.c").write_bytes((SEEDS.parent.parent / "test" / "programs" / "calc.c").read_bytes())
    run("clang-22", "-O2", "-g", "-gsplit-dwarf", "-c", "calc.c", cwd=folder)
    run("clang-22", "-fuse-ld=lld-22", "calc.o", "-o", files.new("alone", "alone/program"), cwd=folder)
    run("llvm-dwp-22", "-e", files["alone"], "-o", files.new("alone-package", "alone.package"), cwd=folder)
    (folder / "calc.dwo").unlink()
    run(files.walk, files["alone"], "-o", files.new("alone-perf"), "--kind", "lbr", "--format", "perfdata", "--samples", "60", "--depth", "8")


def add_inputs(files):
    """What hostile/inputs.py has not."""
    def text(kind, contents):
        files.new(kind).write_text(contents)

    add_jumps(files)
    add_split(files)
    text("remarks", "--- !Passed\nPass: inline\nName: Inlined\nFunction: main\n...\n")
    files.new("sources").mkdir()
    (files["sources"] / "main.c").write_text("int main(void) {\n" + "\n" * 100 + "}\n")
    run("llvm-strip-22", files["probes"], "-o", files.new("stripped-probes"))
    run("llvm-objcopy-22", "--remove-section=.pseudo_probe", "--remove-section=.pseudo_probe_desc", files["stripped-probes"],
        files.new("without-probes"))
    build_id = subprocess.run([files.pgokit, "doctor", "--json", files["program"]], check=True, text=True, stdout=subprocess.PIPE).stdout
    build_id = bytes.fromhex(re.search(r'"build_id": "(\w+)"', build_id)[1])
    other = bytes(255 - byte for byte in build_id)
    files.new("other-build", "other/program").write_bytes(files["program"].read_bytes().replace(build_id, other))
    run(files.pgokit, "merge", files["text"], "--prof-sym-list", files["order"], "-o", files.new("symbols"))
    text("explained", '{"samples": {"profile": 1, "in_program": 1, "matched": 1, "used": null}, "findings": []}')
    text("measured", subprocess.run([files.pgokit, "measure", "--json", "-n", "2", "--", "true"], check=True, text=True, stdout=subprocess.PIPE).stdout)
    text("passes", "main:9:2\n 1.300: 5\n 1.44: 4\n")
    run("clang-22", "-O2", "-fpseudo-probe-for-profiling", SEEDS.parent.parent / "test" / "programs" / "calc.c", "-o", files.new("bare-probes"))
    run(files.walk, files["bare-probes"], "-o", files.new("bare-perf"), "--kind", "lbr", "--format", "perfdata", "--samples", "60", "--depth", "8")
    run("clang-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=all",
        SEEDS.parent.parent / "test" / "programs" / "calc.c", "-o", files.new("mapped"))
    run(files.walk, files["mapped"], "-o", files.new("mapped-perf"), "--kind", "lbr", "--format", "perfdata", "--samples", "60", "--depth", "8")
    run(files.pgokit, "generate", "-q", files["mapped-perf"], "-b", files["mapped"], "-o", files.new("of-mapped"))
    text("cplusplus", "int add(int a) { return a + 1; }\n")
    run("clang-22", "-x", "c++", "-fpseudo-probe-for-profiling", "-c", files["cplusplus"], "-o", files.new("cplusplus-probes"))
    text("dated", "# pgokit note: date=2024-01-02 program=app\nmain:9:2\n 1: 9\n")
    text("gone", "a:9:1\n 1: 9\nb:8:1\n 1: 8\nc:7:1\n 1: 7\nmain:90:1\n 1: 90\n")
    text("warm", "[main:1 @ a:2 @ b]:3:1\n 1: 3\n[main]:80000:1\n 2: 80000\n[main:1 @ c]:5:1\n 1: 5\n")
    text("two-inputs", f"{files['text']}\n3,{files['jumps-order']}\n")
    text("nameless", ".text\nf:\n\t.pseudoprobe\t14740650423002898831 1 0 0 f\n\tret\n")
    text("descriptors", "14740650423002898831 5 f\n")

    text("stacks", "app 7/8 1.5: 3 cycles:u: \n\t 1 sys_read ([kernel.kallsyms])\n\t 2 [unknown] (/bin/app)\n\n"
         "app 9/9 1.6: 4 cycles:u: \n\t 3 main (/bin/app)\n\n" "app 9/9 1.7: 5 page-faults: \n\t 3 main (/bin/app)\n\t 4 start (/bin/app)\n\n")
    text("main-list", "main\n")
    text("renamed", "main start\n")
    text("counted", COUNTED)
    run("llvm-profdata-22", "merge", files["counted"], "-o", files.new("indexed"))
    files.new("raw-counts").write_bytes((SEEDS / "instr_raw" / "ir").read_bytes())
    for kind, name in {"debug-info": "correlated", "binary": "correlated-sections"}.items():
        files.new(name).write_bytes((SEEDS / "instr_correlate" / kind).read_bytes())
    files.new("correlated-counts").write_bytes((SEEDS / "instr_raw" / "correlated").read_bytes())
    text("cold-counts", ":ir\nbig\n1\n2\n90000\n80000\n\nmain\n2\n4\n2\n0\n0\n1\n")
    text("cold", "[main:1 @ a:2 @ b]:3:1\n 1: 3\n[main:1 @ a]:4:1\n 1: 4\n[main]:90000000:1\n 1: 90000000\n[main:9 @ b]:2:1\n 1: 2\n")
    text("suffix", "f.llvm.1:5:1\n 1: 5\nf:7:1\n 1: 7\n 2: g:4\n  1: 4\n  2: h:2\n   1: 2\n")
    text("broken", "f:1:1\n 1 x\n")
    text("mangled", "_Z3addii:9:2\n 1: 9\nmain:50:1\n 1: 50\n")
    mapping, *samples = files["program-lbr-script"].read_text().splitlines()
    places = re.findall(r"/0x([0-9a-f]+)/", "".join(samples))[:40]
    lines = [f"calc 7 1.5: 1 {('cycles:u', 'page-faults')[i % 4 == 0]}:  {place}" for i, place in enumerate(places)]
    text("events", "\n".join([mapping, *lines, ""]))
    for name, seed in {"seed-edges": "mip_profile/blocks_order_edges", "seed-coverage": "mip_profile/coverage",
                       "seed-targets": "mip_profile/targets", "seed-dump": "mip_raw/three_records"}.items():
        files.new(name).write_bytes((SEEDS / seed).read_bytes())


# Why nothing is seen of an option.
CONTENT = "what it is about is not in this input; another scene has it"
PERMISSION = "permits what does not happen in this input; another scene has it"
THREADS = "the same output on any number; a number that is none is refused"
OTHER_BOLT = "there is one llvm-bolt: others are refused in test/bolt/objects.py"
SAME = "asks for what is so anyway"
IN_DIFFERENTIAL = "wants larger programs: those of test/differential"

GENERATE = Scene(
    {"recording": ["@program-lbr-perfdata", "-b", "@program", "-o", "OUT"],
     "script": ["@program-lbr-script", "-b", "@program", "-o", "OUT"],
     "hybrid": ["@program-hybrid-perfdata", "-b", "@program", "-o", "OUT"],
     "contexts": ["@program-hybrid-perfdata", "-b", "@program", "--context-sensitive", "-o", "OUT"],
     "probes": ["@probes-lbr-perfdata", "-b", "@probes", "-o", "OUT"],
     "split": ["@split-lbr-perfdata", "-b", "@split", "-o", "OUT"],
     "raw": ["@raw-lbr", "-b", "@program", "-o", "OUT"],
     "raw contexts": ["@raw-hybrid", "-b", "@program", "--context-sensitive", "-o", "OUT"],
     "ip": ["@events", "-b", "@program", "--allow-ip", "-o", "OUT"],
     "instrumented": ["@mip", "-b", "@instrumented", "-o", "OUT"],
     "layout": ["@mapped-perf", "-b", "@mapped", "--for", "propeller", "-o", "OUT"]},
    {"--output": "-", "--for": "gcc-11", "--format": "text", "--debug-binary": "@broken", "--dwp": "@package", "--event": "page-faults", "--pid": "1",
     "--binary": "@broken", "--threads": "1", "--quantize": "1", "--date": "2024-01-02", "--llvm-bolt": "false"},
    [(["@program-lbr-perfdata", "-b", "@program"], ["--output -"]),
     (["@program-lbr-perfdata", "-b", "@program", "--note", "-o", "OUT"], ["--date 2024-01-02"]),
     (["@program-lbr-perfdata", "-o", "OUT"], ["--binary @other-build"]),
     (["@program-lbr-perfdata", "-b", "@stripped", "-o", "OUT"], ["--debug-binary @debug"]),
     (["@alone-perf", "-b", "@alone", "-o", "OUT"], ["--dwp @alone-package"]),
     (["@program-lbr-perfdata", "-b", "@program", "--format", "preaggregated", "-o", "OUT"], ["--build-ids"]),
     (["@events", "-b", "@program", "-o", "OUT"], ["--allow-ip"]),
     (["@live", "-b", "@other-busy", "-o", "OUT"], ["--ignore-build-id"])],
    {("*", "--threads"): THREADS, ("*", "--use-dwarf"): SAME, ("*", "--ignore-build-id"): PERMISSION, ("*", "--allow-ip"): PERMISSION,
     ("*", "--trim-cold"): CONTENT, ("split", "--dwp"): SAME},
    {"--threads": THREADS, "--llvm-bolt": OTHER_BOLT, "--all-programs": "writes files with names of the programs: test/bolt/objects.py, test/instrument/libraries.py", "--pid": "all samples are of one process: the others are refused",
     "--kernel": "recordings of kernels are in the unit tests of samples; others are refused"})

MERGE = Scene(
    {"profiles": ["@extbinary", "@mangled", "-o", "OUT"],
     "contexts": ["@cold", "-o", "OUT"],
     "raw": ["@raw-lbr", "-o", "OUT"],
     "raw contexts": ["@raw-hybrid", "-o", "OUT"],
     "instrumented": ["@map", "@dump", "-o", "OUT"]},
    {"--output": "-", "--weighted-input": "3,@extbinary", "--input-files": "@list", "--for": "gcc-11", "--format": "text", "--prof-sym-list": "@main-list",
     "--function": "main", "--no-function": "main", "--onto": "@map", "--gcov-version": "1", "--layout": "flat", "--max-depth": "1",
     "--cold-frames": "2", "--cold-count": "1", "--half-life": "7", "--divide": "2", "--quantize": "1", "--threads": "1"},
    [(["@extbinary"], ["--output -"]),
     (["@extbinary", "@extbinary", "@broken", "-o", "OUT"], ["--strict", "--distinct"]),
     (["@extbinary", "--format", "gcov", "-o", "OUT"], ["--gcov-version 1"]),
     (["@symbols", "-o", "OUT"], ["--drop-symbol-list"]),
     (["@dated", "-o", "OUT"], ["--drop-notes"]),
     (["@cold", "--merge-cold", "-o", "OUT"], ["--cold-frames 2", "--cold-count 1"]),
     (["@suffix", "-o", "OUT"], ["--strip-suffixes", "--max-depth 1", "--layout flat"])],
    {("*", "--threads"): THREADS, ("*", "--strict"): CONTENT, ("*", "--distinct"): CONTENT, ("*", "--drop-symbol-list"): CONTENT, ("*", "--drop-notes"): CONTENT,
     ("*", "--strip-suffixes"): CONTENT, ("profiles", "--max-depth"): CONTENT},
    {"--threads": THREADS})

SHOW = Scene(
    {"recording": ["@program-lbr-perfdata"], "hybrid": ["@program-hybrid-perfdata"], "script": ["@program-lbr-script"],
     "recorded targets": ["@jumps-perf", "--targets", "-b", "@jumps"],
     "counts": ["@raw-lbr"],
     "text": ["@mangled"], "extbinary": ["@extbinary"], "contexts": ["@cold"], "hashed": ["@md5"], "gcov": ["@gcov"], "probes": ["@of-probes"],
     "program": ["@program"], "object": ["@object"], "map": ["@map"], "dump": ["@seed-dump"], "instrumented": ["@jumps-mip"],
     "edges": ["@seed-edges"], "coverage": ["@seed-coverage"], "targets": ["@seed-targets"], "log": ["@log", "--ids", "-b", "@logging"]},
    {"--function": "main", "--top": "1", "--hot": "1", "--binary": "@program", "--per-site": "1", "--source": "calc.c"},
    [(["@mip"], ["--binary @instrumented --source calc.c"]),
     (["@mip", "-b", "@instrumented"], ["--source calc.c"]),
     (["@jumps-mip", "--targets"], ["--per-site 1"]),
     (["@log"], ["--ids"]),
     (["@log", "--ids"], ["--binary @logging"]),
     (["@jumps-mip", "--targets"], ["--binary @jumps-instrumented"])],
    {("*", "--mangled"): CONTENT, ("*", "--top"): CONTENT, ("recorded targets", "--per-site"): CONTENT})

REPORT = Scene(
    {"recording": ["@jumps-perf", "-b", "@jumps", "--text"], "function": ["@jumps-perf", "-b", "@jumps", "--annotate", "main"],
     "page": ["@jumps-perf", "-b", "@jumps", "-o", "OUT"], "page of a profile": ["@mangled", "-o", "OUT"],
     "hybrid": ["@program-hybrid-perfdata", "-b", "@program", "--text"], "script": ["@program-lbr-script", "-b", "@program", "--text"],
     "counts": ["@raw-lbr", "-b", "@program", "--text"], "counters": ["@mip", "-b", "@instrumented", "--text"], "profile": ["@mangled", "--text"]},
    {"--binary": "@program", "--annotate": "main", "--top": "1", "--syntax": "intel", "--threads": "1", "--output": "OUT", "--before": "@extbinary",
     "--order": "@jumps-order", "--measurement": "@measured", "--explanation": "@explained", "--remarks": "@remarks", "--source": "@sources",
     "--max-size": "1"},
    [(["@jumps-perf", "-b", "@jumps"], ["--text", "--output OUT"]),
     (["@program-lbr-perfdata", "--text"], ["--binary @other-build"]),
     (["@live", "-b", "@other-busy", "--text"], ["--ignore-build-id"])],
    {("*", "--threads"): THREADS, ("*", "--text"): SAME, ("*", "--ignore-build-id"): PERMISSION, ("*", "--mangled"): CONTENT},
    {"--threads": THREADS, "--all-programs": "writes files with names of the programs: test/instrument/libraries.py"})

COMPARE = Scene(
    {"flat": ["@text", "@mangled"], "contexts": ["@cold", "@warm"], "counted": ["@counted", "@raw-counts"]},
    {"--function": "main", "--top": "1", "--min-overlap": "99.99", "--min-similarity": "99.99", "--binary": "@busy"},
    [(["@program-lbr-script", "@extbinary"], ["--binary @program"]), (["@live", "@live", "-b", "@other-busy"], ["--ignore-build-id"])],
    silent={("contexts", "--top"): CONTENT, ("contexts", "--mangled"): CONTENT, ("*", "--binary"): "these are profiles",
            ("*", "--use-dwarf"): "these are profiles", ("*", "--ignore-build-id"): "these are profiles"},
    never={"--use-dwarf": "the recorded program has no probes"})

CHECK = Scene(
    {"alone": ["@extbinary"], "program": ["@extbinary", "-b", "@program"], "probes": ["@of-probes", "-b", "@probes"],
     "contexts": ["@contexts", "-b", "@program"], "changed": ["@gone", "-b", "@program"]},
    {"--binary": "@program", "--recording": "@program-lbr-perfdata", "--debug": "@debug", "--min-density": "1000000", "--min-flow": "100",
     "--max-excess-calls": "0", "--min-coverage": "100", "--max-stale": "0", "--max-vanished": "0", "--max-age": "1", "--top": "1", "--threads": "1"},
    [(["@extbinary", "-b", "@stripped"], ["--debug @debug"]),
     (["@dated"], ["--max-age 1"]),
     (["@mangled", "-b", "@program"], ["--mangled"])],
    {("*", "--threads"): THREADS, ("*", "--top"): CONTENT, ("*", "--mangled"): CONTENT, ("*", "--debug"): SAME},
    {"--threads": THREADS})

EXPLAIN = Scene(
    {"lines": ["@extbinary", "-b", "@program"], "probes": ["@of-probes", "-b", "@probes"], "changed": ["@gone", "-b", "@program"]},
    {"--binary": "@broken", "--debug": "@broken", "--recording": "@broken", "--profiled": "@broken", "--profiled-binary": "@program", "--remarks": "@broken", "--function": "main", "--top": "1", "--threads": "1"},
    [(["@extbinary", "-b", "@stripped"], ["--debug @debug"]),
     (["@extbinary"], ["--binary @program"]),
     (["@extbinary", "-b", "@program"], ["--remarks @remarks", "--profiled @program-lbr-perfdata"]),
     (["@extbinary", "-b", "@program", "--profiled", "@program-lbr-perfdata"], ["--profiled-binary @packed"]),
     (["@of-mapped", "-b", "@mapped"], ["--recording @mapped-perf"]),
     (["@extbinary", "-b", "@program", "--profiled", "@live", "--profiled-binary", "@other-busy"], ["--ignore-build-id"]),
     (["@mangled", "-b", "@program"], ["--mangled"])],
    {("*", "--threads"): THREADS, ("*", "--mangled"): CONTENT, ("*", "--ignore-build-id"): PERMISSION},
    {"--threads": THREADS})

MATCH = Scene(
    {"lines": ["@mangled", "-b", "@program", "-o", "OUT"], "probes": ["@of-probes", "-b", "@probes", "-o", "OUT"]},
    {"--output": "-", "--format": "binary", "--debug": "@broken", "--binary": "@broken", "--top": "1", "--threads": "1"},
    [(["@text", "-b", "@program"], ["--output -"]),
     (["@text", "-o", "OUT"], ["--binary @program"]),
     (["@text", "-b", "@stripped", "-o", "OUT"], ["--debug @debug"]),
     (["@gone", "-b", "@program", "-o", "OUT"], ["--top 1"])],
    {("*", "--threads"): THREADS, ("*", "--top"): CONTENT, ("probes", "--mangled"): CONTENT},
    {"--threads": THREADS})

FLAGS = Scene(
    {kind: [kind] for kind in ("coverage", "block-coverage", "calls", "calls32", "blocks", "order", "order-log", "order-calls", "edges",
                               "targets", "tables", "sizes")}
    | {"profile": ["profile", "--root", "/src"], "use": ["use=@extbinary", "--root", "/src"]},
    {"--by": "lines", "--for": "gcc", "--root": "/src", "--style": "cmake", "--functions": "@main-list", "--min-size": "5", "--group": "1/3", "--rate": "7", "--buffer": "64", "--per-site": "3",
     "--target-buffer": "64", "--lib-dir": "@lib", "--clang": "clang-22"},
    [(["use=later.prof", "--root", "/src"], ["--if-there"]), (["profile"], ["--root /src"])],
    {("use", "--by"): "the profile is by lines", ("use", "--if-there"): "it is there"})

MAP = Scene({"program": ["@instrumented", "-o", "OUT"], "cut": ["@cut-map", "-o", "OUT"]}, {"--output": "OTHER", "--strip": "SHIPPED"},
            [(["@cut-map"], ["--output OUT"])], {("program", "--strict"): CONTENT})

EXPORT = Scene(
    {"lcov": ["@mip", "-b", "@instrumented"], "targets": ["@jumps-mip", "--targets"],
     "hotness": ["@jumps-mip", "-b", "@jumps-instrumented", "--hotness"], "hotness of samples": ["@jumps-profile", "--hotness"],
     "blocks": ["@mip", "-b", "@instrumented", "--blocks"],
     "recorded targets": ["@jumps-perf", "-b", "@jumps", "--targets"],
     "stacks": ["@stacks", "--to", "folded"]},
    {"--binary": "@program", "--output": "OUT", "--hot-percent": "10", "--to": "speedscope", "--event": "page-faults", "--root": "thread", "--pid": "7"},
    [(["@jumps-mip", "-b", "@jumps-instrumented"], ["--hotness"]), (["@mip", "-b", "@instrumented"], ["--blocks"]), (["@jumps-perf", "-b", "@jumps"], ["--targets"]), (["@jumps-mip"], ["--binary @jumps-instrumented"]),
     (["@stacks", "-o", "out.folded"], ["--marks", "--samples", "--addresses", "--to speedscope"]),
     (["@stacks"], ["--event page-faults --to folded", "--root thread --to folded", "--pid 7 --to folded"])],
    {("lcov", "--lcov"): SAME, ("stacks", "--binary"): "text has its names"}, {"--lcov": SAME})

ORDER = Scene(
    {"dump": ["@map", "@dump", "-o", "OUT"], "instrumented": ["@mip", "-o", "OUT"], "profile": ["@jumps-profile", "-o", "OUT"],
     "recording": ["@program-lbr-perfdata", "-b", "@program", "-o", "OUT"], "script": ["@program-lbr-script", "-b", "@program", "-o", "OUT"],
     "list": ["@jumps-order", "-o", "OUT"], "evaluate": ["--evaluate", "@jumps", "--with", "@jumps-order"]},
    {"--output": "-", "--link": "@program", "--binary": "@program", "--algorithm": "c3", "--format": "ld", "--weighted-input": "3,@order",
     "--input-files": "@two-inputs", "--until-time": "1us", "--until": "main", "--until-mark": "1", "--held-out": "1", "--page-size": "256",
     "--with": "@order", "--svg": "picture.svg", "--pid": "1", "--top": "1", "--threads": "1"},
    [(["@jumps-order"], ["--output -"]),
     (["@jumps-order", "@order", "-o", "OUT"], ["--held-out 1"]),
     (["@jumps-order", "-o", "OUT", "-l", "@jumps"], ["--top 1", "--demangle"]),
     (["@mangled", "-o", "OUT", "-l", "@program"], ["--mangled"]),
     (["@live", "-b", "@other-busy", "-o", "OUT"], ["--ignore-build-id"]),
     (["@program-lbr-script", "-o", "OUT"], ["--binary @program"]),
     (["@jumps"], ["--evaluate --with @jumps-order"]),
     (["--evaluate", "@jumps"], ["--with @jumps-order"])],
    {("*", "--threads"): THREADS, ("*", "--top"): CONTENT, ("*", "--demangle"): CONTENT, ("*", "--mangled"): CONTENT, ("*", "--ignore-build-id"): PERMISSION,
     ("evaluate", "--page-size"): CONTENT},
    {"--threads": THREADS, "--pid": "all samples are of one process: the others are refused"})

DUMP = Scene({"program": ["@probes"], "object": ["@object"]},
             {"--function": "main", "--debug-file": "@probes-debug"},
             [(["@without-probes"], ["--debug-file @probes-debug"]), (["@cplusplus-probes"], ["--mangled"])],
             {("*", "--debug-file"): SAME, ("*", "--mangled"): CONTENT})
PROBES_COMPARE = Scene({"programs": ["@probes", "@bare-probes"]}, {"--function": "main", "--top": "1"},
                       [(["@probes", "@bare-probes", "--function", "main"], ["--changed"]), (["@cplusplus-probes", "@probes"], ["--mangled"])],
                       {("*", "--mangled"): CONTENT, ("programs", "--changed"): CONTENT}, {"--changed": "both are different programs"})
STATS = Scene({"program": ["@probes"], "object": ["@object"]}, {"--top": "1", "--debug-file": "@probes-debug"},
              [(["@cplusplus-probes"], ["--mangled"])], {("*", "--mangled"): CONTENT})
DISASSEMBLE = Scene({"program": ["@probes"], "object": ["@object"]},
                    {"--function": "main", "--syntax": "intel", "--debug-file": "@probes-debug", "--threads": "1"},
                    [(["@without-probes"], ["--debug-file @probes-debug"])],
                    {("*", "--threads"): THREADS, ("*", "--debug-file"): SAME}, {"--threads": THREADS})
LOWER = Scene({"assembly": ["@assembly"]}, {"--output": "OUT", "--target": "aarch64", "--descriptors": "@descriptors"},
              [(["@nameless"], ["--allow-unknown", "--descriptors @descriptors"])],
              {("assembly", "--allow-unknown"): PERMISSION, ("assembly", "--descriptors"): PERMISSION, ("assembly", "--target"): CONTENT},
              {"--target": "tells which comments assembly has; in the unit tests of assembly"})
DOCTOR = Scene({"machine": [], "program": ["@program"]}, {})

# Recordings of pgokit-walk have no build id, and scenes with others are not had everywhere.
KERNEL_NAME = "a kernel's recording is in test/propeller/propeller.py"

CREATE_LLVM_PROF = Scene(
    {"profile": ["--binary", "@program", "--profile", "@program-lbr-perfdata", "--format", "extbinary", "--out", "OUT"],
     "layout": ["--binary", "@mapped", "--profile", "@mapped-perf", "--format", "propeller", "--out", "OUT", "--propeller_symorder", "SYMBOLS"]},
    {"--binary": "@broken", "--profile": "@broken", "--profiler": "none", "--out": "OTHER", "--gcov": "OTHER", "--format": "text",
     "--propeller_symorder": "SYMBOLS", "--use_lbr": "1", "--profiled_binary_name": "[kernel.kallsyms]"},
    [(["--binary", "@program", "--profile", "@program-lbr-perfdata"], ["--gcov OUT", "--out OUT"]),
     (["--binary", "@program", "--profile", "@program-lbr-perfdata", "--out", "OUT"], ["--format binary"]),
     (["--binary", "@mapped", "--profile", "@mapped-perf", "--format", "propeller", "--out", "OUT"], ["--propeller_symorder SYMBOLS"]),
     (["--profile", "@program-lbr-perfdata", "--out", "OUT"], ["--binary @program"]),
     (["--binary", "@program", "--out", "OUT"], ["--profile @program-lbr-perfdata"])],
    {("*", "--ignore_build_id"): PERMISSION, ("*", "--use_lbr"): SAME},
    {"--ignore_build_id": PERMISSION, "--use_lbr": SAME, "--profiled_binary_name": KERNEL_NAME, "--profiler": "both values are recognized in any case: others are refused"})

CREATE_GCOV = Scene(
    {"profile": ["--binary", "@program", "--profile", "@program-lbr-perfdata", "--gcov", "OUT"]},
    {"--binary": "@broken", "--profile": "@broken", "--profiler": "none", "--gcov": "OTHER", "--gcov_version": "1", "--use_lbr": "1"},
    [(["--profile", "@program-lbr-perfdata", "--gcov", "OUT"], ["--binary @program"]),
     (["--binary", "@program", "--gcov", "OUT"], ["--profile @program-lbr-perfdata"]),
     (["--binary", "@program", "--profile", "@program-lbr-perfdata"], ["--gcov OUT"])],
    {("*", "--ignore_build_id"): PERMISSION, ("*", "--use_lbr"): SAME, ("*", "--nouse_lbr"): PERMISSION},
    {"--ignore_build_id": PERMISSION, "--use_lbr": SAME, "--nouse_lbr": PERMISSION,
     "--profiler": "both values are recognized in any case: others are refused"})

PROFILE_MERGER = Scene(
    {"gcc": ["@gcov", "--output_file", "OUT"], "clang": ["@text", "--is_llvm", "--format", "extbinary", "--output_file", "OUT"]},
    {"--output_file": "OTHER", "--gcov_version": "1", "--format": "text"},
    [(["@text", "--output_file", "OUT"], ["--is_llvm"]), (["@gcov"], ["--output_file OUT"]),
     (["@text", "--is_llvm", "--output_file", "OUT"], ["--format text"])])

PROPELLER_PROFILES = Scene(
    {"layout": ["--binary", "@mapped", "--profile", "@mapped-perf", "--cc_profile", "OUT", "--ld_profile", "SYMBOLS"]},
    {"--profile_type": "PERF_SPE", "--profiled_binary_name": "[kernel.kallsyms]",
     "--propeller_options": "code_layout_params { inter_function_reordering: true }"},
    [(["--profile", "@mapped-perf", "--cc_profile", "OUT", "--ld_profile", "SYMBOLS"], ["--binary @mapped"]),
     (["--binary", "@mapped", "--cc_profile", "OUT", "--ld_profile", "SYMBOLS"], ["--profile @mapped-perf"]),
     (["--binary", "@mapped", "--profile", "@mapped-perf", "--ld_profile", "SYMBOLS"], ["--cc_profile OUT"]),
     (["--binary", "@mapped", "--profile", "@mapped-perf", "--cc_profile", "OUT"], ["--ld_profile SYMBOLS"])],
    {}, {"--profile_type": "the other types are refused", "--profiled_binary_name": KERNEL_NAME})

PROFGEN = Scene(
    {"script": ["--perfscript", "@program-lbr-script", "--binary", "@program", "-o", "OUT"],
     "recording": ["--perfdata", "@program-lbr-perfdata", "--binary", "@program", "-o", "OUT"],
     "hybrid": ["--perfscript", "@program-hybrid-script", "--binary", "@program", "-o", "OUT", "--format=text"],
     "cold": ["--perfscript", "@program-hybrid-script", "--binary", "@program", "-o", "OUT", "--format=text", "--csspgo-preinliner=0",
              "--gen-cs-nested-profile=0", "--profile-summary-cutoff-cold=500000"],
     "inlined": ["--perfscript", "@program-hybrid-script", "--binary", "@program", "-o", "OUT", "--format=text",
                 "--profile-summary-cutoff-hot=600000", "--sample-profile-hot-inline-threshold=100"],
     "probes": ["--perfscript", "@probes-hybrid-script", "--binary", "@probes", "-o", "OUT", "--format=text"],
     "raw": ["--unsymbolized-profile", "@raw-lbr", "--binary", "@program", "-o", "OUT"],
     "again": ["--llvm-sample-profile", "@cold", "--binary", "@program", "-o", "OUT"],
     "raw out": ["--perfscript", "@program-hybrid-script", "--binary", "@program", "-o", "OUT", "--skip-symbolization"],
     "code": ["--binary", "@probes", "-o", "OUT", "--show-disassembly-only"],
     "one function": ["--binary", "@probes", "-o", "OUT", "--show-disassembly-only", "--disassemble-functions=main"]},
    {"--binary": "@broken", "--output": "-", "--perfscript": "@events", "--perfdata": "@program-hybrid-perfdata",
     "--unsymbolized-profile": "@raw-hybrid", "--llvm-sample-profile": "@text", "--format": "binary", "--debug-binary": "@debug",
     "--dwp": "@package", "--pid": "1", "--compress-recursion": "0", "--csprof-max-context-depth": "1",
     "--csprof-max-unsymbolized-context-depth": "1", "--max-search-depth": "0", "--data-access-perftrace": "@events",
     "--profile-density-threshold": "1000000", "--profile-density-cutoff-hot": "1000", "--disassemble-functions": "main",
     "--x86-asm-syntax": "intel", "--threads": "1", "--csspgo-preinliner-multiplier-for-previous-inlining": "1",
     "--sample-profile-hot-inline-threshold": "1", "--sample-profile-cold-inline-threshold": "10000",
     "--sample-profile-inline-growth-limit": "1", "--sample-profile-inline-limit-min": "1", "--sample-profile-inline-limit-max": "1",
     "--csprof-max-cold-context-depth": "2", "--profile-summary-cutoff-hot": "1", "--profile-summary-hot-count": "1",
     "--profile-summary-cutoff-cold": "1", "--profile-summary-cold-count": "1000000"},
    [(["--perfscript", "@program-lbr-script", "--binary", "@stripped", "-o", "OUT"], ["--debug-binary @debug"]),
     (["--perfdata", "@alone-perf", "--binary", "@alone", "-o", "OUT"], ["--dwp @alone-package"]),
     (["--perfscript", "@program-lbr-script", "-o", "OUT"], ["--binary @program"]),
     (["--binary", "@program", "-o", "OUT"],
      ["--perfscript @program-lbr-script", "--perfdata @program-lbr-perfdata", "--unsymbolized-profile @raw-lbr",
       "--llvm-sample-profile @cold"]),
     (["--llvm-sample-profile", "@cold", "--binary", "@program", "-o", "OUT", "--gen-cs-nested-profile=0", "--csspgo-preinliner=0",
       "--csprof-merge-cold-context=0"], ["--profile-summary-contextless=0"]),
     (["--perfdata", "@jumps-perf", "--binary", "@jumps", "-o", "OUT", "--skip-symbolization"], ["--use-first-loadable-segment-as-base"]),
     (["--perfdata", "@bare-perf", "--binary", "@bare-probes", "-o", "OUT"], ["--load-function-from-symbol=0"])],
    never={"--kernel": "refused: no recording here is of a kernel", "--threads": THREADS, "--data-access-perftrace": IN_DIFFERENTIAL,
           "--show-canonical-fname": IN_DIFFERENTIAL, "--csspgo-preinliner-multiplier-for-previous-inlining": IN_DIFFERENTIAL,
           "--sample-profile-inline-limit-min": IN_DIFFERENTIAL, "--sort-profiled-scc-member": IN_DIFFERENTIAL},
    drop_in=True)

SUMMARIES = {"--profile-summary-cutoff-hot": "1", "--profile-summary-hot-count": "1", "--profile-summary-cutoff-cold": "1",
             "--profile-summary-cold-count": "1000000", "--fs-discriminator-pass": "Base"}

PROFDATA_MERGE = Scene(
    {"profiles": ["--sample", "@text", "@binary", "-o", "OUT"], "counted": ["@counted", "-o", "OUT"], "contexts": ["--sample", "@cold", "-o", "OUT"],
     "supplemented": ["@cold-counts", "--supplement-instr-with-sample", "@mangled", "-o", "OUT"],
     "correlated": ["@correlated-counts", "--debug-info", "@correlated", "-o", "OUT"],
     "symbols": ["--sample", "@symbols", "-o", "OUT"], "passes": ["--sample", "@passes", "--profile-isfs", "-o", "OUT"]},
    {"--weighted-input": "3,@gcov", "--input-files": "@list", "--output": "-", "--prof-sym-list": "@main-list", "--function": "main",
     "--no-function": "main", "--sample-frame-depth-for-cold-context": "2", "--convert-sample-profile-layout": "flat",
     "--output-size-limit": "600", "--failure-mode": "all", "--remapping-file": "@renamed", "--num-threads": "1", "--debug-info": "@correlated", "--binary-file": "@correlated-sections",
     "--max-debug-info-correlation-warnings": "1", "--supplement-instr-with-sample": "@mangled", "--zero-counter-threshold": "0.3",
     "--suppl-min-size-threshold": "3", "--instr-prof-cold-threshold": "1",
     "--temporal-profile-max-trace-length": "1", "--temporal-profile-trace-reservoir-size": "1", **SUMMARIES},
    [(["@text", "-o", "OUT"], ["--sample"]),
     (["@cold-counts", "-o", "OUT"], ["--supplement-instr-with-sample @mangled --suppl-min-size-threshold=1"]),
     (["@cold-counts", "--supplement-instr-with-sample", "@mangled", "-o", "OUT"], ["--suppl-min-size-threshold=3"]),
     (["@cold-counts", "--supplement-instr-with-sample", "@mangled", "--suppl-min-size-threshold=1", "-o", "OUT"],
      ["--zero-counter-threshold=0.3", "--instr-prof-cold-threshold=1"]),
     (["@correlated-counts", "-o", "OUT"], ["--debug-info @correlated", "--binary-file @correlated-sections"]),
     (["--sample", "@counted", "-o", "OUT"], ["--instr"]),
     (["--sample", "--text", "@text", "-o", "OUT"], ["--extbinary"]),
     (["--sample", "--sample-merge-cold-context", "@cold", "-o", "OUT"],
      ["--sample-frame-depth-for-cold-context=2", "--profile-summary-cold-count=3"]),
     (["--sample", "--sample-merge-cold-context", "@warm", "-o", "OUT"], ["--profile-summary-cutoff-cold=1"]),
     (["--sample", "--convert-sample-profile-layout=nest", "@cold", "-o", "OUT"], ["--generate-merged-base-profiles"]),
     (["--sample", "@passes", "--fs-discriminator-pass=Base", "-o", "OUT"], ["--profile-isfs"]),
     (["--sample", "@text", "@broken", "-o", "OUT"], ["--failure-mode=all"])],
    never={"--num-threads": THREADS, "--gcc": "refused, as by llvm-profdata",
           "--max-debug-info-correlation-warnings": IN_DIFFERENTIAL, "--debuginfod": "refused", "--keep-vtable-symbols": "refused",
           "--memprof-random-hotness": "refused", "--profiled-binary": IN_DIFFERENTIAL, "--memprof-version": IN_DIFFERENTIAL,
           "--memprof-full-schema": IN_DIFFERENTIAL}, drop_in=True)

PROFDATA_SHOW = Scene(
    {"text": ["--sample", "@text"], "contexts": ["--sample", "@cold"], "symbols": ["--sample", "@symbols"],
     "counted": ["@counted"], "all": ["--all-functions", "@counted"], "raw": ["@raw-counts"], "shares": ["--detailed-summary", "@indexed"],
     "summary": ["--sample", "--detailed-summary", "@cold"], "hot": ["--sample", "--hot-func-list", "@extbinary"],
     "one": ["--sample", "--function=main", "@text"], "passes": ["--sample", "--profile-isfs", "@passes"]},
    {"--output": "OUT", "--function": "main", "--show-format": "json", "--topn": "1", "--value-cutoff": "50",
     "--detailed-summary-cutoffs": "500000", **SUMMARIES},
    [(["@text"], ["--sample"]), (["--sample", "@counted"], ["--instr"]), (["@counted", "--value-cutoff=50"], ["--list-below-cutoff"]),
     (["--sample", "@passes", "--fs-discriminator-pass=Base"], ["--profile-isfs"])],
    never={"--memory": IN_DIFFERENTIAL, "--profiled-binary": IN_DIFFERENTIAL}, drop_in=True)

PROFDATA_ORDER = Scene({"traces": ["@counted"], "tested": ["@counted", "--num-test-traces=1", "-o", "OUT"]},
                       {"--output": "OUT", "--num-test-traces": "1", **SUMMARIES}, drop_in=True)

PROFDATA_OVERLAP = Scene(
    {"flat": ["--sample", "@text", "@extbinary"], "unlike": ["--sample", "@text", "@mangled"], "contexts": ["--sample", "@cold", "@warm"],
     "passes": ["--sample", "@passes", "@mangled", "--profile-isfs"], "counted": ["@counted", "@indexed"]},
    {"--output": "OUT", "--function": "main", "--value-cutoff": "1", "--similarity-cutoff": "999999", **SUMMARIES},
    [(["@text", "@extbinary"], ["--sample"]), (["--sample", "@counted", "@indexed"], ["--instr"]), (["--sample", "@passes", "@mangled", "--fs-discriminator-pass=Base"], ["--profile-isfs"])],
    drop_in=True)

PERF2BOLT = Scene(
    {"recording": ["-p", "@program-lbr-perfdata", "-o", "OUT", "@program"],
     "basic": ["-p", "@program-lbr-perfdata", "-o", "OUT", "@program", "-ba"]},
    {"--perfdata": "@program-lbr-perfdata", "--pid": "1", "--profile-format": "yaml", "--llvm-bolt": "false", "--threads": "1"},
    [(["-p", "@live", "-o", "OUT", "@other-busy"], ["--ignore-build-id"]), (["-o", "OUT", "@program"], ["--perfdata @program-lbr-perfdata"]),
     (["-p", "@preaggregated", "-o", "OUT", "@program"], ["--pa"])],
    never={"--parse-mem-profile": "a recording with loads is in test/bolt/loads.py", "--llvm-bolt": OTHER_BOLT,
           "--pid": "all samples are of one process: the others are refused", "--ignore-interrupt-lbr": "no recording here has branches of the kernel", "--threads": THREADS}, drop_in=True)

HELP = Scene({"command": ["show"], "all": []}, {"--output": "."}, [(["--man"], ["--output ."])])

SCENES = {"help": HELP, "generate": GENERATE, "merge": MERGE, "show": SHOW, "report": REPORT, "compare": COMPARE, "check": CHECK, "explain": EXPLAIN, "match": MATCH, "flags": FLAGS, "map": MAP,
          "export": EXPORT, "order": ORDER, "probes dump": DUMP, "probes stats": STATS, "probes compare": PROBES_COMPARE, "probes disassemble": DISASSEMBLE,
          "probes lower": LOWER, "doctor": DOCTOR, "perf2bolt": PERF2BOLT, "llvm-profgen": PROFGEN, "create_llvm_prof": CREATE_LLVM_PROF,
          "generate_propeller_profiles": PROPELLER_PROFILES, "create_gcov": CREATE_GCOV, "profile_merger": PROFILE_MERGER, "llvm-profdata merge": PROFDATA_MERGE,
          "llvm-profdata show": PROFDATA_SHOW, "llvm-profdata overlap": PROFDATA_OVERLAP, "llvm-profdata order": PROFDATA_ORDER}

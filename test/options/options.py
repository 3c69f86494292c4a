#!/usr/bin/env python3
"""Every option of every command is honoured or refused.

    options.py PGOKIT PGOKIT_WALK

For each command there are scenes: command lines with inputs, and options with the values they are tried with.
An option is honoured where output, files or exit code differ from those without it, and refused where the exit
code is 2. `show` tells files of many kinds: there each option is tried on each kind, and must be one or the
other. Of other commands each option that --help names must be honoured in some scene, or stand in `unseen`,
with the reason why nothing of it is seen. Exit code 1 if an option does nothing, 77 without clang 22.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PGOKIT, WALK = (str(pathlib.Path(tool).resolve()) for tool in sys.argv[1:3])
ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "fuzz" / "seeds"
failures = 0


def wrong(what):
    global failures
    failures += 1
    print(f"WRONG: {what}")


def options_of(command):
    """Long names that --help lists, each with whether it takes a value."""
    text = subprocess.run([PGOKIT, *command.split(), "--help"], capture_output=True, text=True).stdout
    found = {}
    for line in re.findall(r"^ +(?:-\w,)?(--[\w-]+(?:,--[\w-]+)*)(.*)$", text, re.M):
        found[line[0].split(",")[0]] = bool(re.match(r" [A-Z]", line[1]))
    found.pop("--help", None)
    return found


class Tool:
    def __init__(self, folder):
        self.folder = folder

    def run(self, command, *arguments):
        """Exit code, both outputs and what was written to OUT."""
        out = self.folder / "out"
        out.unlink(missing_ok=True)
        words = [str(out) if word == "OUT" else str(word) for word in arguments]
        done = subprocess.run([PGOKIT, *command.split(), *words], capture_output=True, cwd=self.folder, timeout=120)
        return done.returncode, done.stdout, done.stderr, out.read_bytes() if out.exists() else b""

    def verdict(self, command, base, option):
        before, after = self.run(command, *base), self.run(command, *base, *option)
        if after[0] < 0:
            wrong(f"{command} {option} crashes")
        return "refused" if after[0] == 2 else "honoured" if after != before else "nothing"


def make_inputs(folder):
    program = folder / "calc"
    subprocess.run(["clang++-22", "-O1", "-g", ROOT / "test" / "programs" / "shapes.cc", "-o", program], check=True)
    for name, kind, form in (("calc.data", "lbr", "perfdata"), ("calc.script", "lbr", "script"), ("calc.hybrid", "hybrid", "perfdata")):
        subprocess.run([WALK, program, "-o", folder / name, "--kind", kind, "--samples", "200", "--format", form], check=True)
    tool = Tool(folder)
    for name, options in {"calc.prof": [], "calc.txt": ["--format", "text"], "calc.md5": ["--md5"]}.items():
        tool.run("generate", "calc.data", "-b", "calc", *options, "-o", name)
    mapping, *samples = (folder / "calc.script").read_text().splitlines()
    places = re.findall(r"/0x([0-9a-f]+)/", "".join(samples))[:40]
    lines = [f"calc 7 1.5: 1 {('cycles:u', 'page-faults')[i % 4 == 0]}:  {place}" for i, place in enumerate(places)]
    (folder / "events.script").write_text("\n".join([mapping, *lines, ""]))
    (folder / "main.list").write_text("main\n")
    (folder / "cold.txt").write_text("[main:1 @ a:2 @ b]:3:1\n 1: 3\n[main:1 @ a]:4:1\n 1: 4\n[main]:90000000:1\n 1: 90000000\n[main:9 @ b]:2:1\n 1: 2\n")
    (folder / "suffix.txt").write_text("f.llvm.1:5:1\n 1: 5\nf:7:1\n 1: 7\n 2: g:4\n  1: 4\n  2: h:2\n   1: 2\n")
    (folder / "broken").write_text("f:1:1\n 1 x\n")
    (folder / "mangled.txt").write_text("_Z3addii:9:2\n 1: 9\nmain:50:1\n 1: 50\n")
    return tool


# Values of show's options, and whichever kinds of files there are.
SHOW_VALUES = {"--function": "main", "--top": "1", "--hot": "1", "--binary": "calc", "--per-site": "1", "--source": "calc.c"}


def check_show(tool):
    kinds = {"recording": ["calc.data"], "script": ["calc.script"], "recorded targets": ["calc.data", "--targets", "-b", "calc"],
             "profile": ["mangled.txt"], "extbinary": ["calc.prof"], "hashed": ["calc.md5"], "program": ["calc"]}
    for seed in ("mip_profile/blocks_order_edges", "mip_profile/coverage", "mip_profile/targets", "mip_raw/three_records"):
        kinds[seed] = [SEEDS / seed]
    for kind, base in kinds.items():
        code, *rest = tool.run("show", *base)
        if code != 0 and kind != "recorded targets":
            wrong(f"show of {kind}: {rest[1].decode()}")
        for option, has_value in options_of("show").items():
            if option in base or (option == "--binary" and "-b" in base):
                continue
            if (kind, option) in SHOWN_ALREADY:
                continue
            words = [option, SHOW_VALUES[option]] if has_value else [option]
            if tool.verdict("show", base, words) == "nothing":
                wrong(f"show: {option} does nothing for {kind}")


# What the files here have nothing of, by kind and option.
SHOWN_ALREADY = {("recording", "--top"): "samples of one program",
                 ("hashed", "--demangle"): "hashes have no other form",
                 ("mip_profile/blocks_order_edges", "--demangle"): "names of C functions",
                 ("mip_profile/coverage", "--demangle"): "names of C functions",
                 ("mip_profile/targets", "--demangle"): "names of C functions",
                 ("mip_profile/targets", "--top"): "no functions that ran"}

SCENES = {
    "generate": [(["calc.data", "-b", "calc", "-o", "OUT"],
                  {"--output": "-", "--format": "text", "--md5": None, "--compress": None, "--debug-binary": "broken", 
                   "--pid": "1", "--kernel": None, "--json": None, "--stats": None,
                   "--timings": None, "--quiet": None, "--binary": "broken"}),
                 (["events.script", "-b", "calc", "--allow-ip", "-o", "OUT"], {"--event": "page-faults"}),
                 (["calc.hybrid", "-b", "calc", "-o", "OUT"], {"--context-sensitive": None}),
                 (["calc.hybrid", "-b", "calc", "--context-sensitive", "-o", "OUT"], {"--trim-cold": None})],
    "merge": [(["calc.prof", "calc.txt", "-o", "OUT"],
               {"--output": "-", "--weighted-input": "3,calc.txt", "--input-files": "inputs", "--format": "text", "--md5": None,
                "--compress": None, "--split-layout": None, "--partial": None, "--prof-sym-list": "main.list", "--function": "main",
                "--no-function": "main", "--quiet": None, "--onto": "calc.prof"}),
              (["calc.prof", "calc.prof", "broken", "-o", "OUT"], {"--strict": None, "--distinct": None}),
              (["calc.prof", "--format", "gcov", "-o", "OUT"], {"--gcov-version": "1"}),
              (["symbols.prof", "-o", "OUT"], {"--drop-symbol-list": None}),
              (["cold.txt", "-o", "OUT"], {"--layout": "flat", "--max-depth": "1", "--merge-cold": None, "--trim-cold": None}),
              (["cold.txt", "--merge-cold", "-o", "OUT"], {"--cold-frames": "2", "--cold-count": "1"}),
              (["suffix.txt", "-o", "OUT"], {"--strip-suffixes": None, "--max-depth": "1"}),
              (["calc.prof", "-o", "OUT"], {"--cold-frames": "2", "--cold-count": "3", "--gcov-version": "1"})],
    "compare": [(["calc.prof", "cold.flat"], {"--function": "main", "--top": "1", "--min-overlap": "99", "--min-similarity": "99", "--json": None}),
                (["calc.prof", "calc.prof", "--function", "main"], {"--top": "1"})],
    "check": [(["calc.prof"], {"--binary": "calc", "--recording": "calc.data", "--debug": "calc", "--min-density": "1000000", "--min-flow": "101",
                               "--max-excess-calls": "0", "--min-coverage": "1", "--max-stale": "1", "--max-vanished": "1", "--top": "1",
                               "--json": None})],
    "match": [(["cold.flat", "-b", "calc", "-o", "OUT"], {"--output": "-", "--format": "binary", "--debug": "broken", "--json": None,
                                                          "--binary": "broken"})],
}

# Options of these commands that nothing can be seen of here, and why.
UNSEEN = {
    "generate": {"--dwp": "opened for split debug information", "--allow-ip": "a permission, for recordings without branch stacks",
                 "--threads": "the same bytes on any number", "--use-dwarf": "for programs with probes",
                 "--ignore-build-id": "for recordings of another build"},
    "merge": {"--threads": "the same bytes on any number"},
    "check": {"--threads": "the same text on any number"},
    "match": {"--threads": "the same bytes on any number", "--top": "lists are short here"},
    "compare": {},
}


def check_scenes(tool):
    for command, scenes in SCENES.items():
        left = {option for option in options_of(command) if option not in UNSEEN[command]}
        for base, tried in scenes:
            for option, value in tried.items():
                if tool.verdict(command, base, [option] + ([value] if value else [])) == "nothing":
                    wrong(f"{command} {' '.join(base)}: {option} does nothing")
                left.discard(option)
        for option in sorted(left):
            wrong(f"{command}: {option} is tried in no scene")


def main():
    if not shutil.which("clang-22"):
        print("skipped: clang-22 is not there (./dev setup)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        tool = make_inputs(pathlib.Path(name))
        (tool.folder / "inputs").write_text("2,calc.txt\n")
        tool.run("merge", "calc.prof", "--prof-sym-list", "main.list", "-o", "symbols.prof")
        tool.run("merge", "cold.txt", "--layout", "flat", "-o", "cold.flat")
        check_show(tool)
        check_scenes(tool)
    print(f"{failures} wrong")
    return 1 if failures else 0


sys.exit(main())

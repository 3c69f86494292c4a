#!/usr/bin/env python3
"""names.py PGOKIT: functions of Rust, Go and D are named as people write them, and their names break no output.

What is printed, the text profile, folded stacks and speedscope's JSON. Languages without a compiler here are left out.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))
import rust_programs  # noqa: E402

PGOKIT = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
checks = 0

GO = """package main

import "fmt"

type counter struct{ sum uint64 }

//go:noinline
func (c *counter) add(x uint64) {
	for i := uint64(0); i < 50; i++ {
		if (x+i)%7 == 3 {
			c.sum += x
		} else {
			c.sum ^= i
		}
	}
}

func main() {
	c := &counter{}
	each := func(x uint64) { c.add(x) }
	for x := uint64(0); x < 2000000; x++ {
		each(x)
		for y := uint64(0); y < 50; y++ {
			c.sum ^= x * y
		}
	}
	fmt.Println(c.sum)
}
"""
D = """module calc;
import core.stdc.stdio;
struct Counter(T) {
  T sum;
  pragma(inline, false) void add(T x) { foreach (i; 0 .. 50) if ((x + i) % 7 == 3) sum += x; else sum ^= i; }
}
void main() {
  Counter!ulong counter;
  foreach (x; 0 .. 200_000) counter.add(x);
  printf("%llu\\n", counter.sum);
}
"""


def check(what, holds, seen=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    check(words, done.returncode == 0, done.stderr + done.stdout)
    return done.stdout


def pgokit(*words):
    return run(PGOKIT, *words)


def recorded(program, *arguments):
    pgokit("record", "-q", "--software", "-F", "1000", "-o", "run.perf", "--", program, *arguments)


def check_stacks(wanted):
    """Both forms read line by line, or as JSON, have all functions."""
    pgokit("export", "run.perf", "--to", "folded", "-o", "run.folded")
    lines = pathlib.Path("run.folded").read_text(encoding="utf-8").split("\n")[:-1]
    check("folded: a path and a count in each line", all(re.fullmatch(r"[^\0]+ \d+", line) for line in lines),
          [line for line in lines if not re.fullmatch(r"[^\0]+ \d+", line)][:3])
    frames = {frame for line in lines for frame in line.rpartition(" ")[0].split(";")}
    check("folded: no part of a name is a frame", not any(frame.count("'") % 2 for frame in frames if frame.startswith("<")), frames)
    pgokit("export", "run.perf", "--to", "speedscope", "-o", "run.json")
    names = {frame["name"] for frame in json.loads(pathlib.Path("run.json").read_text(encoding="utf-8"))["shared"]["frames"]}
    for one in wanted:
        check(f"{one} is in the stacks", any(one in name for name in frames) and any(one in name for name in names), (sorted(frames), sorted(names)))


def rust():
    for choices in (("O2", "legacy", "dbgprof"), ("O2", "v0", "thinlto", "dbgprof")):
        program = rust_programs.Program(choices)
        path = program.build(pathlib.Path.cwd(), None)
        check(program.name, path, program.problem)
        pgokit("record", "-q", "--exact", "-o", "run.counts", "--", path, "20000")
        pgokit("generate", "-q", "run.counts", "-b", path, "--format", "text", "-o", "run.prof")
        text = pathlib.Path("run.prof").read_text(encoding="utf-8")
        mangled = "_R" if "v0" in choices else "_ZN"
        functions = re.findall(r"^(\S.*):\d+:\d+$", text, re.M)
        check("the profile has names as they are", any(name.startswith(mangled) for name in functions), functions)
        judged = run("llvm-profdata-22", "show", "--sample", "run.prof")
        check("llvm-profdata reads all of them", judged.count("Function: ") == len(functions), (judged.count("Function: "), len(functions)))
        shown = pgokit("show", "run.prof", "--top", "0")
        for name in ("main::main", "main::recursive", "main::count_words", "shapes::größe"):
            check(f"show: {name}", name in shown, shown)
        # Copies of one generic function look alike, and show their hash.
        check("show: no hash and no mangled name", not re.search(r"main::\w+::h[0-9a-f]{16}|_ZN|_RN", shown), shown)
        check("show: a trait's function", "as shapes::Shape>::area" in shown, shown)
        report = pgokit("report", "--text", "run.counts", "-b", path)
        check("report", "main::" in report and not re.search(r"17h[0-9a-f]{16}E|_RNv", report), report)
        recorded(path, "300000")
        check_stacks(["main::main", "shapes::"])


def go():
    pathlib.Path("count.go").write_text(GO, encoding="utf-8")
    run("go", "build", "-o", "count", "count.go", env=dict(os.environ, GOCACHE=str(pathlib.Path.cwd() / "cache"), GO111MODULE="off"))
    recorded(pathlib.Path("count").resolve())
    check_stacks(["main.(*counter).add", "main.main"])
    refused = subprocess.run([PGOKIT, "generate", "-q", "run.perf", "-b", "count", "-o", "run.prof"], capture_output=True, text=True, check=False)
    if refused.returncode == 0:
        shown = pgokit("show", "run.prof", "--top", "0")
        check("show: a method", "main.(*counter).add" in shown, shown)
        told = subprocess.run([PGOKIT, "generate", "run.perf", "-b", "count", "-o", "run.prof"], capture_output=True, text=True, check=False)
        check("its own compiler takes no such profile", "nothing of it is for Go's own compiler" in told.stdout + told.stderr, told)


def gccgo():
    pathlib.Path("count.go").write_text(GO, encoding="utf-8")
    run("gccgo-12", "-O2", "-g", "count.go", "-o", "count")
    recorded(pathlib.Path("count").resolve())
    check_stacks(["main.counter.add", "main.main"])
    pgokit("generate", "-q", "run.perf", "-b", "count", "-o", "run.prof")
    shown = pgokit("show", "run.prof", "--top", "0")
    check("show: a method", "main.counter.add" in shown, shown)


def d(compiler):
    pathlib.Path("calc.d").write_text(D, encoding="utf-8")
    run(compiler, "-O2", "-g", "calc.d", "-o", "calc") if compiler == "gdc" else run(compiler, "-O2", "-g", "calc.d", "-of=calc")
    recorded(pathlib.Path("calc").resolve())
    check_stacks(["calc.Counter!(ulong).Counter.add(ulong)", "D main"])


def main():
    if '"software": true' not in run(PGOKIT, "doctor", "--json") or not shutil.which("llvm-profdata-22"):
        print("SKIPPED: ptrace() is not permitted here, or no llvm-profdata-22")
        return SKIPPED
    compilers = [name for name in ("gdc", "ldc2") if shutil.which(name)]
    tries = {"Rust": rust} if rust_programs.find_rustc() else {}
    tries |= {"Go": go} if shutil.which("go") else {}
    tries |= {"Go by GCC": gccgo} if shutil.which("gccgo-12") else {}
    tries |= {"D": lambda: d(compilers[0])} if compilers else {}
    for name, attempt in tries.items():
        attempt()
        print(f"{name}: named rightly", flush=True)
    print(f"{checks} checks passed; not here: {', '.join(name for name in ('Rust', 'Go', 'Go by GCC', 'D') if name not in tries) or 'none'}")
    return 0 if tries else SKIPPED


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        status = main()
        os.chdir("/")
    sys.exit(status)

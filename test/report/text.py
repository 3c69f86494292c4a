#!/usr/bin/env python3
"""text.py PGOKIT WALK: tables and annotated code of `pgokit report`, beside perf report, llvm-objdump and exact counts."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import checks
from checks import check, run

PGOKIT, WALK = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])

SOURCE = """\
#include <cstdio>
__attribute__((noinline)) int odd(int x) { return x * 3; }
__attribute__((noinline)) int even(int x) { return x / 2; }
static int mix(int x) { return x ^ (x >> 3); }
int (*volatile table[])(int) = {odd, even};
int main(int argc, char **) {
  unsigned s = 0;
  for (int i = 0; i < 42000000; i++) {
    if (i % 7 == 0)
      s += mix(i);
    else
      s += table[i & 1](i);
  }
  printf("%u\\n", s);
  return argc > 5;
}
"""


def report(*words, code=0):
    return run(PGOKIT, "report", *words, code=code)


def as_perf_counts(recording):
    """Samples by function of the program, as perf report has them."""
    text = run("perf", "report", "--stdio", "-n", "--sort", "dso,sym", "-i", recording)
    return {name: int(count) for count, name in re.findall(r"^ +[\d.]+% +(\d+) +app +\[\.\] (\w+) *$", text, re.M)}


def compare_with_perf(recording):
    seen = {one["name"]: one["samples"] for one in json.loads(report(recording, "-b", "app", "--text", "--json"))["functions"]}
    plain = {re.sub(r"^_Z\d+(odd|even)i$", r"\1", name): count for name, count in seen.items() if count}
    expected = {name: count for name, count in as_perf_counts(recording).items() if name in ("main", "odd", "even")}
    check("samples as perf report has them", expected and {name: plain.get(name, 0) for name in expected} == expected, (plain, expected))


def check_exact():
    """Counts of a whole run are known."""
    if subprocess.run([PGOKIT, "record", "--exact", "-o", "exact.perf", "./app"], capture_output=True, check=False).returncode:
        print("whole runs cannot be counted here: that part is left out")
        return
    listed = json.loads(report("exact.perf", "-b", "app", "--json"))
    by_name = {one["name"]: one for one in listed["functions"]}
    check("entries", (by_name["_Z3oddi"]["entries"], by_name["_Z4eveni"]["entries"]) == (18000000, 18000000), by_name)
    check("instructions add up", sum(one["instructions"] for one in listed["functions"]) == listed["instructions"])
    main = json.loads(report("exact.perf", "-b", "app", "--annotate", "main", "--json"))
    lines = {line["line"]: line["count"] for line in main["lines"]}
    check("lines of main", (lines[9], lines[10], lines[12]) == (42000000, 6000000, 36000000), lines)
    targets = {target["function"]: target["count"] for branch in main["branches"] for target in branch["targets"]}
    check("targets of the call", (targets["_Z3oddi"], targets["_Z4eveni"]) == (18000000, 18000000), targets)
    ran = sum(one["count"] for one in main["instructions"])
    check("the function's sum is that of its instructions", ran == by_name["main"]["instructions"], (ran, by_name["main"]))
    odd = json.loads(report("exact.perf", "-b", "app", "--annotate", "odd", "--json"))
    check("callers", [(one["function"], one["count"]) for one in odd["callers"]] == [("main", 18000000)], odd["callers"])
    text = report("exact.perf", "-b", "app", "--annotate", "main")
    check("the source is shown", re.search(r"36,000,000 +12 +s \+= table", text), text)
    check("and the share of a call's targets", re.search(r"18,000,000 +50\.0 % +to odd\(int\)", text), text)
    check("branches have probabilities", " 85.7 %" in text or " 14.3 %" in text, text)


def check_code():
    """The instructions are those of llvm-objdump."""
    expected = re.findall(r"^ +([0-9a-f]+): *\t?(\S+)", run("llvm-objdump-22", "-d", "--no-show-raw-insn", "--disassemble-symbols=main", "app"), re.M)
    seen = [(f"{one['address']:x}", one["text"].split()[0]) for one in
            json.loads(report("walk.perf", "-b", "app", "--annotate", "main", "--json"))["instructions"]]
    check("addresses and mnemonics", seen == expected[:len(seen)] and len(seen) > 20, (seen, expected))
    check("another syntax", "mov eax" in report("walk.perf", "-b", "app", "--annotate", "main", "--syntax", "intel").replace(",", ""))


TWICE = """\
static inline __attribute__((always_inline)) unsigned spin(unsigned x, int n) {
  for (int i = 0; i < n; i++)
    x = x * 5 + (x >> 3);
  return x;
}
template <class Number, class Other> __attribute__((noinline)) Number added(Number a, Other b) { return spin(a, 50) + b; }
struct A_class_whose_name_alone_is_as_long_as_many_lines_of_a_terminal { unsigned x; operator unsigned() const { return x; } };
__attribute__((noinline)) unsigned other(unsigned x) { return spin(x, 70); }
int main(int argc, char **) {
  volatile unsigned sum = argc;
  for (int i = 0; i < 30000; i++)
    sum = other(sum) + added(sum, A_class_whose_name_alone_is_as_long_as_many_lines_of_a_terminal{sum}) + added(sum, 3L);
  return argc > 5;
}
"""


def check_inlined():
    """A function that was inlined everywhere, and names of templates."""
    pathlib.Path("twice.cc").write_text(TWICE, encoding="utf-8")
    run("clang++-22", "-O1", "-fno-unroll-loops", "-g", "-fuse-ld=lld-22", "-Wl,--build-id", "twice.cc", "-o", "twice")
    run(WALK, "twice", "-o", "twice.perf", "--kind", "lbr", "--format", "perfdata", "--samples", "300", "--depth", "16")
    copies = {}
    for name in ("_Z5otherj", "_Z5addedIjlET_S0_T0_"):
        told = json.loads(report("twice.perf", "-b", "twice", "--annotate", name, "--json"))
        [inlined] = told["inlined"]
        check("what was inlined has its lines", inlined["file"].endswith("twice.cc") and {line["line"] for line in inlined["lines"]} <= set(range(1, 6)), inlined)
        copies[name] = {line["line"]: line["count"] for line in inlined["lines"]}
    spin = json.loads(report("twice.perf", "-b", "twice", "--annotate", "spin", "--json"))
    hosts = {one["function"] for one in spin["inlined_in"]}
    check("in which functions it is", len(hosts) == 3 and set(copies) < hosts, hosts)
    [third] = hosts - set(copies)
    told = json.loads(report("twice.perf", "-b", "twice", "--annotate", third, "--json"))
    copies[third] = {line["line"]: line["count"] for line in told["inlined"][0]["lines"]}
    lines = {line["line"]: line["count"] for line in spin["sources"][0]["lines"]}
    check("copies add up", lines[3] == sum(copy[3] for copy in copies.values()) > 0, (lines, copies))
    text = report("twice.perf", "-b", "twice", "--annotate", "spin")
    check("its source as text", re.search(rf"{lines[3]:,} +3 +x = x \* 5", text) and "all of it inlined" in text and "other(unsigned int)" in text, text)
    text = report("twice.perf", "-b", "twice", "--annotate", "other")
    check("and in the function it is in", re.search(r"inlined    spin\(unsigned int, int\), .*\nsource     .*twice.cc\n", text) and "x = x * 5" in text, text)
    check("a name that is none", "near to it: spin" in report("twice.perf", "-b", "twice", "--annotate", "spim", code=1))
    check("it has no code", "inlined everywhere" in report("twice.perf", "-b", "twice", "--annotate", "spin", "--syntax", "intel", code=2))
    table = report("twice.perf", "-b", "twice", "--text")
    check("names of templates begin with the name", "  added<unsigned int, long>(unsigned int, long)\n" in table and "unsigned int added" not in table, table)
    long = re.search(r"  (added<.*\.\.\..*)\n", table)
    check("long ones lose their middle", long and len(long[1]) == 100 and long[1].endswith("terminal)"), table)
    check("but not in JSON", third in report("twice.perf", "-b", "twice", "--text", "--json") and third in report("twice.perf", "-b", "twice", "--text", "--mangled"))


def check_probes_and_remarks():
    """Probes are those of pgokit probes disassemble; remarks those of the file."""
    run("clang++-22", "-O2", "-g", "-fpseudo-probe-for-profiling", "-fsave-optimization-record", "-fuse-ld=lld-22", "-c", "app.cc", "-o", "probed.o")
    run("clang++-22", "-fuse-ld=lld-22", "-Wl,--build-id", "probed.o", "-o", "probed")
    run(WALK, "probed", "-o", "probed.perf", "--kind", "lbr", "--format", "perfdata", "--samples", "300", "--depth", "16")
    words = ["probed.perf", "-b", "probed", "--annotate", "main", "--remarks", "probed.opt.yaml"]
    told = json.loads(report(*words, "--json"))
    expected, waiting = [], []
    for line in run(PGOKIT, "probes", "disassemble", "probed", "--function", "main").splitlines():
        if found := re.match(r" \[Probe\]:\tFUNC: (\S+) Index: (\d+) ", line):
            waiting.append((found[1], int(found[2])))
        elif found := re.match(r" *([0-9a-f]+):\t", line):
            expected += [(int(found[1], 16), *one) for one in waiting]
            waiting = []
    seen = [(probe["address"], probe["frames"][-1]["function"], probe["frames"][-1]["probe"]) for probe in told["probes"]]
    plain = {"_ZL3mixi": "mix", "mix(int)": "mix"}
    name = lambda one: (one[0], plain.get(one[1].partition(".")[0], one[1]), one[2])  # noqa: E731
    check("probes", sorted(map(name, seen)) == sorted(map(name, expected)) and len(seen) > 5, (seen, expected))
    inlined = [one for one in told["remarks"] if one["pass"] == "inline" and one["kind"] == "passed" and "mix" in one["text"]]
    check("a remark", len(inlined) == 1 and inlined[0]["line"] == 10 and inlined[0]["file"] == "app.cc", told["remarks"])
    check("no sizes among them", not any(one["pass"] in ("asm-printer", "prologepilog") for one in told["remarks"]), told["remarks"])
    text = report(*words)
    check("probes stand before their instruction", re.search(r"; probe 1 \(block\)\n( +; .*\n)* +[0-9,]* +[0-9. %]*[0-9a-f]+  \w", text), text)
    check("the innermost first", re.search(r"; probe 1 \(block\) of mix @ \d+\n", text), text)
    check("a remark stands after its line", re.search(r" 10  +s \+= mix\(i\);\n( +; .*\n)* +; inline passed: '_ZL3mixi[.\w]*' inlined into 'main'", text), text)
    check("without remarks there are none", "inline passed" not in report(*words[:-2]) and "remarks" not in json.loads(report(*words[:-2], "--json")))
    check("remarks are of code", "which a page or --annotate shows" in report("probed.perf", "-b", "probed", "--text", "--remarks", "x", code=2))
    of = lambda *functions: "".join(f"--- !Missed\nPass: inline\nName: TooCostly\nFunction: {one}\n...\n" for one in functions)  # noqa: E731
    pathlib.Path("other.yaml").write_text(of("main", "parse", "emit"))
    message = report(*words[:-1], "other.yaml", code=1)
    check("those of another program are refused", "other.yaml: remarks of another build: probed has 1 of their 3 functions" in message and message.count("\n") == 1, message)
    pathlib.Path("inlined.yaml").write_text(of("main", told["inlined"][0]["function"], "emit"))
    report(*words[:-1], "inlined.yaml")
    pathlib.Path("broken.yaml").write_text("--- !Passed\nPass: [\n")
    message = report(*words[:-1], "broken.yaml", code=1)
    check("broken ones are an error with the place", "broken.yaml" in message and message.count("\n") == 1, message)


def check_profile_source():
    """The source of a profile's function, without its program: the lines that clang counted."""
    run(PGOKIT, "generate", "walk.perf", "-b", "app", "-o", "app.prof")
    pathlib.Path("src/deep").mkdir(parents=True)
    pathlib.Path("src/deep/app.cc").write_text(SOURCE, encoding="utf-8")
    pathlib.Path("src/other.cc").write_text("int odd(int);\n// int odd(int x) {}\nint main;\n", encoding="utf-8")
    told = json.loads(report("app.prof", "--annotate", "main", "--source", "src", "--json"))
    by_program = {line["line"]: line["count"] for line in json.loads(report("walk.perf", "-b", "app", "--annotate", "main", "--json"))["lines"]}
    seen = {line["line"]: line["count"] for line in told["lines"]}
    check("its file", told["file"] == "src/deep/app.cc" and told["why_not"] is None, told)
    same = [line for line in by_program if by_program[line] == seen.get(line)]
    check("lines as by the program", set(seen) <= set(by_program) and len(same) >= len(by_program) - 2 and len(same) > 3, (seen, by_program))
    callees = {callee["function"]: callee["inlined"] for line in told["lines"] for callee in line["callees"]}
    check("callees", callees.get("_Z4eveni") is False and any("mix" in name and inlined for name, inlined in callees.items()), callees)
    text = report("app.prof", "--annotate", "main", "--source", "src")
    check("as text", re.search(r"\d +12 +s \+= table.*\n +; calls ", text) and "inlined mix(int)" in text, text)
    report("app.prof", "--source", "src", "-o", "source.html")
    check("as a page", "s += table[i & 1](i);" in pathlib.Path("source.html").read_text(encoding="utf-8"))
    pathlib.Path("src/again.cc").write_text(SOURCE, encoding="utf-8")
    text = report("app.prof", "--annotate", "main", "--source", "src")
    check("two of a name", "several functions have this name: src/again.cc:6, src/deep/app.cc:6" in text, text)
    check("a program tells it", "--source is for a profile" in report("walk.perf", "-b", "app", "--annotate", "main", "--source", "src", code=2))
    check("no folder", report("app.prof", "--annotate", "main", "--source", "none", code=1).count("\n") == 1)
    run(PGOKIT, "generate", "probed.perf", "-b", "probed", "-o", "probed.prof")
    check("probes are no lines", "by probes, which are no lines" in report("probed.prof", "--annotate", "main", "--source", "src", code=2))


def check_dumps():
    """Raw dumps of an instrumented program, of which the counts are known."""
    flags = run(PGOKIT, "flags", "blocks", "--all-blocks", "--style", "clang-config")
    pathlib.Path("counted.cfg").write_text(flags, encoding="utf-8")
    run("clang++-22", "--config=./counted.cfg", "-O2", "-g", "-fuse-ld=lld-22", "-Wl,--build-id", "app.cc", "-o", "counted")
    for name in ("one", "two"):
        subprocess.run(["./counted"], env=dict(os.environ, PGOKIT_PROFILE_FILE=f"{name}.mipraw"), check=True, stdout=subprocess.DEVNULL)
    listed = json.loads(report("one.mipraw", "two.mipraw", "-b", "counted", "--json"))
    by_name = {one["name"]: one for one in listed["functions"]}
    check("entries of two runs", (by_name["_Z3oddi"]["entries"], by_name["_Z4eveni"]["entries"]) == (36000000, 36000000), by_name)
    main = json.loads(report("one.mipraw", "-b", "counted", "--annotate", "main", "--json"))
    lines = {line["line"]: line["count"] for line in main["lines"]}
    check("lines of one", (lines[10], lines[12]) == (6000000, 36000000), lines)
    check("as text", "main" in report("one.mipraw", "-b", "counted", "--text"))
    report("one.mipraw", "two.mipraw", "-b", "counted", "-o", "counted.html")
    check("and as a page", "<title>counted</title>" in pathlib.Path("counted.html").read_text(encoding="utf-8"))
    message = report("one.mipraw", "-b", "app", "--text", code=1)
    check("of another program", message.count("\n") == 1, message)
    whole = pathlib.Path("one.mipraw").read_bytes()
    pathlib.Path("cut.mipraw").write_bytes(whole[:len(whole) // 2])
    message = report("cut.mipraw", "-b", "counted", "--text", code=1)
    check("a dump that is cut", message.count("\n") >= 1, message)


def check_bad_input():
    message = report(code=2)
    check("nothing was given", message.count("\n") == 1 and "pgokit report app.perf" in message, message)
    check("one that did not run", "nosuch" in report("walk.perf", "-b", "app", "--annotate", "nosuch", code=1))
    run(PGOKIT, "generate", "walk.perf", "-b", "app", "-o", "app.prof")
    check("a profile's functions", "main" in report("app.prof", "--text"))
    check("with its program", re.search(r"^program    app\nfit        0\.0 % of the samples are in functions that changed or vanished\n\n", report("app.prof", "-b", "app", "--text")))
    told = json.loads(report("app.prof", "-b", "app", "--json"))
    check("as JSON", told["program"] == "app" and told["stale_share"] == 0, told)
    check("with one that cannot be read", report("app.prof", "-b", "app.cc", "--text", code=1).count("\n") == 1)
    report("app.prof", "-b", "app", "-o", "app.html")
    check("its page is called by the program", "<title>app</title>" in pathlib.Path("app.html").read_text(encoding="utf-8"))
    pathlib.Path("told.json").write_text('{"findings": []}')
    check("a page is no input", "app.html: an HTML page" in report("app.html", "-o", "again.html", code=1))
    check("JSON is one by an option", "--explanation" in report("told.json", "-b", "app", "--text", code=1))
    check("a profile has no machine code", "give the recording" in report("app.prof", "--annotate", "main", code=2))
    check("no profile and no recording", report("app.cc", "-b", "app", "--text", code=1).count("\n") == 1)


def main():
    if not shutil.which("clang++-22"):
        print("clang++-22 is not installed")
        sys.exit(77)
    pathlib.Path("app.cc").write_text(SOURCE, encoding="utf-8")
    run("clang++-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id", "app.cc", "-o", "app")
    run(WALK, "app", "-o", "walk.perf", "--kind", "lbr", "--format", "perfdata", "--samples", "300", "--depth", "16")
    if shutil.which("perf") and subprocess.run(["perf", "record", "-o", "plain.perf", "./app"], capture_output=True, check=False).returncode == 0:
        compare_with_perf("plain.perf")
    else:
        print("perf cannot record here: nothing is compared with its report")
    check_exact()
    check_code()
    check_inlined()
    check_probes_and_remarks()
    check_profile_source()
    check_dumps()
    check_bad_input()
    print(f"{checks.count} checks hold")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()

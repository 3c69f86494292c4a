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


def check_bad_input():
    message = report(code=2)
    check("nothing was given", message.count("\n") == 1 and "pgokit report app.perf" in message, message)
    check("one that did not run", "nosuch" in report("walk.perf", "-b", "app", "--annotate", "nosuch", code=1))
    run(PGOKIT, "generate", "walk.perf", "-b", "app", "-o", "app.prof")
    check("a profile's functions", "main" in report("app.prof", "--text"))
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
    check_bad_input()
    print(f"{checks.count} checks hold")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()

#!/usr/bin/env python3
"""bisect.py PGOKIT: what is planted in a profile is found, within twice the logarithm of its functions; and what goes wrong on the way.

The program of most checks is a copy of the profile, and its run takes five times the processor time for a function that is poison:
by the clock, so that it is so on any machine.
"""
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PGOKIT = pathlib.Path(sys.argv[1]).resolve()
checks = 0

RUN = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv) {
  char line[256];
  int lines = 0, poison = 0, has_remedy = 0;
  FILE *profile = fopen(argv[1], "r");
  while (fgets(line, sizeof line, profile)) {
    lines++;
    poison += !strncmp(line, " 17:", 4);
    if (line[0] == ' ') continue;
    if (strstr(line, "broken")) exit(1);
    poison += strstr(line, "poison") != 0;
    has_remedy |= strstr(line, "remedy") != 0;
  }
  double ms = 6 + 24 * poison;
  FILE *file = fopen("ill", "r");
  if (file && !has_remedy) ms += 36;
  int most = 0;
  if ((file = fopen("lines", "r")) && fscanf(file, "%d", &most) == 1 && lines < most) ms *= 2;
  while (clock() * 1e3 < ms * CLOCKS_PER_SEC) {}
}
"""

# Its loop is made small in place of fast where the profile says that it hardly ever runs.
KERNEL = """__attribute__((noinline)) unsigned kernel(unsigned *v, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++)
    s += (v[i] * 3) ^ (v[i] >> 2);
  return s;
}
__attribute__((noinline)) int other(int x) {
  return x * 3 + 1;
}
unsigned v[4096];
int main(void) {
  unsigned s = 0;
  for (int i = 0; i < 60000; i++) {
    v[i & 4095] += i;
    s += kernel(v, 4096) + other(i);
  }
  return s == 12345;
}
"""
POISONED = """main:99000000:1
 1: 1
 2: 60000
 3: 60000
 4: 60000
other:60000:60000
 1: 60000
kernel:2:1
 1: 1
 2: 1
 3: 1
 4: 1
"""


def check(what, holds, seen=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def bisect(*arguments):
    return subprocess.run([PGOKIT, "bisect", *map(str, arguments)], capture_output=True, text=True, timeout=300)


GOOD = ["profile.txt", "--build", "echo x >> builds; cp {profile} app", "--run", "./run app", "--program", "app", "-n", "12"]


def found(*arguments):
    pathlib.Path("builds").write_text("")
    done = bisect(*GOOD, "--json", *arguments)
    check(arguments, done.returncode == 0, done.stderr)
    told = json.loads(done.stdout)
    builds = len(pathlib.Path("builds").read_text().split())
    check("builds are counted", told["builds"] == builds, (told, builds))
    return told


def fails(what, code, text, *arguments):
    done = bisect("-q", *arguments)
    check(what, done.returncode == code and text in done.stderr and not done.stdout and done.stderr.count("\n") <= 2,
          (done.returncode, done.stdout, done.stderr))


def make_profile(count, **special):
    """Functions f0, f1 ... with fewer and fewer samples; special ones have a name of their own, and a place."""
    names = [f"f{i}" for i in range(count)]
    for name, place in special.items():
        names[place] = name
    pathlib.Path("profile.txt").write_text("".join(f"{name}:{10 * (count - i)}:1\n 1: {10 * (count - i)}\n" for i, name in enumerate(names)))


def all_lines_do_good():
    """Of a profile that does nothing, a fortieth of the trials says by chance that it does harm."""
    pathlib.Path("lines").write_text(str(len(pathlib.Path("profile.txt").read_text().splitlines())))


def planted():
    for count, place in ((16, 0), (64, 41)):
        make_profile(count, poison=place)
        told = found()
        check("it is found", [culprit["functions"] for culprit in told["culprits"]] == [["poison"]], told)
        check("soon", told["builds"] <= 2 * math.ceil(math.log2(count)), told)
        check("by how much", told["culprits"][0]["high"] < 0.9, told)
        left = pathlib.Path(told["output"]).read_text()
        check("the rest is written", "poison" not in left and left.count(":1\n") == count - 1, left)
    make_profile(64, poison_a=3, poison_b=40)
    told = found("--builds", 30, "-o", "left.txt")
    check("two are found", sorted(culprit["functions"][0] for culprit in told["culprits"]) == ["poison_a", "poison_b"], told)
    check("where it was asked for", "poison" not in pathlib.Path("left.txt").read_text())
    make_profile(64, poison=50, remedy=2)
    pathlib.Path("ill").touch()  # what a program is without its remedy
    told = found("--builds", 30)
    pathlib.Path("ill").unlink()
    check("what another function outweighs", ["poison"] in [culprit["functions"] for culprit in told["culprits"]], told)
    make_profile(32)
    all_lines_do_good()
    told = found()
    check("none", told["culprits"] == [] and told["output"] == "" and told["builds"] <= 10, told)
    text = bisect(*GOOD)
    check("which it says", "none      no function was found" in text.stdout, text.stdout)
    pathlib.Path("lines").unlink()
    make_profile(16, _Z6poisonv=5)
    check("names are for people", "found     poison()" in bisect(*GOOD).stdout)


def make_sites(**functions):
    """Functions with so many lines; every one that has a line 17 is poison by it."""
    with open("profile.txt", "w", encoding="utf-8") as file:
        for number, (name, lines) in enumerate(functions.items()):
            file.write(f"{name}:{(10 - number) * lines}:1\n" + "".join(f" {line}: {10 - number}\n" for line in range(1, lines + 1)))


def sites_of(culprit):
    return [site["line"] for found in culprit["sites"] for site in found["sites"]]


def planted_sites():
    for lines in (17, 200):
        make_sites(hot=9, other=lines, last=3, cold=1)
        told = found()
        culprit = told["culprits"][0]
        check("a site is found", culprit["functions"] == ["other"] and sites_of(culprit) == [17] and not culprit["whole"], told)
        check("soon", told["builds"] <= 6 + 2 * math.ceil(math.log2(lines)), told)
        left = pathlib.Path(told["output"]).read_text()
        check("the others of the function are left", " 17:" not in left and left.count("\n") == 4 + 9 + lines + 3 + 1 - 1, left)
        check("and its total is theirs", f"other:{9 * (lines - 1)}:1" in left, left)
    make_sites(hot=9, first=20, second=40)
    told = found("--builds", 30)
    check("one in each of two", sorted((one["functions"], sites_of(one)) for one in told["culprits"]) == [(["first"], [17]), (["second"], [17])] and "17:" not in pathlib.Path(told["output"]).read_text(), told)
    told = found("--whole-functions", "--builds", 30)
    check("whole functions", len(told["culprits"]) == 2 and all(one["whole"] and not one["sites"] for one in told["culprits"]), told)
    told = found("--sites", "second")
    check("in the one that is named", [sites_of(one) for one in told["culprits"]] == [[17]] and told["culprits"][0]["functions"] == ["second"], told)
    check("soon", told["builds"] <= 1 + 2 * math.ceil(math.log2(40)), told)
    check("the other one is left", pathlib.Path(told["output"]).read_text().count(" 17:") == 1)
    text = bisect(*GOOD, "--sites", "second").stdout
    check("which it says", "found     second (" in text and "  by      line 17 of it\n" in text, text)
    all_lines_do_good()
    told = found("--sites", "hot")
    check("none in it", told["culprits"] == [] and told["output"] == "", told)
    pathlib.Path("lines").unlink()
    make_sites(hot=9, other=64)
    told = found("--builds", 6)
    check("what was not narrowed down", told["culprits"][0]["whole"] and told["culprits"][0]["unresolved_sites"] > 1, told)
    check("is left out whole", "other" not in pathlib.Path(told["output"]).read_text())
    fails("no such function", 1, "nosuch", *GOOD, "--sites", "nosuch")
    fails("two wishes", 2, "exclude each other", *GOOD, "--sites", "hot", "--whole-functions")


def starts_soon():
    """Whether a run can be too short here: on some machines the shell alone takes longer."""
    done = subprocess.run([PGOKIT, "measure", "-n", "9", "--by", "wall", "--json", "--", "true"], capture_output=True, check=True)
    return all(run["cpu_s"] < 0.004 for run in json.loads(done.stdout)["commands"][0]["runs"])


def goes_wrong():
    make_profile(16, poison=7)
    fails("no build", 2, "--build is needed", "profile.txt", "--run", "x")
    fails("no profile", 1, "other.txt: cannot open", "other.txt", *GOOD[1:])
    pathlib.Path("empty.txt").write_text("")
    fails("an empty profile", 1, "empty.txt", "empty.txt", *GOOD[1:])
    fails("no program", 2, "--program is needed", "profile.txt", "--build", "cp {profile} app", "--run", "python3 app")
    fails("too few runs", 2, "--runs 2: ", *GOOD[:-1], 2)
    fails("a build that fails", 1, "ended with exit code 1", "profile.txt", "--build", "false {profile}", *GOOD[3:])
    fails("a run that fails", 1, "exit code 3", "profile.txt", "--build", "cp $PGOKIT_PROFILE app", "--run", "sh -c 'exit 3'", *GOOD[5:])
    if starts_soon():
        fails("a short run", 1, "too short to be measured", "profile.txt", "--build", "cp {profile} app", "--run", "test -f app", *GOOD[5:])

    # The state stays: what was measured is not measured again.
    shutil.rmtree(".pgokit-bisect")
    pathlib.Path("builds").write_text("")
    build = "echo x >> builds; test $(wc -l < builds) != 4 || exit 9; cp {profile} app"
    fails("in the middle", 1, "ended with exit code 9", "profile.txt", "--build", build, *GOOD[3:])
    done = bisect("profile.txt", "--build", build, *GOOD[3:], "--json")
    told = json.loads(done.stdout)
    check("it goes on", told["culprits"][0]["functions"] == ["poison"], done)
    check("where it stopped", len(pathlib.Path("builds").read_text().split()) == told["builds"] + 1, told)

    for which in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen([PGOKIT, "bisect", *GOOD], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in process.stderr:
            if line.startswith("# without-2:"):
                break
        time.sleep(0.1)
        process.send_signal(which)
        process.stderr.read()
        check("it was ended", process.wait() in (130, -which))
    pathlib.Path("builds").write_text("")
    done = bisect(*GOOD, "--json")
    check("and goes on", json.loads(done.stdout)["culprits"][0]["functions"] == ["poison"], done)
    check("without what was built before", len(pathlib.Path("builds").read_text().split()) < json.loads(done.stdout)["builds"])
    pathlib.Path(".pgokit-bisect/journal").write_text("broken")
    fails("a broken journal", 1, "--restart begins from the start", *GOOD)
    check("which it does", bisect(*GOOD, "--restart").returncode == 0)


# A count that is far too large makes all others look cold.
SITE_POISONED = """main:99000000:1
 1: 1
 2: 60000
 3: 60000
 4: 60000
kernel:491640001:60000
 1: 60000
 2: 245760000
 3: 245760000
 4: 60000
other:100000000000120000:60000
 0: 60000
 1: 100000000000000000
 2: 60000
"""


def of_probes():
    """A profile by probes wants a build with probes; a build that uses nothing of a profile is told of before anything is compared."""
    pathlib.Path("kernel.c").write_text(KERNEL)
    subprocess.run(["clang-22", "-O2", "-g", "-fpseudo-probe-for-profiling", "kernel.c", "-o", "kernel"], check=True)
    for command in (["record", "--exact", "-q", "-o", "kernel.perf", "--", "./kernel"], ["generate", "-q", "kernel.perf", "-b", "kernel", "-o", "probes.prof"]):
        subprocess.run([PGOKIT, *command], check=True)
    arguments = ["probes.prof", "--build", "clang-22 -O2 kernel.c -o kernel", "--run", "./kernel", "-n", 8, "--builds", 2, "--restart"]
    done = bisect(*arguments)
    check("it is used", done.returncode == 0 and "without-1: " in done.stderr, done.stderr)
    check("as it is by probes", "-fpseudo-probe-for-profiling" in pathlib.Path(".pgokit-bisect/whole/compile").read_text())
    arguments[2] = "clang-22 -O0 kernel.c -o kernel"
    fails("nothing is optimized", 1, "everything is compiled without optimization", *arguments)
    subprocess.run(["clang-22", "-O2", "-c", "kernel.c"], check=True)
    pathlib.Path("other.c").write_text("int unused(int x) { return x + 1; }\n")
    arguments[2] = "clang-22 -O2 other.c kernel.o -o kernel"
    fails("nothing of it is used", 1, "./kernel is the same without all of it", *arguments)


def compiled():
    """By clang, which gets the profile by the wrapper."""
    if not shutil.which("clang-22"):
        return
    of_probes()
    pathlib.Path("kernel.c").write_text(KERNEL)
    pathlib.Path("profile.txt").write_text(POISONED)
    done = bisect("profile.txt", "--build", "clang-22 -O2 kernel.c -o kernel", "--run", "./kernel", "-n", 12, "--json", "--builds", 12)
    check("a function that is not cold", done.returncode == 0, done.stderr)
    told = json.loads(done.stdout)
    check("is found", [culprit["functions"] for culprit in told["culprits"]] == [["kernel"]], (told, done.stderr))
    pathlib.Path("profile.txt").write_text(SITE_POISONED)
    arguments = ["profile.txt", "--build", "clang-22 -O2 kernel.c -o kernel", "--run", "./kernel", "-n", 12, "--builds", 16]
    done = bisect(*arguments, "--json")
    check("a line that is too hot", done.returncode == 0, done.stderr)
    told = json.loads(done.stdout)
    check("is found in its function", [(one["functions"], sites_of(one), one["whole"]) for one in told["culprits"]] == [(["other"], [1], False)],
          (told, done.stderr))
    site = told["culprits"][0]["sites"][0]["sites"][0]
    check("with its line in the source", site["file"].endswith("/kernel.c") and site["source_line"] == 8, site)
    check("for people too", "/kernel.c:8 (line 1 of it)" in bisect(*arguments).stdout)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("run.c").write_text(RUN)
    subprocess.run([shutil.which("clang-22") or "cc", "-O1", "run.c", "-o", "run"], check=True)
    for group in (planted, planted_sites, goes_wrong, compiled):
        if len(sys.argv) < 3 or group.__name__ in sys.argv[2:]:
            group()
    os.chdir("/")
print(f"{checks} checks passed")

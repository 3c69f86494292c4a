#!/usr/bin/env python3
"""optimize.py PGOKIT: programs of several build systems, from their sources to the faster build; and what goes wrong on the way."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PGOKIT = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
checks = 0

# Enough work for every build to be measured in milliseconds; its output tells that it is right.
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "work.h"
int main(int argc, char **argv) {
  if (argc > 2) return 3;
  printf("%u\\n", work(argc > 1 ? atoi(argv[1]) : 400000));
  return 0;
}
"""
WORK = """
#include "work.h"
static unsigned rare(unsigned x) { return x * 2654435761u >> 3; }
static unsigned common(unsigned x) { return x + 3; }
unsigned work(int times) {
  unsigned sum = 1;
  for (int i = 0; i < times; i++) sum += (sum & 1023) == 7 ? rare(sum) : common(sum);
  return sum;
}
"""
ELSEWHERE = """
#include <stdlib.h>
#include "work.h"
int main(int argc, char **argv) {
  char digits[] = "12345678901234567";
  unsigned sum = work(argc > 1 ? 1 : 4000000);
  for (int i = 0; i < 100000; i++) digits[1] = '0' + i % 10, sum += strtoul(digits, 0, 10);
  return sum == 1;
}
"""
MAKEFILE = """
CFLAGS = -O2
app: main.o work.o
\t$(CC) $(LDFLAGS) -o $@ main.o work.o
clean:
\trm -f app *.o
"""
CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(app C)
set(CMAKE_BUILD_TYPE Release)
add_executable(app main.c work.c)
"""
# As of autoconf: the compiler is asked for and tried, flags go into the Makefile.
CONFIGURE = """#!/bin/sh
: ${CC=cc} ${CFLAGS=-g -O2}
echo 'int main(void) { return 0; }' > conftest.c
$CC $CFLAGS conftest.c -o conftest && ./conftest || { echo "configure: the C compiler does not work"; exit 1; }
rm -f conftest conftest.c
sed "s|@CC@|$CC|; s|@CFLAGS@|$CFLAGS|" Makefile.in > Makefile
"""


def check(what, holds, seen=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def optimize(*arguments, env=None):
    command = [PGOKIT, "optimize", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ, **(env or {})))


def optimized(*arguments, env=None):
    done = optimize("--json", "-n", 8, *arguments, env=env)
    check(arguments, done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def fails(what, text, *arguments, env=None, code=1):
    done = optimize("-q", *([] if "--runs" in arguments else ["-n", 8]), *arguments, env=env)
    check(what, done.returncode == code and text in done.stderr and not done.stdout and done.stderr.count("\n") == 1,
          (done.returncode, done.stdout, done.stderr))


def project(name, **files):
    """A new folder, which is entered."""
    folder = ROOT / name
    folder.mkdir()
    os.chdir(folder)
    for file, text in {"main.c": MAIN, "work.c": WORK, "work.h": "unsigned work(int times);\n", **files}.items():
        path = pathlib.Path(file.replace("__", "."))
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)


def check_builds(what, told, program="app", names=("plain", "profile")):
    check(f"{what}: the program is found", told["program"] == program, told["program"])
    check(f"{what}: all builds are there", tuple(build["name"] for build in told["builds"]) == names, told["builds"])
    outputs = set()
    for build in told["builds"]:
        outputs.add(subprocess.run([build["file"]], capture_output=True, check=True).stdout)
    check(f"{what}: all print the same", len(outputs) == 1, outputs)
    check(f"{what}: the profile is used", any("-fprofile-sample-use=" in word for word in told["builds"][1]["compile"]), told)
    kept = next(build for build in told["builds"] if build["name"] == told["kept"])
    check(f"{what}: what was kept is in its place", pathlib.Path(program).read_bytes() == pathlib.Path(kept["file"]).read_bytes(), told["kept"])
    shown = subprocess.run([PGOKIT, "show", "--json", told["builds"][1]["profile"]], capture_output=True, check=True, text=True).stdout
    check(f"{what}: the profile is of it", '"work"' in shown, shown)
    check(f"{what}: so is the training run", told["training_run"]["program_share"] > 0.75, told["training_run"])


def ran_elsewhere():
    """A run that is mostly in a library says so."""
    project("ran_elsewhere", main__c=ELSEWHERE, Makefile=MAKEFILE)
    done = optimize("-n", 8, "--build", "make", "--run", "./app")
    check("where it ran is told", done.returncode == 0 and "of the training run was in app, " in done.stdout and " in libc.so.6: " in done.stdout,
          done.stdout + done.stderr)
    fails("nearly all of it in libraries", "libc.so.6, which no profile makes faster: let --run do more", "--build", "make", "--run", "./app short")


def build_systems():
    project("with make", Makefile=MAKEFILE)  # the folder has a blank
    told = optimized("--build", "make -j2", "--run", "./app 4000000")
    check_builds("make", told)
    check("make: its commands can be typed", [c for c in told["commands"] if c.startswith("pgokit generate")], told["commands"])
    check("make: clean is known", told["commands"].count("make clean") == 3, told["commands"])
    page = pathlib.Path(told["report"]).read_text(encoding="utf-8")
    check("make: the report shows what was measured", told["measurement"]["comparisons"][0]["verdict"].split(",")[0] in page)
    check("make: every run is told", len(told["measurement"]["commands"][0]["runs"]) == 8)

    project("cmake", CMakeLists__txt=CMAKE)
    check_builds("cmake", optimized("--build", "cmake -B out && cmake --build out", "--run", "out/app 400000"), "out/app")

    project("cmake-include", CMakeLists__txt=CMAKE)
    build = 'cmake -B out -DCMAKE_PROJECT_INCLUDE="$PGOKIT_CMAKE" && cmake --build out'
    check_builds("cmake by an include", optimized("--build", build, "--run", "out/app 400000", "--flags-by", "cmake"), "out/app")

    project("configure", configure=CONFIGURE, Makefile__in="CC = @CC@\nCFLAGS = @CFLAGS@\n" + MAKEFILE.replace("CFLAGS = -O2\n", ""))
    check_builds("configure", optimized("--build", "./configure && make", "--run", "./app 400000"))

    project("variables", Makefile=MAKEFILE.replace("CFLAGS = ", "CFLAGS ?= "))
    told = optimized("--build", "make", "--run", "./app 400000", "--flags-by", "variables", env={"CFLAGS": "-O1"})
    check_builds("variables", told)
    check("variables: those of the user stay", any("CFLAGS='-O1 " in command for command in told["commands"]), told["commands"])

    # A generator is built and removed; what it wrote stays.
    project("generator", **{"table.c": 'int main(void) { return 0; }\n'},
            Makefile=MAKEFILE.replace("app: ", "table.h: table.c\n\t$(CC) -o table table.c; ./table > table.h; rm table\napp: table.h "))
    check_builds("a generator", optimized("--build", "make app", "--run", "./app 400000"))

    # It names another compiler, ignores flags, and strips.
    project("ignores", **{"build.sh": "#!/bin/sh\nset -e\nfor f in main work; do gcc -O2 -c $f.c; done\ngcc -s -o app main.o work.o\n"})
    check_builds("a script", optimized("--build", "./build.sh", "--run", "./app 400000"))


def built_elsewhere():
    """The profile fits a build by the flags of `pgokit flags` in another folder, whose compiler has other paths of the sources; so does
    one by what `generate` says is next."""
    makefile = """
app: ../source/main.c ../source/work.c
\t$(CC) -O2 $(CFLAGS) ../source/main.c ../source/work.c $(LDFLAGS) -o $@
clean:
\trm -f app
"""
    project("elsewhere", work__c=WORK.replace("static", "static __attribute__((noinline))"))
    for folder in ("source", "here", "there"):
        os.mkdir(folder)
        if folder != "source":
            pathlib.Path(folder, "Makefile").write_text(makefile)
    for file in ("main.c", "work.c", "work.h"):
        os.rename(file, f"source/{file}")
    optimized("--build", "make -C here", "--run", "here/app 4000000")
    os.chdir("there")

    def stale(profile):
        return json.loads(subprocess.run([PGOKIT, "check", profile, "-b", "app", "--json"], capture_output=True, text=True,
                                         check=False).stdout)["measures"]["stale"]["value"]

    profile = "../.pgokit/app.prof"
    flags = subprocess.run([PGOKIT, "flags", f"use={profile}", "--root", "..", "--compile"], capture_output=True, text=True, check=True).stdout
    subprocess.run(["make", "-s", "CC=clang-22", f"CFLAGS={flags.strip()}"], check=True)
    check("by flags", stale(profile) == 0, stale(profile))
    made = subprocess.run([PGOKIT, "generate", "../.pgokit/app.perf", "-b", "../.pgokit/recorded/app", "-o", "next.prof"], capture_output=True,
                          text=True, check=True)
    line = re.search(r"^next +(.*) \.\.\.$", made.stdout + made.stderr, re.MULTILINE).group(1)
    subprocess.run(f"{line} ../source/main.c ../source/work.c -o app", shell=True, check=True)
    check("by the line behind next", stale("next.prof") == 0, (line, stale("next.prof")))


def variants():
    project("variants", Makefile=MAKEFILE)
    told = optimized("--build", "make", "--run", "./app 400000000", "--with", "layout,lines", "--measure", "./app 500000 # other input", "--sampled")
    check_builds("variants", told, names=("plain", "profile", "layout", "lines"))
    check("another command is measured", all("# other input" in command["command"] for command in told["measurement"]["commands"]), told)
    recorded = [command for command in told["commands"] if command.startswith("pgokit record")]
    check("sampled", len(recorded) == 1 and not any("--exact" in command for command in recorded), recorded)
    for build, probes in zip(told["builds"], (False, True, True, False)):
        show = subprocess.run([PGOKIT, "doctor", "--json", build["file"]], capture_output=True, check=True, text=True).stdout
        check("probes are in the builds with a profile by probes", bool(json.loads(show)["program"]["probes"]) == probes, (build, show))
    told = optimized("--build", "make", "--run", "./app 4000000", "--by", "lines")
    check_builds("by lines", told)
    check("by lines: the plain build is recorded", told["commands"].count("make clean") == 2, told["commands"])
    text = optimize("--build", "make", "--run", "./app 400000", "-n", 6)
    check("text tells the commands", "$ make clean\n" in text.stderr and "kept      app is now" in text.stdout, text)

    # The hot code is in a library, which no command names.
    project("library", Makefile="app: main.c libwork.so\n\t$(CC) -O2 -o $@ main.c -L. -lwork -Wl,-rpath,'$$ORIGIN'\n"
            "libwork.so: work.c\n\t$(CC) -O2 -fPIC -shared -o $@ work.c\nclean:\n\trm -f app libwork.so\n")
    told = optimized("--build", "make", "--run", "./app 4000000")
    check("a library is found", told["program"] == "libwork.so", told["program"])


def inlining():
    """Calls that are short enough to be inlined, and save little."""
    statements = "".join(f"  y = (y ^ {7 * i + 1}) * {2 * i + 3};\n" for i in range(100))
    loops = "".join(f"  for (int i = 0; i < times; i++) sum = large(sum) {sign} i;\n" for sign in "+^")
    project("inlining", Makefile=MAKEFILE, **{"work.c": f"""
#include "work.h"
static unsigned large(unsigned y) {{
{statements}  return y;
}}
unsigned work(int times) {{
  unsigned sum = 1;
{loops}  return sum;
}}
"""})
    told = optimized("--build", "make", "--run", "./app 400000", "--with", "inlining")
    check_builds("inlining", told, names=("plain", "profile", "inlining"))
    check("inlining is weighed", "-inline-enable-cost-benefit-analysis" in told["builds"][2]["compile"], told["builds"][2])


def counted_variants():
    """Builds that count in a run of their own, and one that is rewritten."""
    with_bolt = ["bolt"] if shutil.which("llvm-bolt-22") and shutil.which("perf") else []
    with_targets = ["targets"] if (PGOKIT.parent.parent / "lib/pgokit/pgokit-plugin.so").exists() else []
    names = ["propeller", "instrument", *with_targets, *with_bolt]
    print("tried beside the profile:", *names)
    calls = WORK.replace("(sum & 1023) == 7 ? rare(sum) : common(sum)", "(*which[(sum & 1023) == 7])(sum)").replace(
        "unsigned work", "static unsigned (*volatile which[])(unsigned) = {common, rare};\nunsigned work")
    project("counted", Makefile=MAKEFILE, **{"work.c": calls})
    command = ["--build", "make", "--run", "./app 400000000", "--measure", "./app 500000", "--with", ",".join(names)]
    told = optimized(*command)
    check_builds("counted", told, names=("plain", "profile", *names))
    builds = {build["name"]: build for build in told["builds"]}
    check("clang's counts are used", any("-fprofile-use=" in word for word in builds["instrument"]["compile"]), builds["instrument"])
    shown = subprocess.run([PGOKIT, "show", builds["instrument"]["profile"]], capture_output=True, check=True, text=True).stdout
    check("clang's counts are of it", "work" in shown, shown)
    check("a layout is used", any("-fbasic-block-sections=list=" in word for word in builds["propeller"]["compile"]), builds["propeller"])
    check("the layout is of it", "f work\n" in pathlib.Path(".pgokit/app.clusters").read_text())
    if with_targets:
        check("targets are used", any("-pgokit-use=" in word for word in builds["targets"]["compile"]), builds["targets"])
        check("targets are of it", "common" in pathlib.Path(".pgokit/app.targets").read_text(errors="replace"))
    if with_bolt:
        check("bolt: its command is told", builds["bolt"]["after"] in told["commands"], builds["bolt"])
        sections = subprocess.run(["llvm-readelf-22", "-S", builds["bolt"]["file"]], capture_output=True, check=True, text=True).stdout
        check("bolt: it was rewritten", ".bolt.org.text" in sections, sections)
    # One more build, after an end between the steps: the others are not done again.
    journal = pathlib.Path(".pgokit/journal")
    journal.write_text("".join(line for line in journal.read_text().splitlines(True) if not line.startswith("finished")))
    done = optimize("-n", 8, *command)
    for name in names:
        check(f"{name} is not made again", f"# build {name}: done before" in done.stderr and done.returncode == 0, done.stderr)

    project("killed", Makefile=MAKEFILE, **{"main.c": MAIN.replace("return 0;", "fflush(stdout);\n  _exit(0);").replace("#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>")})
    fails("no counts", "the run wrote no counts: they are written when", "--build", "make", "--run", "./app 400000", "--with", "instrument")


def bad_input():
    project("bad", Makefile=MAKEFILE)
    good = ["--build", "make", "--run", "./app 400000"]
    fails("no build", "--build is needed", "--run", "./app", code=2)
    fails("no run", "--run is needed", "--build", "make", code=2)
    fails("another build", "there are layout", *good, "--with", "magic", code=2)
    fails("other places", "it is probes or lines", *good, "--by", "blocks", code=2)
    fails("lines beside lines", "makes no other profile", *good, "--by", "lines", "--with", "lines", code=2)
    os.mkdir("few")
    for name in ("clang-22", "clang++-22"):
        os.symlink(shutil.which(name), f"few/{name}")
    fails("no llvm-bolt", "llvm-bolt is not installed: --with bolt needs it (Debian's packages bolt-22", *good, "--with", "bolt", env={"PATH": os.path.abspath("few")})
    check("nothing was built for that", not pathlib.Path("app").exists())
    fails("another way", "wrapper, variables or cmake", *good, "--flags-by", "make", code=2)
    fails("too few runs", "to compare 2 builds give at least 6", *good, "--runs", 2, code=2)
    fails("a compiler that takes no profile", "CC is gcc: the profiles are for clang", *good, env={"CC": "gcc"})
    fails("no such compiler", "clang-99 is not installed", *good, env={"CC": "clang-99"})
    check("nothing was built", not pathlib.Path("app").exists())
    fails("a build that fails", "No rule to make target", "--build", "make nothing", "--run", "./app")
    fails("a source that does not compile", "(main.c:3:1: error: expected ';')",
          "--build", "printf 'main.c:3:1: error: expected %s\n' \"';'\"; make nothing", "--run", "./app")
    fails("a run that fails", "./app 1 2: ended with exit code 3", "--build", "make", "--run", "./app 1 2")
    fails("a run that fails leaves a build of ours", "; what is built now is the build 'recorded': clean and build for your own",
          "--build", "make", "--run", "./app 1 2")
    fails("a run that says why", "ended with exit code 3 (no such input)", "--build", "make", "--run", "echo no such input; exit 3")
    fails("a run that writes no text", "ended with exit code 3 (a", "--build", "make", "--run", r"printf 'a\001\377b'; exit 3")
    fails("a run that is not there", "No such file", "--build", "make", "--run", "./other")
    fails("a measured one that is not there", "--measure: ./other: No such file", *good, "--measure", "./other")
    fails("another program", "nothing of what ran was made by the build", "--build", "make", "--run", "sort Makefile")
    fails("a program that is not there", "it is not there after the build", *good, "--program", "other")
    fails("an object", "not a program or library", *good, "--program", "main.o")
    fails("a file of another kind", "Makefile", *good, "--program", "Makefile")
    fails("nothing compiled", "it compiled nothing by clang", "--build", "true", "--run", "./app")
    fails("no optimization", "everything is compiled without optimization", "--build", "make CFLAGS=", "--run", "./app")
    fails("a program that a try by other commands has left", "./app 1 2: ended with exit code 3", "--build", "make", "--run", "./app 1 2")
    fails("such a try", "it compiled nothing by clang", "--build", "true", "--run", "./app")
    fails("the first command again", "./app 1 2: ended with exit code 3", "--build", "make", "--run", "./app 1 2")
    fails("a clean that fails", "exit code 1", *good, "--clean", "false")
    subprocess.run(["make", "-s", "clean"], check=True)
    fails("no clean", "2 of 2 sources were not compiled again, such as", *good, "--clean", "")
    pathlib.Path(".pgokit/journal").write_text("broken")
    fails("a broken journal", "--restart begins from the start", *good)
    check("begins from the start", optimized(*good, "--restart")["program"] == "app")
    for name in (shutil.which("gcc"), shutil.which("clang-22")):
        project(f"path-{pathlib.Path(name).name}", Makefile=MAKEFILE.replace("CFLAGS", f"CC = {name}\nCFLAGS"))
        fails("a compiler by its path", "calls a compiler by its path", *good)
    fails("flags that are ignored", "without debug information", *good, "--flags-by", "variables")


def wait_for_children():
    """Of a command that was killed: what it had started runs on, in the same folder."""
    for _ in range(200):
        left = 0
        for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                left += int(link.parts[2]) != os.getpid() and os.readlink(link) == os.getcwd()
            except OSError:
                continue
        if not left:
            return
        time.sleep(0.1)


def resumed():
    """Ended at each of its steps, it goes on after the last one that was done."""
    project("resumed", Makefile=MAKEFILE)
    # One run is 3 s long where a file says so.
    run = "test -e long && sleep 3; ./app 400000"
    command = ["optimize", "--build", "test -e late && sleep 3; make", "--run", run, "-n", "6", "--json"]
    for which, begin, file in ((signal.SIGINT, "# build profile", "late"), (signal.SIGKILL, "# measure", "long")):
        pathlib.Path(file).touch()
        if file == "late":
            pathlib.Path("late").unlink()
        process = subprocess.Popen([PGOKIT, *command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        seen = []
        for line in process.stderr:
            seen.append(line)
            if line.startswith(begin):
                pathlib.Path(file).touch()
                time.sleep(0.05)
                process.send_signal(which)
                break
        rest = process.stderr.read()
        code = process.wait()
        wait_for_children()
        check("it was ended", code in ((130, -2) if which == signal.SIGINT else (-9,)), (code, seen, rest))
        pathlib.Path(file).unlink()
        if code == 130:
            check("which it says", "interrupted" in rest, rest)
    done = subprocess.run([PGOKIT, *command], capture_output=True, text=True, check=False, timeout=300)
    check("it ends after all", done.returncode == 0, done.stderr)
    for step in ("build recorded", "record recorded", "make app.prof", "build plain", "build profile"):
        check("what was done is not done again", f"# {step}: done before" in done.stderr, done.stderr)
    check("nothing is left half-written", not list(pathlib.Path(".pgokit").rglob("*.tmp")), list(pathlib.Path(".pgokit").rglob("*")))
    again = subprocess.run([PGOKIT, *command], capture_output=True, text=True, check=False, timeout=300)
    check("the next one begins from the start", again.returncode == 0 and "done before" not in again.stderr, again.stderr)

    # What has been edited in the meantime is noticed, and so is another command.
    journal = pathlib.Path(".pgokit/journal")
    def stopped():
        journal.write_text("".join(line for line in journal.read_text().splitlines(True) if not line.startswith("finished")))
    stopped()
    text = pathlib.Path("work.h").read_text()
    os.utime("work.c")
    done = subprocess.run([PGOKIT, *command], capture_output=True, text=True, check=False, timeout=300)
    check("what was only touched is not edited", "# build recorded: done before" in done.stderr, done.stderr)
    stopped()
    pathlib.Path("work.h").write_text(text + "// edited\n")
    done = subprocess.run([PGOKIT, *command], capture_output=True, text=True, check=False, timeout=300)
    check("an edited header begins from the start", "# work.h has been edited since it stopped" in done.stderr and "done before" not in done.stderr
          and done.returncode == 0, done.stderr)
    stopped()
    other = [word.replace("; make", "; make -j2") for word in command]
    done = subprocess.run([PGOKIT, *other], capture_output=True, text=True, check=False, timeout=300)
    check("another build command begins there", "# build recorded: by other commands or options than before" in done.stderr and done.returncode == 0,
          done.stderr)

    # Two at a time would build into each other.
    pathlib.Path("long").touch()
    process = subprocess.Popen([PGOKIT, *command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    process.stderr.readline()
    fails("two at a time", "another pgokit works in it", "--build", "make", "--run", "./app")
    process.send_signal(signal.SIGINT)
    process.stderr.read()
    check("it ends", process.wait() == 130)


with tempfile.TemporaryDirectory() as scratch:
    ROOT = pathlib.Path(scratch)
    if missing := [name for name in ("clang-22", "gcc", "make", "cmake") if not shutil.which(name)]:
        print(f"skipped: not here: {', '.join(missing)}")
        sys.exit(SKIPPED)
    for group in (build_systems, ran_elsewhere, built_elsewhere, variants, inlining, counted_variants, bad_input, resumed):
        if len(sys.argv) < 3 or group.__name__ in sys.argv[2:]:
            group()
    os.chdir("/")
print(f"{checks} checks passed")

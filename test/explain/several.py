#!/usr/bin/env python3
"""A profile of several libraries beside one of them and beside all: check, explain and match.

    several.py PGOKIT FOLDER
"""
import json
import pathlib
import shutil
import subprocess
import sys

LIBRARIES = {"one": "int first(int x) {\n  while (x > 9)\n    x = x / 2 + 1;\n  return x;\n}\n",
             "two": "int second(int x) {\n  while (x > 9)\n    x = x / 3 + 1;\n  return x;\n}\n",
             "three": "int third(int x) {\n  while (x > 9)\n    x = x / 4 + 1;\n  return x;\n}\n",
             "four": "int fourth(int x) {\n  while (x > 9)\n    x = x / 5 + 1;\n  return x;\n}\n"}
PROFILE = "".join(f"{name}:3000:1000\n 1: 1000\n 2: 1000\n 3: 1000\n" for name in ("first", "second", "third", "fourth"))


def main():
    pgokit, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "several"
    if not shutil.which("clang-22"):
        print("skipped: no clang-22")
        return 77
    folder.mkdir(exist_ok=True)
    (folder / "all.prof").write_text(PROFILE)
    for name, source in LIBRARIES.items():
        (folder / f"{name}.c").write_text(source)
        subprocess.run(["clang-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fPIC", "-shared", "-Wl,--build-id",
                        f"{name}.c", "-o", f"{name}.so"], cwd=folder, check=True)

    def run(*arguments, code):
        done = subprocess.run([pgokit, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    every = [word for name in LIBRARIES for word in ("-b", f"{name}.so")]
    alone = run("check", "all.prof", "-b", "one.so", code=3)
    assert "stale      75.0 %" in alone and "give each with -b" in alone, alone
    together = run("check", "all.prof", *every, code=0)
    assert together.count("program    ") == 4 and "stale      0.0 %" in together and "verdict    good" in together, together
    told = json.loads(run("check", "all.prof", *every, "--json", code=0))
    assert told["fit"]["programs"] == [f"{name}.so" for name in LIBRARIES] and told["fit"]["vanished_functions"] == 0, told

    alone = run("explain", "all.prof", "-b", "one.so", code=3)
    assert "give each with -b" in alone, alone
    told = json.loads(run("explain", "all.prof", *every, "--json", code=0))
    assert [finding["cause"] for finding in told["findings"]] == ["fits"], told
    assert "one program" in run("explain", "all.prof", *every, "--recording", "all.prof", code=2)
    assert "one program" in run("check", "all.prof", *every, "--debug", "one.so", code=2)

    # Without names a file is no other program.
    subprocess.run(["llvm-strip-22", "-o", "stripped.so", "one.so"], cwd=folder, check=True)
    alone = run("explain", "all.prof", "-b", "stripped.so", code=3)
    assert "no-debug-information" in alone and "other-program" not in alone, alone

    # Profiles of different functions are right to differ in their samples; those of the same are not.
    (folder / "much.prof").write_text("first:3000000:1000000\n 1: 1000000\n 2: 1000000\n 3: 1000000\n")
    (folder / "little.prof").write_text("second:300:100\n 1: 100\n 2: 100\n 3: 100\n")
    (folder / "less.prof").write_text("first:300:100\n 1: 100\n 2: 100\n 3: 100\n")
    assert "hardly counts" not in run("merge", "much.prof", "little.prof", "-o", "sum.prof", code=0)
    assert "hardly counts" in run("merge", "much.prof", "less.prof", "-o", "sum.prof", code=0)

    # One build calls what the other inlines.
    (folder / "called.prof").write_text("main:200:1\n 1: 100\n 2: 100\nfirst:3000:1000\n 1: 1000\n 2: 1000\n 3: 1000\n")
    (folder / "inlined.prof").write_text("main:3200:1\n 1: 100\n 2: 100\n 3: first:3000\n  1: 1000\n  2: 1000\n  3: 1000\n")
    assert "inline differently" in run("compare", "called.prof", "inlined.prof", code=0)
    assert "inline differently" not in run("compare", "much.prof", "little.prof", code=0)

    # An object may have the name of the program that it is linked into: its remarks are not those of all.
    use = ["-O2", "-g", "-fdebug-info-for-profiling", "-fPIC", "-fprofile-sample-use=all.prof", "-fsave-optimization-record"]
    for name in LIBRARIES:
        subprocess.run(["clang-22", *use, "-c", f"{name}.c", "-o", f"{name}.o"], cwd=folder, check=True)
    subprocess.run(["clang-22", "-shared", *(f"{name}.o" for name in LIBRARIES), "-o", "one"], cwd=folder, check=True)
    told = run("explain", "all.prof", "-b", "one", code=0)
    assert "one.opt.yaml tells of few of the functions" in told and "remarks    none" in told, told
    told = run("explain", "all.prof", "-b", "one", "--remarks", ".", code=0)
    assert "left out" not in told and "in 4 files" in told and "verdict    used" in told, told

    told = json.loads(run("match", "all.prof", *every, "-o", "matched.prof", "--json", code=0))
    assert told["lost"]["functions"] == 0 and told["unchanged"]["functions"] == 4 and not told["renamed"], told
    assert sorted((folder / "matched.prof").read_text().splitlines()) == sorted(PROFILE.splitlines())
    return 0


sys.exit(main())

#!/usr/bin/env python3
"""objects.py PGOKIT FOLDER: profiles for BOLT of a program and its libraries, of one reading of the recording.

Each has the bytes that it has alone, and the lines of perf2bolt 22, which makes one at a time.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

PGOKIT = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(sys.argv[2]).resolve() / "objects"
JUDGE = pathlib.Path("/usr/lib/llvm-22/bin/perf2bolt")
LIBRARY = """
__attribute__((noinline)) static int step_NAME(int x) { return x % 3 ? x * FACTOR : x - 1; }
int NAME(int x) { int s = 0; for (int i = 0; i < 400; ++i) s += step_NAME(x + i) & 7; return s; }
"""
MAIN = """
int one(int), two(int);
__attribute__((noinline)) static int own(int x) { int s = x; for (int i = 0; i < 300; ++i) s = s * 3 + (s & i ? 1 : 7); return s; }
int main(void) { int s = 0; for (int i = 0; i < 20000; ++i) s += own(s) + (i % 4 ? one(s) : two(s)); return s == 1; }
"""
OBJECTS = ("program", "libone.so", "libtwo.so")


def run(*command, code=0):
    done = subprocess.run([*map(str, command)], text=True, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def complaint(*command):
    done = run(*command, code=2) if command[1] == "generate" else run(*command, code=1)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def lines(path):
    return sorted((FOLDER / path).read_text().splitlines())


def build_and_record():
    flags = ["clang-22", "-O1", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--emit-relocs", "-Wl,--build-id"]
    for name, factor in (("one", 3), ("two", 5)):
        (FOLDER / f"{name}.c").write_text(LIBRARY.replace("NAME", name).replace("FACTOR", str(factor)))
        run(*flags, "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so")
    (FOLDER / "main.c").write_text(MAIN)
    run(*flags, "main.c", "-L.", "-lone", "-ltwo", f"-Wl,-rpath,{FOLDER}", "-o", "program")
    run(PGOKIT, "record", "-q", "--no-callchain", "-F", "5000", "-o", "perf.data", "--", "./program")
    return run("perf", "script", "-i", "perf.data", "-F", "pid").stdout.split()[0]


def compare_perf2bolt(*options):
    """Of all objects at once, by a folder and by a pattern, with those of each alone and of perf2bolt 22."""
    (FOLDER / "all").mkdir(exist_ok=True)
    said = run(PGOKIT, "perf2bolt", "-p", "perf.data", *options, "-o", "all/", *OBJECTS).stdout
    assert said.count("PERF2BOLT: wrote ") == 3, said
    run(PGOKIT, "perf2bolt", "-p", "perf.data", *options, "-o", "all/%n.again", *OBJECTS)
    for name in OBJECTS:
        run(PGOKIT, "perf2bolt", "-p", "perf.data", *options, "-o", "alone", name)
        together = (FOLDER / f"all/{name}.fdata").read_bytes()
        assert together == (FOLDER / "alone").read_bytes() == (FOLDER / f"all/{name}.again").read_bytes(), name
        run(JUDGE, "-p", "perf.data", *options, "-o", "theirs", name)
        assert lines("theirs") == lines("alone") and (options or len(lines("alone")) > 1), name
        print(f"{name} {' '.join(options)}: {len(lines('alone'))} lines")


def compare_generate(pid):
    """Of counts of the recorder, and of the branch stacks alone, which --pid asks for."""
    for more in ([], ["--pid", pid], ["--format", "preaggregated", "--pid", pid, "--build-ids"], ["--format", "raw"]):
        shutil.rmtree(FOLDER / "made", ignore_errors=True)
        (FOLDER / "made").mkdir()
        which = [word for name in OBJECTS for word in ("-b", name)]
        asked = more if "--format" in more else ["--for", "bolt", *more]
        told = json.loads(run(PGOKIT, "generate", "perf.data", *asked, *which, "-o", "made/%n.out", "--json").stdout)
        assert [one["binary"] for one in told] == list(OBJECTS), told
        for name in OBJECTS:
            run(PGOKIT, "generate", "perf.data", *asked, "-b", name, "-o", "alone", "-q")
            assert (FOLDER / f"made/{name}.out").read_bytes() == (FOLDER / "alone").read_bytes(), (name, more)
            if "--build-ids" not in more:
                continue
            build_id = next(one["build_id"] for one in told if one["binary"] == name)
            assert f" {build_id}:" in (FOLDER / "alone").read_text(), name
            run(JUDGE, "-pa", "-p", "alone", "-o", "of-text", name)
            run(JUDGE, "-p", "perf.data", "-o", "of-recording", name)
            assert lines("of-text") == lines("of-recording"), name
    # The lines of several programs in one text: each takes its own.
    for name in OBJECTS:
        run(PGOKIT, "generate", "perf.data", "--format", "preaggregated", "--pid", pid, "--build-ids", "-b", name, "-o", f"{name}.text", "-q")
    (FOLDER / "together").write_text("".join((FOLDER / f"{name}.text").read_text() for name in OBJECTS))
    run(PGOKIT, "perf2bolt", "-pa", "-p", "together", "-o", "all/%n.pa", *OBJECTS)
    for name in OBJECTS:
        assert lines(f"all/{name}.pa") == lines(f"all/{name}.fdata"), name


def functions_of(yaml):
    """Of our sources, by name: the lines of each, without its number and entries from outside, which only llvm-bolt has.

    Those of the C run time have conditional tail calls, for which perf2bolt's hashes are others than llvm-bolt's.
    """
    blocks = re.split(r"^  - name: +", (FOLDER / yaml).read_text().removesuffix("...\n"), flags=re.M)[1:]
    found = {block.splitlines()[0].strip("'").split("/")[0]: block.splitlines()[2:] for block in blocks}
    ours = ("main", "own", "one", "step_one", "two", "step_two")
    return {name: [line for line in found[name] if "extern:" not in line] for name in ours if name in found}


def check_yaml():
    """Of llvm-bolt's own hashes: it takes all of it, and what perf2bolt makes of the recording is the same but for hashes."""
    bolt = JUDGE.parent / "llvm-bolt"
    perf2bolt = [PGOKIT, "perf2bolt", "-p", "perf.data", "-o"]
    for name in OBJECTS:
        run(*perf2bolt, "with.fdata", "-w", "ours.yaml", name)
        assert lines("with.fdata") == lines(f"all/{name}.fdata"), name
        ours = (FOLDER / "ours.yaml").read_text()
        run(*perf2bolt, "again.yaml", "--profile-format=yaml", name)
        run(PGOKIT, "generate", "perf.data", "--for", "bolt", "--format", "yaml", "--llvm-bolt", bolt, "-b", name)
        run(bolt, name, "-o", "bolted", "-data", f"all/{name}.fdata", "-w", "theirs.yaml")
        assert ours == (FOLDER / "again.yaml").read_text() == (FOLDER / "theirs.yaml").read_text(), name
        said = run(bolt, name, "-o", "bolted", "-data", "ours.yaml", "-w", "kept.yaml").stdout
        assert (FOLDER / "kept.yaml").read_text() == ours.replace("branch profile reader", "YAML profile reader") and re.search(r"[1-9][0-9]* out of [0-9]+ functions", said), said
        run(JUDGE, "-p", "perf.data", "-o", "theirs.yaml", "--profile-format=yaml", name)
        assert functions_of("theirs.yaml") == functions_of("ours.yaml") != {}, name
        assert f"{name}" in ours.split("functions:")[0] and (FOLDER / f"{name}.yaml").read_text().count("nblocks:"), name
        print(f"{name}, YAML: {len(functions_of('ours.yaml'))} functions")
    run(*perf2bolt, "all/", "--profile-format=yaml", *OBJECTS)
    assert (FOLDER / f"all/{OBJECTS[-1]}.yaml").read_text() == ours
    for options, why in ((["x.yaml", "-w", "y.yaml", "--profile-format=yaml"], "leave -w out"), (["x.yaml", "-w", "./x.yaml"], "are one file"),
                         (["x.fdata", "-w", "program"], "would replace the program"), (["x.fdata", "-w", "y.yaml", "--llvm-bolt=none"], "none is not installed"),
                         (["x.fdata", "-w", "y.yaml", "--llvm-bolt=/none"], "/none: cannot be run"), (["x.fdata", "-w", "y.yaml", "--llvm-bolt=false"], "false: ends with exit code 1")):
        text = complaint(*perf2bolt, *options, "program")
        assert why in text and not list(FOLDER.glob("[xy].*")), (options, text)
    assert "-w names one file" in complaint(*perf2bolt, "%n.x", "-w", "y.yaml", *OBJECTS)
    assert "--llvm-bolt is for" in complaint(PGOKIT, "generate", "perf.data", "--llvm-bolt", bolt, "-b", "program", "-o", "x")


def check_all_programs():
    """Those of the recording that BOLT can use; what is left out is named."""
    shutil.rmtree(FOLDER / "found", ignore_errors=True)
    (FOLDER / "found").mkdir()
    told = run(PGOKIT, "generate", "perf.data", "--for", "bolt", "--all-programs", "-o", "found/").stderr
    assert {path.name for path in (FOLDER / "found").iterdir()} >= {f"{name}.fdata" for name in OBJECTS}, told
    run("llvm-strip-22", "libtwo.so")
    told = run(PGOKIT, "generate", "perf.data", "--for", "bolt", "--all-programs", "-o", "found/").stderr
    assert "left out" in told and "libtwo.so" in told and "it is stripped" in told, told


def check_refusals():
    generate = [PGOKIT, "generate", "perf.data", "--for", "bolt"]
    text = complaint(*generate, "-b", "program", "-b", "libone.so", "-o", "one-file")
    assert "-o FOLDER/" in text and "%n" in text, text
    (FOLDER / "copy").mkdir(exist_ok=True)
    shutil.copy(FOLDER / "program", FOLDER / "copy" / "program")
    text = complaint(*generate, "-b", "program", "-b", "copy/program", "-o", "%n.refused")
    assert "two programs of that name" in text, text
    assert "--all-programs and -b" in complaint(*generate, "--all-programs", "-b", "program")
    assert "--build-ids is for" in complaint(*generate, "--build-ids", "-b", "program")
    perf2bolt = [PGOKIT, "perf2bolt", "-p", "perf.data"]
    assert "-o FOLDER/" in complaint(*perf2bolt, "-o", "one-file", "program", "libone.so")
    # One that did not run spoils all: no file appears.
    text = complaint(*perf2bolt, "-o", "%n.refused", "program", shutil.which("llvm-nm-22"))
    assert "llvm-nm" in text or "stripped" in text, text
    shutil.copy(FOLDER / "program", FOLDER / "idle")
    text = complaint(*perf2bolt, "-o", "%n.refused", "libone.so", FOLDER / "other" / "idle")
    assert "could not find a profile matching" in text, text
    assert not list(FOLDER.glob("*.refused")) and not (FOLDER / "one-file").exists()


def main():
    if not JUDGE.exists() or not all(map(shutil.which, ["perf", "clang-22", "ld.lld-22"])):
        print("SKIPPED: there is no bolt-22, perf, clang-22 or lld-22")
        return 77
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "other").mkdir(parents=True)
    pid = build_and_record()
    (FOLDER / "idle.c").write_text("int main(void) { return 0; }\n")
    run("clang-22", "-O1", "-Wl,--build-id", "idle.c", "-o", "other/idle")
    compare_perf2bolt("-ba")
    compare_perf2bolt()
    compare_generate(pid)
    check_refusals()
    check_yaml()
    check_all_programs()
    return 0


if __name__ == "__main__":
    sys.exit(main())

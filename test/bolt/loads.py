#!/usr/bin/env python3
"""loads.py PGOKIT FOLDER: sampled loads in profiles for BOLT, compared with perf2bolt 22.

perf2bolt takes events with mem-loads in their names, which processors here need not have: the event of `pgokit record --memory`
gets such a name in a copy of the recording, and both take all accesses for loads then.
"""
import pathlib
import re
import shutil
import subprocess
import sys

PGOKIT = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(sys.argv[2]).resolve() / "loads"
JUDGE = pathlib.Path("/usr/lib/llvm-22/bin/perf2bolt")
EVENT, OTHER_NAME = b"memory-accesses:u", b"cpu/mem-loads/uuu"
MAIN = """
#include <stdlib.h>
static int table[1000], other[300];
int shared[500];
const int fixed[64] = {3, 1, 4, 1, 5, 9, 2, 6};
int *volatile heap;
__attribute__((noinline)) static int reads(int i) { return table[i % 1000] + shared[i % 500] + fixed[i % 64] + heap[i % 8]; }
__attribute__((noinline)) static void writes(int i) { other[i % 300] = i; table[i % 700] += other[(i + 1) % 300]; }
int main(void) {
  heap = calloc(8, sizeof(int));
  int s = 0;
  for (int i = 0; i < 60000000; ++i) { s += reads(i); writes(i); }
  return s == 1;
}
"""


def run(*command):
    done = subprocess.run([*map(str, command)], text=True, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def loads(path):
    """The lines of loads; data that no symbol names have one name."""
    lines = [line for line in (FOLDER / path).read_text().splitlines() if line.startswith("4 ")]
    return sorted(re.sub(r"(DATA|HOLE)at0x", "at0x", line) for line in lines)


def build_and_record(name, *flags):
    (FOLDER / "main.c").write_text(MAIN)
    run("clang-22", "-O1", "-fno-vectorize", "-Wl,--build-id", *flags, "main.c", "-o", name)
    run(PGOKIT, "record", "-q", "--memory", "--no-callchain", "-F", "5000", "-o", f"{name}.data", "--", f"./{name}")
    recording = (FOLDER / f"{name}.data").read_bytes()
    assert EVENT in recording
    (FOLDER / f"{name}.loads").write_bytes(recording.replace(EVENT, OTHER_NAME))


def main():
    if not JUDGE.exists() or not all(map(shutil.which, ["perf", "clang-22"])):
        print("SKIPPED: there is no bolt-22, perf or clang-22")
        return 77
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    build_and_record("fixed", "-fno-pie", "-no-pie")
    run(JUDGE, "-p", "fixed.loads", "-o", "theirs", "fixed")
    said = run(PGOKIT, "perf2bolt", "-p", "fixed.loads", "-o", "ours", "fixed").stdout
    ours, theirs = loads("ours"), loads("theirs")
    assert ours == theirs, (sorted(set(ours) - set(theirs))[:5], sorted(set(theirs) - set(ours))[:5])
    assert f"and {len(ours)} memory objects to" in said, said
    text = "\n".join(ours)
    for name in ("4 table/1 ", "4 other/1 ", "4 shared ", "4 fixed "):
        assert name in text, name
    print(f"{len(ours)} lines of loads are the same")
    # Under its own name the event's stores are left out.
    run(PGOKIT, "perf2bolt", "-p", "fixed.data", "-o", "own", "fixed")
    own = loads("own")
    assert own and set(line.rsplit(" ", 1)[0] for line in own) < set(line.rsplit(" ", 1)[0] for line in ours)
    for option, name in (("-parse-mem-profile=0", "none"), ("-ba", "basic")):
        run(PGOKIT, "perf2bolt", "-p", "fixed.loads", option, "-o", name, "fixed")
        assert not loads(name), option
    # A program that was moved: both addresses are.
    build_and_record("moved", "-fPIE", "-pie")
    run(JUDGE, "-p", "moved.loads", "-o", "theirs", "moved")
    run(PGOKIT, "perf2bolt", "-p", "moved.loads", "-o", "ours", "moved")
    assert not loads("theirs"), "perf2bolt has been mended: compare with it"
    names = {line.split()[4] for line in loads("ours")}
    assert {"table/1", "other/1", "shared", "fixed"} <= names, names
    print(f"{len(loads('ours'))} lines of the moved program")
    return 0


if __name__ == "__main__":
    sys.exit(main())

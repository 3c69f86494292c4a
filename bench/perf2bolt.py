#!/usr/bin/env python3
"""pgokit perf2bolt beside perf2bolt 22: time and memory, on a random walk over a program of several megabytes of code.

    ./dev bench perf2bolt [--runs N] [--samples N]

Writes bench/perf2bolt.md. The program is pgokit itself as it was built; both write the same profile, which is checked.
perf2bolt runs perf script, whose time and memory count as its own. Skips (77) without bolt-22 and perf.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "support")]
import e2e  # noqa: E402
import goals  # noqa: E402
import launch  # noqa: E402

JUDGE = pathlib.Path("/usr/lib/llvm-22/bin/perf2bolt")
FOLDER = e2e.WORK / "perf2bolt"
TARGET = {"wall": 20, "memory": 10}


def text_bytes(program):
    sections = subprocess.run(["size", "-A", program], text=True, stdout=subprocess.PIPE, check=True).stdout
    return next(int(line.split()[1]) for line in sections.splitlines() if line.startswith(".text "))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=250000)
    options = parser.parse_args()
    if not JUDGE.exists() or not shutil.which("perf"):
        print("SKIPPED: there is no bolt-22 or no perf")
        return 77
    FOLDER.mkdir(parents=True, exist_ok=True)
    program, recording = FOLDER / "program", FOLDER / f"{options.samples}.perf"
    shutil.copy(e2e.PGOKIT, program)
    subprocess.run([e2e.find_walker(), program, "--seed", "1", "--samples", str(options.samples), "--depth", "32", "--kind", "lbr",
                    "--format", "perfdata", "-o", recording], check=True)
    commands = [[e2e.PGOKIT, "perf2bolt", "-p", recording, program, "-o", FOLDER / "ours"],
                [JUDGE, "-p", recording, program, "-o", FOLDER / "theirs"]]
    ours, theirs = launch.in_turn(commands, options.runs, FOLDER)
    lines = [sorted((FOLDER / name).read_text(encoding="utf-8").splitlines()) for name in ("ours", "theirs")]
    if lines[0] != lines[1]:
        different = len(set(lines[0]) ^ set(lines[1]))
        print(f"perf2bolt: the profiles differ in {different} of {len(lines[1])} lines", file=sys.stderr)
        return 1
    kept = goals.Goals("perf2bolt")
    cells = kept.row("perf.data", f"fdata of perf.data, {os.path.getsize(recording) / 1e6:.0f} MB", ours, theirs,
                     ["pgokit", "perf2bolt", "-p"], [JUDGE, "-p"], **TARGET)
    text = f"""# pgokit perf2bolt beside perf2bolt 22

`./dev bench perf2bolt`: {options.samples:,} samples of 32 branches ({os.path.getsize(recording) / 1e6:.0f} MB of perf.data), a
random walk over a program with {text_bytes(program) / 1e6:.1f} MB of code; {launch.machine()}, {os.cpu_count()} processors, median of
{options.runs} runs. Both write the same {len(lines[0]):,} lines. Memory is that of the largest process.

| | perf2bolt 22 | pgokit | times less |
|---|---|---|---|
| wall time | {theirs.wall:.2f} s | {ours.wall:.2f} s | {cells["wall"]} |
| CPU time | {theirs.cpu:.2f} s | {ours.cpu:.2f} s | {cells["cpu"]} |
| peak memory | {theirs.peak_mb:.0f} MB | {ours.peak_mb:.0f} MB | {cells["memory"]} |
"""
    (e2e.ROOT / "bench/perf2bolt.md").write_text(text, encoding="utf-8")
    print(text)
    return kept.finish()


if __name__ == "__main__":
    sys.exit(main())

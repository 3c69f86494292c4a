#!/usr/bin/env python3
"""Reading optimization remarks, YAML and bitstream, beside llvm-remarkutil and opt-stats.py: MB/s, peak memory.

    ./dev bench remarks [--runs N] [--size MB]

Writes bench/remarks.md. The remarks are those of examples/interpreter, repeated until the YAML has the size that is
asked for, as a large program has; the bitstream is what llvm-remarkutil makes of them. `pgokit explain` reads the
profile and the program besides, and joins them with the remarks; the peers count remarks.
"""
import argparse
import os
import pathlib
import platform
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import goals  # noqa: E402
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/remarks"
PGOKIT = ROOT / "build/bin/pgokit"
OPT_STATS = pathlib.Path("/usr/lib/llvm-22/share/opt-viewer/opt-stats.py")
BUILD = ["clang++-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22"]
SOURCES = sorted((ROOT / "examples/interpreter").glob("*.cc"))


def run(*command):
    subprocess.run([str(word) for word in command], cwd=WORK, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare(megabytes):
    """The profile, the program that was built with it, and its remarks in both forms."""
    WORK.mkdir(parents=True, exist_ok=True)
    run(*BUILD, *SOURCES, "-o", "app")
    run(PGOKIT, "record", "--exact", "-o", "app.perf", "--", "./app", ROOT / "examples/interpreter/workload.sprig", "1", "2")
    run(PGOKIT, "generate", "app.perf", "-b", "app", "-o", "app.prof")
    text, objects = b"", []
    for source in SOURCES:
        objects.append(f"{source.stem}.o")
        run(*BUILD[:-1], "-fprofile-sample-use=app.prof", "-fsave-optimization-record", f"-foptimization-record-file={source.stem}.yaml",
            "-c", source, "-o", objects[-1])
        text += (WORK / f"{source.stem}.yaml").read_bytes()
    run(*BUILD, *objects, "-o", "faster")
    yaml, bitstream = WORK / "all.opt.yaml", WORK / "all.opt.bitstream"
    yaml.write_bytes(text * max(megabytes * 1_000_000 // len(text), 1))
    run("llvm-remarkutil-22", "yaml2bitstream", yaml, "-o", bitstream)
    return yaml, bitstream


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", type=int, default=20)
    options = parser.parse_args()
    yaml, bitstream = prepare(options.size)
    judged, lines = goals.Goals("remarks"), []
    count = yaml.read_bytes().count(b"\n--- ") + 1
    for form, file in (("yaml", yaml), ("bitstream", bitstream)):
        commands = {f"llvm-remarkutil-22 count ({form})": ["llvm-remarkutil-22", "count", f"--parser={form}", file],
                    f"pgokit explain ({form})": [PGOKIT, "explain", "app.prof", "-b", "faster", "--remarks", file]}
        if form == "yaml" and OPT_STATS.exists():
            commands["opt-stats.py (yaml)"] = ["python3", OPT_STATS, "--no-progress-indicator", "-j", "1", file]
        results = dict(zip(commands, launch.in_turn(list(commands.values()), options.runs, WORK)))
        size, judge = file.stat().st_size / 1e6, next(iter(results.values()))
        for name, found in results.items():
            times = judge.wall / found.wall
            ratio = f"{times:.1f}x" if times >= 0.1 else f"{times:.1g}x"
            if name.startswith("pgokit"):
                ratio = judged.row(form, f"{count:,} remarks, {form} of {size:.1f} MB", found, judge, ["pgokit", "explain", "--remarks"],
                                   ["llvm-remarkutil-22", "count"])["wall"]
            lines.append(f"| {name} | {size:.1f} MB | {found.wall:.2f} s | {size / found.wall:.0f} MB/s | "
                         f"{found.peak_mb:.0f} MB | {ratio} |")
    text = ["# Reading optimization remarks", "",
            f"Written by `./dev bench remarks`: medians of {options.runs} runs of each, in turn, on {os.cpu_count()} cores",
            f"({launch.machine()}, Linux {platform.release()}; load of the machine {os.getloadavg()[1]:.1f}). {count:,} remarks.", "",
            "| | file | wall | bytes | peak memory | wall time, times less |", "|---|---|---|---|---|---|", *lines]
    (ROOT / "bench/remarks.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))
    return judged.finish()


if __name__ == "__main__":
    sys.exit(main())

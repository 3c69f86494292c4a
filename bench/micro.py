#!/usr/bin/env python3
"""micro.py [NAME ...] [-- OPTIONS]: build and run the small benchmarks of bench/micro/ (all, or those named).

Programs to read are taken from PGOKIT_BENCH_PROGRAM, by default pgokit itself."""
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
arguments = sys.argv[1:]
options = arguments[arguments.index("--") + 1:] if "--" in arguments else []
names = arguments[:arguments.index("--")] if "--" in arguments else arguments
names = names or sorted(file.stem for file in (root / "bench/micro").glob("*.cc"))
os.environ.setdefault("PGOKIT_BENCH_PROGRAM", str(root / "build/bin/pgokit"))

targets = [f"micro_{name}" for name in names]
built = subprocess.run(["cmake", "--build", str(root / "build/release"), "--target", *targets],
                       stdout=subprocess.PIPE, text=True)
if built.returncode:
    sys.exit(built.stdout + "micro.py: the benchmarks were not built (is libbenchmark-dev installed?)")
for target in targets:
    program = next((root / "build/release").rglob(target))
    subprocess.run([program, *options], check=True)

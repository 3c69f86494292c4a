#!/usr/bin/env python3
"""Profiles of two runs of a program with threads and seeded hashes are the same bytes.

    reproducible.py PGOKIT SOURCE

As docs/ci.md has it: every branch counted, 4 significant bits, the date by SOURCE_DATE_EPOCH. Without the bits the
profiles differ, or the test would show nothing. Exit code 77 without clang 22, or where nothing can be recorded.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RUNS = 4


def main():
    pgokit, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    doctor = subprocess.run([pgokit, "doctor", "--json"], capture_output=True, text=True, check=False)
    if not shutil.which("clang++-22") or '"software": true' not in doctor.stdout:
        print("SKIPPED: no clang 22, or ptrace is not permitted here")
        return 77
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["clang++-22", "-O1", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id", source, "-pthread",
                        "-o", folder / "same"], check=True)

        def profile(options):
            subprocess.run([pgokit, "record", "--exact", "-q", "-o", "run.perf", "--", "./same"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([pgokit, "generate", "-q", "run.perf", "-b", "same", "--note", "-o", "same.prof", *options], cwd=folder,
                           env=environment, check=True)
            return (folder / "same.prof").read_bytes()

        coarse = {profile(["--quantize", "4"]) for _ in range(RUNS)}
        exact = {profile([]) for _ in range(RUNS)}
        note = subprocess.run([pgokit, "show", "same.prof"], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout
    print(f"{RUNS} runs: {len(coarse)} profile(s) of 4 bits, {len(exact)} of all bits")
    dated = "recorded   2023-11-14T22:13:20Z, whole run" in note
    if not dated:
        print(f"WRONG: no date by SOURCE_DATE_EPOCH in\n{note}")
    return 0 if len(coarse) == 1 and len(exact) > 1 and dated else 1


if __name__ == "__main__":
    sys.exit(main())

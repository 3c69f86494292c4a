#!/usr/bin/env python3
"""run_golden.py PROGRAM CASE_FOLDER [EMULATOR...]: runs CASE/cmd, compares its output with CASE/expected. With the
words of an emulator PROGRAM is run by it. UPDATE_GOLDEN=1 rewrites what is expected.
"""
import difflib, os, pathlib, shlex, subprocess, sys, tempfile

program, case, emulator = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
out = tempfile.TemporaryDirectory()
wrapper = tempfile.TemporaryDirectory()
if emulator:
    script = pathlib.Path(wrapper.name, "pgokit")
    script.write_text(f'#!/bin/bash\nexec {emulator[0]} -0 "$0" {shlex.join(emulator[1:])} {shlex.quote(program)} "$@"\n')
    script.chmod(0o755)
    program = str(script)
env = os.environ | {"PGOKIT": program, "OUT": out.name, "LC_ALL": "C"}
run = subprocess.run(["bash", "-eu", "cmd"], cwd=case, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
actual = run.stdout + f"[exit {run.returncode}]\n"
expected = case / "expected"
if os.environ.get("UPDATE_GOLDEN"):
    expected.write_text(actual)
diff = list(difflib.unified_diff(expected.read_text().splitlines(1), actual.splitlines(1), str(expected), "actual"))
sys.stdout.writelines(diff)
sys.exit(bool(diff))

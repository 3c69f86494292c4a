#!/usr/bin/env python3
"""run_golden.py PROGRAM CASE_FOLDER [--update]: runs CASE/cmd, compares its output with CASE/expected."""
import difflib, os, pathlib, subprocess, sys, tempfile

program, case = sys.argv[1], pathlib.Path(sys.argv[2])
out = tempfile.TemporaryDirectory()
env = os.environ | {"PGOKIT": program, "OUT": out.name, "LC_ALL": "C"}
run = subprocess.run(["bash", "-eu", "cmd"], cwd=case, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
actual = run.stdout + f"[exit {run.returncode}]\n"
expected = case / "expected"
if "--update" in sys.argv or os.environ.get("UPDATE_GOLDEN"):
    expected.write_text(actual)
diff = list(difflib.unified_diff(expected.read_text().splitlines(1), actual.splitlines(1), str(expected), "actual"))
sys.stdout.writelines(diff)
sys.exit(bool(diff))

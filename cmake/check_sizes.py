#!/usr/bin/env python3
"""Fails when a source file is longer than the house allows: 600 lines, 250 for a header."""
import subprocess
import sys

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cc", "*.h", "*.c", "*.py"],
                       text=True, stdout=subprocess.PIPE, check=True).stdout.split()
bad = []
for name in files:
    with open(name, encoding="utf-8") as file:
        lines = sum(1 for _ in file)
    limit = 250 if name.endswith(".h") else 600
    if lines > limit:
        bad.append(f"{name}: {lines} lines, the limit is {limit}")
print("\n".join(bad) or f"{len(files)} files, all within their size")
sys.exit(bool(bad))

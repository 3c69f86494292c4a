#!/usr/bin/env python3
"""check_objects.py NM OBJECT...: fails when an object needs a symbol that only objects after it
define; weak definitions do not count, others take their place. So files that are listed in an order
call each other in that order, without cycles."""
import os
import subprocess
import sys

nm, objects = sys.argv[1], sys.argv[2:]
defined, needed = [], []
for path in objects:
    lines = subprocess.run([nm, path], text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    symbols = [line.split()[-2:] for line in lines]
    defined.append({name for kind, name in symbols if kind.isupper() and kind not in "UVW"})
    needed.append({name for kind, name in symbols if kind in "Uwv"})

bad = []
for place, path in enumerate(objects):
    for later in range(place + 1, len(objects)):
        for name in sorted(needed[place] & defined[later]):
            bad.append(f"{os.path.basename(path)} needs {name} of {os.path.basename(objects[later])}, which comes after it")
print("\n".join(bad) or f"{len(objects)} objects, each needs only those before it")
sys.exit(bool(bad))

#!/usr/bin/env python3
"""check_layers.py SRC layer=needed,needed ...: fails when a file of SRC/<layer>/ includes a layer
that its add_layer() does not name, when a folder of SRC is no layer, or when something prints
that is not report/print.h, which lets nothing from a file reach a terminal raw."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {}
for spec in sys.argv[2:]:
    name, needs = spec.split("=", 1)
    allowed[name] = {name} | {n for n in needs.split(",") if n}

prints = re.compile(r"\b(fmt::print|f?printf|f?puts|fputc|putchar)\(|std::(?:cout|cerr)\b")
may_print = ("report/print", "base/progress")

bad = [f"{folder}: not a layer" for folder in root.iterdir() if folder.is_dir() and folder.name not in allowed]
for file in sorted(root.rglob("*.[ch]*")):
    layer = file.relative_to(root).parts[0]
    text = file.read_text()
    if not str(file.relative_to(root)).startswith(may_print) and not file.name.endswith("_test.cc"):
        bad += [f"{file}: it prints: by report::print only" for _ in prints.findall(text)]
    for target in re.findall(r'^#include "(\w+)/', text, re.M):
        if target == "runtime":  # layouts that instrumented programs and the tool share
            continue
        inside_test = file.name.endswith("_test.cc") and target == "test"
        if layer in allowed and target not in allowed[layer] and not inside_test:
            bad.append(f"{file}: layer '{layer}' may not include '{target}/'")
print("\n".join(bad) or f"{len(allowed)} layers, all includes point downwards, all print by report/")
sys.exit(bool(bad))

#!/usr/bin/env python3
"""check_layers.py SRC layer=needed,...=part,... ...: fails when a file of SRC/<layer>/ includes a
layer that its add_layer() does not name, or a part of its own layer that is not listed before its
own, when a folder of SRC is neither a layer nor a part, or when something prints that is not
report/print.h, which lets nothing from a file reach a terminal raw. Tests may include all parts of
their layer; parts of a layer that lists none are not ordered."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed, parts = {}, {}
for spec in sys.argv[2:]:
    name, needs, own = spec.split("=")
    allowed[name] = {name} | {n for n in needs.split(",") if n}
    parts[name] = [p for p in own.split(",") if p]

prints = re.compile(r"\b(fmt::print|f?printf|f?puts|fputc|putchar)\(|std::(?:cout|cerr)\b")
may_print = ("report/print", "base/progress")


def place(file):
    """The layer and the part of a file given relative to SRC."""
    return file.parts[0], "/".join(file.parts[1:-1]) or "."


def complaint(file, target):
    """Why `file` may not include `target`, both relative to SRC; None where it may."""
    layer, part = place(file)
    other, other_part = place(target)
    if other not in allowed:
        return f"includes {target}, which is in no layer"
    if other not in allowed[layer]:
        return f"layer '{layer}' may not include '{other}/'"
    order = parts[layer]
    is_test = file.stem.endswith("_test")
    if other == layer and order and not is_test and order.index(other_part) > order.index(part):
        return f"part '{part}' of '{layer}' may not include '{other_part}/'"
    return None


def complaints(path):
    file, text = path.relative_to(root), path.read_text()
    is_test = file.stem.endswith("_test")
    found = []
    if not str(file).startswith(may_print) and not is_test:
        found += ["it prints: by report::print only" for _ in prints.findall(text)]
    for name in re.findall(r'^#include "([\w/]+\.\w+)"', text, re.M):
        # Layouts that instrumented programs and the tool share are in runtime/.
        if name.startswith("runtime/") or (name.startswith("test/") and is_test):
            continue
        found.append(complaint(file, pathlib.PurePath(name)))
    return [f"{path}: {why}" for why in found if why]


bad = []
for folder in sorted(p for p in root.rglob("*") if p.is_dir()):
    layer, part = place(folder.relative_to(root) / "file")
    if layer not in allowed:
        bad.append(f"{folder}: not a layer")
    elif list(folder.glob("*.h")) and part not in (parts[layer] or [part]):
        bad.append(f"{folder}: not a part of layer '{layer}'")
if not bad:
    bad = [why for path in sorted(root.rglob("*.[ch]*")) for why in complaints(path)]
print("\n".join(bad) or f"{len(allowed)} layers, all includes point downwards, all print by report/")
sys.exit(bool(bad))

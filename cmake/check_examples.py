#!/usr/bin/env python3
"""check_examples.py ROOT LAYER COMPILER [FLAG]...: compiles the usage examples of src/LAYER, or of
runtime/pgokit.h, which are the indented code in the first comment of a header.

    //   auto table = TRY(read_table(bytes));     all of a header is the body of one function in
    //   for (const Row& row : table) ...         the namespace of the header; `...` is left out

What an example does not declare is in test/examples: common.inc for all layers; LAYER.inc for one,
where each header has what follows its line `//// path/of/header.h`, and all have what is in front
of the first such line. A name of type Some is an argument whose type does not matter."""
import pathlib
import re
import subprocess
import sys


def top_comment(text):
    """The numbered lines of the first comment of a header, without their slashes or stars."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        marker = re.match(r"//|/\*| \*(?!/)", line)
        if marker:
            lines.append((number, line[marker.end():]))
        elif lines:
            break
    return lines


def is_code(block):
    """Drawings and grammars are indented too, but no statement ends in them."""
    return any(re.search(r"[;{]$|\) \.\.\.$", re.sub(r"\s*//.*", "", line)) for _, line in block)


def examples(text):
    """The indented blocks of the top comment that are code."""
    block = []
    for number, line in top_comment(text) + [(0, " end")]:
        if line.startswith("   "):
            block.append((number, line))
        else:
            if is_code(block):
                yield block
            block = []


def statement(line):
    """`= ...` is some value, `...` elsewhere nothing; `Type&&... pack` is what it says."""
    line = re.sub(r"= \.\.\.(?=;)", "= {}", line)
    return re.sub(r"(?<![\w&>])\.\.\.(?!\))[^;{}]*$|(?<=[{(] )\.\.\.(?= [)}])", ";", line)


def function(path, number, shared, own):
    """One C++ function of all examples of a header; its own names hide those of the layer."""
    text = path.read_text()
    space = re.search(r"^namespace (pgokit[\w:]*) \{", text, re.M)
    lines = [f"namespace {space[1]}::layer_{number} {{", shared]
    lines += ["namespace own {", own, "Anything example() {"]
    for block in examples(text):
        lines += [f'#line {block[0][0]} "{path}"'] + [statement(line) for _, line in block]
    return "\n".join(lines + ["return 0;", "}", "}", "}"])


def preludes(path):
    """What LAYER.inc declares: includes, for all headers, and for each."""
    text = path.read_text() if path.exists() else ""
    includes = re.findall(r"^#include .*", text, re.M)
    parts = re.split(r"^//// (\S+)\n", re.sub(r"^#include .*", "", text, flags=re.M), flags=re.M)
    return includes, parts[0], dict(zip(parts[1::2], parts[2::2]))


def unit(root, layer):
    """The source of all examples of a layer, and of how many headers they are."""
    includes, shared, own = preludes(root / f"test/examples/{layer}.inc")
    paths = sorted((root / "src" / layer).rglob("*.h"))
    headers = {str(path.relative_to(root / "src")): path
               for path in paths if list(examples(path.read_text()))}
    if unknown := own.keys() - headers.keys():
        sys.exit(f"test/examples/{layer}.inc: no example in {', '.join(sorted(unknown))}")
    lines = [f'#include "{name}"' for name in headers] + includes
    lines.append('#include "test/examples/common.inc"')
    for number, (name, path) in enumerate(headers.items()):
        lines.append(function(path, number, shared, own.get(name, "")))
    return "\n".join(lines) + "\n", len(headers)


def runtime(root):
    """The source of the example of the run time's header, in C."""
    path = root / "runtime/pgokit.h"
    lines = [line for block in examples(path.read_text()) for _, line in block]
    lines = ['#include "runtime/pgokit.h"', "void example(void) {", *lines, "}"]
    return "\n".join(lines) + "\n", 1


def main():
    root, (layer, compiler, *flags) = pathlib.Path(sys.argv[1]), sys.argv[2:]
    source, count = runtime(root) if layer == "runtime" else unit(root, layer)
    language = "c" if layer == "runtime" else "c++"
    flags += ["-w", "-fsyntax-only", f"-I{root}/src", f"-I{root}", "-x", language, "-"]
    done = subprocess.run([compiler, *flags], input=source, text=True, check=False)
    if done.returncode == 0:
        print(f"{layer}: the examples of {count} headers compile")
    sys.exit(done.returncode)


main()

#!/usr/bin/env python3
"""Runs the commands that the pages show, and puts what they print in place of what was there.

    python3 examples/demo.py --only interpreter     # leaves the programs and recordings the pages use
    python3 docs/refresh.py [PAGE.md ...]           # all pages, README.md among them

In a block that begins with ```console each line that begins with "$ " is run, in
build/demo/interpreter with pgokit on the PATH. Commands that take long, or need a terminal, stand in
blocks of another kind.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/demo/interpreter"
SHOWN_ROOT = "/home/me/pgokit"


def output_of(command):
    environment = dict(os.environ, PATH=f"{ROOT / 'build/bin'}:{os.environ['PATH']}")
    done = subprocess.run(command, shell=True, cwd=FOLDER, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line.rstrip() for line in done.stdout.replace(str(ROOT), SHOWN_ROOT).splitlines()]
    if done.returncode:
        lines.append(f"[exit code {done.returncode}]")
    return lines


def refresh_block(block):
    out = []
    for line in block.group(1).splitlines():
        if line.startswith("$ "):
            out += [line, *output_of(line[2:])]
    return "```console\n" + "\n".join(out) + "\n```"


def main():
    pages = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if not FOLDER.is_dir():
        raise SystemExit("run examples/demo.py first")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"```console\n(.*?)\n```", refresh_block, text, flags=re.S), encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()

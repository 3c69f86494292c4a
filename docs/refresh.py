#!/usr/bin/env python3
"""Runs the commands that the pages show, and puts what they print in place of what was there.

    python3 examples/demo.py --only interpreter     # leaves the programs and recordings the pages use
    python3 docs/refresh.py [PAGE.md ...]           # all pages, README.md among them
    python3 docs/refresh.py report.png              # a picture, by chromium

In a block that begins with ```console each line that begins with "$ " is run, with pgokit on the PATH,
in build/demo/interpreter or, of pages in PREPARED, in build/docs/PAGE after the commands there. Commands
that take long, or need a terminal, stand in blocks of another kind.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/demo/interpreter"
SHOWN_ROOT = "/home/me/pgokit"
# Two builds of a program with a profile each: docs/match.md shows how.
EDITED = r"""
for build in before after; do
  clang++-22 -O2 -g -fdebug-info-for-profiling -fuse-ld=lld-22 -Wl,--build-id $ROOT/test/programs/edited/$build/edited.cc -o $build
  pgokit record -q -F 2000 -o $build.perf -- ./$build 200000 > $build.out
  pgokit generate -q $build.perf -b $build -o $build.prof
done
"""
# What pages show that are about other programs: how these are made.
PREPARED = {"check.md": EDITED, "compare.md": EDITED, "match.md": EDITED, "explain.md": r"""
cp $ROOT/test/explain/mixed.c $ROOT/test/explain/branches.c .
flags="-O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names -fuse-ld=lld-22 -Wl,--build-id"
for one in mixed branches; do
  clang-22 $flags $one.c -o $one
  pgokit record --exact -q -o $one.perf -- ./$one
  pgokit generate -q $one.perf -b $one -o $one.prof
done
sed '/unsigned steps = 0;/a\\n  if (limit > 1000) {\n    --steps;\n    value = limit;\n  }\n' -i mixed.c
clang-22 $flags -fprofile-sample-use=mixed.prof mixed.c -o newer
cp $ROOT/test/explain/mixed.c .
""", "ci.md": EDITED, "gcc.md": "cp $ROOT/test/gcc/programs/calls.c .", "guide.md": r"""
cp $ROOT/examples/interpreter/* .
sed -n '/CXX = /,/rm -f/s/^    //p' $ROOT/docs/guide.md > Makefile
"""}

# Pictures, by commands in build/demo/interpreter that make them there.
PICTURES = {"report.png": r"""
pgokit report lines.perf -b lines -o report.html
sed -i "s|$ROOT|$SHOWN_ROOT|g" report.html
chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1400,1180 --screenshot=report.png report.html
"""}


def run(command, folder):
    environment = dict(os.environ, PATH=f"{ROOT / 'build/bin'}:{os.environ['PATH']}", ROOT=str(ROOT), SHOWN_ROOT=SHOWN_ROOT)
    return subprocess.run(command, shell=True, cwd=folder, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def output_of(command, folder):
    done = run(command, folder)
    lines = [line.rstrip() for line in done.stdout.replace(str(ROOT), SHOWN_ROOT).splitlines()]
    if done.returncode:
        lines.append(f"[exit code {done.returncode}]")
    return lines


def folder_of(page):
    """Where its commands are run."""
    if page.name not in PREPARED:
        if not FOLDER.is_dir():
            raise SystemExit("run examples/demo.py first")
        return FOLDER
    folder = ROOT / "build/docs" / page.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = run("set -e\n" + PREPARED[page.name], folder)
    if done.returncode:
        raise SystemExit(f"{page}: what it shows cannot be made\n{done.stdout}")
    return folder


def refresh_block(block, folder):
    out = []
    # A command goes on where a line ends with a backslash.
    for command in re.findall(r"^\$ (?:.*\\\n)*.*", block.group(1), flags=re.M):
        out += [*command.splitlines(), *output_of(command[2:], folder)]
    return "```console\n" + "\n".join(out) + "\n```"


def wrong_exit_codes(text, folder):
    """Of commands that end otherwise than the page shows."""
    for block in re.findall(r"```console\n(.*?)\n```", text, flags=re.S):
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)((?:\n(?!\$ ).*)*)", block, flags=re.M):
            done, code = run(command, folder), int((re.findall(r"\[exit code (\d+)\]$", shown) or [0])[0])
            if done.returncode != code:
                yield f"$ {command}\n{done.stdout}exit code {done.returncode} where {code} is shown"


def take_picture(name):
    folder = folder_of(pathlib.Path(name))
    (folder / name).unlink(missing_ok=True)
    done = run("set -e\n" + PICTURES[name], folder)
    if done.returncode or not (folder / name).exists():
        raise SystemExit(f"{name} cannot be made\n{done.stdout}")
    shutil.copy(folder / name, ROOT / "docs" / name)
    print(name)


def main():
    if sys.argv[1:2] == ["--check"]:
        if '"software": true' not in run("pgokit doctor --json", ROOT).stdout:
            print("SKIPPED: ptrace is not permitted here")
            raise SystemExit(77)
        pages = [ROOT / "docs" / name for name in sys.argv[2:]]
        wrong = [line for page in pages for line in wrong_exit_codes(page.read_text(encoding="utf-8"), folder_of(page))]
        raise SystemExit("\n".join(wrong) or 0)
    for name in [one for one in sys.argv[1:] if one in PICTURES]:
        take_picture(name)
        sys.argv.remove(name)
        if len(sys.argv) == 1:
            return
    pages = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if "```console\n" not in text:
            continue
        folder = folder_of(page)
        text = re.sub(r"```console\n(.*?)\n```", lambda block: refresh_block(block, folder), text, flags=re.S)
        page.write_text(text, encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()

"""pages.py PGOKIT: man renders the page of every command without a warning, and all of its options
are in it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import commands

PGOKIT = sys.argv[1]
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"WRONG: {what}")


def rendered(path):
    env = os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], env=env, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(done.returncode == 0 and not done.stderr, f"{path.name} is rendered without warnings: {done.stderr}")
    return re.sub(r".\x08", "", done.stdout)


def check_page(folder, words):
    path = folder / ("-".join(["pgokit", *words]) + ".1")
    expect(path.is_file(), f"{path.name} is there")
    text = rendered(path)
    expect("NAME" in text and "SYNOPSIS" in text and "DESCRIPTION" in text, f"{path.name} has its sections")
    for option in commands.options_of(PGOKIT, words):
        if option != "-h":
            expect(re.search(rf"(?m)^ +(?:\S+, )*{re.escape(option)}\b", text), f"{path.name} has {option}")
    printed = commands.output(PGOKIT, "help", "--man", *words)
    expect(printed == path.read_text(), f"help --man prints {path.name}")


def main():
    if not shutil.which("man"):
        print("SKIPPED: man is not installed")
        return 77
    known = commands.all_commands(PGOKIT)
    expect(("probes", "dump") in known and ("llvm-profdata", "merge") in known, f"commands are found: {known}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "man1")
        commands.output(PGOKIT, "help", "--man", "-o", folder)
        for words in [(), *known]:
            check_page(folder, words)
        expect(len(list(folder.iterdir())) == len(known) + 1, "there is a page for each command, and no other")
        top = rendered(folder / "pgokit.1")
        for words in known:
            if len(words) == 1:
                expect(f"pgokit-{words[0]}(1)" in top, f"pgokit(1) names {words[0]}")
    print(f"{len(known) + 1} pages, {len(failures)} wrong")
    return int(bool(failures))


sys.exit(main())

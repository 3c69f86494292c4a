#!/usr/bin/env python3
"""tidy.py BUILD FILES: runs clang-tidy over files of a build, and fails where it finds something.

Most of its time goes into headers. Files that are compiled alike are therefore read together, several as one; those
that a message names are read once more alone, and that decides: together they may have two things of one name. Files
that are not built for this processor are left out.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

AT_ONCE = 40


def arguments_of(entry):
    """What a file is compiled by, without its own name and output."""
    return re.sub(r" -o \S+ -c \S+$", "", entry["command"])


def batches_of(entries):
    alike = {}
    for entry in sorted(entries, key=lambda entry: entry["file"]):
        alike.setdefault(arguments_of(entry), []).append(entry)
    return [some[at : at + AT_ONCE] for some in alike.values() for at in range(0, len(some), AT_ONCE)]


def tidy(build, file):
    done = subprocess.run(["clang-tidy-22", "-p", build, "--quiet", file], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout or done.stderr


def tidy_together(entries, folder):
    """The files among them that messages name."""
    source = folder / "together.cc"
    source.write_text("".join(f'#include "{entry["file"]}"\n' for entry in entries), encoding="utf-8")
    command = f"{arguments_of(entries[0])} -w -c {source}"
    commands = [{"directory": entries[0]["directory"], "command": command, "file": str(source)}]
    (folder / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
    (folder / ".clang-tidy").write_text(pathlib.Path(".clang-tidy").read_text(encoding="utf-8"), encoding="utf-8")
    code, said = tidy(folder, source)
    files = set(re.findall(r"^(/.*):\d+:\d+: (?:warning|error): ", said, re.M))
    named = [entry for entry in entries if entry["file"] in files]
    return named if code == 0 or (named and "fatal error" not in said) else entries


def check(build, entries):
    named = entries
    if len(entries) > 1:
        with tempfile.TemporaryDirectory() as folder:
            named = tidy_together(entries, pathlib.Path(folder))
    failed = False
    for entry in named:
        code, said = tidy(build, entry["file"])
        failed |= code != 0
        if code != 0:
            print(said, flush=True)
    return failed


def main():
    build, *names = sys.argv[1:]
    wanted = {str(pathlib.Path(name).resolve()) for name in names}
    compiled = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    entries = {entry["file"]: entry for entry in compiled if entry["file"] in wanted}.values()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = any(list(pool.map(lambda batch: check(build, batch), batches_of(entries))))
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""names.py PGOKIT WALK [--all]: names made to be obeyed by a terminal, in every kind of file: all commands print them escaped.

Functions, sections, files, commands of recordings, build ids, lines of lists, statements of assembly. Line ends in names
begin no line. Without --all each sequence is tried with every third command, with other ones than the sequence before.
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

import inputs as made
from commands import commands, kind_of, with_file

PGOKIT, WALK = (os.path.abspath(path) for path in sys.argv[1:3])
EVERY = 1 if "--all" in sys.argv else 3
FORGED = re.compile(rb"^@@", re.M)  # a name that begins a line
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
PROGRESS = b"\r\x1b[K"  # takes the line of progress away
# As long as what it takes the place of: clears the screen, ends the line, C1 alone and in UTF-8.
EVIL = (b"\n@@", b"\x1b[2J", b"\r\x1bcZ", b"\x9b31m", b"\xc2\x9b1m", b"\x7f\x08\x08\x07", b"\xe2\x80\xaeq")


def hostile(whole, evil):
    """The names that calc.c has, with a sequence in them."""
    for name in (b"main", b"calc", b"parse", b"expression", b"term", b"factor", b".text", b".comm", b"program", b"split", b"probes", b"number"):
        if len(name) >= len(evil):
            whole = whole.replace(name, evil + name[len(evil):])
    return whole


def arguments(words, inputs, folder, damaged):
    return [PGOKIT] + [str(folder / "OUT") if word == "OUT" else with_file(word, damaged[kind_of(word)]) if kind_of(word) else word for word in words]


def check(words, done, drop_in):
    """What is for machines keeps its bytes; the stand-ins for LLVM's tools print as those do."""
    for stream in (done.stderr, done.stdout):
        if drop_in or words[1:3] == ["probes", "lower"]:
            continue
        if found := RAW.search(stream) or FORGED.search(stream):
            print(f"FAILED: {' '.join(words)}\n  prints {stream[max(0, found.start() - 60):found.end() + 20]!r}")
            return False
    return True


def splits_lines(words, output):
    """Whether a name begins a line of a file that linkers, compilers and coverage tools read line by line."""
    text = output.read_bytes() if output.is_file() else b""
    if found := FORGED.search(text):
        print(f"FAILED: {' '.join(words)}\n  writes {text[max(0, found.start() - 60):found.end() + 20]!r}")
    return bool(found)


def on_terminal(words):
    """What the command shows on a terminal, which itself ends lines with a carriage return."""
    mine, its = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=its, stderr=its):
        os.close(its)
        shown = b""
        try:
            while part := os.read(mine, 1 << 16):
                shown += part
        except OSError:  # the other side is closed
            pass
    os.close(mine)
    return shown.replace(b"\r\n", b"\n").replace(PROGRESS, b"")


def main():
    if missing := made.missing_tools():
        print("skipped: not installed:", *missing)
        return 77
    passed, runs, escaped = True, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        inputs = made.Inputs(folder, PGOKIT, WALK)
        for number, evil in enumerate(EVIL):
            place = folder / str(number)
            place.mkdir()
            damaged = {}
            for kind, path in inputs.paths.items():
                damaged[kind] = place / os.fsdecode(evil + path.name.encode())
                damaged[kind].write_bytes(hostile(path.read_bytes(), evil))
                damaged[kind].chmod(0o755)
            for words in commands(inputs)[number % EVERY :: EVERY]:
                words = arguments(words, inputs, place, damaged)
                (place / "OUT").unlink(missing_ok=True)
                done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
                drop_in = words[1].startswith("llvm-")
                passed &= check(words, done, drop_in)
                if words[1] in ("order", "export"):
                    passed &= not splits_lines(words, place / "OUT")
                runs += 1
                escaped += b"\\x" in done.stdout + done.stderr
                if drop_in or "-o" in words:
                    shown = on_terminal(["-" if word.endswith("/OUT") else word for word in words])
                    if found := RAW.search(shown):
                        print(f"FAILED: {' '.join(words)}\n  shows {shown[max(0, found.start() - 60):found.end() + 20]!r} on a terminal")
                        passed = False
        print(f"{runs} runs, {escaped} of them with something to escape")
        passed &= escaped > 100
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())

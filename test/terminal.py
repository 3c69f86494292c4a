#!/usr/bin/env python3
"""terminal.py PGOKIT WALK: the line of progress on a terminal, which tells rate and time left; none in a pipe, none with --quiet.

The program is stopped most of its first seconds, so that the input takes long without being large.
"""
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PGOKIT, WALK = sys.argv[1:]
RUN, STOP, STOPS = 0.001, 0.1, 40  # seconds; how often
LINE = re.compile(r"\r\x1b\[Kreading  \[#*-*\] +\d+ %  [\d.]+ MB/s, \d+:\d\d left")
ERASED = "\r\x1b[K"


def read_all(fd, into):
    """Until the other side is closed, which a terminal tells by an error."""
    while True:
        try:
            part = os.read(fd, 1 << 16)
        except OSError:
            return
        if not part:
            return
        into.append(part)


def run_slowly(command, terminal):
    """(exit code, what it printed on standard error)"""
    mine, its = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    printed = []
    reader = threading.Thread(target=read_all, args=(mine, printed))
    reader.start()
    for _ in range(STOPS):
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOP)
        process.send_signal(signal.SIGCONT)
        time.sleep(RUN)
    process.wait()
    reader.join()
    os.close(mine)
    return process.returncode, b"".join(printed).decode()


def check(what, passed, more=""):
    print(f"{'ok' if passed else 'FAILED'}: {what}{'' if passed else f': {more[-400:]!r}'}")
    return passed


def is_silent(printed):
    return "\r" not in printed.replace("\r\n", "\n") and "MB/s" not in printed


def check_progress(folder, program, kind):
    script, profile = folder / f"{kind}.script", folder / "out.prof"
    subprocess.run([WALK, program, "-o", script, "--kind", kind, "--samples", "10000", "--format", "script"], check=True)
    samples = script.read_bytes()
    options = ["--cs"] if kind == "hybrid" else []
    command = [PGOKIT, "generate", *options, "--threads", "1", script, "-b", program, "-o", profile]
    # On a busy machine the little time between two stops may be enough for a small input.
    for times in (4, 16, 64):
        script.write_bytes(samples * times)
        code, printed = run_slowly(command, terminal=True)
        lines = LINE.findall(printed)
        if lines:
            break
    passed = check(f"{kind}: on a terminal rate and time left ({len(lines)} times)", code == 0 and len(lines) > 0, printed)
    passed &= check(f"{kind}: the line is taken away before anything else is said",
                    ERASED in printed and "MB/s" not in printed[printed.rfind(ERASED):], printed)
    whole = profile.read_bytes()
    for what, terminal, more in (("in a pipe", False, []), ("with --quiet", True, ["--quiet"])):
        code, printed = run_slowly([*command, *more], terminal)
        passed &= check(f"{kind}: nothing of it {what}", code == 0 and is_silent(printed), printed)
        passed &= check(f"{kind}: the same profile {what}", profile.read_bytes() == whole)
    return passed


def main():
    if not shutil.which("clang-22"):
        print("skipped: clang-22 is not installed")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        source = pathlib.Path(__file__).resolve().parent / "programs" / "calc.c"
        program = folder / "calc"
        subprocess.run(["clang-22", "-O2", "-g", source, "-o", program], check=True)
        passed = [check_progress(folder, program, kind) for kind in ("lbr", "hybrid")]
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())

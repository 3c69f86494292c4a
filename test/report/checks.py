"""What the tests of `pgokit report` share: checks that are counted, and commands whose exit code is one."""
import subprocess
import sys

count = 0


def check(what, holds, seen=""):
    global count
    count += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def run(*words, code=0):
    """What it prints; where it is to fail, its error."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, check=False)
    check(words, done.returncode == code, (done.returncode, done.stderr))
    return done.stdout if code == 0 else done.stderr

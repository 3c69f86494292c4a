#!/usr/bin/env python3
"""What a start of pgokit takes, beside LLVM's tools: wall time of the fastest of many runs, in turn.

    ./dev bench startup [--runs N]

Fails if a start takes more than 3 ms. Writes bench/startup.md."""
import argparse
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PGOKIT = ROOT / "build/bin/pgokit"
PROFILE = ROOT / "fuzz/seeds/profile_text/flat"
LONGEST_MS = 3
COMMANDS = {"true": ["/bin/true"], "pgokit --version": [PGOKIT, "--version"], "pgokit show --help": [PGOKIT, "show", "--help"],
            "pgokit show, of a profile of 16 lines": [PGOKIT, "show", PROFILE], "llvm-profdata-22 --version": ["/usr/bin/llvm-profdata-22", "--version"],
            "llvm-profgen-22 --version": ["/usr/bin/llvm-profgen-22", "--version"]}


def run(words):
    """Milliseconds."""
    silent = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
    begin = time.perf_counter()
    pid = os.posix_spawn(words[0], [str(word) for word in words], os.environ, file_actions=silent)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, words))}: failed")
    return (time.perf_counter() - begin) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    fastest = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(runs):
        for name, words in COMMANDS.items():
            fastest[name] = min(fastest[name], run(words))
    lines = ["# Starting pgokit", "", f"Written by `./dev bench startup`: wall time of the fastest of {runs} runs of each, in turn.", "",
             "| | wall |", "|---|---|", *(f"| {name} | {ms:.1f} ms |" for name, ms in fastest.items())]
    (ROOT / "bench/startup.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    slow = [name for name, ms in fastest.items() if name.startswith("pgokit") and ms > LONGEST_MS]
    if slow:
        sys.exit(f"more than {LONGEST_MS} ms: {', '.join(slow)}")


if __name__ == "__main__":
    main()

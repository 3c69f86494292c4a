#!/usr/bin/env python3
"""lines.py PGOKIT: names with line ends in a program and its counts add no line to files that others read by lines.

Order files, functions that never ran, targets of calls and coverage: such a name is left out and counted.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PGOKIT = os.path.abspath(sys.argv[1])
# Two functions that run, one of them by a pointer, and one that does not.
SOURCE = r"""
int never(int) __asm__("evil\nforged_never"), run(int) __asm__("evil\nforged_run"), plain(int);
__attribute__((noinline)) int never(int x) { volatile int y = x; return y * 3; }
__attribute__((noinline)) int run(int x) { volatile int y = x; return y + 3; }
__attribute__((noinline)) int unused(int x) { volatile int y = x; return y - 3; }
__attribute__((noinline)) int plain(int x) { volatile int y = x; return y + 4; }
int (*volatile pointer)(int) = run;
int main(int count, char **words) {
  int sum = count > 5 ? never(count) + unused(count) : 0;
  for (int i = 0; i < 1000000; ++i) sum += pointer(i) + plain(i);
  return sum == 99;
}
"""
# What is written, and what has to stand in it.
COMMANDS = [
    ("order mip", b"main\nplain\n"), ("order mip --format gold", b".text.main\n.text.plain\n"),
    ("order mip --format ld", b"*(.text.plain)"), ("order mip --format ld64", b"_main\n_plain\n"),
    ("order mip --format call-graph", b"main plain "), ("order mip --demangle", b"main\nplain\n"),
    ("export mip -b program --hotness", b" unused\ncold\n"), ("export mip -b program --lcov", b",main\n"),
    ("export mip --targets", b" main\n"),
]


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def build(folder):
    """False where the plugin was not built."""
    flags = {part: run(PGOKIT, "flags", "blocks", "order", "edges", "targets", f"--{part}", text=True) for part in ("compile", "link")}
    if any(part.returncode for part in flags.values()):
        return False
    words = {part: result.stdout.split() for part, result in flags.items()}
    (folder / "program.c").write_text(SOURCE)
    for command in (["clang-22", "-O2", "-g", "-fuse-ld=lld-22", "-Wl,--build-id", *words["compile"], "program.c", "-o", "program",
                     *words["link"]], ["./program"], [PGOKIT, "map", "program", "-o", "map"], [PGOKIT, "merge", "map", "dump", "-o", "mip"]):
        subprocess.run(command, cwd=folder, check=True, env=dict(os.environ, PGOKIT_PROFILE_FILE="dump"), stderr=subprocess.DEVNULL)
    return True


def check(folder, words, wanted):
    done = run(PGOKIT, *words.split(), "-o", "out", cwd=folder)
    written = (folder / "out").read_bytes() if done.returncode == 0 else b""
    faults = []
    if b"forged" in written:
        faults.append("a name with a line end is in the file")
    if wanted not in written:
        faults.append(f"{wanted!r} is not in it")
    if b"left out" not in done.stderr:
        faults.append("what was left out is not told")
    if faults:
        print(f"FAILED: pgokit {words}: {', '.join(faults)}\n  {written!r}\n  {done.stderr!r}")
    return not faults


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if not build(folder):
            print("SKIPPED: the plugin was not built")
            return 77
        return int(not all([check(folder, *command) for command in COMMANDS]))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Builds with LTO, where the linker generates code: what explain asks for is what it finds then.

    lto.py PGOKIT FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = """int printf(const char*, ...);
__attribute__((noinline)) unsigned work(unsigned x) { return x % 7 ? x * 3 : x - 1; }
int main(int c, char** v) {
  unsigned s = 0;
  for (int i = 0; i < 20000000; ++i) s += work(i + c);
  return printf("%u\\n", s) < 0;
}
"""
OPTIONS = ["clang-22", "-O2", "-g", "-fpseudo-probe-for-profiling", "-fuse-ld=lld", "-Wl,--build-id", "lto.c"]


def main():
    pgokit, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "lto"
    if not (shutil.which("clang-22") and shutil.which("ld.lld-22")):
        print("skipped: no clang-22 with lld")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "lto.c").write_text(SOURCE)

    def run(*words):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done)
        return done.stdout + done.stderr

    for lto in ("-flto", "-flto=thin"):
        run(*OPTIONS, lto, "-o", "plain")
        run(pgokit, "record", "-q", "--exact", "-o", "app.perf", "--", "./plain")
        run(pgokit, "generate", "app.perf", "-b", "plain", "-o", "app.prof")
        use = [*OPTIONS, lto, "-fprofile-sample-use=app.prof", "-fsave-optimization-record", "-o"]
        run(*use, "faster")
        asked = run(pgokit, "explain", "app.prof", "-b", "faster")
        assert re.search(r"remarks    [\d,]+ in \d+ files?$", asked, re.MULTILINE), asked
        options = re.search(r"block map  none: compile with (.*)\n *\(with LTO link with (\S+) as well\)", asked)
        assert options, asked
        run(*use, "mapped", *options[1].split(), *options[2].split())
        flags = run(pgokit, "flags", "use=app.prof", "--explain", "--lto").split()
        run("clang-22", "-O2", lto, "-fuse-ld=lld", "lto.c", *flags, "-o", "flagged")
        for build in ("mapped", "flagged"):
            found = run(pgokit, "explain", "app.prof", "-b", build)
            assert "block map  with the compiler's counts" in found and "verdict    used" in found, found
    other = subprocess.run([pgokit, "explain", "app.prof", "-b", "mapped", "--recording", "app.perf"], cwd=folder,
                           capture_output=True, text=True, check=False)
    assert other.returncode == 1 and "--profiled the one that the profile was made of" in other.stderr, other
    return 0


if __name__ == "__main__":
    sys.exit(main())

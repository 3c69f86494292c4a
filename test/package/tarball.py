"""tarball.py SOURCE: the programs of the tarballs that ./dev tarball has made run in a root folder without anything else: they show,
record, and make profiles. That of AArch64 is run by qemu, and shows and makes profiles.
"""
import pathlib
import platform
import shutil
import sys
import tarfile
import tempfile

from root import check_documents, expect, need_root, run, run_in, skip

SOURCE = pathlib.Path(sys.argv[1])
LARGEST = 6_000_000
FILES = ("bin/pgokit", "lib/pgokit/libpgokit_rt.a", "lib/cmake/pgokit/pgokitConfig.cmake", "include/pgokit.h", "share/man/man1/pgokit-record.1",
         "share/bash-completion/completions/pgokit", "share/zsh/site-functions/_pgokit", "share/fish/vendor_completions.d/pgokit.fish",
         "share/doc/pgokit/README.md", "share/doc/pgokit/licenses/libc6-dev")
TOOLS = ("llvm-profgen", "llvm-profdata", "perf2bolt", "create_llvm_prof", "generate_propeller_profiles", "create_gcov", "profile_merger")

PROGRAM = """#include <stdlib.h>
__attribute__((noinline)) int work(int times) {
  volatile int sum = 0;
  for (int i = 0; i < times; ++i) sum += i & 64 ? i : -3;
  return sum;
}
int main(int count, char** words) { return work(count > 1 ? atoi(words[1]) : 7) == 11; }
"""


def unpacked(tarball, folder):
    size = tarball.stat().st_size
    expect(size <= LARGEST, f"{tarball.name} has at most {LARGEST:,} bytes, not {size:,}")
    with tarfile.open(tarball) as tar:
        tar.extractall(folder)
    print(f"{tarball.name}: {size:,} bytes", flush=True)
    return folder / tarball.name.removesuffix(".tar.xz")


def check_tree(tree):
    for name in FILES:
        expect((tree / name).is_file(), f"{name} is in it")
    for name in TOOLS:
        expect((tree / "lib/pgokit/bin" / name).resolve() == (tree / "bin/pgokit").resolve(), f"{name} is a link to the program")
    check_documents(tree / "share/doc/pgokit")
    program = tree / "bin/pgokit"
    expect("INTERP" not in run("readelf", "-lW", program), "it has no interpreter")
    dynamic = run("readelf", "-dW", program)
    expect("NEEDED" not in dynamic and "PIE" in dynamic, f"it is static and position-independent:\n{dynamic}")


def make_root(root, tree):
    for name in ("proc", "tmp"):
        (root / name).mkdir(parents=True)
    shutil.copy(tree / "bin/pgokit", root / "pgokit")
    (root / "sum.c").write_text(PROGRAM, encoding="utf-8")
    run("clang-22", "-O2", "-g", "-fdebug-info-for-profiling", "-static", "-fuse-ld=lld-22", "-Wl,--build-id", root / "sum.c", "-o", root / "sum")


def check_here(root):
    def pgokit(*words):
        return run_in(root, "/pgokit", *words)
    expect(pgokit("--version").startswith("pgokit "), "it runs")
    for name, options, times in (("sampled", (), "200000000"), ("exact", ("--exact",), "1000")):
        recording, profile = f"/tmp/{name}.perf", f"/tmp/{name}.prof"
        pgokit("record", *options, "-o", recording, "--", "/sum", times)
        expect("/sum" in pgokit("show", recording), "it shows a recording")
        pgokit("generate", recording, "-b", "/sum", "-o", profile)
        expect("work" in pgokit("show", profile), "it makes profiles")
    expect("ret" in pgokit("report", "/tmp/exact.perf", "-b", "/sum", "--annotate", "work"), "it prints code")
    pgokit("report", "/tmp/exact.perf", "-b", "/sum", "-o", "/tmp/report.html")
    expect((root / "tmp/report.html").stat().st_size > 10_000, "it makes a page")


def check_by_qemu(tree, folder):
    """Files of this machine's processor, as they are made by its own program."""
    pgokit = ("qemu-aarch64", tree / "bin/pgokit")
    program, text, profile = folder / "calc", folder / "calc.perf.txt", folder / "calc.prof"
    run("clang-22", "--target=aarch64-linux-gnu", "-O2", "-g", "-fdebug-info-for-profiling", "-fpseudo-probe-for-profiling", "-nostdlib", "-ffreestanding", "-static",
        "-fuse-ld=lld-22", "-Wl,-e,work", "-x", "c", folder / "work.c", "-o", program)
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in run("llvm-nm-22", program).splitlines()}
    at = symbols["work"]
    text.write_text(f"PERF_RECORD_MMAP2 1/1: [{at & ~0xfff:#x}(0x1000) @ 0 00:00 0 0]: r-xp {program}\n"
                    + f"\t{at + 8:x}\n {at + 8:#x}/{at:#x}/P/-/-/1 {at + 8:#x}/{at:#x}/P/-/-/1\n\n" * 9, encoding="utf-8")
    expect(run(*pgokit, "--version").startswith("pgokit "), "it runs")
    expect("AArch64, static" in run(*pgokit, "doctor", program), "it knows a program")
    run(*pgokit, "generate", text, "-b", program, "-o", profile)
    expect("work" in run(*pgokit, "show", profile), "it makes profiles")
    expect("add" in run(*pgokit, "probes", "disassemble", program), "it prints code")


def main():
    found = sorted((SOURCE / "build/packages").glob("pgokit-*-linux.tar.xz"))
    if not found:
        skip("./dev tarball has not been run")
    need_root("clang-22", "readelf")
    for tarball in found:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tree = unpacked(tarball, folder)
            check_tree(tree)
            if f"-{platform.machine()}-" in tarball.name:
                make_root(folder / "root", tree)
                check_here(folder / "root")
            elif shutil.which("qemu-aarch64"):
                (folder / "work.c").write_text("int work(int n) { int sum = 0; for (int i = 0; i < n; ++i) sum += i ^ n; return sum; }\n")
                check_by_qemu(tree, folder)
            else:
                print("not run: there is no qemu-aarch64")


main()

"""debian.py SOURCE: lintian has nothing to say about the packages that ./dev package has made, and they
are installed with what they depend on, and work, in a bare Debian of this machine's release."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from root import check_documents, expect, need_root, run, run_in, skip

SOURCE = pathlib.Path(sys.argv[1])
PACKAGES = sorted((SOURCE / "build/packages").glob("*.deb"))


def check_lintian():
    if not shutil.which("lintian"):
        print("not tried: lintian is not installed")
        return
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", *map(str, PACKAGES)],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0 and not re.search(r"^[EW]: ", done.stdout, re.M), f"lintian is content:\n{done.stdout}")
    print("lintian: no errors, no warnings")


def check_pages():
    with tempfile.TemporaryDirectory() as name:
        for package in PACKAGES:
            run("dpkg-deb", "-x", package, name)
        check_documents(pathlib.Path(name, "usr/share/doc/pgokit"))
    print("documents: no link is dead")


def mirror_and_release():
    """Where apt has this release from."""
    release = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    text = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    for line in text.splitlines():
        uri, name = line.split()
        if name == release:
            return uri, release
    return skip(f"apt has no mirror of {release}")


def make_root(folder):
    uri, release = mirror_and_release()
    done = subprocess.run(["debootstrap", "--variant=minbase", release, str(folder), uri], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        skip(f"debootstrap fails: {done.stdout[-500:]}")
    for name in ("sources.list", "sources.list.d/debian.sources", "sources.list.d/debian.list"):
        if pathlib.Path("/etc/apt", name).is_file():
            shutil.copy(f"/etc/apt/{name}", folder / "etc/apt" / name)
    for name in ("resolv.conf", "hosts"):
        if pathlib.Path("/etc", name).is_file():
            shutil.copy(f"/etc/{name}", folder / "etc" / name)
    for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*proxy*"):
        shutil.copy(path, folder / "etc/apt/apt.conf.d")
    run_in(folder, "apt-get", "update", "-qq")


def install(folder):
    for package in PACKAGES:
        shutil.copy(package, folder / "tmp")
    names = [f"/tmp/{package.name}" for package in PACKAGES]
    run_in(folder, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names)


def check_program(folder):
    expect(run_in(folder, "pgokit", "--version").startswith("pgokit "), "the program runs")
    expect("perf2bolt" in run_in(folder, "perf2bolt", "--help"), "perf2bolt is an alternative")
    expect("llvm-profgen" in run_in(folder, "/usr/lib/pgokit/bin/llvm-profgen", "--help"), "llvm-profgen is there")
    program = folder / "tmp/calc"
    run("clang-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id",
        SOURCE / "test/programs/calc.c", "-o", program)
    run_in(folder, "pgokit", "record", "--exact", "-o", "/tmp/calc.perf", "--", "/tmp/calc", "100000")
    run_in(folder, "pgokit", "generate", "/tmp/calc.perf", "-b", "/tmp/calc", "-o", "/tmp/calc.prof")
    expect("main" in run_in(folder, "pgokit", "show", "/tmp/calc.prof"), "the profile has functions")
    flags = run_in(folder, "pgokit", "flags", "coverage").split()
    for word in flags:
        if "/" in word:
            path = word.split("=")[-1]
            expect((folder / path.lstrip("/")).exists(), f"{path} is installed")


def check_removal(folder):
    run_in(folder, "apt-get", "purge", "-y", "-qq", "pgokit", "pgokit-dev", "pgokit-llvm-22")
    left = [name for name in ("usr/bin/perf2bolt", "usr/lib/pgokit", "usr/share/doc/pgokit", "etc/alternatives/perf2bolt")
            if (folder / name).exists() or (folder / name).is_symlink()]
    expect(not left, f"{left} are removed")


def main():
    if not PACKAGES:
        skip("./dev package has not been run")
    check_lintian()
    check_pages()
    need_root("debootstrap", "clang-22")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "root")
        make_root(folder)
        install(folder)
        check_program(folder)
        check_removal(folder)
    print("installed, used and removed in a bare Debian")


main()

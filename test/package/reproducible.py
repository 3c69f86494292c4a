"""reproducible.py SOURCE: a copy of the sources in another folder, built without ccache, makes the same packages, byte for byte.

It is what `./dev package release` and `./dev tarball release` make, each here and there; tarballs only where there was one before.
"""
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from root import expect, run, skip

SOURCE = pathlib.Path(sys.argv[1])
PACKAGES = pathlib.Path("build/packages")


def copy_sources(folder):
    """As they are now, committed or not; what is downloaded comes along."""
    names = run("git", "ls-files", "-co", "--exclude-standard", cwd=SOURCE).splitlines()
    for name in names:
        if (SOURCE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, folder / name)
    for name in ("build/sources", "build/bench/apt"):
        if (SOURCE / name).is_dir():
            shutil.copytree(SOURCE / name, folder / name)


def made(folder, verbs, **environment):
    for verb in verbs:
        run("./dev", *verb, cwd=folder, env=dict(os.environ, **environment))
    files = sorted(file for file in (folder / PACKAGES).iterdir() if file.suffix in (".deb", ".xz"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def main():
    old = {file.name for file in (SOURCE / PACKAGES).glob("*")}
    machine = platform.machine()
    made_by = {".deb": ["package", "release"], f"-{machine}-linux.tar.xz": ["tarball", "release"]} | ({} if machine == "aarch64" else {"-aarch64-linux.tar.xz": ["tarball", "aarch64"]})
    verbs = [verb for ending, verb in made_by.items() if any(name.endswith(ending) for name in old)]
    if not verbs:
        skip("neither ./dev package nor ./dev tarball has been run")
    if not shutil.which("git") or subprocess.run(["git", "rev-parse"], cwd=SOURCE, capture_output=True, check=False).returncode:
        skip("it takes the sources from git")
    time = run("git", "log", "-1", "--format=%ct", cwd=SOURCE).strip()
    with tempfile.TemporaryDirectory(prefix="pgokit-reproduced-") as name:
        there = pathlib.Path(name, "elsewhere")
        copy_sources(there)
        here = made(SOURCE, verbs, SOURCE_DATE_EPOCH=time)
        again = made(there, verbs, SOURCE_DATE_EPOCH=time, CCACHE_DISABLE="1")
        other = [file for file in here if here[file] != again.get(file, "")]
        expect(not other, f"{', '.join(other)} have the same bytes again")
    print(f"{len(here)} packages have the same bytes: {', '.join(here)}")


main()

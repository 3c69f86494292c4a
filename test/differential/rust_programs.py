"""Programs of two crates that rustc builds, beside those of programs.py.

    for program in quick(): path = program.build(folder, walk)     # None without rustc, as there
"""
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "programs/rust"

CHOICES = {
    "O1": ["-Copt-level=1"], "O2": ["-Copt-level=2"], "O3": ["-Copt-level=3"],
    "legacy": ["-Zunstable-options", "-Csymbol-mangling-version=legacy"],
    "v0": ["-Csymbol-mangling-version=v0"],
    "thinlto": ["-Clto=thin"], "lto": ["-Clto=fat"],
    "one": ["-Ccodegen-units=1"], "units": ["-Ccodegen-units=16"],
    "dbgprof": ["-Zdebug-info-for-profiling"],
    "abort": ["-Cpanic=abort"],
    "dwarf4": ["-Zunstable-options", "-Cdwarf-version=4"],
    "lines": ["-Cdebuginfo=line-tables-only"],
    "nopie": ["-Crelocation-model=static"],
    "lld": ["-Clinker=clang-22", "-Clink-arg=-fuse-ld=lld-22"],
}


def works(rustc):
    return shutil.which(rustc) and subprocess.run([rustc, "-V"], capture_output=True, check=False).returncode == 0


def find_rustc():
    """Debian's, or the first that works."""
    return next((rustc for rustc in ("/usr/bin/rustc", "rustc") if works(rustc)), "")


@dataclasses.dataclass(eq=False)
class Program:
    choices: tuple
    problem: str = ""
    has_probes = False

    @property
    def name(self):
        return "-".join(("rust", *self.choices))

    def flags(self):
        return ["-g", *(flag for choice in self.choices for flag in CHOICES[choice])]

    def key(self):
        digest = hashlib.sha1(repr(self.flags()).encode())
        for file in sorted(SOURCES.iterdir()):
            digest.update(file.read_bytes())
        return digest.hexdigest()[:12]

    def build(self, folder, walk):
        out = folder.resolve() / f"{self.name}.{self.key()}" / self.name
        if out.exists():
            return out
        rustc = find_rustc()
        if not rustc:
            self.problem = "skipped, rustc is not installed (Debian's rustc or rustc-web)"
            return None
        shutil.rmtree(out.parent, ignore_errors=True)
        out.parent.mkdir(parents=True)
        common = [rustc, "--edition=2021", *self.flags()]
        for command in ([*common, "--crate-type=rlib", "--crate-name=shapes", SOURCES / "shapes.rs"],
                        [*common, "--extern", "shapes=libshapes.rlib", SOURCES / "main.rs", "-o", out.with_suffix(".new")]):
            done = subprocess.run(command, cwd=out.parent, capture_output=True, text=True, check=False,
                                  env=dict(os.environ, RUSTC_BOOTSTRAP="1"))
            if done.returncode:
                self.problem = next((line for line in done.stderr.splitlines() if line.startswith("error")), "it fails")
                return None
        out.with_suffix(".new").rename(out)
        return out


def programs(lines):
    return [Program(tuple(line.split())) for line in lines]


def quick():
    return programs(["O3 legacy dbgprof", "O2 v0 thinlto"])


def large():
    return programs(["O3 v0 dbgprof", "O3 legacy", "O1 v0", "O3 v0 lto", "O3 legacy lto", "O3 v0 one dbgprof lto", "O2 legacy thinlto units",
                     "O3 v0 abort", "O2 v0 dwarf4", "O2 legacy lines", "O2 v0 nopie lld", "O3 legacy lld dbgprof thinlto"])

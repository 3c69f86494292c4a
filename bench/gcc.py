#!/usr/bin/env python3
"""What profiles gain with GCC: real programs built by gcc-12 -O2, recorded, and built again with -fauto-profile.

    ./dev bench gcc [--rounds N]

Writes bench/gcc.md. (GCC 12 itself fails on sqlite3 with exact counts: docs/gcc.md.) The training run and the measured one have other inputs (support/real_programs.py). "counters" is GCC's own way,
-fprofile-generate and -fprofile-use.
"""
import argparse
import datetime
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "support"))
import bench_options  # noqa: E402
import launch  # noqa: E402
import real_programs  # noqa: E402

FLAGS = "-O2 -g"
CC, CXX = "gcc-12", "g++-12"


class Job:
    def __init__(self, name, args):
        self.name, self.pgokit, self.recipe, self.folder = name, args.bin / "pgokit", real_programs.RECIPES[name], args.folder / name
        self.version = real_programs.version(self.recipe, name, self.folder)
        self.train = real_programs.prepare(self.recipe, self.folder)
        self.measure = real_programs.prepare_measuring(self.recipe, self.folder)

    def build(self, kind, flags):
        # One folder for all: GCC names its counters by the paths of objects.
        sources = self.folder / "gcc"
        real_programs.unpack(self.recipe, self.name, self.folder, sources)
        real_programs.run(["sh", "-ec", self.recipe.build], sources, log="build.log", FLAGS=f"{FLAGS} {flags}".strip(), CC=CC, CXX=CXX)
        said = [line for line in (sources / "build.log").read_text().splitlines() if "-Wcoverage-mismatch" in line or "AutoFDO" in line]
        if said:
            print(f"{self.name} {kind}: GCC warns: {said[0]}")
        out = self.folder / f"gcc-{kind}"
        shutil.copyfile(sources / "program", out)
        out.chmod(0o755)
        return out

    def run(self, *command):
        return real_programs.run(command, self.train)

    def builds(self):
        plain = self.build("plain", "")
        made = {"plain": plain}
        for kind, options in (("recorded", ()), ("exact", ("--exact",))):
            recording, profile = self.folder / f"gcc-{kind}.perf", self.folder / f"gcc-{kind}.afdo"
            script = "short.sh" if options else "train.sh"
            self.run(self.pgokit, "record", "-q", *options, "-o", recording, "--", "sh", script, plain)
            self.run(self.pgokit, "generate", "-q", recording, "-b", plain, "--for", CC, "-o", profile)
            made[kind] = self.build(kind, f"-fauto-profile={profile}")
        counters = self.folder / "gcc-counters"
        shutil.rmtree(counters, ignore_errors=True)
        counting = self.build("counting", f"-fprofile-generate -fprofile-update=single -fprofile-dir={counters}")
        self.run("sh", "train.sh", counting)
        made["counters"] = self.build("used", f"-fprofile-use={counters} -fprofile-dir={counters} -Wno-missing-profile -fprofile-partial-training")
        return made

    def table(self, rounds):
        made = self.builds()
        commands = [f"sh measure.sh {path}" for path in made.values()]
        done = subprocess.run([self.pgokit, "measure", "-n", str(rounds), "--", *commands], cwd=self.measure, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout
        for kind, path in made.items():
            text = text.replace(str(path), kind)
        return f"{self.name} {self.version}, {', '.join(made)}:\n\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench_options.add(parser, ("lua5.4",))
    parser.add_argument("--rounds", type=int, default=12)
    args = parser.parse_args()
    if missing := [tool for tool in (CC, CXX) if not shutil.which(tool)]:
        print(f"SKIPPED: no {', '.join(missing)}")
        return 77
    tables = [Job(name, args).table(args.rounds) for name in args.only]
    print("\n".join(tables))
    body = "\n".join("```\n" + table.strip() + "\n```\n" for table in tables)
    (HERE / "gcc.md").write_text(f"# What profiles gain with GCC\n\n`./dev bench gcc`, {launch.machine()}, {datetime.date.today()}.\n\n{body}",
                                 encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What pgokit mainly does, as commands with inputs: what its own profile is trained with, and measured by.

    python3 bench/support/main_commands.py FOLDER      writes the inputs of a training run, and FOLDER/train.sh PROGRAM

    work = Work(FOLDER, TRAINING)                      the inputs, made where they are not there yet
    for name, words in work.commands(program).items(): run(words)

Training and measuring have other programs, recordings and profiles, which are as deep and as wide.
"""
import dataclasses
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import deep_program  # noqa: E402
import launch  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Scale:
    seed: int
    megabytes: int  # of code
    samples: int  # flat; a fifth of it with call chains
    profiles: int
    bytes: int  # of a profile


TRAINING = Scale(seed=2, megabytes=2, samples=60000, profiles=6, bytes=2000000)
MEASURING = Scale(seed=1, megabytes=4, samples=150000, profiles=12, bytes=4000000)


class Work:
    def __init__(self, folder, scale):
        self.folder, self.scale = folder, scale
        self.programs = deep_program.build(folder, scale.megabytes)
        self.text = self.walk("lines", "lbr", "script", scale.samples)
        self.perf_data = self.walk("lines", "lbr", "perfdata", scale.samples)
        self.chains = {kind: self.walk(kind, "hybrid", "script", scale.samples // 5) for kind in self.programs}
        self.profiles = self.make_profiles()

    def walk(self, kind, what, form, samples):
        out = self.folder / f"{kind}.{what}.{form}"
        if not out.exists():
            subprocess.run([launch.built_tool("pgokit-walk"), self.programs[kind], "--seed", str(self.scale.seed), "--samples", str(samples), "--repeat", "30",
                            "--depth", "32", "--kind", what, "--format", form, "-o", out], check=True)
        return out

    def make_profiles(self):
        folder = self.folder / "profiles"
        if not folder.exists():
            folder.mkdir()
            subprocess.run([launch.built_tool("pgokit-make-profiles"), folder, str(self.scale.profiles), str(self.scale.bytes), "extbinary", str(self.scale.seed)],
                           check=True)
        return sorted(folder.iterdir())

    def commands(self, program):
        def generate(kind, recording):
            return [program, "generate", "-q", recording, "-b", self.programs[kind], "-o", self.folder / "out.prof"]
        return {
            "generate, from text": generate("lines", self.text),
            "generate, from perf.data": generate("lines", self.perf_data),
            "contexts, by lines": [*generate("lines", self.chains["lines"]), "--cs"],
            "contexts, by probes": [*generate("probes", self.chains["probes"]), "--cs"],
            "merge": [program, "merge", "-q", *self.profiles, "-o", self.folder / "merged.prof"],
            "show": [program, "show", "--top", "0", self.profiles[0]],
            "start": [program, "--version"],
        }


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    # On one processor pgokit has one thread, and every run does the same but for names of temporary files.
    one = f"taskset -c {min(os.sched_getaffinity(0))} "
    commands = Work(folder, TRAINING).commands("$PROGRAM").values()
    lines = [one + " ".join(shlex.quote(str(word)) if word != "$PROGRAM" else '"$1"' for word in words) for words in commands]
    (folder / "train.sh").write_text("set -e\n" + "".join(f"{line} >{shlex.quote(str(folder / 'printed'))}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()

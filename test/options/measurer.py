"""The options of `pgokit measure`, `optimize`, `bisect` and `cargo pgokit`: what they print are times, so what each option does is said here."""
import json
import subprocess

import cargo

APP = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  unsigned sum = 1;
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 3000000); i++) sum = (sum & 1023) == 7 ? sum * 2654435761u >> 3 : sum + 3;
  printf("%u\\n", sum);
}
"""
# As many times as long for each function that is poison in the profile, which is the program here.
WORK = """import sys
open("runs", "a").write("x")
for i in range(100000 * (1 + 20 * sum("poison" in line and line[0] != " " for line in open(sys.argv[1])))): pass
"""


class Measurer:
    def __init__(self, files):
        self.folder, self.pgokit = files.folder / "times", files.pgokit
        self.folder.mkdir()

    def run(self, command, *options):
        return subprocess.run([self.pgokit, command, *options], capture_output=True, text=True, check=False, timeout=300, cwd=self.folder)

    def told(self, command, *options):
        done = self.run(command, "--json", *options)
        assert done.returncode == 0, (command, options, done)
        return json.loads(done.stdout)

    def lines(self, name):
        """Of a file that commands write into; it begins anew."""
        file = self.folder / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        file.unlink(missing_ok=True)
        return len(text)

    def measure(self):
        """By option: whether it does what it says."""
        def runs(*options):
            return len(self.told("measure", *options, "--", "true")["commands"][0]["runs"])

        def fails(text, *options):
            done = self.run("measure", *options)
            return done.returncode == 1 and text in done.stderr

        yield "--runs", runs("-n", "3") == 3
        yield "--for", runs("--for", "0.2") >= 10
        self.told("measure", "-n", "2", "--warm-up", "3", "--prepare", "printf p >> prepared", "--", "printf x >> runs")
        yield "--warm-up", self.lines("runs") == 5
        yield "--prepare", self.lines("prepared") >= 2
        named = self.told("measure", "-n", "2", "--name", "first", "--output", "told", "--", "true")
        yield "--name", named["commands"][0]["name"] == "first"
        yield "--output", self.lines("told") > 100
        waits = self.told("measure", "-n", "6", "--by", "wall", "--", "sleep 0.1", "sleep 0.02")
        yield "--by", "(elapsed" in waits["comparisons"][0]["verdict"] and "--by" in self.run("measure", "--by", "moon", "--", "true").stderr
        yield "--min-gain", self.run("measure", "-n", "6", "--min-gain", "99.9", "--", "true", "true").returncode == 3
        yield "--same-output", fails("something else", "-n", "2", "--same-output", "--", "echo $$")
        yield "--may-fail", fails("exit code 4", "-n", "2", "--", "(exit 4)") and self.run("measure", "-n", "2", "--may-fail", "--", "(exit 4)").returncode == 0
        yield "--timeout", fails("takes longer", "-n", "2", "--timeout", "0.2", "--", "sleep 3")
        yield "--json", self.run("measure", "-n", "2", "--", "true").stdout[0] != "{"

    def optimize(self):
        (self.folder / "app.c").write_text(APP)
        words = ["--build", "printf x >> builds; $CC $CFLAGS -O2 app.c -o made/app", "--run", "made/app 300000000", "--measure", "made/app 2000000",
                 "--clean", "printf x >> cleaned; rm -f made/*", "--program", "made/app", "--flags-by", "variables", "--sampled", "--work", "kept"]
        (self.folder / "made").mkdir()
        told = self.told("optimize", "-q", *words, "--with", "lines", "--runs", "7")
        commands = "\n".join(told["commands"])
        yield "--build", self.lines("builds") == len(told["builds"]) + 1  # another one is recorded
        yield "--run", "record" in commands and "made/app 300000000" in commands
        yield "--measure", "made/app 2000000" in json.dumps(told["measurement"])
        yield "--clean", self.lines("cleaned") >= 2
        yield "--program", told["program"] == "made/app"
        yield "--with", "lines" in [build["name"] for build in told["builds"]]
        yield "--flags-by", "CFLAGS=" in commands
        yield "--sampled", "--exact" not in commands
        yield "--work", (self.folder / "kept").is_dir()
        yield "--runs", self.rounds(told["measurement"]) == 7
        (self.folder / "kept/journal").write_text("broken")
        refused = self.run("optimize", *words)
        again = self.run("optimize", *words, "--by", "lines", "--for", "0.5", "--restart")
        yield "--by", "-fpseudo-probe-for-profiling" in commands and "-fpseudo-probe-for-profiling" not in again.stderr
        yield "--restart", "--restart" in refused.stderr and again.returncode == 0 and self.lines("builds") > 0
        yield "--json", again.stdout[:1] != "{"
        yield "--quiet", "\n$ " in again.stderr
        yield "--for", self.rounds(json.loads(next((self.folder / "kept").rglob("measurement.json")).read_text())) >= 10

    @staticmethod
    def rounds(measurement):
        return len(measurement["commands"][0]["runs"])

    def bisect(self):
        (self.folder / "work.py").write_text(WORK)
        names = ["f0", "_Z6poisonv", "f2", "f3"]
        (self.folder / "p.txt").write_text("".join(f"{name}:{20 * (9 - i)}:1\n 1: {9 - i}\n 2: {9 - i}\n" for i, name in enumerate(names)))
        bare = ["p.txt", "--build", "printf x >> builds; cp {profile} copy", "--run", "python3 -S -E work.py copy"]
        words = [*bare, "--program", "copy", "--whole-functions"]
        told = self.told("bisect", *words, "-n", "8", "-q", "--output", "left.txt", "--work", "halves", "--clean", "printf x >> wiped")
        yield "--build", self.lines("builds") == told["builds"] > 0
        runs = self.lines("runs")
        yield "--run", runs > 0
        yield "--clean", self.lines("wiped") >= told["builds"]
        yield "--output", "poison" not in (self.folder / "left.txt").read_text()
        yield "--work", (self.folder / "halves").is_dir()
        yield "--whole-functions", [one["functions"] for one in told["culprits"]] == [["_Z6poisonv"]] and not told["culprits"][0]["sites"]
        yield "--program", "--program" in self.run("bisect", *bare).stderr
        few = self.told("bisect", *words, "-q", "--builds", "2", "--runs", "16")
        yield "--builds", few["builds"] == 2 < told["builds"]
        yield "--runs", self.lines("runs") / 2 > runs / told["builds"]
        yield "--min-change", self.told("bisect", *words, "-q", "-n", "8", "--min-change", "95")["culprits"] == []
        yield "--sites", self.told("bisect", *words[:-1], "-q", "-n", "8", "--sites", "f3")["culprits"] == []
        (self.folder / ".pgokit-bisect/journal").write_text("broken")
        refused = self.run("bisect", *words)
        again = self.run("bisect", *words, "-n", "8", "--mangled", "--restart")
        yield "--restart", "--restart" in refused.stderr and again.returncode == 0
        yield "--mangled", "found     _Z6poisonv" in again.stdout
        yield "--json", again.stdout[:1] != "{"
        yield "--quiet", "\n$ " in again.stderr or again.stderr[:2] == "$ "


# What is honoured nowhere here, and why.
NEVER = {"measure": {"--quiet": "progress is shown on terminals alone"}}
COMMANDS = {"measure": Measurer.measure, "optimize": Measurer.optimize, "bisect": Measurer.bisect}


def check(files, only, options_of, wrong):
    measurer = Measurer(files)
    tries_of_cargo = cargo.tries(files)
    for command, tries in (COMMANDS | tries_of_cargo).items():
        if only not in command:
            continue
        tried = dict(tries(measurer))
        for option in options_of(command):
            if option not in tried and option not in NEVER.get(command, {}):
                wrong(f"{command}: {option} is tried nowhere")
            elif not tried.get(option, True):
                wrong(f"{command}: {option} does not do what it says")

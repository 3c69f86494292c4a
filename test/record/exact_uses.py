#!/usr/bin/env python3
"""What recordings with branch counts are used for besides profiles: `pgokit order`, `merge`, `compare` and `show`.

    exact_uses.py PGOKIT PROGRAM FOLDER

PROGRAM is program.cc. Its recordings are of two modes, so that sums differ from their parts.
"""
import json
import pathlib
import shutil
import subprocess
import sys

import callgrind
import survive


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(map(str, what)))


class Uses:
    def __init__(self, pgokit, program, folder):
        self.pgokit, self.program = pgokit, program
        self.folder = pathlib.Path(folder) / "exact_uses"
        self.folder.mkdir(exist_ok=True)
        self.files = {}
        for name, way, mode in (("sort", "--exact", "sort"), ("goto", "--exact", "goto"), ("windows", "-F4000", "sort"),
                                ("more", "-F4000", "goto"), ("stacks", "--single-step -F1000", "goto")):
            self.files[name] = str(self.folder / f"{name}.data")
            # The program's exit code is the length of its mode.
            self.run("record", "-q", "--software", *way.split(), "-o", self.files[name], "--", program, mode, "300", code=len(mode))

    def run(self, *arguments, code=0):
        done = subprocess.run([self.pgokit, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        expect(done.returncode == code, arguments, "exit code", done.returncode, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def refused(self, *arguments, saying, code=1):
        said = self.run(*arguments, code=code)
        expect(saying in said and said.count("\n") == 1, arguments, "says", said)

    def same(self, one, other):
        expect((self.folder / one).read_bytes() == (self.folder / other).read_bytes(), one, "and", other, "differ")

    def try_merge(self):
        sort, goto = self.files["sort"], self.files["goto"]
        self.run("merge", sort, goto, "-o", "one")
        self.run("merge", goto, sort, "-o", "other")
        self.same("one", "other")
        self.run("merge", sort, sort, goto, "-o", "three")
        self.run("merge", goto, "-w", f"2,{sort}", "-o", "weighted")
        self.same("three", "weighted")
        self.run("merge", "one", sort, "-o", "again")
        self.same("three", "again")
        code = callgrind.Code(self.program)
        parts = [code.of_recording(self.files[name]) for name in ("sort", "goto")]
        both = code.of_recording(self.folder / "one")
        expect(both.taken == parts[0].taken + parts[1].taken, "sums differ")
        expect(both.executed == parts[0].executed + parts[1].executed, "sums of executions differ")

    def try_profiles(self):
        """A profile of the sum is that of all its parts."""
        binary = ("-b", self.program, "-q")
        for parts in (("sort", "goto"), ("windows", "more")):
            files = [self.files[name] for name in parts]
            self.run("merge", *files, "-o", "sum")
            self.run("generate", "sum", *binary, "-o", "of_sum.prof", "--format", "text")
            self.run("generate", *files, *binary, "-o", "of_parts.prof", "--format", "text")
            if parts[0] == "sort":
                self.same("of_sum.prof", "of_parts.prof")
            alike = json.loads(self.run("compare", "of_sum.prof", "of_parts.prof", "--json"))
            expect(alike["similarity"] > 0.999, parts, alike["similarity"])
            shown = json.loads(self.run("show", "sum", "--json"))
            expect(shown["counted"]["whole_run"] == (parts[0] == "sort"), shown["counted"])
            expect(any(one["path"].endswith(pathlib.Path(self.program).name) for one in shown["programs"]), shown["programs"])

    def try_order(self):
        for name in ("sort", "windows"):
            self.run("order", self.files[name], "-b", self.program, "-l", self.program, "-q", "-o", f"{name}.order")
            self.run("order", self.files[name], "-b", self.program, "--format", "call-graph", "-q", "-o", f"{name}.calls")
            self.run("order", self.files[name], "-l", self.program, "-q", "-o", f"{name}.found")
            self.same(f"{name}.order", f"{name}.found")
        # Each call of the program's own functions, with its count: std::sort and qsort() call compare() so often.
        code, calls = callgrind.Code(self.program), {}
        symbols = subprocess.run(["nm", self.program], capture_output=True, text=True, check=True).stdout
        names = {int(line.split()[0], 16): line.split()[2] for line in symbols.splitlines() if line.split()[1] in "tTW"}
        for (source, target), count in code.of_recording(self.files["sort"]).taken.items():
            caller = max((at for at in names if at <= source), default=None)
            if target in names and names[caller] != names[target] and not code.text[source].startswith("ret"):
                calls[names[caller], names[target]] = calls.get((names[caller], names[target]), 0) + count
        told = {tuple(line.split()[:2]): int(line.split()[2]) for line in (self.folder / "sort.calls").read_text().splitlines()}
        expect(told and all(calls.get(ends) == count for ends, count in told.items()), "calls", told, "instead of", calls)
        first = self.run("order", self.files["stacks"], "-b", self.program, "--algorithm", "first-touch", "-o", "-")
        expect("main" in first, first)

    def try_compare(self):
        sort, goto = self.files["sort"], self.files["goto"]
        self.run("generate", sort, "-b", self.program, "-q", "-o", "sort.prof")
        alike = json.loads(self.run("compare", sort, "sort.prof", "-b", self.program, "--json"))
        expect(alike["similarity"] == 1 and alike["overlap"] == 1, alike)
        alike = json.loads(self.run("compare", sort, goto, "-b", self.program, "-b", self.program, "--json"))
        expect(0 < alike["overlap"] < 0.9, alike)
        found = json.loads(self.run("compare", sort, goto, "--json"))
        programs = {found.pop(f"{which}_program") for which in ("base", "test")}
        expect({pathlib.Path(one).resolve() for one in programs} == {pathlib.Path(self.program).resolve()}, programs)
        expect(found == alike, "the program of a recording, found:", found, "named:", alike)

    def try_density(self):
        """How like an endless recording's the profile will be: in the recording, in sums, and wherever it is judged."""
        shown = {name: json.loads(self.run("show", self.files[name], "--json"))["counted"] for name in ("windows", "sort")}
        likeness, windows = shown["windows"]["likeness"], shown["windows"]["windows"]
        expect(0.5 <= likeness < 1 and windows > 0, shown)
        expect(shown["sort"]["likeness"] == 0, shown)
        # The same windows again tell nothing new; those of another run do.
        for name, files in (("again", ("-w", f"3,{self.files['windows']}")), ("both", (self.files["windows"], self.files["more"]))):
            self.run("merge", *files, "-o", name)
            shown[name] = json.loads(self.run("show", name, "--json"))["counted"]
        expect(shown["again"]["windows"] == 3 * windows and abs(shown["again"]["likeness"] - likeness) < 0.002, shown)
        expect(0.5 < shown["both"]["likeness"] < 1, shown)
        self.record_few()
        for name in ("windows", "few"):
            file = self.files.get(name, name)
            counted = json.loads(self.run("show", file, "--json"))["counted"]
            thin = counted["likeness"] < 0.85 or counted["windows"] < 20
            told = self.run("show", file)
            try:
                made = subprocess.run([self.pgokit, "generate", file, "-b", self.program, "-o", "thin.prof"], cwd=self.folder,
                                      capture_output=True, text=True, check=True).stderr
            except subprocess.CalledProcessError as why:
                raise Failure(why.stderr) from why
            checked = self.run("check", "thin.prof", "-b", self.program, "--recording", file, "--json")
            # Contexts are of samples, not of what was counted.
            by_context = subprocess.run([self.pgokit, "generate", file, "-b", self.program, "--cs", "-o", "thin.prof"],
                                        cwd=self.folder, capture_output=True, text=True, check=True).stderr
            expect(("the profile is thin" in by_context) == ("record with --exact --contexts" in by_context), by_context)
            # Windows tell less of one program than of all that they saw.
            for said, is_thin in ((told, thin), (made, name == "few"), (checked, name == "few")):
                expect(("for a denser profile record again with" in said) == is_thin, name, counted, said)
            expect((json.loads(checked)["verdict"] == "thin") == (name == "few"), checked)
        self.try_whole()

    def record_few(self):
        """Some windows, and few of them: how many fall into a run depends on the machine."""
        file = self.folder / "few"
        for rounds in (1000 << step for step in range(8)):
            file.unlink(missing_ok=True)
            self.run("record", "-q", "--software", "-F20", "-o", "few", "--", self.program, "sort", str(rounds), code=4)
            if file.exists() and json.loads(self.run("show", "few", "--json"))["counted"]["windows"] >= 3:
                return

    def try_whole(self):
        """However short a run was that was counted whole: more of it would tell nothing new."""
        self.run("record", "-q", "--exact", "-o", "short", "--", self.program, "sort", "0", code=4)
        for options in ([], ["--note"]):
            self.run("generate", "-q", "short", "-b", self.program, *options, "-o", "short.prof")
            density = json.loads(self.run("check", "short.prof", "--json"))["measures"]["density"]["value"]
            expect(density < 50, density)
            by_itself = self.run("check", "short.prof")
            said = "verdict    good" if options else "unless all of a run was counted: -b PROGRAM --recording FILE tells"
            expect(said in by_itself, by_itself)
            by_recording = self.run("check", "short.prof", "-b", self.program, "--recording", "short")
            expect("verdict    good, and fits the program" in by_recording and "thin" not in by_recording, by_recording)

    def try_builds(self):
        """Two builds of one path, one after the other: each has its own branches."""
        code = pathlib.Path(self.program).read_bytes()
        note = code.index(b"GNU\0", code.index(b"\x03\0\0\0GNU\0")) + 4
        builds = {"first": code, "other": code[:note] + bytes(range(1, 21)) + code[note + 20:]}
        for name, data in builds.items():
            (self.folder / name).write_bytes(data)
            (self.folder / name).chmod(0o755)
        script = "cp first app; ./app sort 300; cp other new; mv new app; ./app goto 300; true"
        self.run("record", "-q", "--exact", "-o", "builds", "--", "/bin/sh", "-c", script)
        listed = [one["build_id"] for one in json.loads(self.run("show", "builds", "--json"))["build_ids"] if one["path"].endswith("/app")]
        expect(len(set(listed)) == 2, listed)
        for name, mode in (("first", "sort"), ("other", "goto")):
            shutil.copy(self.folder / name, self.folder / "app")
            self.run("generate", "builds", "-b", "app", "-q", "-o", f"{name}.raw", "--format", "raw")
            self.run("record", "-q", "--exact", "-o", "alone", "--", "./app", mode, "300", code=4)
            self.run("generate", "alone", "-b", "app", "-q", "-o", "alone.raw", "--format", "raw")
            self.same(f"{name}.raw", "alone.raw")

    def try_all_programs(self):
        """One of several programs of which no profile can be made does not keep the others from theirs."""
        sources = {"bare.c": "int work(int n) { int odd = 0; for (int i = 0; i < n; ++i) odd += i & 1; return odd; }\n",
                   "known.c": "int never(int n) { return n ? n * never(n - 1) : 1; }\n",
                   "whole.c": "int work(int); int main(void) { int n = 0; for (int i = 0; i < 9999; ++i) n += work(i % 9); return n < 0; }\n"}
        for name, text in sources.items():
            (self.folder / name).write_text(text)
        for step in ("-fPIC -c bare.c -o bare.o", "-fPIC -g -shared known.c bare.o -o libbare.so", "-g whole.c -o whole ./libbare.so"):
            subprocess.run(["clang-22", "-O1", *step.split()], cwd=self.folder, check=True)
        self.run("record", "-q", "--exact", "-o", "whole.data", "--", "./whole")
        done = subprocess.run([self.pgokit, "generate", "whole.data", "--all-programs", "-o", "all/"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        made = sorted(one.name for one in (self.folder / "all").iterdir())
        expect(done.returncode == 0 and "whole.prof" in made and "libbare.so.prof" not in made, done.stderr, made)
        expect("left out " in done.stderr and "libbare.so: whole.data: the profile would be empty" in done.stderr, done.stderr)
        told = json.loads(self.run("generate", "whole.data", "--all-programs", "-q", "--json", "-o", "all/"))
        expect(sorted(pathlib.Path(one["binary"]).name + ".prof" for one in told) == made, told)
        # Of those that are named, too; the exit code tells.
        said = self.run("generate", "-q", "whole.data", "-b", "libbare.so", "-b", "whole", "-o", "two/", code=3)
        made = [one.name for one in (self.folder / "two").iterdir()]
        expect("left out libbare.so" in said and "the profile would be empty" in said and made == ["whole.prof"], said, made)
        told = json.loads(self.run("check", "two/whole.prof", "-b", "whole", "-b", "libbare.so", "--recording", "whole.data", "--json"))
        expect(told["fit"]["programs"] == ["whole", "libbare.so"] and told["measures"]["stale"]["good"], told)

    def try_parts(self):
        """What was counted of a process that ran before is not taken for all of its run."""
        with subprocess.Popen([self.program, "sort", "1000000000"], stdout=subprocess.DEVNULL) as running:
            self.run("record", "-q", "--software", "--exact", "-p", str(running.pid), "--for", "0.3", "-o", "part.data")
            running.kill()
        counted = json.loads(self.run("show", "part.data", "--json"))["counted"]
        expect(counted["part_of_run"] and not counted["whole_run"], counted)
        expect("in all of a part of the run" in self.run("show", "part.data"), "show")
        told = json.loads(self.run("generate", "part.data", "-b", self.program, "-o", "part.prof", "--note", "--json"))
        expect(told["part_of_run"] and "whole_run" not in told, told)
        expect("part of a run, all counted" in self.run("show", "part.prof"), "the note")
        counted = json.loads(self.run("show", self.files["sort"], "--json"))["counted"]
        expect(counted["whole_run"] and not counted["part_of_run"], counted)
        self.run("merge", self.files["sort"], "part.data", "-o", "with_part")
        expect(json.loads(self.run("show", "with_part", "--json"))["counted"]["part_of_run"], "the sum")

    def try_refusals(self):
        sort, goto, windows, stacks = (self.files[name] for name in ("sort", "goto", "windows", "stacks"))
        self.refused("generate", sort, "--pid", "1", saying="those of all processes of a run (--exact)")
        self.refused("merge", sort, windows, "-o", "none", saying="merge each kind by itself")
        self.refused("merge", stacks, sort, "-o", "none", saying="'pgokit generate' makes one profile of several recordings")
        self.refused("merge", sort, self.program, "-o", "none", saying="no recording (perf.data)")
        self.refused("merge", sort, goto, "-o", "none", "--format", "text", saying="--format is for sample profiles", code=2)
        self.refused("merge", sort, goto, "-o", "-", saying="cannot be written to standard output")
        expect(not (self.folder / "none").exists(), "something was written")
        whole = (self.folder / sort).read_bytes()
        (self.folder / "cut.data").write_bytes(whole[:len(whole) // 2])
        self.refused("generate", "cut.data", "-b", self.program, "-o", "none",
                     saying="the recording is not whole (part of its header is damaged)")
        self.refused("llvm-profgen", f"--binary={self.program}", f"--perfdata={sort}", "--output=none", saying="no samples are in it: 'pgokit generate ")
        expect(not (self.folder / "none").exists(), "an empty profile was written")
        self.refused("export", self.program, "--to", "folded", saying="a program, not a recording")
        self.refused("generate", sort, "-b", "cut.data", "-o", "none", saying="a recording (perf.data), not an ELF")
        self.refused("compare", sort, goto, "-b", "/bin/true", saying="was not running in it")
        self.refused("compare", stacks, "no.file", "-b", self.program, saying="cannot open")
        self.refused("compare", "sort.prof", "sort.prof", "-b", self.program, saying="--binary is for recordings", code=2)
        self.refused("order", sort, "-b", "/bin/true", saying="no symbols of functions")
        self.refused("order", sort, "-b", self.program, "--pid", "1", saying="of all processes together")
        for option in (("--algorithm", "first-touch"), ("--until", "main"), ("--until-time", "1s")):
            self.refused("order", sort, "-b", self.program, *option, saying="record without --exact", code=2)


def main():
    pgokit, program, folder = sys.argv[1:]
    if not survive.can_record(pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    uses = Uses(pgokit, program, folder)
    failed = 0
    for name in ("merge", "profiles", "order", "compare", "density", "builds", "all_programs", "parts", "refusals"):
        try:
            getattr(uses, f"try_{name}")()
            print(f"{name}: good", flush=True)
        except Failure as why:
            print(f"{name}: FAILED: {why}", flush=True)
            failed += 1
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

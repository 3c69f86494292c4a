#!/usr/bin/env python3
"""Which compilers take which forms of profiles, for all that are installed: the table in docs/merge.md.

    forms.py --pgokit build/bin/pgokit

Each form that `pgokit merge` writes is given to each clang and GCC with ../programs/forms.c. A form is taken if the
profile's count of the indirect call is in what the compiler makes, and that is what it makes of the other forms. Exit
code 1 if a compiler takes more or less than is written below, 77 without any.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "programs/forms.c"
CLANGS = [13, 14, 15, 16, 19, 22]
GCCS = {11: "1", 12: "2"}  # the version of its format that each takes
FORMS = {"extbinary": [], "text": ["--format", "text"], "binary": ["--format", "binary"], "md5": ["--md5"],
         "compressed": ["--compress"], "split": ["--split-layout"], "noted": [], "noted compressed": ["--compress"],
         "noted split": ["--split-layout"], "noted text": ["--format", "text"],
         "gcov": ["--format", "gcov", "--gcov-version", "407"]}
NOTE = "# pgokit note: date=2024-01-02T00:00:00Z program=work build-id=2bf972f0 command=./work%20%1b%0a samples=7\n"
OF_CLANG_13 = {"lines": ["text", "binary", "split", "noted text", "gcov"], "contexts": ["text", "noted text"], "probes": ["text", "noted text"],
               "vtables": ["binary", "split", "gcov"]}
# What the forms have no place for.
NOT_WRITTEN = {"lines": set(), "vtables": set(), "contexts": {"binary", "split", "noted split", "gcov"}, "probes": {"binary", "gcov"}}
DEBUG, PROBES = "-fdebug-info-for-profiling", "-fpseudo-probe-for-profiling"
CALLS = 5432  # of the indirect call

LINES = f"""work:30000:1234
 1: 1234
 2: {CALLS}
 3: inner:9000
  1: {CALLS}
  1.2: 2500 leaf:2500
  2: 2500
 4: {CALLS} target:4432 other:1000
 7: 1234
leaf:2500:2500
 0: 2500
"""
CONTEXTS = f"""[work]:15000:1234
 1: 1234
 2: {CALLS}
 3: {CALLS} inner:{CALLS}
 4: {CALLS} target:4432 other:1000
[work:3 @ inner]:9000:{CALLS}
 1: {CALLS}
 2: 2500
[work:3 @ inner:1 @ leaf]:2500:2500
 0: 2500
"""
VTABLES = LINES.replace(" 7: 1234\n", " 4: vtables _ZTV3bar:4432 _ZTV3foo:1000 \n 7: 1234\n")


def run(*command):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True)


class Forms:
    def __init__(self, pgokit, folder):
        self.pgokit, self.folder, self.failed = pgokit, folder, False

    def expect(self, what, taken, expected):
        print(f"{what}: {', '.join(taken) or 'none'}{'' if taken == expected else f' BAD, not {expected}'}")
        self.failed |= taken != expected

    def write(self, kind, text):
        """The profile in all forms that there are of it."""
        plain, noted = self.folder / f"{kind}.txt", self.folder / f"{kind}.noted.txt"
        plain.write_text(text)
        noted.write_text(NOTE + text)
        written = {}
        for form, options in FORMS.items():
            out = self.folder / f"{kind}.{form}"
            source = noted if form.startswith("noted") else plain
            if run(self.pgokit, "merge", "-q", source, *options, "-o", out).returncode == 0:
                written[form] = out
                if source is noted and b"program=work" not in out.read_bytes() and form != "noted compressed":
                    self.expect(f"{form} {kind}", "no note in it", "a note")
        return written

    def probes_of(self, clang):
        """A profile with the checksum and the probe of the call that this clang gives."""
        program = self.folder / "probes.o"
        run(clang, "-O2", "-g", PROBES, "-c", SOURCE, "-o", program)
        dump = json.loads(run(self.pgokit, "probes", "dump", "--json", program).stdout)
        checksum = next(entry["hash"] for entry in dump["descriptors"] if entry["name"] == "work")
        work = next(entry for entry in dump["functions"] if entry["function"] == "work")
        call = next(probe["index"] for probe in work["nodes"][0]["probes"] if probe["type"] == "indirect call")
        blocks = "".join(f" {index}: 1234\n" for index in range(1, call))
        return f"work:30000:1234\n{blocks} {call}: {CALLS} target:4432 other:1000\n !CFGChecksum: {checksum}\n"

    def judge_clang(self, clang, version):
        for kind, text, flag in (("lines", LINES, DEBUG), ("contexts", CONTEXTS, DEBUG),
                                 ("probes", self.probes_of(clang), PROBES), ("vtables", VTABLES, DEBUG)):
            def made(profile):
                return run(clang, "-O2", "-g", flag, f"-fprofile-sample-use={profile}", "-S", "-emit-llvm", "-o", "-",
                           SOURCE).stdout
            written = self.write(kind, text)
            # older ones know no virtual tables in text, and step over them in the others
            expected = [form for form in FORMS if form not in NOT_WRITTEN[kind] and
                        not (kind == "vtables" and form.endswith("text") and version < 22)]
            if version == 13:
                expected = OF_CLANG_13[kind]
            best = self.folder / f"{kind}.best"
            run(self.pgokit, "merge", "-q", self.folder / f"{kind}.txt", "--for", f"clang-{version}", "-o", best)
            code = made(best)
            self.expect(f"{clang} {kind}", [form for form, profile in written.items() if made(profile) == code], expected)
            self.expect(f"{clang} {kind} --for clang-{version}", ["used"] if f'"VP", i32 0, i64 {CALLS},' in code else [], ["used"])
            said = run(clang, "-O2", "-g", flag, f"-fprofile-sample-use={best}", "-c", "-o", "/dev/null", SOURCE)
            self.expect(f"{clang} {kind} warns of", said.stderr.splitlines(), [])

    def judge_profdata(self, profdata, kinds):
        """Reads what has notes as what has none, and warns of nothing."""
        for kind, text in kinds.items():
            written = self.write(kind, text)

            def read(form):
                done = run(profdata, "merge", "--sample", "--text", written[form], "-o", "-")
                return done.returncode, done.stdout, done.stderr
            forms = [form for form in written if form.startswith("noted")]
            self.expect(f"{profdata} {kind}", [form for form in forms if read(form) == read("text") and read(form)[2] == ""], forms)

    def judge_remapping(self, clang):
        """Names that a file maps to others: hashes cannot be."""
        source, names = self.folder / "remapped.cc", self.folder / "names"
        source.write_text("namespace now { struct S; }\nint ext(int);\nint work(now::S*, int x) {\n"
                          "  int s = 0;\n  for (int i = 0; i < x; ++i)\n    s += ext(i);\n  return s;\n}\n")
        names.write_text("name 3old 3now\n")
        written = self.write("remapped", "_Z4workPN3old1SEi:30000:1234\n 1: 1234\n 2: 5000\n 3: 5000 _Z3exti:5000\n")
        taken = [form for form in ("text", "md5") if "branch_weights" in run(
            clang, "-O2", "-g", DEBUG, f"-fprofile-sample-use={written[form]}", f"-fprofile-remapping-file={names}", "-S",
            "-emit-llvm", "-o", "-", source).stdout]
        self.expect(f"{clang} with remapped names", taken, ["text"])

    def judge_gcc(self, gcc, version):
        (self.folder / "lines.txt").write_text(LINES)
        taken = []
        for form in "1", "2", "3":
            profile = self.folder / f"lines.gcov{form}"
            run(self.pgokit, "merge", "-q", self.folder / "lines.txt", "--format", "gcov", "--gcov-version", form, "-o", profile)
            said = run(gcc, "-O2", "-g", f"-fauto-profile={profile}", "-fdump-ipa-afdo=" + str(self.folder / "dump"), "-S",
                       "-o", self.folder / "gcc.s", SOURCE)
            if said.returncode == 0 and f"count: {CALLS}" in (self.folder / "dump").read_text():
                taken.append(form)
        self.expect(f"{gcc} gcov version", taken, [GCCS[version]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pgokit", required=True)
    args = parser.parse_args()
    clangs = [version for version in CLANGS if shutil.which(f"clang-{version}")]
    gccs = [version for version in GCCS if shutil.which(f"gcc-{version}")]
    if not clangs + gccs:
        print(f"skipped: none of clang {CLANGS} and GCC {list(GCCS)} is there (./dev setup installs clang-22 and gcc-12)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        forms = Forms(pathlib.Path(args.pgokit).resolve(), pathlib.Path(folder))
        for version in clangs:
            forms.judge_clang(f"clang-{version}", version)
            forms.judge_remapping(f"clang-{version}")
        for version in clangs:
            if version > 13 and shutil.which(f"llvm-profdata-{version}"):
                forms.judge_profdata(f"llvm-profdata-{version}", {"lines": LINES, "contexts": CONTEXTS})
        for version in gccs:
            forms.judge_gcc(f"gcc-{version}", version)
    return 1 if forms.failed else 0


sys.exit(main())

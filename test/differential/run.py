#!/usr/bin/env python3
"""Compares a drop-in for llvm-profgen with llvm-profgen 22 itself, on generated recordings.

    run.py --walk PATH --candidate "build/bin/pgokit llvm-profgen" [--large] [--only REGEX] [--keep]

Equal means: both succeed or both refuse, and text and unsymbolized profiles have the same bytes;
binary ones the same text after llvm-profdata. Exit code 1 if anything differs, 77 without the judge.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

import cases
import programs

JUDGE = ["llvm-profgen-22"]
PROFDATA = "llvm-profdata-22"


@dataclasses.dataclass
class Outcome:
    exit: str      # ok, refused, crashed, hung
    text: bytes
    messages: str


def output_format(case):
    formats = [option for option in case.options if option.startswith("--format=")]
    return formats[-1][9:] if formats else "text"


def is_binary(case):
    return output_format(case) not in ("text",) and "--skip-symbolization" not in case.options


def run_tool(command, out, timeout):
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Outcome("hung", b"", "")
    messages = done.stderr.decode(errors="replace")
    if done.returncode:
        crashed = done.returncode < 0 or done.returncode > 128
        return Outcome("crashed" if crashed else "refused", b"", messages)
    return Outcome("ok", out.read_bytes() if out.exists() else b"<no file>", messages)


def readable(case, outcome, work):
    """Binary profiles as llvm-profdata prints them."""
    if not is_binary(case) or outcome.exit != "ok":
        return outcome
    binary, text = work / "profile.bin", work / "profile.txt"
    binary.write_bytes(outcome.text)
    merge = run_tool([PROFDATA, "merge", "--sample", "--text", binary, "-o", text], text, 60)
    if merge.exit != "ok":
        return Outcome("ok", b"<llvm-profdata: " + merge.messages.encode() + b">", outcome.messages)
    return Outcome("ok", merge.text + sections(binary), outcome.messages)


def sections(profile):
    """Flags and sizes of the sections and the list of symbols (nothing for the plain binary form);
    the summary."""
    shown = b""
    for what in ("--show-sec-info-only", "--show-prof-sym-list"):
        shown += subprocess.run([PROFDATA, "show", "--sample", what, profile], capture_output=True).stdout
    summed = subprocess.run([PROFDATA, "show", "--sample", "--detailed-summary", profile], capture_output=True).stdout
    return shown.replace(bytes(profile), b"") + summed[summed.find(b"\nTotal functions:"):]


class Runner:
    def __init__(self, args):
        self.args = args
        self.folder = pathlib.Path(args.folder).resolve()
        self.candidate = shlex.split(args.candidate)
        self.walk = pathlib.Path(args.walk).resolve()

    def input_options(self, case, binary, for_judge):
        """perf.data goes to the judge as text: what perf prints of it is not what it expects for
        call chains, and its text form is the same walk."""
        if isinstance(case, cases.Recorded):
            return ["--perfdata", case.data]
        data = case.input
        if data.perfdata and for_judge:
            data = dataclasses.replace(data, perfdata=False)
        path = data.make(self.walk, binary)
        if data.apart and not for_judge:
            path = ",".join(str(part) for part in data.parts(self.walk, binary))
        return [("--perfdata" if data.perfdata else "--perfscript"), path]

    def judge_key(self, case, binary, command):
        source = case.data if isinstance(case, cases.Recorded) else case.input
        name = binary.parent.name + repr(command) + repr(source) + case.through
        return hashlib.sha1(name.encode()).hexdigest()[:20]

    def via(self, case, binary, work):
        """The input for cases that start from a profile the judge made."""
        raw = case.through.endswith("raw")
        source = work / f"via.{'raw' if raw else case.through}"
        how = ["--skip-symbolization"] if raw else ["--format=text", *cases.FLAT_CS]
        how += [option for option in case.options if option.startswith(("--use-offset", "--use-first"))]
        run_tool(JUDGE + ["--binary", binary, *self.input_options(case, binary, True), *how,
                          "--output", source], source, self.args.timeout)
        flag = "--unsymbolized-profile" if raw else "--llvm-sample-profile"
        return [flag, source]

    def run_one(self, tool, case, binary, inputs, work, name):
        out = work / name
        options = list(case.options)
        if output_format(case) == "text" and "--skip-symbolization" not in options:
            options.append("--format=text")
        command = tool + ["--binary", binary, *inputs, *options, "--output", out]
        return run_tool(command, out, self.args.timeout), command

    def stored(self, case, binary, inputs):
        return self.folder / "judged" / self.judge_key(case, binary, [inputs[0], case.options])

    def judged(self, case, binary, inputs, work):
        stored = self.stored(case, binary, inputs)
        if (stored / "exit").exists():
            read = lambda name: (stored / name).read_bytes()
            return Outcome(read("exit").decode(), read("text"), read("messages").decode())
        outcome, _ = self.run_one(JUDGE, case, binary, inputs, work, "judge")
        stored.mkdir(parents=True, exist_ok=True)
        (stored / "text").write_bytes(outcome.text)
        (stored / "messages").write_text(outcome.messages)
        (stored / "exit").write_text(outcome.exit)
        return outcome

    def judge_is_undefined(self, case, binary, inputs, work, before):
        """Whether it says something else where freed memory is overwritten."""
        with_env = ["env", "MALLOC_PERTURB_=165"] + JUDGE
        again, _ = self.run_one(with_env, case, binary, inputs, work, "again")
        return readable(case, again, work).text != before.text

    def only_inlined_differs(self, case, binary, inputs, work):
        """Whether contexts are the same but for who was inlined into its caller (docs/peer-flaws.md), and what
        becomes of equal ones is equal."""
        if not isinstance(case, cases.Case) or case.program.has_probes or case.through or case.input.kind == "lbr":
            return False
        plain = dataclasses.replace(case, options=(*case.options, *cases.FLAT_CS, "--format=text"))
        made = [self.run_one(tool, plain, binary, inputs[is_judge], work, "contexts")[0].text
                for tool, is_judge in ((JUDGE, True), (self.candidate, False))]
        if made[0] == made[1] or without_inlined(made[0]) != without_inlined(made[1]):
            return False
        contexts = work / "contexts.prof"
        contexts.write_bytes(made[0])
        again = [readable(case, self.run_one(tool, case, binary, ["--llvm-sample-profile", contexts], work, "again")[0], work)
                 for tool in (JUDGE, self.candidate)]
        return again[0].exit == "ok" and again[0].text == again[1].text

    def compare(self, case, binary):
        """None if equal, else what differs; "!..." where there is nothing to compare with."""
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        try:
            inputs = {judge: self.input_options(case, binary, judge) for judge in (True, False)}
            if case.through:
                inputs[False] = self.via(case, binary, work)
                if not inputs[False][1].exists():
                    return "!the judge made no profile to start from"
                if not case.through.startswith("ours"):
                    inputs[True] = inputs[False]
            if self.args.known and not self.stored(case, binary, inputs[True]).exists():
                return "!the judge has not been asked"
            judge = self.judged(case, binary, inputs[True], work)
            ours, command = self.run_one(self.candidate + threads_for(case), case, binary, inputs[False], work, "ours")
            shown = shlex.join(str(word) for word in command)
            if judge.exit in ("crashed", "hung"):
                return f"!the judge {judge.exit}" if ours.exit in ("ok", "refused") else shown
            if "--skip-symbolization" not in case.options and case_is_undefined(judge.text):
                return "!the judge reads behind its probe descriptors"
            if judge.exit != ours.exit:
                return f"{shown}\n  judge {judge.exit}: {judge.messages[:300]}\n  ours {ours.exit}: {ours.messages[:300]}"
            judge, ours = readable(case, judge, work), readable(case, ours, work)
            if judge.text != ours.text:
                if self.judge_is_undefined(case, binary, inputs[True], work, judge):
                    return "!the judge reads memory that it has freed"
                if all_callers_fall_together(case) and without_inlined(judge.text) == without_inlined(ours.text):
                    return "!inlined or called, in the order of a hash table"
                if self.only_inlined_differs(case, binary, inputs, work):
                    return "!inlined or called, in the order of a hash table"
                return shown + "\n" + first_difference(judge.text, ours.text)
            return self.compare_messages(case, judge, ours, shown)
        finally:
            if not self.args.keep:
                shutil.rmtree(work)


    def compare_messages(self, case, judge, ours, shown):
        # Where the judge starts from the recording and pgokit from raw counts, only one sees samples.
        if not self.args.messages or case.through.startswith("ours"):
            return None
        # Of equal samples in several files the judge, given them as one, counts a single one.
        if isinstance(case, cases.Case) and case.input.apart:
            return None
        recorded = isinstance(case, cases.Recorded) or case.input.perfdata
        said = [warnings(outcome.messages, recorded) for outcome in (judge, ours)]
        return None if said[0] == said[1] else shown + "\n" + first_difference(*said)


def all_callers_fall_together(case):
    """Then inlined and called copies are one context, often within one sample (docs/peer-flaws.md)."""
    return "--csprof-max-context-depth=0" in case.options and not case.program.has_probes


def without_inlined(text):
    return re.sub(rb"^ *!Attributes: 1\n", b"", text, flags=re.MULTILINE)


def threads_for(case):
    """Another number for each case: it must not show."""
    return [f"--threads={(1, 2, 3, 8)[zlib.crc32(case.name.encode()) % 4]}"]


def case_is_undefined(text):
    """Functions whose probes have no descriptor: their names and checksums are what lies in memory."""
    return re.search(rb"^ *\[(\]|:|.* @ [\]:])", text, re.MULTILINE) is not None


def warnings(messages, recorded):
    """The shares that are warned of. Of leaves outside, the judge counts the empty lines between
    the samples of a text as well, which a recording does not have."""
    lines = [line for line in re.findall(r"warning: ([0-9.]+%\([0-9]+/[0-9]+\).*)", messages)
             if not (recorded and "leaf external frame" in line)]
    return "\n".join(lines).encode()


def first_difference(judge, ours, limit=12):
    old, new = (text.decode(errors="replace").splitlines() for text in (judge, ours))
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    start = max(0, at - 3)
    lines = difflib.unified_diff(old[start:at + 9], new[start:at + 9], "judge", "ours", lineterm="", n=3)
    head = f"  line {at + 1} (judge {len(old)} lines, ours {len(new)})"
    return "\n".join([head] + ["  " + line for line in list(lines)[:limit + 2]])


# Recordings of real machines that the judge can read: program, recording, the program's name then.
CORPUS = [
    ("google-autofdo/gzip_lbr/test.binary", "google-autofdo/gzip_lbr/test.lbr", "test.binary"),
    ("google-autofdo/propeller_sample_1/propeller_sample_1.bin",
     "google-autofdo/propeller_sample_1/propeller_sample_1.perfdata1", "propeller_sample_1.bin.gen"),
    ("GrapheneOS-platform_system_extras/elf/elf",
     "GrapheneOS-platform_system_extras/elf/perf_b.data", "elf"),
]


def corpus_cases(corpus, folder):
    for program, data, name in CORPUS:
        if not (corpus / program).exists():
            print(f"skipped: {corpus / program} is not there")
            continue
        binary = folder / "corpus" / name
        binary.parent.mkdir(exist_ok=True)
        shutil.copyfile(corpus / program, binary)
        for options in ((), ("--skip-symbolization",), ("--update-total-samples",),
                        ("--format=extbinary",)):
            yield cases.Recorded(name, binary, corpus / data, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", required=True)
    parser.add_argument("--candidate", required=True)
    parser.add_argument("--folder", default="build/differential")
    parser.add_argument("--corpus", type=pathlib.Path, default=programs.HERE.parents[2] / "shared" / "corpus")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", default="", help="regular expression over the names of cases")
    parser.add_argument("--messages", action="store_true", help="compare the figures in the warnings too")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--known", action="store_true", help="only what the judge has been asked before")
    parser.add_argument("--verbose", action="store_true", help="name the undecided cases")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--show", type=int, default=20, help="how many differences to print")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if not shutil.which(JUDGE[0]) or not shutil.which("clang++-22"):
        print("skipped: llvm-profgen-22 or clang++-22 is not installed")
        return 77
    if subprocess.run(shlex.split(args.candidate) + ["--help"], capture_output=True).returncode:
        print(f"skipped: {args.candidate} does not work")
        return 77
    pathlib.Path(args.folder).mkdir(parents=True, exist_ok=True)
    return report(Runner(args), args)


def report(runner, args):
    wanted = re.compile(args.only)
    todo, unbuilt = [], 0
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    listed = programs.large() if args.large else programs.quick()
    choose = cases.large_cases if args.large else cases.quick_cases
    chosen = [(p, [c for c in dict.fromkeys(choose(p)) if wanted.search(c.name)]) for p in listed]
    chosen = [(p, some) for p, some in chosen if some]
    builds = [pool.submit(p.build, runner.folder, str(runner.walk)) for p, _ in chosen]
    for (program, some), build in zip(chosen, builds):
        binary = build.result()
        if binary is None:
            unbuilt += 1
            print(f"not built: {program.name}: {program.problem}")
            continue
        todo += [(case, binary) for case in some]
    todo += [(case, case.binary) for case in corpus_cases(args.corpus, runner.folder) if wanted.search(case.name)]
    results = [pool.submit(runner.compare, case, binary) for case, binary in todo]
    passed = failed = 0
    undecided = collections.Counter()
    for (case, _), result in zip(todo, results):
        difference = result.result()
        if difference is None:
            passed += 1
        elif difference.startswith("!"):
            undecided[difference[1:]] += 1
            if args.verbose:
                print(f"undecided: {case.name}: {difference[1:]}")
        else:
            failed += 1
            if failed <= args.show:
                print(f"DIFFERENT: {case.name}\n{difference}", flush=True)
    for reason, count in undecided.most_common():
        print(f"{count} undecided: {reason}")
    print(f"{passed} passed, {failed} failed, {undecided.total()} undecided, {unbuilt} programs not built")
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())

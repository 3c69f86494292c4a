#!/usr/bin/env python3
"""Small inputs written by hand, each for one rule, compared with llvm-profgen 22.

    hand.py --candidate "build/bin/pgokit llvm-profgen" [--only REGEX] [--folder build/differential]

The text of an input names places of a small program, {call} for one, which is built with debug
information and with probes, linked at fixed addresses and position independent. Equal means: both
succeed with the same bytes, or both refuse. Where the judge crashes, pgokit must not. Exit code 1
if anything differs, 77 without the judge.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BASE = 0x555555554000  # of what is position independent
FLAT_CS = ("--csspgo-preinliner=0 --csprof-merge-cold-context=0 --gen-cs-nested-profile=0 "
           "--infer-missing-frames=0")
NESTED = "--gen-cs-nested-profile=0"


class Built:
    """The program, and its places as numbers: `runtime` in scripts, `linked` in raw profiles."""

    def __init__(self, folder, flags, pie):
        self.name = "hand" + ("-probes" if flags else "") + ("-pie" if pie else "")
        self.path = folder / self.name
        link = ["-pie"] if pie else ["-no-pie"]
        compile_flags = ["-O1", "-g", "-fPIE" if pie else "-fno-pie", "-fno-optimize-sibling-calls", *flags]
        subprocess.run(["clang-22", *compile_flags, *link, "-fuse-ld=lld", HERE.parent / "programs" / "hand.c",
                        "-o", self.path], check=True, capture_output=True)
        self.linked = self.places()
        shift = BASE if pie else 0
        self.runtime = {name: address + shift for name, address in self.linked.items()}

    def places(self):
        listing = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", self.path],
                                 capture_output=True, text=True, check=True).stdout
        code, function = {}, ""
        for line in listing.splitlines():
            if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
                function = head[1]
            elif part := re.match(r" *([0-9a-f]+):\s+(\w+)\s*(.*)", line):
                code.setdefault(function, []).append((int(part[1], 16), part[2], part[3]))
        work, leaf, main = (code[name] for name in ("work", "leaf", "main"))
        call = next(i for i, (_, word, to) in enumerate(work) if word == "callq" and "<leaf>" in to)
        jump = next(i for i, (_, word, to) in enumerate(work) if i > call and word.startswith("j")
                    and int(to.split()[0], 16) < work[call][0])
        outer = next(i for i, (_, word, to) in enumerate(main) if word == "callq" and "<work>" in to)
        headers = subprocess.run(["readelf", "-lW", self.path], capture_output=True, text=True).stdout
        text = re.search(r"LOAD +(0x\w+) (0x\w+) .*R E", headers)
        return {"leaf": leaf[0][0], "leafret": next(a for a, word, _ in leaf if word == "retq"),
                "work": work[0][0], "call": work[call][0], "back": work[call + 1][0],
                "jump": work[jump][0], "loop": int(work[jump][2].split()[0], 16),
                "workret": next(a for a, word, _ in work if word == "retq"),
                "main": main[0][0], "outer": main[outer][0], "outerback": main[outer + 1][0],
                "start": code["_start"][0][0], "text": int(text[2], 16) & ~0xfff,
                "offset": int(text[1], 16) & ~0xfff}

    def fill(self, text, raw):
        numbers = dict(self.linked if raw else self.runtime)
        if raw:
            numbers = {name: address - self.linked["text"] for name, address in numbers.items()}
        else:
            numbers["offset"] = self.linked["offset"]
        words = {name: f"{number:x}" for name, number in numbers.items()} | {"name": self.name}
        return re.sub(r"\{(\w+)([+-]\d+)?\}", lambda m: words[m[1]] if not m[2] else
                      f"{int(words[m[1]], 16) + int(m[2]):x}", text)


MAP = "PERF_RECORD_MMAP2 7/7: [0x{text}(0x1000) @ 0x{offset} 08:01 1 1]: r-xp /usr/bin/{name}\n"
ONCE = "0x{jump}/0x{loop}/P/-/-/0 0x{leafret}/0x{back}/P/-/-/0 0x{call}/0x{leaf}/P/-/-/0 0x{jump}/0x{loop}/P/-/-/0"
FLAT = " {loop} " + ONCE + "\n"
CHAIN = "\t{loop}\n\t{outerback}\n " + ONCE + "\n\n"

SCRIPTS = {
    # mapping events
    "no mapping": FLAT,
    "mapping": MAP + FLAT,
    "mapping by the older event": MAP.replace("MMAP2", "MMAP").replace(" 08:01 1 1", "") + FLAT,
    "mapping after the sample": FLAT + MAP + FLAT,
    "mapping moves": MAP + FLAT + MAP.replace("{text}", "7{text}") + FLAT,
    "mapping of another file": MAP.replace("{name}", "{name}2") + FLAT,
    "mapping in another folder": MAP.replace("/usr/bin/", "/a b/") + FLAT,
    "mapping without folder": MAP.replace("/usr/bin/", "") + FLAT,
    "mapping of a deleted file": MAP.replace("{name}", "{name} (deleted)") + FLAT,
    "mapping of a process that is none": MAP.replace("7/7", "-1/0") + FLAT,
    "mapping before the code": MAP.replace("0x{offset}", "0x0") + FLAT,
    "mapping behind the code": MAP.replace("0x{offset}", "0x900000") + FLAT,
    "mapping in two parts": MAP + MAP.replace("{text}", "{text+4096}").replace("{offset}", "{offset+4096}") + FLAT,
    "mapping in parts that are apart": MAP + MAP.replace("{text}", "{text+8192}").replace("{offset}", "{offset+4096}") + FLAT,
    "mapping that is broken": MAP.replace("(0x1000)", "") + FLAT,
    "mapping that is short": "PERF_RECORD_MMAP2 7/7: [0x1(0x1) @ 0 0]: x a\n" + FLAT,
    "mapping that begins with a digit": "1" + MAP + FLAT,
    "mapping in capitals": MAP.upper().replace("{TEXT}", "{text}").replace("{OFFSET}", "{offset}").replace("{NAME}", "{name}") + FLAT,
    "mapping behind other words": "swapper 0 1.1: " + MAP + FLAT,
    # samples without call chains
    "two samples": MAP + FLAT + FLAT,
    "repeated samples": MAP + "12\n" + FLAT + "3\n" + FLAT,
    "repeated no times": MAP + "0\n" + FLAT,
    "repeated with blanks": MAP + " 12\n" + FLAT,
    "repeated very often": MAP + "18446744073709551615\n" + FLAT + "2\n" + FLAT,
    "repeated more often than can be": MAP + "18446744073709551616\n" + FLAT,
    "empty lines": "\n\n" + MAP + "\n" + FLAT + "\n\n" + FLAT,
    "lines of another system": (MAP + FLAT).replace("\n", "\r\n"),
    "no newline at the end": (MAP + FLAT)[:-1],
    "no address in front": MAP + " " + ONCE + "\n",
    "only an address": MAP + FLAT + " {loop}\n",
    "one branch": MAP + " {loop} 0x{jump}/0x{loop}/P\n",
    "address that is none": MAP + FLAT + " zzz " + ONCE + "\n",
    "branch that is none": MAP + FLAT + " {loop} 0x{jump}/0x{loop}/P xyz 0x{jump}/0x{loop}/P\n",
    "branch without target": MAP + FLAT + " {loop} 0x{jump}/0x{loop}/P 0x{jump} 0x{jump}/0x{loop}/P\n",
    "branch with two parts": MAP + FLAT + " {loop} 0x{jump}/0x{loop} 0x{jump}/0x{loop}\n",
    "branch without 0x": MAP + FLAT + " {loop} {jump}/{loop}/P {jump}/{loop}/P\n",
    "branch in capitals": MAP + FLAT + " {loop} 0X{jump}/0X{loop}/P 0x{jump}/0x{loop}/P\n",
    "branch of too many digits": MAP + FLAT + " {loop} 0x11111111111111111/0x{loop}/P 0x{jump}/0x{loop}/P\n",
    "range that ends before it starts": MAP + " {loop} 0x{leaf}/0x{loop}/P 0x{jump}/0x{jump}/P\n",
    "range of one instruction": MAP + " {loop} 0x{jump}/0x{loop}/P 0x{leafret}/0x{jump}/P\n",
    "range over a return": MAP + " {loop} 0x{main}/0x{main}/P 0x{call}/0x{leaf}/P 0x{jump}/0x{loop}/P\n",
    "range over a call": MAP + " {loop} 0x{jump}/0x{loop}/P 0x{jump}/0x{loop}/P\n",
    "range within an instruction": MAP + " {loop} 0x{jump+1}/0x{loop}/P 0x{jump}/0x{loop+1}/P\n",
    "range that does not end at a branch": MAP + " {loop} 0x{loop}/0x{loop}/P 0x{jump}/0x{loop}/P\n",
    "branch from outside": MAP + " {loop} 0x{jump}/0x{loop}/P 0x7777777/0x{back}/P 0x{call}/0x{leaf}/P\n",
    "branch to outside": MAP + " {loop} 0x{jump}/0x7777777/P 0x{leafret}/0x{back}/P 0x{call}/0x{leaf}/P\n",
    "branches all outside": MAP + " 7777777 0x7777777/0x7777777/P 0x8888888/0x7777777/P\n",
    "branch of zeros": MAP + " {loop} 0x{jump}/0x{loop}/P 0x0/0x0/P 0x{call}/0x{leaf}/P\n",
    "code without function": MAP + " {start} 0x{jump}/0x{start}/P 0x{jump}/0x{start}/P\n",
    # samples with call chains
    "chain": MAP + CHAIN,
    "chains, repeated": MAP + "5\n" + CHAIN + "2\n" + CHAIN,
    "chain of the leaf alone": MAP + CHAIN.replace("\t{outerback}\n", ""),
    "chain without mapping": CHAIN,
    "chain without branches": MAP + CHAIN + "\t{loop}\n\t{outerback}\n\n" + CHAIN,
    "chain at the end without branches": MAP + CHAIN + "\t{loop}\n",
    "chain with a leaf outside": MAP + CHAIN.replace("\t{loop}", "\t7777777"),
    "chain with a caller outside": MAP + CHAIN.replace("\t{outerback}", "\t7777777"),
    "chain with several callers outside": MAP + CHAIN.replace("\t{outerback}", "\t7777777\n\t8888888\n\t{outerback}"),
    "chain all outside": MAP + CHAIN.replace("\t{loop}", "\t8888888").replace("\t{outerback}", "\t7777777"),
    "chain with a caller that does not call": MAP + CHAIN.replace("{outerback}", "{outerback+1}"),
    "chain with two callers": MAP + CHAIN.replace("\t{outerback}", "\t{outerback}\n\t{outerback}"),
    "chain in a prologue": MAP + CHAIN.replace("\t{loop}", "\t{work}"),
    "chain in an epilogue": MAP + CHAIN.replace("\t{loop}", "\t{workret}"),
    "chain that contradicts the branches": MAP + CHAIN.replace("\t{loop}", "\t{main+20}"),
    "chain with a word in it": MAP + CHAIN + CHAIN.replace("\t{outerback}", "\tmain") + CHAIN,
    "chain in capitals": MAP + CHAIN.replace("\t{loop}", "\t0x{loop}") + CHAIN,
    "chain of recursion": MAP + CHAIN.replace("\t{outerback}", "\t{back}\n" * 6 + "\t{outerback}"),
    "chain that is deep": MAP + CHAIN.replace("\t{outerback}", "\t{back}\n\t{outerback}\n" * 300 + "\t{outerback}"),
    "chain with one branch": MAP + "\t{loop}\n\t{outerback}\n 0x{jump}/0x{loop}/P\n\n",
    "chain with a branch from outside": MAP + CHAIN.replace("0x{leafret}", "0x7777777"),
    "chain with a branch to outside": MAP + CHAIN.replace("0x{leaf}/", "0x7777777/"),
    "chain with both sides outside": MAP + CHAIN.replace("0x{leafret}/0x{back}", "0x7777777/0x{back}").replace("0x{call}/0x{leaf}", "0x{call}/0x7777777"),
    "chain with a broken range": MAP + CHAIN.replace("0x{leafret}", "0x{call}"),
    "chains, then none": MAP + CHAIN + FLAT,
    "none, then chains": MAP + FLAT + FLAT + CHAIN,
    # no text of samples at all
    "empty": "", "blank lines": "\n\n\n", "words": "hello\nworld\n", "a mapping alone": MAP,
    "a number alone": "12\n", "zeros": "\0" * 100,
}
RAW = {
    "raw": "1\n{loop}-{jump}:5\n1\n{call}->{leaf}:5\n",
    "raw with blanks": "  1\n   {loop}-{jump}:5\n\t1\n {call}->{leaf}:5\n",
    "raw twice": "2\n{leaf}-{leafret}:5\n{leaf}-{leafret}:6\n0\n",
    "raw without branches": "1\n{leaf}-{leafret}:5\n0\n",
    "raw without ranges": "0\n1\n{call}->{leaf}:5\n",
    "raw that ends early": "2\n{leaf}-{leafret}:5\n",
    "raw with more than it says": "1\n{leaf}-{leafret}:5\n0\n{leaf}-{leafret}:5\n",
    "raw without count": "1\n{leaf}-{leafret}\n0\n",
    "raw with a negative count": "1\n{leaf}-{leafret}:-5\n0\n",
    "raw with 0x": "1\n0x{leaf}-0x{leafret}:5\n0\n",
    "raw of large numbers": "1\nffffffffffffffff-ffffffffffffffff:5\n0\n",
    "raw out of the program": "1\n900000-900010:5\n1\n900000->{leaf}:3\n",
    "raw from outside": "0\n1\n1->{leaf}:4\n",
    # A range that ends before it starts, and the largest count, are left out: sums of the judge run over.
    "raw with a large count": "1\n{leaf}-{leafret}:184467440737095516\n1\n{call}->{leaf}:184467440737095516\n",
    "raw with too large a count": "1\n{leaf}-{leafret}:18446744073709551616\n0\n",
    "raw of context": "[main:4 @ work]\n  1\n  {loop}-{call}:5\n  1\n  {call}->{leaf}:5\n[leaf]\n  1\n  {leaf}-{leafret}:7\n  0\n",
    "raw of context, twice": "[leaf]\n 1\n {leaf}-{leafret}:7\n 0\n[leaf]\n 1\n {leaf}-{leafret}:2\n 0\n",
    "raw of no context": "[]\n 1\n {leaf}-{leafret}:7\n 0\n",
    "raw of context that ends early": "[leaf]\n",
    "raw of words": "hello\n",
}
PROFILES = {
    "profile": "main:100:1\n 1: 10 work:10\nwork:50:10\n 2: 10\n",
    "profile of ambiguous names": "main:100:1\n 1: 10\n 2: __cxx_global_var_init.3:5\n  1: 5\n__cxx_global_var_init:7:7\n 1: 7\n"
                                  "__tls_init:3:1\n 1: 3\n__tls_initial:3:1\n 1: 3\n",
    "profile of contexts": "[main]:100:1\n 4: 90 work:90\n[main:4 @ work]:90:90\n 2: 80 leaf:80\n[main:4 @ work:2 @ leaf]:80:80\n 1: 80\n"
                           "[leaf]:3:1\n 1: 3\n",
    "profile that was inlined": "[main]:100:1\n 4: 90 work:90\n[main:4 @ work]:90:90\n 2: 80\n !Attributes: 3\n",
    "profile of cold contexts": "[main]:1000:1\n 4: 900 work:900\n[main:4 @ work]:900:900\n 2: 900\n[main:5 @ work]:2:1\n 2: 2\n[other:1 @ work]:1:1\n 2: 1\n",
    "profile of recursion": "[work]:10:1\n 2: 9\n[work:2 @ work]:8:1\n 2: 8\n",
    "profile with a checksum": "main:100:1\n 1: 10 work:10\n !CFGChecksum: 77\nwork:50:10\n 2: 10\n !CFGChecksum: 78\n",
}
SCRIPT_OPTIONS = ("", "--skip-symbolization", FLAT_CS, "--ignore-stack-samples", "--pid=7", "--pid=8")
PROFILE_OPTIONS = ("", NESTED, "--csspgo-preinliner=0", "--trim-cold-profile --profile-summary-cold-count=20",
                   "--csprof-merge-cold-context --profile-summary-hot-count=20 " + NESTED,
                   "--mark-all-context-preinlined", "--generate-merged-base-profiles --csspgo-preinliner=0")


def run(tool, options, out):
    done = subprocess.run([*tool, *options, "--output", str(out)], capture_output=True, timeout=60)
    text = out.read_bytes() if done.returncode == 0 and out.exists() else b""
    out.unlink(missing_ok=True)
    kind = {0: "ok", 1: "refused"}.get(done.returncode, "crashed")
    figures = re.findall(rb"warning: ([0-9.]+%\([0-9]+/[0-9]+\) .*)", done.stderr)
    return kind, text, figures, done.stderr[-300:].decode(errors="replace")


def all_cases(programs):
    for program in programs:
        for flag, inputs, choices in (("--perfscript", SCRIPTS, SCRIPT_OPTIONS),
                                      ("--unsymbolized-profile", RAW, ("", "--csspgo-preinliner=0")),
                                      ("--llvm-sample-profile", PROFILES, PROFILE_OPTIONS)):
            for name, text in inputs.items():
                for options in choices:
                    yield program, flag, name, text, options


def title(case):
    program, _, name, _, options = case
    return f"{program.name}: {name} {options}".strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default="build/differential")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    if not shutil.which("llvm-profgen-22") or not shutil.which("clang-22"):
        print("skipped: llvm-profgen-22 or clang-22 is not installed")
        return 77
    folder = args.folder / "hand"
    folder.mkdir(parents=True, exist_ok=True)
    probes = ["-fpseudo-probe-for-profiling"]
    programs = [Built(folder, flags, pie) for flags in ([], probes) for pie in (False, True)]
    passed = failed = undecided = 0

    def compare(numbered):
        number, (program, flag, name, text, options) = numbered
        source = folder / f"{number}.input"
        source.write_text(program.fill(text, raw=flag == "--unsymbolized-profile"), newline="")
        words = ["--binary", str(program.path), flag, str(source), "--format=text", *options.split()]
        judge = run(["llvm-profgen-22"], words, folder / f"{number}.judge")
        return source, judge, run(shlex.split(args.candidate), words, folder / f"{number}.ours")

    chosen = [case for case in all_cases(programs) if re.search(args.only, title(case))]
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    for case, (source, judge, ours) in zip(chosen, pool.map(compare, enumerate(chosen))):
        if ours[0] == "crashed" or (judge[0] != "crashed" and judge[:3] != ours[:3]):
            failed += 1
            print(f"DIFFERENT: {title(case)}\n  judge {judge}\n  ours  {ours}\n  input {source}")
        elif judge[0] == "crashed":
            undecided += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {undecided} undecided: the judge crashed")
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())

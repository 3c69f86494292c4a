#!/usr/bin/env python3
"""damaged.py PGOKIT WALK [--rounds N] [--seconds N] [--seed N] [--only TEXT]: every command on damaged files of every kind it reads.

Each run has little memory and time. It must not crash or hang; where it fails, its message names the damaged file; nothing raw
reaches the terminal; and a profile that it writes loads, here and in llvm-profdata.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import inputs as made
from commands import commands, kind_of, with_file

MEMORY, SECONDS = 1500 << 20, 20
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, folder):
    """(exit code or what happened, output, messages)"""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                              cwd=folder, preexec_fn=limit, check=False)
    except subprocess.TimeoutExpired as late:
        return "a hang", late.stdout or b"", late.stderr or b""
    return done.returncode, done.stdout, done.stderr


def is_of_list(path, messages):
    """What a damaged list names does not exist or is another file, which is named; or it names nothing."""
    said = (b"No such file", b"is a folder", b"is no sample profile", b"no input files specified")
    return path.name == "list" and any(one in messages for one in said)


def is_of_other_file(messages):
    """Of inputs that do not go together the one that comes later is named, damaged or not."""
    return b"merge each kind by itself" in messages


def replace_number(rng, text):
    numbers = list(re.finditer(rb"\d+", text))
    if not numbers:
        return text
    chosen = rng.choice(numbers)
    value = rng.choice([b"0", b"65536", b"4294967296", b"99999", b"18446744073709551615", b"99999999999999999999999", b"-1"])
    return text[:chosen.start()] + value + text[chosen.end():]


def damage(rng, whole):
    data = bytearray(whole)
    at = rng.randrange(len(data))
    length = min(rng.choice([1, 2, 4, 8, 64, 1024]), len(data) - at)
    kind = rng.randrange(9)
    if kind == 0:
        return whole[:rng.choice([at, rng.randrange(min(64, len(data)))])]
    if kind == 1:
        for _ in range(rng.choice([1, 1, 3, 16])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 2:
        data[at:at + length] = b"\xff" * length
    elif kind == 3:
        data[at:at + length] = bytes(length)
    elif kind == 4:
        data[at:at] = rng.randbytes(length)
    elif kind == 5:
        del data[at:at + length]
    elif kind == 6:
        data += whole[rng.randrange(len(data)):]
    elif kind == 7:
        data[at:at] = rng.choice([b"\x1b[2J", b"\x9b31m", b"\r", b"\n", b"\0", b"\xc2\x9b"])
    else:
        return replace_number(rng, whole)
    return bytes(data)


class Trial:
    def __init__(self, options, inputs, folder):
        self.options, self.inputs, self.folder = options, inputs, folder
        self.judge = shutil.which("llvm-profdata-22")
        self.counts, self.faults = collections.Counter(), []
        self.end = time.monotonic() + (options.seconds or 1e9)

    def fault(self, what, words, kept, messages):
        self.counts[what] += 1
        if self.counts[what] <= 12:
            self.faults.append(f"{what}: {' '.join(map(str, words))}\n  with {kept}\n  {messages[-300:]!r}")

    def check(self, words, path, output, keep):
        code, printed, messages = run(words, path.parent.parent)
        self.counts["runs"] += 1
        self.counts[f"exit {code}"] += 1
        if code not in (0, 1, 2, 3):
            self.fault(f"ended by {code}", words, keep(), messages)
        elif code in (1, 2) and f"damaged/{path.name}".encode() not in messages and not is_of_list(path, messages) \
                and not is_of_other_file(messages):
            self.fault("the file is not named", words, keep(), messages)
        # What stands in for LLVM's tools, and assembly, keeps its bytes.
        if not words[1].startswith("llvm-") and words[1:3] != ["probes", "lower"] and RAW.search(messages + printed):
            self.fault("raw control characters", words, keep(), messages + printed[:300])
        if code in (0, 3) and output.exists():
            self.check_written(words, output, keep)

    def is_what_llvm_writes(self, words, output):
        """LLVM's tool writes profiles that none reads: of no function as text, of lines with more than 16 bits."""
        if words[1] != "llvm-profdata" or not self.judge:
            return False
        peer = output.with_name("peer")
        subprocess.run([self.judge, *(peer if word == output else word for word in words[2:])], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        return peer.exists() and peer.read_bytes() == output.read_bytes()

    def check_written(self, words, output, keep):
        if words[1] not in ("generate", "merge", "match", "llvm-profgen", "llvm-profdata") or {"--skip-symbolization", "bolt"} & set(words):
            return
        with open(output, "rb") as file:
            head = file.read(8)
        kind = subprocess.run([self.options.pgokit, "show", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if not kind.stdout.startswith(b"profile"):
            again = subprocess.run([self.options.pgokit, "merge", output, "-o", output], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if again.returncode and not self.is_what_llvm_writes(words, output):
                self.fault("written and not read", words, keep(), again.stderr)
            return
        self.counts["profiles written"] += 1
        if self.judge and not head.startswith(b"adcg"):  # GCC's form it does not know
            loaded = subprocess.run([self.judge, "merge", "--sample", output, "-o", "/dev/null"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, check=False)
            if loaded.returncode:
                self.fault("written and refused by llvm-profdata", words, keep(), loaded.stderr)

    def line_of(self, words, output, replaced):
        """The command line, with other files for some kinds."""
        files = self.inputs.paths | replaced
        return [self.options.pgokit, *(output if word == "OUT" else with_file(word, files[kind_of(word)]) if kind_of(word) else word
                                       for word in words)]

    def one_whole(self, words):
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            line = self.line_of(words, pathlib.Path(place, "out"), {})
            code, _, messages = run(line, place)
            if code not in (0, 3):  # 3: what check thinks of the profile
                self.fault("fails on whole files", line, "nothing damaged", messages)

    def one(self, words, kind, number):
        if time.monotonic() > self.end:
            return
        rng = random.Random(f"{self.options.seed} {words} {kind} {number}")
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            path = pathlib.Path(place, "damaged", self.inputs[kind].name)
            path.parent.mkdir()
            data = damage(rng, self.inputs[kind].read_bytes())
            path.write_bytes(data)
            path.chmod(0o755)

            def keep():
                saved = pathlib.Path(self.options.keep, f"{len(self.faults)}-{path.name}")
                saved.parent.mkdir(parents=True, exist_ok=True)
                saved.write_bytes(data)
                return saved

            output = pathlib.Path(place, "out")
            self.check(self.line_of(words, output, {kind: path}), path, output, keep)

    def go(self):
        chosen = commands(self.inputs, self.options.only)
        jobs = [(words, kind_of(word), number) for number in range(self.options.rounds) for words in chosen for word in words if kind_of(word)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job in [pool.submit(self.one_whole, words) for words in chosen] + [pool.submit(self.one, *job) for job in jobs]:
                job.result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pgokit")
    parser.add_argument("walk")
    parser.add_argument("--rounds", type=int, default=3, help="how often each file of each command is damaged")
    parser.add_argument("--seconds", type=int, default=0, help="end after that time, whatever is left; 0: never")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="commands with this text")
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "pgokit-damaged"), help="where failing files go")
    options = parser.parse_args()
    options.pgokit, options.walk = os.path.abspath(options.pgokit), os.path.abspath(options.walk)
    if missing := made.missing_tools():
        print("skipped: not installed:", *missing)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(options, made.Inputs(folder, options.pgokit, options.walk), folder)
        trial.go()
    print(*trial.faults, sep="\n")
    print(", ".join(f"{what} {count}" for what, count in sorted(trial.counts.items())))
    return int(bool(trial.faults))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""surroundings.py PGOKIT WALK: full disks, closed streams, pipes, devices, little memory, inputs that shrink: a message and exit code 1,
or the same bytes as from a file."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

import inputs as made

PGOKIT, WALK = (os.path.abspath(path) for path in sys.argv[1:])


def run(*words, **options):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60} | options
    return subprocess.run([PGOKIT, *map(str, words)], check=False, **options)


def check(what, passed, done=None):
    print(f"{'ok' if passed else 'FAILED'}: {what}{'' if passed or done is None else f': {done}'}")
    return passed


def full_disk(files):
    """Whatever prints on a full disk says so and fails."""
    passed = True
    for words in (("show", files["text"]), ("show", files["text"], "--json"), ("show", files["program"]), ("show", files["lbr"]),
                  ("compare", files["text"], files["text"]), ("check", files["text"]), ("check", files["text"], "--json"),
                  ("flags", "blocks"), ("doctor", files["program"]), ("doctor", "--json"), ("--help",), ("--version",), ("merge", "--help"),
                  ("probes", "stats", files["probes"]), ("probes", "dump", files["probes"]), ("probes", "disassemble", files["probes"]),
                  ("merge", files["text"], "-o", "-"), ("match", files["text"], "-b", files["program"], "-o", "/dev/null"),
                  ("order", files["text"], "-o", "/dev/null"), ("llvm-profdata", "show", "--sample", files["text"]),
                  ("llvm-profdata", "--help"), ("completion", "zsh"), ("help", "--man"), ("help", "--man", "show")):
        with open("/dev/full", "wb") as full:
            done = run(*words, stdout=full)
        said = b"cannot write: No space left on device" in done.stderr
        passed &= check(f"{' '.join(map(str, words[:2]))} to a full disk", done.returncode == 1 and said, done)
    return passed


def closed_streams(files):
    folder = files["text"].parent
    done = run("show", files["text"], preexec_fn=lambda: os.close(1))
    passed = check("standard output is closed", done.returncode == 1 and b"cannot write" in done.stderr, done)
    out = folder / "closed.prof"
    done = run("merge", files["text"], "-o", out, "--format", "text", preexec_fn=lambda: os.close(2))
    passed &= check("standard error is closed: the profile is whole", done.returncode == 0 and out.read_bytes() == files["merged"].read_bytes(), done)
    done = run("show", "-", preexec_fn=lambda: os.close(0))
    return passed & check("standard input is closed", done.returncode == 1 and b"standard input: cannot read" in done.stderr, done)


def pipes(files):
    """A named pipe and standard input are as good as a file, though commands look at inputs several times."""
    folder, passed = files["text"].parent, True
    cases = [("merge", "text", "-o", "OUT"), ("merge", "raw", "-o", "OUT"), ("generate", "lbr", "-b", files["program"], "-o", "OUT"),
             ("generate", "script", "-b", files["program"], "-o", "OUT"), ("generate", "lbr", "-b", "program", "-o", "OUT"),
             ("show", "text"), ("show", "lbr"), ("show", "script"), ("show", "program"), ("check", "text"),
             ("match", "text", "-b", files["program"], "-o", "OUT"), ("order", "text", "-o", "OUT"),
             ("order", "lbr", "-b", files["program"], "-o", "OUT"), ("probes", "dump", "probes"), ("probes", "disassemble", "probes"),
             ("llvm-profdata", "show", "--sample", "text", "-o", "OUT"),
             ("llvm-profgen", "--perfscript", "script", "--binary", files["program"], "-o", "OUT")]
    for number, case in enumerate(cases):
        results = []
        kind = next(word for word in case if word in files)
        ways = ["file", "named pipe"] + (["standard input"] if kind not in ("program", "probes") else [])
        for way in ways:
            out, pipe = folder / "OUT", folder / f"pipe-{number}"  # a late writer finds no other's
            out.unlink(missing_ok=True)
            whole = files[kind].read_bytes()
            place = {"file": files[kind], "named pipe": pipe, "standard input": "-"}[way]
            if way == "named pipe":
                os.mkfifo(pipe)
                threading.Thread(target=pipe.write_bytes, args=(whole,), daemon=True).start()
            words = [place if word == kind else out if word == "OUT" else word for word in case]
            options = {"input": whole, "stdin": None} if way == "standard input" else {}
            try:
                done = run(*words, **options)
            except subprocess.TimeoutExpired:
                passed = check(f"{case[0]} {kind} from a {way}", False, "it waits for ever")
                continue
            shown = done.stdout if out.exists() or done.returncode else b"" if case[0] == "show" else done.stdout
            results.append((way, done.returncode, out.read_bytes() if out.exists() else shown, done))
        for way, code, written, done in results[1:]:
            same = code == results[0][1] and (written == results[0][2] or case[0] in ("check", "match", "show"))
            passed &= check(f"{case[0]} {kind} from a {way}", same, done)
    return passed


def little_memory(files):
    """Input without an end, and none to be had."""
    passed = True
    for words in (("show", "/dev/zero"), ("merge", "/dev/zero", "-o", "/dev/null"), ("generate", "/dev/urandom", "-b", files["program"])):
        done = run(*words)
        passed &= check(f"{words[0]} {words[1]}", done.returncode == 1 and b"is a device, not a file" in done.stderr, done)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))

    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        done = run("show", "-", stdin=endless.stdout, preexec_fn=limit)
        endless.kill()
    return passed & check("no memory is left", done.returncode == 1 and b"memory" in done.stderr, done)


def shrinking(files):
    """Another program makes an input shorter while it is read."""
    large = files["text"].parent / "large.prof"
    seen = False
    for _ in range(20):
        large.write_bytes(b"".join(b"f%d:10:1\n 1: 10\n" % i for i in range(300_000)))
        with subprocess.Popen([PGOKIT, "merge", large, "-o", "/dev/null"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                process.wait(0.03)
            except subprocess.TimeoutExpired:
                pass
            os.truncate(large, 4096)
            message = process.communicate()[1]
        if process.returncode not in (0, 1):
            return check("an input that shrinks", False, (process.returncode, message))
        seen |= process.returncode == 1 and b"large.prof: became shorter while it was read" in message
    return check("an input that shrinks", seen, message)


def empty_lists(files):
    """A list that names nothing is named itself."""
    passed, listed = True, files["text"].parent / "empty-list"
    listed.write_text("\n")
    for command in ("merge", "order"):
        done = run(command, "-f", listed, "-o", "/dev/null")
        passed &= check(f"{command} of an empty list", done.returncode == 1 and b"empty-list: names no inputs" in done.stderr, done)
    return passed


def main():
    if missing := made.missing_tools():
        print("skipped: not installed:", *missing)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        all_files = made.Inputs(folder, PGOKIT, WALK)
        files = {"lbr": all_files["program-lbr-perfdata"], "script": all_files["program-lbr-script"], "raw": all_files["raw-lbr"],
                 "text": all_files["text"], "program": all_files["program"], "probes": all_files["probes"], "merged": pathlib.Path(folder, "merged")}
        run("merge", files["text"], "-o", files["merged"], "--format", "text")
        passed = [part(files) for part in (full_disk, closed_streams, pipes, little_memory, shrinking, empty_lists)]
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())

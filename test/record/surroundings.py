#!/usr/bin/env python3
"""The recorder in hostile surroundings: killed, attached again and again, without room for its output.

    surroundings.py PGOKIT PROGRAM FOLDER [CASE...]

PROGRAM is that of hostile.h. Each case is a function below; all of them without an argument.
"""
import os
import pathlib
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time

import survive

PATIENCE = 180
KILLS = int(os.environ.get("PGOKIT_KILLS", "6"))
ATTACHMENTS = 40

pgokit = program = folder = None


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def record(*arguments, **more):
    return survive.run([pgokit, "record", "--software", *map(str, arguments)], PATIENCE, **more)


def samples_of(messages):
    found = re.search(r"([\d,]+) samples", messages)
    return int(found[1].replace(",", "")) if found else 0


def temporary_files(data):
    return [one for one in folder.iterdir() if one.name.startswith(data.name) and one != data]


class Running:
    """A mode of the program that says "ready" and ends when its standard input does."""

    def __init__(self, mode):
        self.process = subprocess.Popen([program, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        expect(self.process.stdout.readline() == "ready\n", f"{mode} does not begin")

    def __enter__(self):
        return self.process.pid

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
            self.code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()


def virtual_size(pid):
    return int(re.search(r"VmSize:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def attachments():
    """Forty recordings of one process, and in other ways: all have samples, and nothing of them is left in it."""
    data = folder / "attachments.data"
    running = Running("until-end")
    with running as pid:
        size = virtual_size(pid)
        for i in range(ATTACHMENTS):
            code, _, said = record("-o", data, "-p", pid, "--for", 0.4, "-F", 500)
            expect(code == 0 and samples_of(said) > 0, f"attachment {i}: exit code {code}, {said}")
        for options in ["--exact"], ["--exact", "--contexts"], ["--memory"]:
            code, _, said = record("-o", data, "-p", pid, "--for", 0.4, *options)
            expect(code == 0, f"attachment with {options}: exit code {code}, {said}")
            expect(virtual_size(pid) < size + 10_000, f"{options}: {size} kB have become {virtual_size(pid)}")
        expect(virtual_size(pid) < size + 10_000, f"{size} kB have become {virtual_size(pid)}")
    expect(running.code == 69, f"exit code {running.code}")


def main_thread_has_ended():
    data = folder / "main-gone.data"
    running = Running("until-end-without-main")
    with running as pid:
        code, _, said = record("-o", data, "-p", pid, "--for", 0.5, "-F", 500)
        expect(code == 0 and samples_of(said) > 0, f"exit code {code}: {said}")
    expect(running.code == 69, f"exit code {running.code}")
    code, out, said = record("-o", data, "-F", 500, "--", program, "main-ends")
    expect(code == 66 and samples_of(said) > 0, f"launched: exit code {code}: {said}")


def vfork_is_not_waited_for():
    """Its parent cannot be stopped; here it waits until the recording is over."""
    running = Running("waiting-vfork")
    with running as pid:
        time.sleep(0.5)
        code, _, said = record("-o", folder / "vfork.data", "-p", pid, "--for", 0.3)
        expect(code in (0, 1), f"exit code {code}: {said}")  # without samples it is 1
    expect(running.code == 68, f"exit code {running.code}")


def short_lives():
    """Threads and processes that live for less than a period have samples at the default rate."""
    for mode in ("short-threads", "short-processes"):
        code, _, said = record("-o", folder / "short.data", "--", program, mode)
        expect(samples_of(said) > 0, f"{mode}: exit code {code}: {said}")


def kills():
    """The recorder is killed at a random moment; the program goes on and prints what it prints alone."""
    wrong = []
    for mode in ("plain", "timers", "sequences", "together", "patched-by-mprotect", "spawns"):
        alone = survive.run([program, mode], PATIENCE)
        for i in range(KILLS):
            result = folder / f"killed-{mode}.txt"
            with open(result, "w") as out:
                recorder = subprocess.Popen([pgokit, "record", "-q", "--software", "-F", "3000", "-o", folder / "killed.data",
                                             "--", program, mode], stdout=out, start_new_session=True)
            while not children_of(recorder.pid) and recorder.poll() is None:
                time.sleep(0.005)
            time.sleep(random.uniform(0, 0.5))
            recorder.kill()
            recorder.wait()
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and result.read_text() != alone[1] and group_lives(recorder.pid):
                time.sleep(0.05)
            if result.read_text() != alone[1]:
                wrong.append(f"{mode}: {result.read_text()!r}")
            expect(not temporary_files(folder / "killed.data"), "a temporary file is left")
    expect(not wrong, f"{len(wrong)} of {6 * KILLS}: {wrong[:3]}")


def no_handler_is_called():
    """Servers end their workers by a handler of SIGWINCH, which they may set up late. Of a recorder that is killed it hears nothing."""
    def handle(running):
        running.process.stdin.write("h")
        running.process.stdin.flush()
        expect(running.process.stdout.readline() == "handled\n", "it sets up no handler")

    for way in ("-F3000", "--exact"):
        for is_late in [False, True] * (KILLS // 2):
            running = Running("window-size-kept")
            with running as pid:
                if not is_late:
                    handle(running)
                recorder = subprocess.Popen([pgokit, "record", "-q", "--software", way, "-o", folder / "handler.data", "-p", str(pid)],
                                            stderr=subprocess.DEVNULL)
                time.sleep(random.uniform(0.2, 0.4))
                if is_late:
                    handle(running)
                    time.sleep(random.uniform(0, 0.1))
                recorder.kill()
                recorder.wait()
            expect(running.code == 69, f"{way}, {'late' if is_late else 'early'}: exit code {running.code}")


def children_of(pid):
    found = []
    for one in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(one.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(one.parent.name)
        except OSError:
            pass
    return found


def group_lives(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def signal_queue_overflows():
    code, out, said = record("-o", folder / "queue.data", "-F", 3000, "--", program, "together",
                             preexec_fn=limited(resource.RLIMIT_SIGPENDING, 1))
    expect((code, out) == survive.run([program, "together"], PATIENCE)[:2], f"exit code {code}: {said}")


def interrupted():
    """SIGINT to the recorder goes on to the program it has started, and ends other recordings."""
    data = folder / "interrupted.data"
    with Running("until-end") as pid:
        recorder = subprocess.Popen([pgokit, "record", "-q", "--software", "-o", data, "-p", str(pid)])
        deadline = time.monotonic() + PATIENCE
        while "TracerPid:\t0\n" in pathlib.Path(f"/proc/{pid}/status").read_text() and time.monotonic() < deadline:
            time.sleep(0.01)
        recorder.send_signal(signal.SIGINT)
        code = recorder.wait(PATIENCE)  # 1: there were no samples yet
        expect(code in (0, 1) and data.exists() == (code == 0), f"exit code {code}")
    recorder = subprocess.Popen([pgokit, "record", "-q", "--software", "-o", data, "--", program, "until-end"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    expect(recorder.stdout.readline() == "ready\n", "the program does not begin")
    recorder.send_signal(signal.SIGINT)
    expect(recorder.wait(PATIENCE) == -signal.SIGINT, f"exit code {recorder.returncode}")


def outputs():
    data = folder / "output.data"
    pipe = folder / "pipe"
    for path in (data, pipe):
        path.unlink(missing_ok=True)
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.DEVNULL)
    code, _, said = record("-o", pipe, "--", program, "plain")
    reader.kill()
    reader.wait()
    expect(code == 1 and "cannot be written to a pipe" in said, f"a pipe: exit code {code}: {said}")
    code, _, said = record("-o", "/dev/stdout", "--", program, "plain")
    expect(code == 1 and "standard output" in said, f"/dev/stdout: exit code {code}: {said}")
    code, out, said = record("-o", data, "-F", 3000, "--", program, "plain", preexec_fn=limited(resource.RLIMIT_FSIZE, 4096))
    expect(code == 1 and out.startswith("plain ") and "File too large" in said, f"limit: exit code {code}: {said}")
    expect(not data.exists() and not temporary_files(data), "a temporary file is left")
    code, out, said = record("-o", "/dev/full", "--", program, "plain")
    expect(code == 1 and out.startswith("plain ") and "No space left" in said, f"/dev/full: exit code {code}: {said}")
    code, _, said = record("-o", folder / "no" / "where", "--", program, "plain")
    expect(code == 1 and "No such file" in said, f"no folder: exit code {code}: {said}")
    data.write_text("old")
    data.chmod(0o600)
    expect(record("-o", data, "--", program, "plain")[0] == 70, "a recording over an old one")
    expect(stat.S_IMODE(data.stat().st_mode) == 0o600 and data.stat().st_size > 1000, "the mode is lost")


def sandboxes_are_told():
    code, _, said = record("-o", folder / "told.data", "-F", 1000, "--", program, "strict")
    expect(code == 41 and "restricts its system calls" in said, f"exit code {code}: {said}")


CASES = [attachments, main_thread_has_ended, vfork_is_not_waited_for, short_lives, kills, no_handler_is_called, signal_queue_overflows,
         interrupted, outputs, sandboxes_are_told]


def main(cases):
    global pgokit, program, folder
    pgokit, program = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as name:
        folder = pathlib.Path(name)
        return run_cases(cases, sys.argv[4:])


def run_cases(cases, chosen):
    if not survive.can_record(pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    failed = 0
    for case in cases:
        if chosen and case.__name__ not in chosen:
            continue
        try:
            case()
            print(f"{case.__name__}: as it should be", flush=True)
        except (Failure, subprocess.TimeoutExpired) as why:
            failed += 1
            print(f"{case.__name__}: {why}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(CASES))

"""What pgokit record says of a recording is true: its size, processes, threads, events and next steps.

    summary.py PGOKIT PROGRAM FOLDER [CASE...]

PROGRAM is that of hostile.h. Each case is a function below; all of them without an argument.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import survive

pgokit = program = folder = None


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(*arguments):
    code, out, said = survive.run([pgokit, *map(str, arguments)], 180)
    expect(code is not None, f"{arguments} did not end")
    return code, out, said


def software(name, *arguments):
    """Exit code, messages and the file's path."""
    data = folder / name
    code, _, said = run("record", "--software", "-o", data, *arguments)
    return code, said, data


def stats_of(said):
    """What --stats printed; a message may follow."""
    return json.JSONDecoder().raw_decode(said)[0]


def sizes():
    code, said, data = software("size.perf", "--stats", "--", program, "plain")
    told = stats_of(said)["file_size"]
    expect(told == data.stat().st_size, f"{told} bytes, and there are {data.stat().st_size}: exit code {code}")


def processes():
    """A shell with twelve children; each of them calls exec, and so does the shell at first."""
    _, said, _ = software("children.perf", "--stats", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do env true; done; true")
    stats = stats_of(said)
    expect((stats["processes"], stats["threads"]) == (13, 13), str(stats))


def attached():
    with subprocess.Popen([program, "until-end"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        expect(running.stdout.readline() == "ready\n", "the program does not begin")
        _, said, _ = software("attached.perf", "--stats", "--for", "0.5", "-p", running.pid)
        threads = len(os.listdir(f"/proc/{running.pid}/task"))
        running.stdin.close()
    stats = stats_of(said)
    expect((stats["processes"], stats["threads"]) == (1, threads), f"{threads} threads: {stats}")


def wait_for_child(pid, name):
    """What it starts is another process by then."""
    for _ in range(1000):
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if any(pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name for child in children):
            return
        time.sleep(0.01)
    expect(False, f"{pid} has not started {name}")


def attached_in_vain():
    """To a master, a stopped process, or to nobody: what to do about it."""
    with subprocess.Popen(["sh", "-c", "sleep 9 & wait"], start_new_session=True) as master:
        try:
            wait_for_child(master.pid, "sleep")
            _, said, _ = software("master.perf", "--for", "0.3", "-p", master.pid)
            expect("1 process that was started before is not recorded: --tree adds it\n" in said, said)
            _, said, _ = software("master.perf", "--for", "0.3", "-p", master.pid, "--tree")
            expect("is not recorded" not in said, said)
            os.kill(master.pid, signal.SIGSTOP)
            _, said, _ = software("stopped.perf", "--for", "0.3", "-p", master.pid)
            expect(f"process {master.pid} is stopped, and goes on by kill -CONT {master.pid}\n" in said, said)
        finally:
            os.killpg(master.pid, signal.SIGKILL)
    code, said, _ = software("nobody.perf", "-p", "99999999")
    expect((code, said) == (1, "pgokit record: there is no process 99999999\n"), f"{code}: {said}")


def nested():
    """Two recorders cannot trace one program: the second says which is the first."""
    code, said, _ = software("outer.perf", "--", pgokit, "record", "-o", folder / "inner.perf", "--", "true")
    expect(code == 1 and "cannot trace true: process" in said and "as another recording" in said, f"exit code {code}: {said}")


def thin_recordings():
    """A recording that is too thin tells the option that makes it dense: of a short run, --exact."""
    def busy(rounds):
        return ["sh", "-c", f"i=0; while [ $i -lt {rounds} ]; do i=$((i+1)); done"]

    start = time.monotonic()
    subprocess.run(busy(150000), check=True)
    each = (time.monotonic() - start) / 150000
    for rounds, option in (int(0.1 / each), "--exact"), (int(4 / each), r"--slowdown \d+|--exact"):
        _, said, _ = software("thin.perf", "--slowdown", "0.1", "--", *busy(rounds))
        told = re.search(rf"(?:record again with|did not run long enough;) ({option})\b", said, re.M)
        expect(told, said)
        _, said, _ = software("dense.perf", *told[1].split(), "--", *busy(rounds))
        expect("record again" not in said and " counted" in said, f"{told[1]}: {said}")
    for options, better in ([], True), (["--memory"], False):  # of which --exact has none
        _, said, _ = software("half.perf", "--slowdown", "50", *options, "--", *busy(150000))
        expect(("--exact costs about as much as --slowdown 40," in said) == better, f"{options}: {said}")


def of_one_program():
    """A recording that is dense as a whole may tell little of a program that hardly ran: generate and check say so."""
    loop = f"i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done; {program} plain; exit 0"
    _, said, data = software("one.perf", "--slowdown", "4", "--", "sh", "-c", loop)
    expect("record again" not in said and " counted" in said, said)
    profile = folder / "one.prof"
    code, _, said = run("generate", data, "-b", program, "-o", profile)
    expect(code == 0 and "for a denser profile record again with" in said, f"exit code {code}: {said}")
    told = json.loads(run("generate", data, "-b", program, "-o", profile, "--json")[1])
    expect(any("tell little of the program" in warning for warning in told["warnings"]), str(told["warnings"]))
    code, out, said = run("check", profile, "-b", program, "--recording", data)
    expect("for a denser profile record again with" in out + said, f"exit code {code}: {out}{said}")


def until_dense():
    """What is attached to runs on when the recording of it is dense."""
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as running:
        try:
            _, said, _ = software("dense.perf", "--stats", "--until-dense", "--for", "60", "-p", running.pid)
            expect(running.poll() is None, "the program has ended")
        finally:
            running.kill()
    stats = stats_of(said)
    expect(stats["likeness"] >= 0.95 and stats["windows"] >= 20, said)
    short = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"
    _, said, _ = software("soon.perf", "--slowdown", "5", "--until-dense", "--", "sh", "-c", short)
    expect("it ended before the recording was dense enough for --until-dense (95 %)\n" in said, said)


def event_names():
    listed = run("doctor", "--json")[1]
    code, _, said = run("record", "-e", "cpu-clock", "-o", folder / "clock.perf", "--", program, "plain")
    expect("there is no event" not in said, f"exit code {code}: {said}\n{listed}")


def failing_programs():
    """Whose exit code it is, and what to do, also with -q; not where a person interrupts."""
    for way in ((), ("-q",), ("--exact", "-q")):
        code, said, _ = software("failing.perf", *way, "--", "sh", "-c", "i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done; exit 3")
        expect(code == 3 and "i=$((i+1)); done; exit 3' ended with exit code 3" in said and "sh -c 'COMMAND || true'" in said, f"{way}: {code}: {said}")
        expect(said.count("\n") == 1 or "-q" not in way, f"{way}: one line: {said}")
    code, said, _ = software("passing.perf", "--exact", "-q", "--", "sh", "-c", "false || true")
    expect((code, said) == (0, ""), f"{code}: {said}")
    code, said, _ = software("interrupted.perf", "--exact", "-q", "--", "sh", "-c", "kill -INT $$")
    expect((code, said) == (-signal.SIGINT, ""), f"as the program, which a shell looks for: {code}: {said}")


def interrupted_early():
    """Ctrl-C right after the start, also before the program runs, ends all."""
    for way in ((), ("--exact",), ("--only", "sleep")):
        for n in range(12):
            with subprocess.Popen([pgokit, "record", "-q", *way, "-o", folder / "early.perf", "--", "sleep", "100"],
                                  start_new_session=True, stderr=subprocess.DEVNULL) as recorder:
                time.sleep(0.002 * n)
                os.killpg(recorder.pid, signal.SIGINT)
                try:
                    code = recorder.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    os.killpg(recorder.pid, signal.SIGKILL)
                    raise Failure(f"{way}: it hangs, interrupted after {2 * n} ms") from None
                expect(code == -signal.SIGINT, f"{way}: {code}")


def left_running():
    """A recording ends with its command; of what that leaves in the background it tells."""
    background = "sleep 5 >/dev/null 2>&1 &"
    way = r"pgokit record: 1 process that it had started went on; pgokit record -p \d+ records what they do\n"
    for options in ["--exact"], ["-F", "3000"]:
        _, said, _ = software("daemon.perf", *options, "--", "sh", "-c", f"{background} i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done")
        expect(re.search(way, said) and "all of the run" not in said, f"{options}: {said}")
    _, said, _ = software("soon.perf", "--slowdown", "0.1", "--", "sh", "-c", background)  # mostly without a sample
    expect("1 process that it had started went on; pgokit record -p " in said, said)
    _, said, _ = software("whole.perf", "--exact", "--", "sh", "-c", "sleep 0.1 & wait")
    expect("all of the run" in said and "went on" not in said, said)
    with subprocess.Popen([pgokit, "record", "--exact", "-o", folder / "group.perf", "--", "sh", "-c", "sleep 9 & sleep 9 & wait"],
                          start_new_session=True, stderr=subprocess.PIPE, text=True) as recorder:
        time.sleep(0.5)
        os.killpg(recorder.pid, signal.SIGTERM)
        said = recorder.communicate(timeout=20)[1]
    expect("all until a signal ended the command" in said and "went on" not in said, said)


def call_chains_are_missing():
    _, _, data = software("bare.perf", "-F", "1000", "--no-callchain", "--", program, "plain")
    code, _, said = run("generate", data, "-b", program, "--cs", "-o", folder / "bare.prof")
    expect(code == 1 and "pgokit record without --no-callchain" in said, f"exit code {code}: {said}")


CASES = [sizes, processes, attached, attached_in_vain, nested, thin_recordings, of_one_program, until_dense, event_names, failing_programs, interrupted_early, left_running, call_chains_are_missing]


def main():
    global pgokit, program, folder
    pgokit, program = sys.argv[1], sys.argv[2]
    if not survive.can_record(pgokit):
        print("SKIPPED: ptrace is not permitted here")
        return survive.NO_TRACING
    failed = 0
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as name:
        folder = pathlib.Path(name)
        for case in CASES:
            if sys.argv[4:] and case.__name__ not in sys.argv[4:]:
                continue
            try:
                case()
                print(f"{case.__name__}: as it should be", flush=True)
            except Failure as why:
                failed += 1
                print(f"{case.__name__}: {why}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

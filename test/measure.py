#!/usr/bin/env python3
"""measure.py PGOKIT: commands whose difference is known, commands that fail, and what is told of them."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PGOKIT = sys.argv[1]
checks = 0


def check(what, holds, seen=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def measure(*arguments):
    return subprocess.run([PGOKIT, "measure", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def fails(what, code, text, *arguments):
    done = measure(*arguments)
    check(what, done.returncode == code and text in done.stderr and not done.stdout and done.stderr.count("\n") <= 2,
          (done.returncode, done.stdout, done.stderr))


def measured(*arguments):
    done = measure("--json", *arguments)
    check(arguments, done.returncode == 0 and not done.stderr, done.stderr)
    return json.loads(done.stdout)


def count(times):
    """A command whose CPU time is proportional to the number."""
    return f"python3 -S -E count.py {times}"


def main():
    pathlib.Path("count.py").write_text("import sys\nfor i in range(int(sys.argv[1])): pass\n")

    # A difference of more than half is seen on any machine, however busy: the less is always less.
    told = measured("-n", 8, "--", count(6000000), count(600000), count(6000000))
    faster = told["comparisons"][0]["figures"]["cpu_s"]
    check("less work takes less time", faster["low"] <= faster["ratio"] <= faster["high"] < 0.7, faster)
    check("and is faster", "B is " in told["comparisons"][0]["verdict"] and " faster than A" in told["comparisons"][0]["verdict"], told)
    check("every run is there", [len(command["runs"]) for command in told["commands"]] == [8, 8, 8], told)
    for command in told["commands"]:
        for run in command["runs"]:
            check("times make sense", 0 < run["cpu_s"] and 0 < run["wall_s"] < 60 and run["peak_memory"] > 1e6
                  and run["page_faults"] > 10 and run["cpu_s"] == run["user_s"] + run["system_s"], run)
    text = measure("-n", 8, "--", count(6000000), count(600000)).stdout
    check("the table has both", "\nA   " in text and "\nB   " in text and "B compared with A" in text, text)
    check("the verdict is last", text.splitlines()[-1].startswith("B is ") and "(CPU time, 95 %)" in text.splitlines()[-1], text)

    # What waits takes no CPU time, and a shell runs what is more than words.
    told = measured("-n", 6, "--by", "wall", "--", "sleep 0.2", "sleep 0.1; :")
    check("elapsed time", "B is " in told["comparisons"][0]["verdict"] and "(elapsed" in told["comparisons"][0]["verdict"], told)
    check("of one command", len(measured("-n", 1, "--", "true")["comparisons"]) == 0)

    # The gain that is certain decides.
    gain = ["-n", 8, "--", count(6000000), count(600000)]
    check("more than was asked for", measure("--min-gain", 30, *gain).returncode == 0)
    done = measure("--min-gain", 99.5, *gain)
    check("less than was asked for", done.returncode == 3 and "99.5 % was asked for" in done.stderr and done.stdout, done.stderr)
    check("may be slower", measure("--min-gain", "-5000", "-n", 8, "--", count(60000), count(600000)).returncode == 0)

    # Output and ends.
    check("equal output", measure("--same-output", "-n", 6, "--", "echo a", "printf 'a\\n'").returncode == 0)
    fails("another output", 1, "echo b: prints something else than echo a: line 1 is 'b', not 'a'", "--same-output", "-n", 6, "--", "echo a", "echo b")
    fails("output of each run", 1, "something else than at its first run", "--same-output", "-n", 2, "--", "echo $$")
    check("output goes to somebody", measure("-n", 1, "--warm-up", 0, "--", "test -p /dev/stdout").returncode == 0)
    fails("another end", 1, "exit code 3", "--same-output", "--may-fail", "-n", 6, "--", "(exit 0)", "(exit 3)")
    fails("a failure and its reason", 1, "ended with exit code 4 (no input)", "-n", 6, "--", "true", "echo no input >&2; exit 4")
    fails("a signal", 1, "was ended by signal", "-n", 6, "--", "kill -9 $$")
    check("may fail", measured("--may-fail", "-n", 6, "--", "(exit 4)")["commands"][0]["runs"][0]["exit_code"] == 4)
    fails("no such program", 1, "No such file or directory", "--", "./is-not-there")
    begun = time.monotonic()
    fails("a run without end", 1, "takes longer than --timeout", "--timeout", 0.3, "--", "sleep 100 | cat")
    check("is ended", time.monotonic() - begun < 50)

    # What is left running keeps nobody up, also if it writes for ever.
    begun = time.monotonic()
    check("children that stay", measure("--same-output", "-n", 1, "--warm-up", 0, "--", "sleep 60 & echo a").returncode == 0)
    check("are not waited for", time.monotonic() - begun < 50)
    done = measure("-n", 1, "--warm-up", 0, "--", "yes >&2 & echo $! > yes.pid")
    os.kill(int(pathlib.Path("yes.pid").read_text()), signal.SIGKILL)
    check("nor are they read for ever", done.returncode == 0, done.stderr)

    # Each run is prepared; runs that warm up are not counted.
    measure("-n", 3, "--warm-up", 2, "--prepare", "echo x >> prepared", "--", "echo y >> run")
    check("prepared", [len(pathlib.Path(name).read_text()) for name in ("prepared", "run")] == [10, 10])
    measure("-n", 6, "--prepare", "rm -f b; touch a", "--prepare", "rm -f a; touch b", "--", "test -f a", "test -f b")
    check("each by its own", pathlib.Path("a").exists() != pathlib.Path("b").exists())
    done = measure("-n", 6, "--name", "plain", "--name", "new one", "-o", "told.json", "--", "true", "true")
    check("they have names", "\nplain " in done.stdout and "new one compared with plain" in done.stdout, done)
    written = json.loads(pathlib.Path("told.json").read_text())
    check("also in the file", [one["name"] for one in written["commands"]] == ["plain", "new one"] and "plain" in written["comparisons"][0]["verdict"],
          written)
    fails("what prepares fails", 1, "false: ended with exit code 1", "--prepare", "false", "--", "true")

    fails("no command", 2, "there is no command")
    fails("words of one command", 2, "each is one argument: pgokit measure -- 'ls -l /'", "--", "ls", "-l", "/")
    fails("words of one command", 1, "/no/file: No such file or directory; each is one argument: pgokit measure -- 'ls /no/file'",
          "ls", "/no/file")
    fails("an option behind commands", 2, "'-n' is no command: options stand before the commands", "ls -l", "true", "-n", "6")
    fails("preparations of some", 2, "--prepare is given once, or once for each of the 3 commands", "--prepare", "a", "--prepare", "b", "--", "a", "b", "c")
    fails("names of some", 2, "--name is given for each of the 2 commands", "--name", "a", "--", "a", "b")
    fails("an empty one", 2, "a command is empty", "--", " ")
    fails("too few", 2, "6 are the fewest", "-n", 5, "--", "true", "true")
    fails("too few for three", 2, "7 are the fewest", "-n", 6, "--", "true", "true", "true")
    fails("two limits", 2, "exclude each other", "-n", 6, "--for", 2, "--", "true")
    fails("another figure", 2, "cpu, wall or instructions", "--by", "speed", "--", "true")
    fails("a gain of one", 2, "there is one", "--min-gain", 1, "--", "true")
    fails("more than all", 2, "below 100", "--min-gain", 100, "--", "true", "true")

    # Somebody ends it, perhaps by several signals: so do the commands.
    process = subprocess.Popen([PGOKIT, "measure", "--", "echo $$ > pid; sleep 100"], stderr=subprocess.PIPE, text=True)
    while not pathlib.Path("pid").exists() or not pathlib.Path("pid").read_text().strip():
        time.sleep(0.01)
    for which in (signal.SIGINT, signal.SIGINT, signal.SIGHUP):
        process.send_signal(which)
    error = process.stderr.read()
    check("interrupted", process.wait() == 130 and "interrupted" in error, error)
    time.sleep(0.1)
    check("and nothing is left", not pathlib.Path(f"/proc/{pathlib.Path('pid').read_text().strip()}/exe").exists())
    print(f"{checks} checks passed")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()

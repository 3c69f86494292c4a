#!/usr/bin/env python3
"""Several processes at once: control groups, the whole machine, and a recorder that a service manager ends.

    groups.py PGOKIT PROGRAM FOLDER [CASE...]

PROGRAM is that of hostile.h. The control groups are made here, where that is permitted. The processor's way is taken
with an event that every kernel has (cpu-clock), which has no branch stacks.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import surroundings
from surroundings import Running, expect, samples_of, PATIENCE

SPIN = "while :; do :; done"


def record(*arguments, **more):
    return surroundings.survive.run([surroundings.pgokit, "record", *map(str, arguments)], PATIENCE, **more)


def output(name):
    return surroundings.folder / name


def processes_in(data):
    shown = subprocess.run([surroundings.pgokit, "show", data, "--json"], stdout=subprocess.PIPE, text=True).stdout
    return {int(pid) for pid in re.findall(r'"pid": (\d+)', shown)}


def mounted():
    """The folder in which groups are made: the first hierarchy that --cgroup looks at."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
    return [pathlib.Path(one[1]) for one in mounts if one[2] == "cgroup2"]


class Group:
    """A control group, removed at the end with all that runs in it."""

    def __init__(self, name, parent=None):
        self.folder = (parent or mounted()[0]) / f"{name}-{os.getpid()}"
        self.children = []

    def __enter__(self):
        self.folder.mkdir()
        return self

    def add(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

    def start(self, *command, **more):
        child = subprocess.Popen(command, preexec_fn=lambda: self.add(os.getpid()), **more)
        self.children.append(child)
        return child

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for pid in (self.folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.02)


def can_make_groups():
    try:
        with Group("pgokit-try"):
            return True
    except (IndexError, OSError):
        return False


def group_and_those_in_it():
    """By its name; the processes of a group inside too, and one that starts while it is recorded."""
    data = output("group.data")
    with Group("pgokit-group") as group, Group("inside", group.folder) as inside:
        first = [group.start("sh", "-c", SPIN).pid, inside.start("sh", "-c", SPIN).pid]
        late = subprocess.Popen(["sh", "-c", f"sleep 1; echo $$ > {group.folder}/cgroup.procs; {SPIN}"])
        outside = subprocess.Popen(["sh", "-c", SPIN])
        name = group.folder.relative_to(mounted()[0])
        for way in (["--software", "-F", 200], ["--exact"]):
            code, _, said = record(*way, "-o", data, "--cgroup", name, "--for", 3)
            expect(code == 0, f"{way}: exit code {code}: {said}")
            expect("3 threads in 3 processes" in said, f"{way}: {said}")
        code, _, said = record("--software", "-F", 200, "-o", data, "--cgroup", group.folder, "--for", 1)
        expect(code == 0 and processes_in(data) == {*first, late.pid}, f"exit code {code}: {processes_in(data)}: {said}")
        for one in (late, outside):
            one.kill()
            one.wait()


def group_ends():
    """The recording ends with the last process, and goes on where another one has joined by then."""
    data = output("ends.data")
    with Group("pgokit-ends") as group:
        group.start("sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done")
        code, _, said = record("--software", "-F", 500, "-o", data, "--cgroup", group.folder)
        expect(code == 0 and samples_of(said) > 0, f"exit code {code}: {said}")
        code, _, said = record("--software", "-o", data, "--cgroup", group.folder)
        expect(code == 1 and "there are no processes in the control group" in said, f"empty: {code}: {said}")


def group_by_the_processor():
    """Only what is in the group has samples, and its code is found."""
    data = output("counted.data")
    with Group("pgokit-counted") as group:
        inside = group.start("sh", "-c", SPIN)
        outside = subprocess.Popen(["sh", "-c", SPIN])
        code, _, said = record("-e", "cpu-clock", "-F", 500, "-o", data, "--cgroup", group.folder, "--for", 1)
        outside.kill()
        outside.wait()
        expect(code == 0 and processes_in(data) == {inside.pid}, f"exit code {code}: {processes_in(data)}: {said}")
        shown = subprocess.run([surroundings.pgokit, "show", data], stdout=subprocess.PIPE, text=True).stdout
        expect(os.path.realpath("/bin/sh") in shown, shown)


def whole_machine():
    """All that runs, for a time or while a command does; processes from before and from meanwhile."""
    data = output("machine.data")
    before = subprocess.Popen(["sh", "-c", SPIN])
    code, _, said = record("-e", "cpu-clock", "-F", 500, "-o", data, "-a", "--for", 1)
    expect(code == 0 and before.pid in processes_in(data), f"exit code {code}: {said}")
    code, out, said = record("-e", "cpu-clock", "-F", 500, "-o", data, "-a", "--", "sh", "-c",
                             f"echo $$; (sleep 1; kill $$) & {SPIN}")
    before.kill()
    before.wait()
    expect(code == -signal.SIGTERM, f"exit code {code}: {said}")
    expect({before.pid, int(out)} <= processes_in(data), f"{processes_in(data)}: {said}")


def whole_machine_until_sigterm():
    data = output("until.data")
    recorder = subprocess.Popen([surroundings.pgokit, "record", "-q", "-e", "cpu-clock", "-F", "500", "-o", data, "-a"])
    busy = subprocess.Popen(["sh", "-c", SPIN])
    time.sleep(2)
    recorder.terminate()
    expect(recorder.wait(PATIENCE) == 0, f"exit code {recorder.returncode}")
    expect(busy.poll() is None, "a process has ended")
    busy.kill()
    busy.wait()
    whole(data)
    expect(busy.pid in processes_in(data), f"{processes_in(data)}")


def whole_machine_is_not_for_software():
    code, _, said = record("-a", "--hardware", "-o", output("no.data"), "--for", 0.1)
    expect(code == 0 or "in software --cgroup and -p with --tree" in said, f"exit code {code}: {said}")


def started(recorder, pid):
    deadline = time.monotonic() + PATIENCE
    while "TracerPid:\t0\n" in pathlib.Path(f"/proc/{pid}/status").read_text() and time.monotonic() < deadline:
        expect(recorder.poll() is None, "the recorder has ended")
        time.sleep(0.01)


def whole(data):
    """A recording that is complete, and says so."""
    shown = subprocess.run([surroundings.pgokit, "show", data], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(shown.returncode == 0 and "samples" in shown.stdout and "incomplete" not in shown.stdout, shown.stdout)


def ended_as_by_a_service_manager():
    """SIGTERM to the recorder: a started program gets it, and its recording is whole; so are those of others."""
    for way in (["--software", "-F", "500"], ["--exact"], ["-e", "cpu-clock"]):
        data = output("ended.data")
        data.unlink(missing_ok=True)
        recorder = subprocess.Popen([surroundings.pgokit, "record", *way, "-o", data, "--", "sh", "-c",
                                     "trap 'echo ended; exit 7' TERM; echo ready; " + SPIN],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(recorder.stdout.readline() == "ready\n", f"{way}: the program does not begin")
        time.sleep(0.5)
        recorder.terminate()
        out, said = recorder.communicate(timeout=PATIENCE)
        expect(recorder.returncode == 7 and out == "ended\n", f"{way}: {recorder.returncode}, {out!r}: {said}")
        whole(data)
    for way in (["--software", "-F", "500"], ["--exact"]):
        with Running("until-end") as pid:
            data = output("detached.data")
            data.unlink(missing_ok=True)
            recorder = subprocess.Popen([surroundings.pgokit, "record", "-q", *way, "-o", data, "-p", str(pid)])
            started(recorder, pid)
            time.sleep(0.5)
            recorder.terminate()
            expect(recorder.wait(PATIENCE) == 0, f"{way}: -p: exit code {recorder.returncode}")
            whole(data)


def group_that_is_left():
    """SIGTERM to the recorder of a group: its processes go on, and the recording is whole."""
    data = output("left.data")
    with Group("pgokit-left") as group:
        child = group.start("sh", "-c", SPIN)
        recorder = subprocess.Popen([surroundings.pgokit, "record", "-q", "--software", "-F", "500", "-o", data,
                                     "--cgroup", group.folder])
        started(recorder, child.pid)
        time.sleep(0.5)
        recorder.terminate()
        expect(recorder.wait(PATIENCE) == 0, f"exit code {recorder.returncode}")
        expect(child.poll() is None, "the process has ended")
        whole(data)


ALWAYS = [ended_as_by_a_service_manager, whole_machine_is_not_for_software]
WITH_EVENTS = [whole_machine, whole_machine_until_sigterm]
WITH_GROUPS = [group_and_those_in_it, group_ends, group_that_is_left]
WITH_BOTH = [group_by_the_processor]


def main():
    events = subprocess.run([sys.argv[1], "record", "-q", "-a", "-e", "cpu-clock", "--for", "0.01", "-o", "/dev/null"],
                            stderr=subprocess.DEVNULL).returncode == 0
    groups = can_make_groups()
    cases = ALWAYS + events * WITH_EVENTS + groups * WITH_GROUPS + (events and groups) * WITH_BOTH
    if not groups:
        print("control groups cannot be made here: their cases are left out")
    if not events:
        print("whole processors cannot be recorded here: their cases are left out")
    return surroundings.main(cases)


if __name__ == "__main__":
    sys.exit(main())

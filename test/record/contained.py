#!/usr/bin/env python3
"""What can be recorded inside of containers and across their borders, and what the recorder and doctor say of the rest.

    contained.py PGOKIT PROGRAM FOLDER [CASE...]

PROGRAM is that of hostile.h. The containers are made of what the kernel offers: namespaces (unshare), another user
(setpriv), and filters of system calls as container managers set them. Cases that are not permitted here are left out.
"""
import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import surroundings
from surroundings import expect, samples_of, PATIENCE

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
OWN_NUMBERS = ["unshare", "--pid", "--fork", "--mount-proc"]
CONTAINER = ["unshare", "--user", "--map-root-user", *OWN_NUMBERS[1:]]
# Numbers of x86-64. Docker's profile forbids the first two; older ones, and those for older kernels, the others too.
CALLS = {"perf_event_open": 298, "personality": 135, "process_vm_writev": 311, "ptrace": 101}
DOCKER = ["perf_event_open", "personality"]
WORK = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
SPIN = "while :; do :; done"


def forbid(names):
    """The system calls fail with EPERM, in this process and all that it starts. "writable code" stands for a mode of
    the kernel's (PR_SET_MDWE), which older ones do not have."""
    libc = ctypes.CDLL(None)
    if "writable code" in names:
        libc.prctl(65, 1, 0, 0, 0)
        names = [name for name in names if name in CALLS]
    rows = [(0x20, 0, 0, 0)]  # load the number of the call
    for name in names:
        rows += [(0x15, 0, 1, CALLS[name]), (0x06, 0, 0, 0x00050001)]
    rows.append((0x06, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))

    class Program(ctypes.Structure):
        _fields_ = [("size", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(rows), ctypes.addressof(code))
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:
        raise OSError("no filter of system calls can be set")


def run(command, without=()):
    surroundings.folder.chmod(0o777)  # for whoever records
    more = {"preexec_fn": lambda: forbid(without)} if without else {}
    return surroundings.survive.run(list(map(str, command)), PATIENCE, cwd=surroundings.folder, **more)


def record(around, *arguments, without=()):
    return run([*around, surroundings.pgokit, "record", "--software", *arguments], without)


def doctor(around, without=()):
    code, out, said = run([*around, surroundings.pgokit, "doctor", "--json"], without)
    expect(code == 0, f"doctor: exit code {code}: {said}")
    return json.loads(out)["machine"]


def expect_samples(result, what):
    code, _, said = result
    expect(code == 0 and samples_of(said) > 0, f"{what}: exit code {code}: {said}")


def expect_all_counted(result, what):
    code, _, said = result
    expect(code == 0 and re.search("branches counted: all (of the run|from attaching to detaching)", said), f"{what}: exit code {code}: {said}")


def inside(around, without=()):
    """Starting a program, and attaching to one of the same user."""
    expect_samples(record(around, "-o", "in.data", "-F", 500, "--", "sh", "-c", WORK, without=without), "started")
    expect_all_counted(record(around, "-o", "in.data", "--exact", "--", "sh", "-c", WORK, without=without), "started")
    attach = f"sh -c '{SPIN}' & sleep 0.2; \"$0\" \"$@\" -p $! --for 0.5; code=$?; kill $!; exit $code"
    options = [surroundings.pgokit, "record", "--software", "-o", "in.data"]
    expect_samples(run([*around, "sh", "-c", attach, *options, "-F", 500], without), "attached")
    expect_all_counted(run([*around, "sh", "-c", attach, *options, "--exact"], without), "attached")


def unprivileged():
    inside(NOBODY)
    told = doctor(NOBODY)
    expect(told["software"] and told["attaching"]["ok"] and not told["other_users"]["ok"], told)
    spinning = subprocess.Popen(["sh", "-c", SPIN])
    code, _, said = record(NOBODY, "-o", "in.data", "-p", spinning.pid, "--for", 0.2)
    spinning.kill()
    spinning.wait()
    expect(code == 1 and "it is a process of user 0, and this one is of user 65534: record as that user, or as root" in said, f"of root: {code}: {said}")


def container():
    """As docker makes them, for a user without privileges."""
    inside([*NOBODY, *CONTAINER], DOCKER)
    told = doctor([*NOBODY, *CONTAINER], DOCKER)
    expect(told["software"] and told["attaching"]["ok"] and not told["clock_event"]["ok"], told)
    expect(told["pid_namespace"] and told["user_namespace"] and told["seccomp"], told)
    expect(any("perf_event_open" in line for line in told["advice"]), told["advice"])
    said = record([*NOBODY, *CONTAINER], "-o", "in.data", "-F", 500, "--", "sh", "-c", WORK, without=DOCKER)[2]
    expect("CPU times were polled instead" in said, said)


def older_container():
    inside([*NOBODY, *CONTAINER], [*DOCKER, "process_vm_writev"])


def hardened_unit():
    """As systemd runs units with ProtectProc, MemoryDenyWriteExecute, LockPersonality and a filter of system calls."""
    hidden = ["unshare", "-m", "sh", "-c", 'mount -t proc -o hidepid=invisible proc /proc && exec "$0" "$@"', *NOBODY]
    inside(hidden, ["writable code", *DOCKER])


def filtered_program():
    """One that may do less than the recorder is left alone, and the recorder says so."""
    filtered = subprocess.Popen(["sh", "-c", SPIN], preexec_fn=lambda: forbid(["perf_event_open"]))
    try:
        for way in (["-F", 500], ["--exact"]):
            code, _, said = record([], "-o", "out.data", *way, "-p", filtered.pid, "--for", 0.3)
            expect(code == 1 and "it restricts its system calls (seccomp)" in said, f"{way}: exit code {code}: {said}")
    finally:
        filtered.kill()
        filtered.wait()


def without_ptrace():
    told = doctor(NOBODY, ["ptrace"])
    expect(not told["software"] and "--cap-add=SYS_PTRACE" in told["tracing"]["why"], told)
    code, _, said = record(NOBODY, "-o", "in.data", "--", "touch", "ran", without=["ptrace"])
    expect(code == 1 and "cannot trace touch" in said and "pgokit doctor" in said, f"exit code {code}: {said}")
    expect(not (surroundings.folder / "ran").exists(), "what cannot be recorded has run")


def from_outside():
    """A program in a PID namespace is recorded from outside, and by a recorder that is in there too."""
    expect_samples(record([], "-o", "out.data", "-F", 500, "--", *OWN_NUMBERS, "sh", "-c", WORK), "started")
    expect_all_counted(record([], "-o", "out.data", "--exact", "--", *OWN_NUMBERS, "sh", "-c", WORK), "counted")
    space = subprocess.Popen([*OWN_NUMBERS, "sh", "-c", f"echo; {SPIN}"], stdout=subprocess.PIPE)
    space.stdout.readline()
    pid = surroundings.children_of(space.pid)[0]
    try:
        expect_samples(record([], "-o", "out.data", "-F", 500, "-p", pid, "--for", 0.5), "attached")
        within = ["nsenter", "-t", pid, "-p", "-m"]
        data = surroundings.folder / "out.data"
        expect_all_counted(record(within, "-o", data, "--exact", "-p", 1, "--for", 0.5), "from within")
    finally:
        os.kill(int(pid), 9)
        space.wait()


def process_files():
    """Without the /proc of its own PID namespace the recorder would look at other processes."""
    for around, why in ((["unshare", "--pid", "--fork"], "of another PID namespace"),
                        (["unshare", "-m", "sh", "-c", 'umount -l /proc; exec "$0" "$@"'], "not mounted")):
        code, _, said = record(around, "-o", "in.data", "--", "sh", "-c", WORK)
        expect(code == 1 and why in said, f"{why}: exit code {code}: {said}")
        told = doctor(around)
        expect(not told["software"] and why in told["tracing"]["why"], told["tracing"])


def can(*command):
    return shutil.which(command[0]) and subprocess.run([*command, surroundings.pgokit, "--version"], stdout=subprocess.DEVNULL,
                                                       stderr=subprocess.DEVNULL).returncode == 0


def main():
    surroundings.pgokit = sys.argv[1]
    user, spaces = can(*NOBODY), can(*OWN_NUMBERS)
    cases = user * [unprivileged, without_ptrace, filtered_program] + spaces * [from_outside, process_files]
    cases += (user and spaces) * [hardened_unit]
    if user and can(*NOBODY, *CONTAINER):
        cases += [container, older_container]
    if not cases:
        print("SKIPPED: neither users nor namespaces can be changed here (root may)")
        return surroundings.survive.NO_TRACING
    return surroundings.main(cases)


if __name__ == "__main__":
    sys.exit(main())

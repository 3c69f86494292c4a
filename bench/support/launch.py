"""Runs of programs, measured: wall time, CPU time, peak memory.

    ours, theirs = in_turn([[tool, ...], [other, ...]], runs=5, folder=WORK)
    print(ours.wall, theirs.cpu / ours.cpu, ours.peak_mb)
    if ours.busy > 0.1: ...                     # other programs kept so many processors busy meanwhile

Standard output is thrown away, unless run_once() is told where to; standard error goes to stderr.txt in the folder. CPU time and memory include
child processes.
"""
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IDLE = 0.2  # processors that others may keep busy at most, for the machine to be idle

# Started by an interpreter that has loaded nothing: the peak memory of a process counts what its
# parent had at the fork.
LAUNCHER = """
import os, sys, time
started = time.monotonic()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ,
                      file_actions=[(os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
                                    (os.POSIX_SPAWN_OPEN, 2, 'stderr.txt', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)])
_, status, usage = os.wait4(pid, 0)
print(time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


@dataclasses.dataclass
class Measured:
    walls: list
    cpus: list
    peak_mb: float
    busy: float = 0  # processors, by others
    load: float = 0  # of the machine, before

    @property
    def wall(self):
        return statistics.median(self.walls)

    @property
    def cpu(self):
        return statistics.median(self.cpus)


class Failed(Exception):
    pass


class Others:
    """How many processors other programs keep busy, from its making on. A hypervisor that gives a processor away
    is one of them."""

    def __init__(self):
        self.began, self.used, self.ours = time.monotonic(), self._used(), self._ours()

    @staticmethod
    def _used():
        with open("/proc/stat", encoding="utf-8") as file:
            user, nice, system, _idle, _waiting, irq, softirq, steal = map(int, file.readline().split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _ours():
        parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(part.ru_utime + part.ru_stime for part in parts)

    def busy(self):
        others = self._used() - self.used - (self._ours() - self.ours)
        return max(0.0, others / max(time.monotonic() - self.began, 0.01))


def run_once(command, folder, output="/dev/null"):
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, str(output), *map(str, command)], cwd=folder, text=True,
                          stdout=subprocess.PIPE, check=True)
    wall, cpu, peak, code = done.stdout.split()
    if int(code):
        raise Failed(f"{' '.join(map(str, command))}: exit code {code}\n{(folder / 'stderr.txt').read_text()[:2000]}")
    return float(wall), float(cpu), int(peak) / 1024


def in_turn(commands, runs, folder):
    """One after the other, `runs` times, so that all meet the same machine."""
    load, others = os.getloadavg()[0], Others()
    run_once(commands[0], folder)  # brings the files into memory
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, found in zip(commands, results):
            found.append(run_once(command, folder))
    busy = others.busy()
    return [Measured([r[0] for r in found], [r[1] for r in found], max(r[2] for r in found), busy, load)
            for found in results]


def built_tool(name):
    """A program of the release build that only tests and benches use."""
    for path in sorted((ROOT / "build/release").rglob(name)):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise SystemExit(f"{name} is not built: ninja -C build/release {name}")


def version(tool):
    """Of a program, by its own words; empty: it does not say."""
    if not shutil.which(tool):
        return ""
    said = subprocess.run([str(tool), "--version"], text=True, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = re.search(r"\d+\.\d+[\w.+~-]*", said)
    return found[0] if found else ""


def machine():
    """The processor's name, for tables."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")

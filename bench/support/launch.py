"""Runs of programs, measured: wall time, CPU time, peak memory.

    ours, theirs = in_turn([[tool, ...], [other, ...]], runs=5, folder=WORK)
    print(ours.wall, theirs.cpu / ours.cpu, ours.peak_mb)

Standard output is thrown away; standard error goes to stderr.txt in the folder. CPU time and memory include
child processes.
"""
import dataclasses
import statistics
import subprocess
import sys

# Started by an interpreter that has loaded nothing: the peak memory of a process counts what its
# parent had at the fork.
LAUNCHER = """
import os, sys, time
started = time.monotonic()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
                      file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0),
                                    (os.POSIX_SPAWN_OPEN, 2, 'stderr.txt', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)])
_, status, usage = os.wait4(pid, 0)
print(time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


@dataclasses.dataclass
class Measured:
    walls: list
    cpus: list
    peak_mb: float

    @property
    def wall(self):
        return statistics.median(self.walls)

    @property
    def cpu(self):
        return statistics.median(self.cpus)


class Failed(Exception):
    pass


def run_once(command, folder):
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)], cwd=folder, text=True,
                          stdout=subprocess.PIPE, check=True)
    wall, cpu, peak, code = done.stdout.split()
    if int(code):
        raise Failed(f"{' '.join(map(str, command))}: exit code {code}\n{(folder / 'stderr.txt').read_text()[:2000]}")
    return float(wall), float(cpu), int(peak) / 1024


def in_turn(commands, runs, folder):
    """One after the other, `runs` times, so that all meet the same machine."""
    run_once(commands[0], folder)  # brings the files into memory
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, found in zip(commands, results):
            found.append(run_once(command, folder))
    return [Measured([r[0] for r in found], [r[1] for r in found], max(r[2] for r in found)) for found in results]


def machine():
    """The processor's name, for tables."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")

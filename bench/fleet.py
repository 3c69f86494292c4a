#!/usr/bin/env python3
"""How many profiles of a fleet one machine adds up: shards per second, and memory.

    ./dev bench fleet [--count N] [--bytes N] [--distinct N]

Writes bench/fleet.md. Few shards are made (test/support/profiles) and named many times, as what is measured is the
adding: the list has as many names as a fleet has hosts. examples/fleet/tree.sh is stopped half-way and goes on.
"""
import argparse
import filecmp
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import launch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bench/fleet"
PGOKIT = ROOT / "build/bin/pgokit"
TREE = ROOT / "examples/fleet/tree.sh"
PEER = "llvm-profdata-22"


def shards(distinct, size):
    folder = WORK / f"shards-{distinct}-{size}"
    if not folder.exists():
        maker = launch.built_tool("pgokit-make-profiles")
        folder.mkdir(parents=True)
        subprocess.run([maker, folder, str(distinct), str(size), "extbinary"], check=True)
    return sorted(folder.iterdir())


class Run:
    """Wall time, CPU time and the memory of the largest process of a command."""

    def __init__(self, words, stop_after=None, **environment):
        read, write = os.pipe()
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            os.close(read)
            self.measure(words, stop_after, environment, write)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as said:
            self.cpu, self.peak_mb, self.code = (float(number) for number in said.read().split())
        os.waitpid(child, 0)
        self.wall = time.monotonic() - started

    @staticmethod
    def measure(words, stop_after, environment, write):
        command = subprocess.Popen([str(word) for word in words], env={**os.environ, "PGOKIT": str(PGOKIT), **environment},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = command.wait(stop_after)
        except subprocess.TimeoutExpired:
            os.killpg(command.pid, signal.SIGKILL)
            code = command.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024} {code}".encode())


class Table:
    def __init__(self):
        self.lines = ["| how | shards | wall | shards per second | CPU | shards per CPU second | largest process |", "|---|---|---|---|---|---|---|"]

    def add(self, name, run, count=None):
        """Without a count: of a run that did only a part."""
        of_all, per_second, per_cpu = (f"{n:,.0f}" for n in (count, count / run.wall, count / run.cpu)) if count else ("",) * 3
        self.lines.append(f"| {name} | {of_all} | {run.wall:.1f} s | {per_second} | {run.cpu:.1f} s | {per_cpu} | {run.peak_mb:.0f} MB |")
        print(self.lines[-1], flush=True)


def good(run):
    if run.code != 0:
        raise SystemExit(f"a run ends with {run.code}")
    return run


def tree(name, jobs, stop_after=None):
    words = [TREE, WORK / "list", WORK / name, WORK / f"{name}.prof"]
    return Run(words, stop_after, JOBS=str(jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--bytes", type=int, default=1000000)
    parser.add_argument("--distinct", type=int, default=40)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    few = shards(args.distinct, args.bytes)
    names = [few[i % len(few)] for i in range(args.count)]
    for state in "one", "several", "resumed":
        shutil.rmtree(WORK / state, ignore_errors=True)
    (WORK / "list").write_text("".join(f"{i}\t{name}\n" for i, name in enumerate(names)))
    (WORK / "names").write_text("".join(f"{name}\n" for name in names))
    cores = len(os.sched_getaffinity(0))
    table = Table()
    merge = good(Run([PGOKIT, "merge", "-q", "--input-files", WORK / "names", "-o", WORK / "merge.prof"]))
    table.add(f"one `pgokit merge`, {cores} threads", merge, args.count)
    one = good(tree("one", 1))
    table.add("tree, 1 job", one, args.count)
    several = good(tree("several", cores))
    table.add(f"tree, {cores} jobs", several, args.count)
    stopped = tree("resumed", cores, stop_after=several.wall / 2)
    if stopped.code == 0:
        raise SystemExit("the run that was to be stopped was too fast")
    resumed = good(tree("resumed", cores))
    table.add(f"the rest of it, after a stop at {stopped.wall:.0f} s", resumed)
    for sum_ in "one", "several", "resumed":
        if not filecmp.cmp(WORK / f"{sum_}.prof", WORK / "merge.prof", shallow=False):
            raise SystemExit(f"{sum_}: the sum differs")
    if shutil.which(PEER):
        some = names[:args.count // 50]
        peer = good(Run([PEER, "merge", "--sample", *some, "-o", WORK / "peer.prof"]))
        table.add("llvm-profdata 22 merge", peer, len(some))
    mean = sum(path.stat().st_size for path in few) / len(few) / 1e6
    per_day = args.count / several.cpu * cores * 86400
    text = (f"On {launch.machine()}, {args.count:,} shards of {mean:.1f} MB ({len(few)} different ones, in the page cache); all sums are the "
            "same bytes.\n\n" + "\n".join(table.lines) +
            f"\n\nThe load before was {load:.1f} on {cores} cores; above their number, wall times are those of a busy machine.\n"
            f"By its CPU time, the tree takes {per_day / 1e6:.1f} million shards a day on {cores} cores.\n")
    (ROOT / "bench/fleet.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

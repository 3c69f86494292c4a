"""Cold starts of programs, and what orders are made of and judged by: for bench/order.py and bench/order_large.py.

    with Disk(WORK, megabytes=128) as disk:
        disk.read_ahead(16)
        faults, seconds = cold_start(disk.mount / "program", ["--version"])
"""
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PGOKIT = str(ROOT / "build/bin/pgokit")
READ_AHEAD = (0, 16, 128)


def run(command, env=None, cwd=None):
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL, env=dict(os.environ, **(env or {})), cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def temporal_profile(folder, names):
    """The traces as a profile of clang's temporal instrumentation."""
    text = [":ir", ":temporal_prof_traces", "# Num Temporal Profile Traces:", str(len(names)),
            "# Temporal Profile Trace Stream Size:", str(len(names))]
    for trace in names:
        text += ["# Weight:", "1", ",".join(trace)]
    for name in sorted({name for trace in names for name in trace}):
        text += [name, "# Func Hash:", "1", "# Num Counters:", "1", "# Counter Values:", "1", ""]
    source, out = folder / "temporal.proftext", folder / "temporal.profdata"
    source.write_text("\n".join(text) + "\n")
    run(["llvm-profdata-22", "merge", source, "-o", out])
    return out


def evaluate(builds, instrumented, logs):
    """What `pgokit order --evaluate` says of each build."""
    words = [PGOKIT, "order", "--evaluate", *builds, "--json", "--with", instrumented]
    for log in logs:
        words += ["--with", log]
    return json.loads(run(words))


class Disk:
    """An ext4 image on a loop device, whose read-ahead can be set. `direct`: reads go to the disk that the image is on, not to
    its pages in memory."""

    def __init__(self, folder, megabytes, direct=False):
        self.folder, self.megabytes, self.direct = folder, megabytes, direct

    def __enter__(self):
        self.device = None
        if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
            return self
        # Of this process: two benches may run at once.
        self.image, self.mount = self.folder / f"disk.{os.getpid()}.img", self.folder / f"disk.{os.getpid()}"
        self.mount.mkdir(exist_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(self.megabytes << 20)
        try:
            run(["mkfs.ext4", "-q", "-F", self.image])
            self.device = run(["losetup", *(["--direct-io=on"] if self.direct else []), "--find", "--show", self.image]).strip()
            run(["mount", self.device, self.mount])
        except SystemExit as error:
            print(f"no loop device: {error}")
            self.device = None
            self.image.unlink()
        return self

    def __exit__(self, *_):
        if self.device:
            subprocess.run(["umount", self.mount], check=False)
            subprocess.run(["losetup", "-d", self.device], check=False)
            self.image.unlink(missing_ok=True)
            self.mount.rmdir()

    def read_ahead(self, kilobytes):
        name = os.path.basename(self.device)
        pathlib.Path(f"/sys/block/{name}/queue/read_ahead_kb").write_text(str(kilobytes))


def cold_start(path, arguments):
    """Major faults and wall time with nothing of the program in memory."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    with open(os.devnull, "r+b") as null:
        start = time.monotonic()
        child = subprocess.Popen([path, *arguments], stdin=null, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        took = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{path}: exit {child.returncode}")
    return usage.ru_majflt, took


def median_interval(values):
    """The median, and the interval that has the true one with at least 95 %, whatever the distribution: by ranks."""
    values = sorted(values)
    rank, below = 0, 0.5 ** len(values)
    while below <= 0.025 and rank < len(values) // 2:
        rank += 1
        below += math.comb(len(values), rank) * 0.5 ** len(values)
    low = max(0, rank - 1)
    return statistics.median(values), values[low], values[-1 - low]


def section_of(text, name):
    """From its heading to the next one; empty: there is none."""
    found = re.search(rf"^### {name}:.*?(?=^### |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


def replace_section(page, name, rows):
    text, new = page.read_text(encoding="utf-8"), "\n".join(rows).rstrip() + "\n\n"
    old = section_of(text, name)
    text = text.replace(old, new) if old else text.rstrip() + "\n\n" + new
    page.write_text(text.rstrip() + "\n", encoding="utf-8")

"""Recordings of a program, made by pgokit-walk and kept beside the program.

    path = Input("hybrid", ("--damage", "all")).make(walk, program_path)
"""
import collections
import dataclasses
import hashlib
import os
import pathlib
import subprocess
import threading

# Several comparisons want the same input; one makes it.
locks = collections.defaultdict(threading.Lock)


@dataclasses.dataclass(frozen=True)
class Input:
    kind: str  # lbr, hybrid, mixed
    options: tuple = ()
    samples: int = 1500
    seed: int = 1
    perfdata: bool = False
    processes: int = 1  # several: one after the other, at other addresses
    # ... and for pgokit each in a file of its own. What the judge says of one file is kept by repr().
    apart: bool = dataclasses.field(default=False, repr=False)
    first: int = dataclasses.field(default=0, repr=False)  # number of the first process
    together: int = 1  # processes that take turns, some forked, some at other addresses

    @property
    def name(self):
        words = [self.kind, f"s{self.seed}"] + [word.strip("-") for word in self.options]
        words += ["perfdata"] * self.perfdata + [f"{self.processes}procs"] * (self.processes > 1)
        words += ["apart"] * self.apart
        words += [f"{self.together}together"] * (self.together > 1)
        return "_".join(words)

    def parts(self, walk, binary):
        """A file per process."""
        return [dataclasses.replace(self, processes=1, apart=False, first=n).make(walk, binary)
                for n in range(self.processes)]

    def path(self, binary):
        whole = repr(self) + f" from {self.first}" * (self.first > 0)
        digest = hashlib.sha1(whole.encode()).hexdigest()[:10]
        return binary.parent / f"{self.name}.{digest}.{'data' if self.perfdata else 'script'}"

    def command(self, walk, binary, out, process):
        return [walk, binary, "-o", out, "--samples", str(self.samples), "--kind", self.kind,
                "--seed", str(self.seed + 100 * process), "--pid", str(4711 + process),
                "--base", hex(0x555555554000 + process * 0x10000000),
                "--format", "perfdata" if self.perfdata else "script", "--processes", str(self.together), *self.options]

    def make(self, walk, binary):
        out = self.path(binary)
        with locks[out]:
            return self.make_once(walk, binary, out)

    def make_once(self, walk, binary, out):
        newest = max(os.stat(walk).st_mtime, os.stat(binary).st_mtime)
        if out.exists() and out.stat().st_mtime > newest:
            return out
        parts = []
        for process in range(self.first, self.first + self.processes):
            part = out.with_suffix(f".{process}.{os.getpid()}")
            subprocess.run(self.command(walk, binary, part, process), check=True)
            parts.append(part)
        whole = pathlib.Path(f"{out}.{os.getpid()}")
        whole.write_bytes(b"".join(part.read_bytes() for part in parts))
        for part in parts:
            part.unlink()
        whole.rename(out)
        return out


def with_data(one, together=1):
    return dataclasses.replace(one, perfdata=True, together=together)

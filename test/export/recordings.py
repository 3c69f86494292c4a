#!/usr/bin/env python3
"""Recordings of a program with known work: perf's by itself and by its text, pgokit's, and exact counts."""
import pathlib
import re
import subprocess
import sys
import tempfile

import forms

pgokit = sys.argv[1]

PROGRAM = """
static volatile unsigned sink;
static inline __attribute__((always_inline)) unsigned mix(unsigned x) { return (x ^ x << 13) * 5; }
__attribute__((noinline)) void hot(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; ++i) x = mix(x) + i;
  sink = x;
}
__attribute__((noinline)) void twice(unsigned n) {
  hot(n);
  hot(n);
  sink = n;
}
int main(void) {
  for (int i = 0; i < ROUNDS; ++i) twice(10000);
  return 0;
}
"""


def run(*command, **how):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          **how)


def export(source, form, *options):
    done = run(pgokit, "export", source, "--to", form, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def functions(stacks):
    """Without libraries, and what was inlined."""
    sums = {}
    for stack, weight in stacks.items():
        names = tuple(name for name in stack if name in ("main", "twice", "hot"))
        sums[names] = sums.get(names, 0) + weight
    return sums


def exact(folder):
    recorded = run(pgokit, "record", "--exact", "--contexts", "-o", "exact.perf", "--", "./few", cwd=folder)
    assert recorded.returncode == 0, recorded.stderr
    calls = functions(forms.folded(export(folder / "exact.perf", "folded", "--event", "calls").decode()))
    assert calls[("main", "twice")] == 3 and calls[("main", "twice", "hot")] == 6, calls
    work = forms.folded(export(folder / "exact.perf", "folded").decode())
    inlined = sum(weight for stack, weight in work.items() if stack[-3:] == ("twice", "hot", "mix"))
    assert inlined > 6 * 10000, work
    proto = forms.Proto(export(folder / "exact.perf", "pprof"))
    assert proto.types == ["instructions_samples", "instructions", "calls_samples", "calls"], proto.types
    assert sum(proto.stacks("instructions").values()) == sum(work.values())
    lines = {line for lines in proto.lines.values() for line in lines if line[0] == "mix"}
    assert any(name.endswith("app.c") and number == 3 for _, name, number in lines), lines
    flat = run(pgokit, "record", "--exact", "-o", "flat.perf", "--", "./few", cwd=folder)
    assert flat.returncode == 0, flat.stderr
    refused = run(pgokit, "export", folder / "flat.perf", "--to", "folded")
    assert refused.returncode == 1 and b"record --exact --contexts" in refused.stderr, refused.stderr


def of_perf(folder):
    """What perf says of its own recording, and what is read of it."""
    recorded = run("perf", "record", "-e", "cpu-clock:u", "-g", "-o", "p.perf", "./many", cwd=folder)
    text = run("perf", "script", "-i", "p.perf", cwd=folder)
    if recorded.returncode or text.returncode:
        return False
    (folder / "p.txt").write_bytes(text.stdout)
    ours = functions(forms.folded(export(folder / "p.perf", "folded").decode()))
    theirs = functions(forms.folded(export(folder / "p.txt", "folded").decode()))
    assert ours == theirs, (ours, theirs)
    assert ours[("main", "twice", "hot")] > 0.5 * sum(ours.values()), ours
    samples = forms.folded(export(folder / "p.perf", "folded", "--samples").decode())
    assert sum(samples.values()) == len(re.findall(r"(?m)^many ", text.stdout.decode()))
    threads = forms.firefox(export(folder / "p.perf", "firefox"))
    assert sum(sum(one.values()) for one in threads.values()) == sum(samples.values())
    flat = run("perf", "record", "-e", "cpu-clock:u", "-o", "flat.perf", "./few", cwd=folder)
    assert flat.returncode == 0, flat.stderr
    refused = run(pgokit, "export", folder / "flat.perf", "--to", "pprof", "-o", folder / "none.pb.gz")
    assert refused.returncode == 1 and b"no call chains" in refused.stderr, refused.stderr
    assert not (folder / "none.pb.gz").exists()
    return True


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "app.c").write_text(PROGRAM)
        for program, rounds in {"few": 3, "many": 30000}.items():
            subprocess.run(["clang-22", "-O2", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", f"-DROUNDS={rounds}", "app.c", "-o",
                            program], cwd=folder, check=True)
        exact(folder)
        print("exact counts: calls and instructions")
        if not of_perf(folder):
            print("skipped: perf cannot record here")
            return 77
        print("perf's recording has the stacks of perf's text")
    return 0


sys.exit(main())

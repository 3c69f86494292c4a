#!/usr/bin/env python3
"""What viewers read is what was recorded: `go tool pprof`, speedscope's importer and, by its rules,
the Firefox Profiler. All forms have the stacks and sums of the folded one."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import forms

pgokit = sys.argv[1]
corpus = pathlib.Path(__file__).parents[3] / "shared/corpus/brendangregg-FlameGraph"

TEXT = """app worker  100/101 [001] 12.000001:  10 cycles:u:
\t    401136 inner (inlined)
\t    401136 middle (inlined)
\t    401136 outer(int)+0x6 (/bin/app)
\t    401200 main+0x10 (/bin/app)

app worker  100/102 [001] 12.000002:  20 cycles:u:
\t    401140 outer(int)+0x10 (/bin/app)
\t    401200 main+0x10 (/bin/app)

app worker  100/101 [001] 12.000003:  5 cycles:u:
\tffffffff81000000 sys_read+0x1 ([kernel.kallsyms])
\t    401200 main+0x10 (/bin/app)

"""


def export(source, form, *options):
    run = subprocess.run([pgokit, "export", source, "--to", form, *options], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def without_root(stacks):
    sums = collections.Counter()
    for stack, weight in stacks.items():
        sums[stack[1:]] += weight
    return sums


def folded_names(stacks):
    """As folded stacks shorten them."""
    sums = collections.Counter()
    for stack, weight in stacks.items():
        sums[tuple(re.sub(r"\(.*", "", name.replace(";", ":")).replace("'", "").replace('"', "")
                   for name in stack)] += weight
    return sums


def joined(by_thread):
    sums = collections.Counter()
    for stacks in by_thread.values():
        sums.update(stacks)
    return sums


def compare(source):
    expected = without_root(forms.folded(export(source, "folded").decode()))
    samples = without_root(forms.folded(export(source, "folded", "--samples").decode()))
    proto = forms.Proto(export(source, "pprof"))
    # Of several events, folded stacks have the first.
    event = proto.types[1]
    assert folded_names(proto.stacks(event)) == expected, source
    if len(proto.types) > 2:
        return
    assert folded_names(joined(forms.speedscope(export(source, "speedscope")))) == expected, source
    assert folded_names(joined(forms.firefox(export(source, "firefox")))) == samples, source


def compare_with_go(source, folder):
    packed = folder / "app.pb.gz"
    packed.write_bytes(export(source, "pprof"))
    expected = without_root(forms.folded(export(source, "folded").decode()))
    raw = subprocess.run(["go", "tool", "pprof", "-raw", packed], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    assert raw.returncode == 0, raw.stderr
    text = raw.stdout.decode()
    locations = collections.defaultdict(list)
    for line in text[text.index("\nLocations\n") + 11:text.index("\nMappings\n")].splitlines():
        found = re.fullmatch(r"\s+(?:(\d+): 0x[0-9a-f]+ (?:M=\d+ )?)?\s*(.*?) \S*:\d+(?::\d+)?"
                             r"(?: s=\d+)?(?:\(.*\))?", line)
        assert found, line
        number = found[1] or number
        locations[number].append(found[2])
    stacks = collections.Counter()
    for line in text[text.index("Samples:\n"):text.index("\nLocations\n")].splitlines():
        found = re.fullmatch(r"\s+(\d+)\s+(\d+): ([\d ]+)", line)
        if found:
            frames = [name for number in found[3].split() for name in locations[number]]
            stacks[tuple(reversed(frames))] += int(found[2])
    assert folded_names(stacks) == expected, (source, (folded_names(stacks) - expected).most_common(3))
    top = subprocess.run(["go", "tool", "pprof", "-top", packed], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    assert top.returncode == 0, top.stderr




def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = folder / "app.txt"
        text.write_text(TEXT)
        sources = [text] + sorted(path for path in corpus.glob("perf-*.txt") if "java" not in path.name)
        for source in sources:
            compare(source)
        proto = forms.Proto(export(text, "pprof"))
        assert proto.types == ["samples", "cycles:u"]
        assert [line[0] for line in proto.lines[1]] == ["outer(int)", "middle", "inner"]
        threads = forms.speedscope(export(text, "speedscope"))
        assert set(threads) == {"app worker 100/101", "app worker 100/102"}, threads
        assert export(text, "pprof") == export(text, "pprof")
        print(f"{len(sources)} texts have the same stacks in all forms")
        if not shutil.which("go"):
            print("skipped: go tool pprof is not here (Debian: golang-go)")
            return 77
        for source in sources:
            if "cycles" not in source.name:  # several events
                compare_with_go(source, folder)
        print("go tool pprof reads those stacks")
    return 0


sys.exit(main())

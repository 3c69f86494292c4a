"""Ways to collect the order of first runs, compared: what they cost, and whether they tell the same order.

    rows = order_ways.table(WORK / "ways")

The program is examples/interpreter; each way builds it whole. The judge of an order is that of pgokit's `order`, over the functions
that both ways have: inlining differs, as some ways count before and some after it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import time

from start_up import PGOKIT, ROOT, median_interval, run

EXAMPLE = ROOT / "examples/interpreter"
CXX = ["clang++-22", "-std=c++23", "-O2", "-ffunction-sections"]

# What -finstrument-function-entry-bare calls; nothing else comes with it. Each function is noted once.
HANDLER = r"""
#include <stdio.h>
#include <stdlib.h>
extern char __executable_start, etext;
static unsigned char seen[1 << 20];
static unsigned log_[1 << 16], used;
__attribute__((destructor, no_instrument_function)) static void write_log(void) {
  const char *name = getenv("ENTRY_LOG");
  FILE *file = name ? fopen(name, "wb") : 0;
  if (file) fwrite(log_, sizeof *log_, used, file), fclose(file);
}
__attribute__((no_instrument_function)) void __cyg_profile_func_enter_bare(void) {
  unsigned long at = (char *)__builtin_return_address(0) - &__executable_start;
  if (at / 8 >= sizeof seen || seen[at / 8] & 1 << at % 8) return;
  seen[at / 8] |= 1 << at % 8;
  if (used < sizeof log_ / sizeof *log_) log_[used++] = at;
}
"""


def flags(kind):
    return [run([PGOKIT, "flags", kind, f"--{stage}"]).split() for stage in ("compile", "link")]


class Way:
    def __init__(self, folder, name, compile_, link, environment, read):
        self.folder = folder / re.sub(r"\W+", "-", name)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name, self.environment, self.read = name, environment, read
        objects = []
        for source in sorted(EXAMPLE.glob("*.cc")):
            objects.append(self.folder / f"{source.name}.o")
            run([*CXX, *compile_, "-c", source, "-o", objects[-1]])
        self.program = self.folder / "program"
        run(["clang++-22", "-fuse-ld=lld-22", "-Wl,--build-id", *objects, *link, "-o", self.program])
        self.log = self.folder / "log"

    def start(self, script):
        """Seconds of a run that logs."""
        for file in self.folder.glob("log*"):
            file.unlink()
        environment = dict(os.environ, **{name: value.format(log=self.log) for name, value in self.environment.items()})
        begin = time.monotonic()
        subprocess.run([self.program, script], check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - begin

    def log_file(self):
        return max(self.folder.glob("log*"), key=lambda file: file.stat().st_size, default=None)

    def text(self):
        for line in run(["llvm-readelf-22", "-SW", self.program]).splitlines():
            if found := re.search(r" \.text +PROGBITS +\w+ \w+ (\w+)", line):
                return int(found[1], 16)
        return 0


def of_dump(way):
    return run([PGOKIT, "order", way.program, way.log_file(), "--algorithm", "first-touch", "-o", "-"]).split()


def of_profile(way):
    return run([PGOKIT, "order", way.log_file(), "--algorithm", "first-touch", "-o", "-"]).split()


def of_xray(way):
    text = run(["llvm-xray-22", "convert", "--symbolize", "--no-demangle", f"--instr_map={way.program}", "--output-format=yaml", way.log_file()])
    entered = re.findall(r"function: '?([^',]+)'?, .*?kind: function-enter", text)
    return list(dict.fromkeys(entered))


def of_entries(way):
    functions = []
    for line in run(["llvm-nm-22", "-n", "--defined-only", way.program]).splitlines():
        address, kind, name = line.split(maxsplit=2)
        if kind in "tTwW":
            functions.append((int(address, 16), name))
        if name == "__executable_start":
            base = int(address, 16)
    data, names = way.log_file().read_bytes(), []
    for i in range(0, len(data), 4):
        at = base + int.from_bytes(data[i:i + 4], "little")
        names.append(max((address, name) for address, name in functions if address <= at)[1])
    return list(dict.fromkeys(names))


def ways(folder):
    handler = folder / "handler.o"
    (folder / "handler.c").write_text(HANDLER)
    run(["clang-22", "-O2", "-c", folder / "handler.c", "-o", handler])
    dump = {"PGOKIT_PROFILE_FILE": "{log}.mipraw"}
    yield Way(folder, "none", [], [], {}, None)
    for kind in ("order", "order-log", "order-calls"):
        yield Way(folder, f"pgokit {kind}", *flags(kind), dump, of_dump)
    temporal = ["-fprofile-generate", "-ftemporal-profile"]
    raw = {"LLVM_PROFILE_FILE": "{log}.profraw"}
    yield Way(folder, "clang -ftemporal-profile", temporal, temporal, raw, of_profile)
    # Not with -pgo-function-entry-coverage: llvm-profdata orders all functions of what that writes, those that never ran too.
    blocks = [*temporal, "-mllvm", "-pgo-block-coverage"]
    yield Way(folder, "... with -mllvm -pgo-block-coverage", blocks, temporal, raw, of_profile)
    xray = ["-fxray-instrument", "-fxray-instruction-threshold=1"]
    yield Way(folder, "XRay, patched at start (xray-basic)", xray, xray,
              {"XRAY_OPTIONS": "patch_premain=true xray_mode=xray-basic xray_logfile_base={log}.",
               "XRAY_BASIC_OPTIONS": "func_duration_threshold_us=0"}, of_xray)
    yield Way(folder, "-finstrument-function-entry-bare, own handler", ["-finstrument-function-entry-bare"],
              [handler, "-Wl,--export-dynamic-symbol=__executable_start", "-Wl,-u,__executable_start"], {"ENTRY_LOG": "{log}.bin"}, of_entries)


def agreement(names, judge):
    """Which share of neighbours, over the functions of both, has the order of the judge."""
    place = {name: i for i, name in enumerate(judge)}
    places = [place[name] for name in names if name in place]
    pairs = len(places) - 1
    return len(places), sum(a < b for a, b in zip(places, places[1:])) / pairs if pairs > 0 else 1


def table(folder, runs=15):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script = folder / "empty.sprig"
    script.write_text("print(1);\n")
    every = list(ways(folder))
    samples = {way.name: [] for way in every}
    for _ in range(runs):
        for way in every:
            samples[way.name].append(way.start(script))
    plain = every[0]
    judge = every[1].read(every[1])
    rows = ["### ways: what collecting the order of first runs costs (examples/interpreter, a small script)", "",
            f"Start-up is the median of {runs} runs in turns, with a 95 % interval, and with what is done at the end to write the",
            "log. .text has the run time of each way.", "`agrees`: of the functions that pgokit's `order` has too, the share of neighbours in its order.", "",
            "| way | .text | file | start-up | log | functions | agrees |", "|---|---|---|---|---|---|---|"]
    for way in every:
        wall, low, high = (1000 * value for value in median_interval(samples[way.name]))
        size, file = way.text(), way.program.stat().st_size
        cells = [way.name, f"{size / 1e3:.1f} kB ({100 * (size / plain.text() - 1):+.1f} %)",
                 f"{100 * (file / plain.program.stat().st_size - 1):+.0f} %", f"{wall:.1f} ms [{low:.1f}, {high:.1f}]"]
        if way.read:
            names = way.read(way)
            common, share = agreement(names, judge)
            cells += [f"{way.log_file().stat().st_size / 1e3:.1f} kB", f"{len(names)}", f"{100 * share:.0f} % of {common}"]
        else:
            cells += ["", "", ""]
        rows.append("| " + " | ".join(cells) + " |")
        print(rows[-1], flush=True)
    return [*rows, ""]

#!/usr/bin/env python3
"""What atomic counters cost, and what counters that are not lose, beside clang's -fprofile-update=atomic.

    ./dev bench atomic [--runs N] [--quick]

lua5.4 (bench/support/real_programs.py) runs with one thread, where atomic additions gain nothing: CPU time of the short run, median
of N interleaved runs. Then four threads call one function 5,000,000 times each: counts that are missing at the end (few where
the machine is busy, because then they run one after the other).
Writes bench/atomic.md, with --quick nothing.
"""
import argparse
import datetime
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support"), str(ROOT / "test/instrument")]
import launch  # noqa: E402
import mip  # noqa: E402
import real_programs  # noqa: E402
from real_programs import build_kind, run  # noqa: E402

CALLS = 5_000_000
LOSING_RUNS = 20
THREADS = f"""#include <pthread.h>
static volatile int sink;
__attribute__((noinline)) void work(int n) {{ sink = n; }}
static void* loop(void* none) {{ for (int i = 0; i < {CALLS}; ++i) work(i); return none; }}
int main(void) {{
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, loop, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}}
"""
CLANG = {"clang -fprofile-generate": "-fprofile-generate", "clang, atomic": "-fprofile-generate\n-fprofile-update=atomic"}


def kinds(args):
    yield "plain", ""
    for kind in ("calls", "blocks"):
        for label, option in ((kind, []), (f"{kind}, atomic", ["--atomic"])):
            yield label, run([args.bin / "pgokit", "flags", kind, *option, "--style", "clang-config"], ROOT)
    yield from CLANG.items()


def programs(args):
    name = "lua5.4"
    folder, recipe = args.folder.resolve() / name, real_programs.RECIPES[name]
    version = real_programs.source_package.version(name, folder)
    train = real_programs.prepare(recipe, folder)
    builds = {label: build_kind(recipe, name, folder, f"atomic_{i}", options + "\n") for i, (label, options) in enumerate(kinds(args))}
    silent = ["env", "PGOKIT_PROFILE_FILE=", "LLVM_PROFILE_FILE=/dev/null", "sh", "short.sh"]
    found = launch.in_turn([[*silent, program] for program in builds.values()], args.runs, train)
    for label, times in zip(builds, found):
        yield f"| {name} {version} | {label} | {times.cpu:.2f} s | {times.cpu / found[0].cpu:.2f} |"


def lost(args):
    folder = args.folder.resolve()
    source = folder / "threads.c"
    source.write_text(THREADS, encoding="utf-8")
    for label, option in (("calls", []), ("calls, atomic", ["--atomic"])):
        config = folder / "threads.cfg"
        config.write_text(run([args.bin / "pgokit", "flags", "calls", *option, "--style", "clang-config"], folder), encoding="utf-8")
        program, dump = folder / "threads", folder / "threads.mipraw"
        run(["clang-22", f"--config={config}", "-O2", "-pthread", source, "-o", program], folder)
        work, = (f for f in mip.read_map(mip.section(str(program), "__llvm_mipmap")) if f.name == "work")
        counts = []
        for _ in range(LOSING_RUNS):
            dump.unlink(missing_ok=True)
            subprocess.run([program], check=True, env=dict(os.environ, PGOKIT_PROFILE_FILE=str(dump)))
            record, = mip.read_dumps(str(dump))
            counts.append(mip.counts_of(work, record.raw).calls)
        yield f"| {label} | {min(counts):,} of {4 * CALLS:,} | {100 - 25 * min(counts) / CALLS:.1f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench/programs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one run each, nothing written")
    args = parser.parse_args()
    if args.quick:
        args.runs = 1
    try:
        text = "\n".join([
            "# Atomic counters", "",
            f"Written by `./dev bench atomic`: {args.runs} runs of each build in turn, {datetime.date.today()}, on\n{launch.machine()}, Linux {platform.release()}; "
            f"load of the machine {os.getloadavg()[1]:.1f}.", "",
            "One thread:", "", "| program | counters | CPU time, median | times plain |", "|---|---|---|---|", *programs(args), "",
            f"Four threads that call one function, the worst of {LOSING_RUNS} runs:", "", "| counters | counted | lost |", "|---|---|---|", *lost(args), ""])
    except real_programs.Missing as missing:
        print(f"SKIPPED: {missing}")
        return 77
    print(text)
    if not args.quick:
        (ROOT / "bench/atomic.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

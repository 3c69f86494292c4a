#!/usr/bin/env python3
"""Whether `pgokit record --exact` counts every branch of real programs, by two other counts, and what it costs beside callgrind.

    ./dev bench exact [--programs sqlite3,lua5.4,...]

Writes bench/exact.md; with --programs only prints. The programs and their short training runs are those of support/real_programs.py.
callgrind counts the same program in a second run, which has to be the same: test/record/callgrind.py says how the two are
compared. pgokit's plugin counts the blocks of another build in the very run that is recorded. Fails where a count differs from
callgrind's, or is more than the plugin's.
"""
import argparse
import os
import pathlib
import shutil
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench/support"), str(ROOT / "test/record")]
import callgrind  # noqa: E402
import launch  # noqa: E402
import profile_shares  # noqa: E402
import real_programs  # noqa: E402

WORK = ROOT / "build/bench"
PGOKIT = ROOT / "build/bin/pgokit"
VALGRIND = ["valgrind", "-q", "--tool=callgrind", *callgrind.OPTIONS]


def environment():
    """env, for the environment that programs have under valgrind, in its order: some read all of it."""
    told = real_programs.run([*VALGRIND, "--callgrind-out-file=/dev/null", "env", "-0"], WORK)
    return ["env", "-i", *(one for one in told.split("\0") if one)]


# What a run under valgrind does otherwise than the recorded one.
NOTES = {"zstd": "it compares the addresses of two buffers (ZSTD_window_update), which lie the other way round under valgrind."}


def by_callgrind(program):
    """What is equal, and CPU seconds: of the program alone, recorded, under callgrind."""
    bare, folder = program.bare(), program.folder
    _, alone, _ = launch.run_once(program.command(bare, script="short.sh"), folder)
    _, recorded, _ = launch.run_once([PGOKIT, "record", "-q", "--exact", "-o", "exact.data", "--",
                                      *program.command(*environment(), bare, script="short.sh")], folder)
    dumps = folder / "callgrind"
    shutil.rmtree(dumps, ignore_errors=True)
    dumps.mkdir()
    _, judged, _ = launch.run_once(program.command(*VALGRIND, f"--callgrind-out-file={dumps}/%p", bare, script="short.sh"), folder)
    code = callgrind.Code(bare)
    found = code.compare(code.of_callgrind(dumps.iterdir()), code.of_recording(folder / "exact.data"))
    shutil.rmtree(dumps)
    return found, alone, recorded, judged


def by_plugin(program):
    """(blocks, their executions, blocks of which the recording has another count) of one run that both count."""
    folder, dumps = program.folder, program.folder / "dumps"
    shutil.rmtree(dumps, ignore_errors=True)
    dumps.mkdir()
    real_programs.run([PGOKIT, "record", "-q", "--exact", "-o", "exact.data", "--", *program.command(program.counted, script="short.sh")], folder,
                      PGOKIT_PROFILE_FILE=str(dumps / "%p.mipraw"))
    real_programs.run([PGOKIT, "map", program.counted, "-o", "counted.map"], folder)
    real_programs.run([PGOKIT, "merge", "counted.map", *sorted(dumps.iterdir()), "-o", "exact.mip"], folder)
    counts = []
    for source, name in (("exact.mip", "plugin"), ("exact.data", "exact")):
        program.generate(PGOKIT, source, program.counted, name, "probes")
        text = real_programs.run([PGOKIT, "llvm-profdata", "merge", "--sample", "--text", f"{name}.probes.prof", "-o", "-"], folder)
        counts.append(profile_shares.counts_of(text))
    plugin, exact = counts
    places = [place for place in {**plugin, **exact} if plugin.get(place) or exact.get(place)]
    wrong = [(place, plugin.get(place, 0), exact.get(place, 0)) for place in places if plugin.get(place, 0) != exact.get(place, 0)]
    return len(places), sum(plugin.values()), sorted(wrong)


def is_left(place):
    """Whether a block's count differs because not all of it ran: a call that never returns goes out of it."""
    return place[1] > place[2]


def row(program, judged, alone, recorded, by_valgrind, blocks):
    note = " (1)" if program.name in NOTES and judged.different else ""
    cells = [f"{program.name} {program.version}", f"{judged.instructions:,}", f"{judged.branches:,}", f"{judged.times:,}",
             f"{judged.different:,}{note}", f"{blocks[0]:,}", f"{len(blocks[2]):,}", f"{alone:.2f}", f"{recorded / alone:.1f}x",
             f"{by_valgrind / alone:.1f}x"]
    return f"| {' | '.join(cells)} |"


def text_of(rows):
    return [
        "# Every branch: judged by callgrind and by pgokit's plugin", "", "    ./dev bench exact", "",
        *textwrap.wrap(
            "Programs from Debian's sources, clang-22 -O2, with the short training runs of bench/support/real_programs.py. *Instructions* "
            "and *branches*: those of the program's own file that ran; *taken*: how often the branches were, in all processes; "
            "*different*: for how many of both `pgokit record --exact` and callgrind have another count. *Blocks*: of a build with "
            "pgokit's plugin, which counts them in the very run that is recorded; a block out of which a call leaves for good (longjmp) "
            "counts there as if all of it had run. Times are CPU seconds of one run, that of the "
            f"recorder included. {launch.machine()}; load of the machine {os.getloadavg()[1]:.1f}.", 100), "",
        "| program | instructions | branches | taken | different | blocks | different | alone, s | `--exact` | callgrind |",
        "|---|---|---|---|---|---|---|---|---|---|", *rows, "",
        *textwrap.wrap(" ".join(f"(1) {name}: {why}" for name, why in NOTES.items()), 100)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", help=f"only these of {','.join(real_programs.RECIPES)}")
    options = parser.parse_args()
    if missing := [tool for tool in ("valgrind", "objdump", "readelf") if not shutil.which(tool)]:
        print(f"bench exact: no {', '.join(missing)}")
        return 77
    os.environ["LC_ALL"] = "C"  # here already: see environment()
    rows, failed = [], False
    for name in options.programs.split(",") if options.programs else real_programs.RECIPES:
        try:
            program = real_programs.built(name, WORK / "programs", PGOKIT)
            judged, *seconds = by_callgrind(program)
            blocks = by_plugin(program)
        except (real_programs.Missing, launch.Failed) as why:
            print(f"bench exact: without {name}: {why}", file=sys.stderr)
            failed = True
            continue
        rows.append(row(program, judged, *seconds, blocks))
        print(rows[-1], f"{name}: {judged.said()}", *blocks[2][:5], sep="\n", flush=True)
        failed |= (judged.different > 0 and name not in NOTES) or not all(map(is_left, blocks[2]))
    if not options.programs:
        (ROOT / "bench/exact.md").write_text("\n".join(text_of(rows)) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

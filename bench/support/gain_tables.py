"""Tables of what bench/gain.py found (bench/gain.json): bench/gain.md, and that of the README.

    { "lua5.4": { "version": "5.4.4", "about": "three scripts ...",
                  "counts": { "date": "2026-11-25", "ways": { "plain": { "instructions": 123, "mispredicted": 4, "icache": 5 }, ... } },
                  "times": { "date": "2026-11-25", "machine": "...", "rounds": 12, "busy": 0.0, "seconds": 0.69,
                             "ways": { "lines": { "ratio": 0.9, "low": 0.87, "high": 0.93 }, ... } } }, ... }

"times" or "counts" is missing where a program was not measured or counted yet.
"""
import textwrap

from gain_ways import WAYS
from launch import IDLE

README = {"lines": "recorded, lines", "probes": "recorded", "exact-probes": "counted", "propeller": "counted, blocks laid out", "bolt": "BOLT",
          "instrumented": "clang's instrumented PGO"}

ABOUT = """Written by `./dev bench gain` ({machines}). Debian's sources, built with their own build systems and options by clang-22 and
lld-22 (`-O2`; the Rust program by Debian's rustc with opt-level 3), trained by some two seconds of work and measured with other work of
the same kind. Percent of CPU time less than the plain build, with 95 % intervals (`pgokit measure`; those of all ways of a program
together). *recorded*: the default of `pgokit record`, in software, on a machine without branch stacks; *exact*: `pgokit record --exact`,
which `pgokit optimize` uses; *inlined by worth*: by what inlining saves beside what it costs, as with clang's own counts
(`pgokit optimize --with inlining`); *targets and sizes*: those of indirect calls and of copies too, counted in a build of their own
(`--with targets`); *order*: functions in the order of `pgokit order` too; *blocks laid out*: by
`pgokit generate --for propeller` (by lines, as clang 22 cannot lay out the blocks of builds with probes). *BOLT*: builds rewritten by
llvm-bolt 22 by `pgokit generate --for bolt` of a counted run. What is by order or by BOLT has the profile by probes."""
COUNTED = """Cachegrind counts a short run, on any machine the same: instructions, what its simple branch predictor gets wrong, and misses
of an instruction cache of 32 kB."""


def less(ratio):
    return 100 * (1 - ratio)


def times_of(one):
    return one.get("times", {}).get("ways", {})


def gain(one, way):
    found = times_of(one).get(way)
    return f"**{less(found['ratio']):.1f}** ({less(found['high']):.1f} to {less(found['low']):.1f})" if found else ""


def head(first, names):
    return f"| {first} | {' | '.join(names)} |", "|---|" + "---|" * len(names)


def rows(results, cell):
    for way, label in list(WAYS.items())[1:]:
        yield f"| {label} | {' | '.join(cell(one, way) for one in results.values())} |"


def time_table(results):
    """Ways are rows, programs columns."""
    measured = {name: one for name, one in results.items() if "times" in one}
    if not measured:
        return
    yield from head("less CPU time, %", [f"{name} {one['version']}" for name, one in measured.items()])
    yield "| plain, seconds | " + " | ".join(f"{one['times']['seconds']:.2f}" for one in measured.values()) + " |"
    yield from rows(measured, gain)


def count_tables(results):
    counted = {name: one for name, one in results.items() if "counts" in one}
    for key, what in (("instructions", "instructions"), ("mispredicted", "branches mispredicted"), ("icache", "i-cache misses")):
        def cell(one, way):
            ways = one["counts"]["ways"]
            return f"{100 * ways[way][key] / max(1, ways['plain'][key]) - 100:+.1f}" if way in ways else ""
        if counted:
            yield from ("", *head(f"{what}, % more", [f"{name} {one['version']}" for name, one in counted.items()]))
            yield from rows(counted, cell)


def tables(results):
    yield from time_table(results)
    yield from count_tables(results)


def page(results):
    machines = dict.fromkeys(one["times"]["machine"] for one in results.values() if "times" in one)
    yield from ("# What profiles gain", "", "![Gain on each program](gain.svg)", "",
                textwrap.fill(ABOUT.format(machines="; ".join(machines) or "nothing was measured yet"), 100), "")
    yield from time_table(results)
    yield from ("", textwrap.fill(COUNTED, 100))
    yield from count_tables(results)
    yield ""
    for name, one in results.items():
        times = one.get("times")
        how = (f"{times['date']}, {times['rounds']} rounds, other programs kept {times['busy']:.1f} processors busy"
               if times else "not measured yet")
        yield from textwrap.wrap(f"* {name}: trained with {one['about']}; {how}", 100, subsequent_indent="  ")
    yield ""


def readme(results):
    """Programs are rows: those that were measured on an idle machine."""
    idle = {name: one for name, one in results.items() if "times" in one and one["times"]["busy"] < IDLE}
    yield from head("less CPU time than `-O2`", list(README.values()))
    for name, one in idle.items():
        ways = times_of(one)
        cells = (f"{less(ways[way]['ratio']):.1f} % ({less(ways[way]['high']):.1f} to {less(ways[way]['low']):.1f})" if way in ways else ""
                 for way in README)
        yield f"| {name} {one['version']} | {' | '.join(cells)} |"

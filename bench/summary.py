#!/usr/bin/env python3
"""One table of all benches: bench/README.md, of what they left in bench/results.json.

    ./dev bench summary

Rows of a busy machine stand apart from those of an idle one. Exit code 1 where a target is missed on an idle machine.
"""
import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import goals  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench/README.md"
# In the order of the page: a bench, and what its rows are about.
TITLES = {"e2e": "Profiles of recordings", "generate": "Profiles of deep programs", "profiles": "Sample profiles",
          "instr_profiles": "Instrumented programs", "commands": "Commands", "perf2bolt": "Profiles for BOLT", "probes": "Pseudo probes",
          "export": "Call stacks and reports", "remarks": "Optimization remarks", "startup": "Start-up"}
HEAD = ["| what | command | wall | CPU | memory | the peer | wall | CPU | memory | times faster | CPU | memory |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|"]

INTRODUCTION = """Every command that has a peer is measured beside it, on the same input, in turn; where both write a file, the bench checks
that it says the same. A row has the median of its runs and, in brackets, the least and the most. *times faster*, *CPU* and *memory* at the
end are the peer's figure divided by ours, with the target where there is one. Where wall times of the peer are marked by *, it is its CPU
time that ours is held against: it has one thread and was run once, as it takes minutes."""

HOW = """    ./dev bench                 # all of them, one after the other: hours
    ./dev bench profiles        # one; ./dev bench profiles --help has its options
    ./dev bench summary         # this page, of bench/results.json
    ./dev bench --check         # fails where a ratio got worse than bench/budgets.json allows"""

RUNNING = """A bench makes its inputs once, in `build/bench`, and writes its page, bench/NAME.md, and its rows in `bench/results.json`, with
machine, versions, load, and how many processors other programs kept busy meanwhile; runs of fewer than five leave none. On a busy machine wall times are too long, so that
such a row does not replace one of an idle machine, and stands apart here. Benches that are not of time or memory, such as that of the gain
(gain.py), have pages of their own. How times and memory grow with processors and samples is in [scale.md](scale.md)."""


def wrapped(text):
    return textwrap.wrap(text, 100, break_on_hyphens=False)


def seconds(value):
    return f"{1000 * value:.1f} ms" if value < 0.1 else f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def with_spread(values, several):
    middle, low, high = values
    return f"{seconds(middle)} ({seconds(low)} to {seconds(high)})" if several else seconds(middle)


def measured(figures, runs, mark=""):
    """Cells: wall, CPU, memory."""
    if figures is None:
        return ["", "", ""]
    return [with_spread(figures["wall"], runs > 1) + mark, with_spread(figures["cpu"], runs > 1), f"{figures['peak_mb']:.0f} MB"]


def missed(record):
    """Of a busy machine nothing can be said."""
    return [measure for measure, target in record["targets"].items()
            if goals.is_idle(record) and record["ratios"].get(measure, target) < target]


def ratio(record, measure):
    if measure not in record["ratios"]:
        return ""
    found, target = record["ratios"][measure], record["targets"].get(measure)
    if target is None:
        return f"{found:.1f}x"
    return f"**{found:.1f}x (target {target:g}x, missed)**" if measure in missed(record) else f"{found:.1f}x (target {target:g}x)"


def line(record):
    peer_runs = 1 if record["wall_by_cpu"] else record["runs"]
    cells = [record["about"], f"`{record['command']}`", *measured(record["ours"], record["runs"]),
             f"`{record['peer']}`" if record["peer"] else "none",
             *measured(record["theirs"], peer_runs, "*" if record["wall_by_cpu"] else ""),
             *(ratio(record, measure) for measure in ("wall", "cpu", "memory"))]
    return f"| {' | '.join(cells)} |"


def origin(records):
    """Where, when and of what: alike for most rows of a bench."""
    def different(of):
        return ", ".join(sorted({of(record) for record in records}))
    machines, dates = different(lambda one: one["machine"]), different(lambda one: one["date"])
    tools = sorted({f"{tool} {version}" for one in records for tool, version in one["versions"].items() if version and tool != "system"})
    runs, busy = different(lambda one: str(one["runs"])), max(one["busy"] for one in records)
    return f"{machines}, {dates}; {runs} runs; others kept at most {busy:.1f} processors busy; {', '.join(tools)}."


def part(results, idle):
    lines = []
    for bench, title in TITLES.items():
        records = [record for record in results.get(bench, {}).values() if goals.is_idle(record) == idle]
        if not records:
            continue
        page = f" ([{bench}.md]({bench}.md))" if (ROOT / f"bench/{bench}.md").exists() else ""
        lines += [f"### {title}{page}", "", *wrapped(origin(records)), "", *HEAD, *map(line, records), ""]
    return lines


def main():
    results = goals.load_results()
    if unknown := results.keys() - TITLES.keys():
        sys.exit(f"bench/summary.py: no title for {', '.join(sorted(unknown))}: name it in TITLES")
    every = [record for rows in results.values() for record in rows.values()]
    idle = [record for record in every if goals.is_idle(record)]
    open_ = [bench for bench in TITLES if not any(map(goals.is_idle, results.get(bench, {}).values()))]
    late = [f"{bench} {name} ({', '.join(missed(record))})" for bench, rows in sorted(results.items()) for name, record in sorted(rows.items())
            if missed(record)]
    text = ["# Benches", "", *wrapped(INTRODUCTION), "", HOW, "", *wrapped(RUNNING), "",
            *wrapped(f"{len(idle)} of {len(every)} rows were measured on an idle machine. Targets that these miss: {', '.join(late) or 'none'}. "
                     f"Not measured yet: {', '.join(f'`./dev bench {bench}`' for bench in open_) or 'nothing'}."), "",
            "## On an idle machine", ""]
    text += part(results, True) or ["Nothing yet.", ""]
    if busy := part(results, False):
        text += ["## While other programs ran", "", *wrapped(
            "Not comparable with the rows above: wall times are too long, ratios are rough. They stand here until they are measured again "
            "on an idle machine."), "", *busy]
    PAGE.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    print(f"bench/README.md: {len(every)} rows, {len(idle)} of an idle machine")
    for one in late:
        print(f"bench summary: missed: {one}", file=sys.stderr)
    return int(bool(late))


if __name__ == "__main__":
    sys.exit(main())

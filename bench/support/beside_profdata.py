"""`pgokit llvm-profdata` beside the stock tool: the same command lines, the same files, a table.

    cases = [("merge", "100 inputs", ["merge", *inputs], 10)]      # the last is the ratio promised; 0: none
    code = beside_profdata.compare("profiles", cases, pgokit, work, args.runs, args.only)

bench/NAME.md is written unless only one case is asked for. What the two merge has to be the same bytes.
"""
import filecmp
import pathlib

import goals
import launch

PEER = "llvm-profdata-22"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def compare(name, cases, pgokit, work, runs, only=None):
    """The exit code: 1 where a promise is missed."""
    promises = goals.Goals(name)
    lines = [f"On {launch.machine()}, {runs} runs in turn, medians.", "",
             "| case | inputs | pgokit | llvm-profdata | times faster | CPU | pgokit MB | llvm-profdata MB |",
             "|---|---|---|---|---|---|---|---|"]
    for case, about, words, wanted in cases:
        if only not in (None, case):
            continue
        writes = words[0] == "merge"
        ours, theirs = launch.in_turn([
            [pgokit, "llvm-profdata", *words, *(["-o", work / "ours"] if writes else [])],
            [PEER, *words, *(["-o", work / "theirs"] if writes else [])]], runs, work)
        if writes and not filecmp.cmp(work / "ours", work / "theirs", shallow=False):
            raise SystemExit(f"{case}: the files differ")
        lines.append(f"| {case} | {about} | {ours.wall:.3f} s | {theirs.wall:.3f} s | "
                     f"{promises.ratio(case, 'wall', theirs.wall / ours.wall, wanted)} | "
                     f"{theirs.cpu / max(ours.cpu, 0.001):.1f} | {ours.peak_mb:.0f} | {theirs.peak_mb:.0f} |")
        print(lines[-1])
    if only is None:
        (ROOT / "bench" / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return promises.finish()

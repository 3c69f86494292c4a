"""pgokit beside llvm-profdata on the same files, a table.

    cases = [Case("merge", "96 inputs", ["merge", *inputs], wall=15)]      # of `pgokit llvm-profdata` too
    code = beside_profdata.compare("profiles", cases, pgokit, work, args.runs, args.only)

bench/NAME.md is written unless only one case is asked for. What both write by the same words has to be the same bytes.
"""
import dataclasses
import filecmp
import pathlib

import goals
import launch

PEER = "llvm-profdata-22"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Case:
    name: str
    about: str
    words: list  # of llvm-profdata, options before files
    wall: float = 0  # times faster that is promised; 0: nothing
    own: list = None  # pgokit's words, where they are not those of its llvm-profdata

    def command(self):
        return ["pgokit", *(of_options(self.own) if self.own else ["llvm-profdata", *of_options(self.words)])]

    def writes(self):
        return self.words[0] in ("merge", "order")


def of_options(words):
    """Without the files: what is absolute."""
    return [word for word in words if not str(word).startswith("/")]


def compare(name, cases, pgokit, work, runs, only=None):
    """The exit code: 1 where a promise is missed."""
    promises = goals.Goals(name)
    lines = [f"On {launch.machine()}, {runs} runs in turn, medians.", "",
             "| case | inputs | pgokit | llvm-profdata | times faster | CPU | pgokit MB | llvm-profdata MB |",
             "|---|---|---|---|---|---|---|---|"]
    for case in cases:
        if only not in (None, case.name):
            continue
        out = [["-o", work / file] if case.writes() else [] for file in ("ours", "theirs")]
        ours, theirs = launch.in_turn([
            [pgokit, *(case.own or ["llvm-profdata", *case.words]), *out[0]], [PEER, *case.words, *out[1]]], runs, work)
        if case.writes() and not case.own and not filecmp.cmp(work / "ours", work / "theirs", shallow=False):
            raise SystemExit(f"{case.name}: the files differ")
        cells = promises.row(case.name, case.about, ours, theirs, case.command(), [PEER, *of_options(case.words)],
                             wall=case.wall)
        lines.append(f"| {case.name} | {case.about} | {ours.wall:.3f} s | {theirs.wall:.3f} s | {cells['wall']} | "
                     f"{theirs.cpu / max(ours.cpu, 0.001):.1f} | {ours.peak_mb:.0f} | {theirs.peak_mb:.0f} |")
        print(lines[-1], flush=True)
    if only is None:
        (ROOT / "bench" / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return promises.finish()

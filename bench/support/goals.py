"""What a bench promises, and whether it keeps it.

    goals = Goals("profiles")
    cell = goals.ratio("merge", "wall", theirs.wall / ours.wall, wanted)    # "12.3x (target 10x)"
    return goals.finish()                                                   # 1 where something was missed

Ratios are how many times less we take than the peer in the same run. Each is kept in build/bench/ratios/BENCH.json.
With ./dev bench --check they are also held against bench/budgets.json, the ratios that were once accepted: less than
TOLERANCE of one is a miss, as targets may be far away and still must not get farther. --accept writes them there.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUDGETS = ROOT / "bench/budgets.json"
TOLERANCE = 0.85  # the machines are noisy


class Goals:
    def __init__(self, bench):
        self.bench = bench
        self.ratios, self.missed = {}, []

    def ratio(self, row, measure, ratio, target=0):
        """As a cell of a table. `target` 0: none."""
        self.ratios[f"{row}: {measure}"] = round(ratio, 2)
        if target and ratio < target:
            self.missed.append(f"{row}: {measure} {ratio:.1f}x, target {target:g}x")
        if not target:
            return f"{ratio:.1f}x"
        return f"{ratio:.1f}x (target {target:g}x{'' if ratio >= target else ', missed'})"

    def hold_against(self, budgets):
        for name, accepted in budgets.items():
            found = self.ratios.get(name)
            if found is not None and found < TOLERANCE * accepted:
                self.missed.append(f"{name} {found:.1f}x, accepted {accepted:g}x")

    def finish(self):
        """The exit code; what was missed is said on standard error."""
        mode = os.environ.get("PGOKIT_BENCH", "")
        folder = ROOT / "build/bench/ratios"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.bench}.json").write_text(json.dumps(self.ratios, indent=1) + "\n", encoding="utf-8")
        budgets = json.loads(BUDGETS.read_text(encoding="utf-8"))
        if mode == "check":
            self.missed = []  # what is checked is that nothing got worse
            self.hold_against(budgets.get(self.bench, {}))
        if mode == "accept":
            budgets.setdefault(self.bench, {}).update(self.ratios)
            BUDGETS.write_text(json.dumps(budgets, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        for miss in self.missed:
            print(f"bench {self.bench}: missed: {miss}", file=sys.stderr)
        return int(bool(self.missed))

"""What a bench promises, and whether it keeps it; and what it measured, for bench/README.md.

    goals = Goals("profiles")
    cells = goals.row("merge", "96 profiles added up", ours, theirs, ["pgokit", "merge"], ["llvm-profdata-22", "merge"], wall=15)
    print(cells["wall"], cells["memory"])                      # "22.3x (target 15x)", "58.0x"
    return goals.finish()                                      # 1 where something was missed

Ratios are how many times less we take than the peer in the same run. Each row is kept in bench/results.json, with its
spread, machine, versions, and how busy other programs kept the machine, if it is of LEAST_RUNS runs or more; a row of a busy
machine does not replace one of an idle one. bench/summary.py writes the table.

With ./dev bench --check ratios are also held against bench/budgets.json, those that were once accepted: less than
TOLERANCE of one is a miss, as targets may be far away and still must not get farther. --accept writes them there.
"""
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import launch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUDGETS = ROOT / "bench/budgets.json"
RESULTS = ROOT / "bench/results.json"
TOLERANCE = 0.85  # the machines are noisy
LEAST_RUNS = 5


def is_idle(record):
    return record["busy"] < launch.IDLE


def spread(values):
    """Median, least and most."""
    return [round(value, 5) for value in (statistics.median(values), min(values), max(values))]


def figures(measured):
    return {"wall": spread(measured.walls), "cpu": spread(measured.cpus), "peak_mb": round(measured.peak_mb, 1)}


def commit():
    said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    return said or "?"


def load_results():
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def write_json(path, value):
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.rename(path)


class Goals:
    def __init__(self, bench):
        self.bench = bench
        self.ratios, self.missed, self.rows = {}, [], {}

    def ratio(self, row, measure, ratio, target=0):
        """As a cell of a table. `target` 0: none."""
        self.ratios[f"{row}: {measure}"] = round(ratio, 2)
        if target and ratio < target:
            self.missed.append(f"{row}: {measure} {ratio:.1f}x, target {target:g}x")
        if not target:
            return f"{ratio:.1f}x"
        return f"{ratio:.1f}x (target {target:g}x{'' if ratio >= target else ', missed'})"

    def row(self, name, about, ours, theirs, command, peer, *, wall=0, cpu=0, memory=0, wall_by_cpu=False):
        """The ratios as cells, by measure; none where there is no peer. Commands are words without files, the
        first one being the program. `wall_by_cpu`: our wall time is held against the peer's CPU time, which is what
        a program with one thread takes on an idle machine."""
        targets = {measure: target for measure, target in (("wall", wall), ("cpu", cpu), ("memory", memory)) if target}
        cells, ratios = {}, {}
        if theirs:
            ratios = {"wall": (theirs.cpu if wall_by_cpu else theirs.wall) / ours.wall,
                      "cpu": theirs.cpu / max(ours.cpu, 0.001), "memory": theirs.peak_mb / ours.peak_mb}
            cells = {measure: self.ratio(name, measure, ratio, targets.get(measure, 0)) for measure, ratio in ratios.items()}
        versions = {"pgokit": commit(), "system": f"{platform.system()} {platform.release()}"}
        if peer:
            versions[pathlib.Path(peer[0]).name] = launch.version(peer[0])
        self.rows[name] = {
            "about": about, "command": said(command), "peer": said(peer) if peer else "", "runs": len(ours.walls),
            "date": datetime.date.today().isoformat(), "machine": f"{launch.machine()}, {os.cpu_count()} processors",
            "load": round(ours.load, 2), "busy": round(ours.busy, 2), "versions": versions, "targets": targets,
            "ratios": {measure: round(ratio, 2) for measure, ratio in ratios.items()}, "wall_by_cpu": wall_by_cpu,
            "ours": figures(ours), "theirs": figures(theirs) if theirs else None}
        return cells

    def hold_against(self, budgets):
        for name, accepted in budgets.items():
            found = self.ratios.get(name)
            if found is not None and found < TOLERANCE * accepted:
                self.missed.append(f"{name} {found:.1f}x, accepted {accepted:g}x")

    def keep_rows(self):
        results = load_results()
        kept = results.setdefault(self.bench, {})
        for name, record in self.rows.items():
            if record["runs"] < LEAST_RUNS:
                continue
            if name in kept and is_idle(kept[name]) and not is_idle(record):
                print(f"bench {self.bench}: {name}: others kept {record['busy']:.1f} processors busy: the row of "
                      f"{kept[name]['date']}, of an idle machine, stays in bench/results.json", file=sys.stderr)
                continue
            kept[name] = record
        if kept:
            write_json(RESULTS, results)

    def finish(self):
        """The exit code; what was missed is said on standard error."""
        mode = os.environ.get("PGOKIT_BENCH", "")
        self.keep_rows()
        budgets = json.loads(BUDGETS.read_text(encoding="utf-8"))
        if mode == "check":
            self.missed = []  # what is checked is that nothing got worse
            self.hold_against(budgets.get(self.bench, {}))
        if mode == "accept":
            budgets.setdefault(self.bench, {}).update(self.ratios)
            write_json(BUDGETS, budgets)
        for miss in self.missed:
            print(f"bench {self.bench}: missed: {miss}", file=sys.stderr)
        return int(bool(self.missed))


def said(words):
    """A command as it stands in a table: without the folder of the program."""
    return " ".join([pathlib.Path(words[0]).name, *map(str, words[1:])])

#!/usr/bin/env python3
"""What benches keep and tell: rows of busy and idle machines, the summary, and the model of scale.

    bench.py BENCH
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile

BENCH = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(BENCH), str(BENCH / "support")]
import goals  # noqa: E402
import launch  # noqa: E402
import scale_model  # noqa: E402
import summary  # noqa: E402


def measured(wall, busy, runs=5):
    return launch.Measured([wall / 2, wall * 2, *[wall] * (runs - 2)], [wall] * runs, 10, busy, 0.5)


def keep(busy, ours=1.0, theirs=8.0):
    """A run of a bench that promises 10 times."""
    one = goals.Goals("profiles")
    one.row("short", "a try", measured(ours, busy, runs=3), None, ["pgokit"], None)
    cells = one.row("merge", "two files", measured(ours, busy), measured(theirs, busy), ["/a/pgokit", "merge"], ["/b/llvm-profdata-22", "merge"], wall=10)
    one.row("check", "a profile", measured(ours, busy), None, ["pgokit", "check"], None)
    return cells, one.finish()


def rows(folder):
    goals.RESULTS, summary.PAGE = folder / "results.json", folder / "README.md"
    cells, code = keep(busy=1.5)
    assert cells == {"wall": "8.0x (target 10x, missed)", "cpu": "8.0x", "memory": "1.0x"} and code == 1, (cells, code)
    assert summary.main() == 0, "of a busy machine no target is missed"
    page = summary.PAGE.read_text(encoding="utf-8")
    assert "0 of 2 rows were measured on an idle machine" in page and "8.0x (target 10x) | 8.0x" in page, page
    keep(busy=0.0)
    assert summary.main() == 1
    page = summary.PAGE.read_text(encoding="utf-8")
    assert "2 of 2 rows" in page and "profiles merge (wall)" in page and "**8.0x (target 10x, missed)**" in page, page
    assert "| two files | `pgokit merge` | 1.00 s (0.50 s to 2.00 s) |" in page and "| none |  |  |  |  |  |  |" in page, page
    assert "While other programs ran" not in page, page
    with contextlib.redirect_stderr(io.StringIO()) as said:
        keep(busy=1.5, ours=100)
    assert "of an idle machine, stays" in said.getvalue(), said.getvalue()
    assert json.loads(goals.RESULTS.read_text(encoding="utf-8"))["profiles"]["merge"]["ours"]["wall"] == [1.0, 0.5, 2.0]


def others():
    busy = launch.Others().busy()
    assert busy >= 0, busy


def model():
    """Of 10 seconds 2 are serial, and two runs at once take a quarter more."""
    one, contention = {"reading": 10.0}, 1.25
    two = {"reading": 2 + 8 * contention / 2}
    found = scale_model.Model(one, two, {"reading": 10 * contention})
    stage = found.stages["reading"]
    assert abs(stage.serial - 2) < 1e-9 and abs(found.total(2) - two["reading"]) < 1e-9, stage
    assert abs(found.total(8) - (2 + 8 * contention / 8)) < 1e-9
    assert abs(found.total(2, {"reading": 20.0}) - 2 * two["reading"]) < 1e-9
    # Times that cannot be: nothing is less than all serial or more than all divided.
    assert scale_model.Stage(1, 1.5, 1).parallel == 0 and scale_model.Stage(1, 0.3, 1).serial == 0
    assert scale_model.Stage(0, 0, 0).seconds(8) == 0
    assert scale_model.line_through([(0, 1), (2, 5)]) == (1, 2)


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        rows(pathlib.Path(folder))
    others()
    model()
    print("ok")


main()

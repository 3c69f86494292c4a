#!/usr/bin/env python3
"""examples/fleet/tree.sh: the sum is that of one merge, an interrupted run goes on, and names are no commands.

    tree.py PGOKIT

The steps of kubernetes.yml are run too, pod by pod, where PyYAML is there.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

FLEET = pathlib.Path(__file__).resolve().parents[2] / "examples/fleet"
PROFILES = 47
failures = 0


def expect(what, good, shown=""):
    global failures
    print(f"{'ok   ' if good else 'WRONG'} {what}{'' if good else ': ' + str(shown)}", flush=True)
    failures += not good


class Fleet:
    def __init__(self, folder, pgokit):
        self.folder, self.pgokit = folder, pgokit
        (folder / "objects").mkdir()
        for i in range(PROFILES):
            # Names that a shell, xargs, or a list of inputs would take for something else.
            name = f"{i} $(touch hacked);'\"`touch hacked`,#=2{'' if i % 2 else ' '}.prof"
            (folder / "objects" / name).write_text(f"f{i % 7}:{i + 1}:1\n 1: {i + 1}\nmain:9:1\n 1: 9\n")
        (folder / "objects" / "#broken.prof").write_text("f:1:1\n 1 x\n")
        (folder / "fetch").write_text(f'#!/bin/sh\necho "$1" >>"{folder}/fetched"\nexec cat -- "{folder}/objects/$1"\n')
        (folder / "fetch").chmod(0o755)
        # A merge that fails from the Nth call on: the machine that goes down.
        (folder / "dying").write_text(f'#!/bin/sh\necho >>"{folder}/calls"\n[ "$(wc -l <"{folder}/calls")" -le "$LIVES" ] || exit 137\n'
                                      f'exec "{pgokit}" "$@"\n')
        (folder / "dying").chmod(0o755)

    def list(self, names, file="list"):
        self.folder.joinpath(file).write_text("".join(f"1\t{name}\n" for name in names))

    def run(self, state="state", pgokit=None, **environment):
        return subprocess.run([FLEET / "tree.sh", "list", state, f"{state}.prof"], cwd=self.folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "PGOKIT": str(pgokit or self.pgokit), "FAN_IN": "5", "JOBS": "2", **environment})

    def calls(self):
        calls = self.folder / "calls"
        n = len(calls.read_text().splitlines()) if calls.exists() else 0
        calls.unlink(missing_ok=True)
        return n


def judge_tree(fleet):
    folder = fleet.folder
    names = sorted(path.name for path in (folder / "objects").iterdir())
    whole = folder / "whole.prof"
    merged = subprocess.run([fleet.pgokit, "merge", "-q", folder / "objects", "-o", whole], check=False, capture_output=True)
    expect("one merge leaves out the broken one", merged.returncode == 3)
    fleet.list(folder / "objects" / name for name in names)
    done = fleet.run()
    expect("a tree of files gives the same bytes", (folder / "state.prof").read_bytes() == whole.read_bytes(), done.stderr)
    expect("and names what it leaves out", "#broken.prof" in done.stderr, done.stderr)
    fleet.list(names)
    fetch = {"FETCH": str(folder / "fetch")}
    done = fleet.run("fetched-state", **fetch)
    expect("and so does one of objects", (folder / "fetched-state.prof").read_bytes() == whole.read_bytes(), done.stderr)
    expect("names are no commands", not (folder / "hacked").exists())
    expect("nothing fetched is left", not list((folder / "fetched-state").glob("fetch.*")))

    done = fleet.run("broken-off", folder / "dying", LIVES="6", JOBS="1", **fetch)
    expect("a run that dies has no sum", done.returncode != 0 and not (folder / "broken-off.prof").exists(), done)
    kept = len(list((folder / "broken-off/nodes").iterdir()))
    fleet.calls()
    done = fleet.run("broken-off", folder / "dying", LIVES="1000", **fetch)
    nodes = len(list((folder / "broken-off/nodes").iterdir()))
    calls = fleet.calls()
    expect("and goes on where it was", kept == 6 and calls == nodes - kept, (kept, calls, nodes))
    expect("to the same sum", (folder / "broken-off.prof").read_bytes() == whole.read_bytes())
    done = fleet.run("broken-off", folder / "dying", LIVES="1000", **fetch)
    expect("a third run has nothing to do", done.returncode == 0 and fleet.calls() == 0, done.stderr)
    fleet.list([*names, names[5]])
    done = fleet.run("broken-off", folder / "dying", LIVES="1000", **fetch)
    expect("one profile more is one node per level", done.returncode == 0 and fleet.calls() <= 3, done.stderr)
    fleet.list([*names, "nowhere.prof"])
    done = fleet.run("no-object", **fetch)
    expect("an object that is not there is a failure", done.returncode != 0 and "nowhere.prof" in done.stderr, done)
    fleet.list([])
    done = fleet.run("empty")
    expect("so is an empty list", done.returncode != 0, done)


def judge_kubernetes(yaml, fleet):
    folder = fleet.folder
    names = sorted(path.name for path in (folder / "objects").iterdir() if path.name != "#broken.prof")
    fleet.list(names)
    state = folder / "pods"
    state.mkdir()
    (folder / "bin").mkdir()
    (folder / "bin/pgokit").symlink_to(fleet.pgokit)
    jobs = {job["metadata"]["name"]: job for job in yaml.safe_load_all((FLEET / "kubernetes.yml").read_text())}

    def run(job, index):
        container = jobs[job]["spec"]["template"]["spec"]["containers"][0]
        own = {one["name"]: one["value"] for one in container["env"]}
        own |= {"STATE": str(state), "LIST": str(folder / "list"), "FETCH": str(folder / "fetch"), "SCRIPTS": str(FLEET)}
        return subprocess.run(container["command"], cwd=folder, text=True, capture_output=True, check=False,
                              env={**os.environ, **own, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": str(index)})

    pods = [run("profiles-map", index) for index in range(jobs["profiles-map"]["spec"]["completions"])]
    done = run("profiles-reduce", 0)
    whole = folder / "pods.prof"
    subprocess.run([fleet.pgokit, "merge", "-q", "--strict", *(folder / "objects" / name for name in names), "-o", whole], check=True)
    expect("the pods of an indexed Job give the same bytes", (state / "total.prof").read_bytes() == whole.read_bytes(),
           [*(pod.stderr for pod in pods), done.stderr])


def main():
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(pathlib.Path(folder), pathlib.Path(sys.argv[1]).resolve())
        judge_tree(fleet)
        try:
            import yaml
            judge_kubernetes(yaml, fleet)
        except ImportError:
            print("SKIPPED: kubernetes.yml, without PyYAML")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

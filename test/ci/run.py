#!/usr/bin/env python3
"""Runs what examples/ci gives to GitHub and GitLab, as they would, with a small program.

    run.py PGOKIT

The steps are those in the .yml files: their `run` and `script` blocks, with the variables that their `env` names. gh
and curl are stood in for by scripts that write down what they are given. Exit code 77 without clang 22, PyYAML, or
where nothing can be recorded.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "examples/ci"
FLAGS = ["-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id"]
failures = 0


def expect(what, good, shown=""):
    global failures
    print(f"{'ok   ' if good else 'WRONG'} {what}{'' if good else ': ' + str(shown)}", flush=True)
    failures += not good


class Place:
    """A checkout with a program, and the tools that CI has."""

    def __init__(self, folder, pgokit):
        self.folder, self.pgokit = folder, pgokit
        self.tools = folder / "tools"
        self.tools.mkdir()
        for name in "gh", "curl":
            (self.tools / name).write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" >>"{folder}/said"\n')
            (self.tools / name).chmod(0o755)
        (self.tools / "pgokit").symlink_to(pgokit)

    def build(self, version):
        source = ROOT / "test/programs/edited" / version / "edited.cc"
        subprocess.run(["clang++-22", *FLAGS, source, "-o", self.folder / "app"], check=True)

    def run(self, script, **environment):
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]  # as GitHub runs it
        return subprocess.run(shell, cwd=self.folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", **environment})

    def show(self, profile="app.prof"):
        return json.loads(subprocess.run([self.pgokit, "show", "--json", self.folder / profile], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)


class GitHub:
    """Composite actions as their documentation has them."""

    def __init__(self, yaml, place):
        self.action, self.place = yaml.safe_load((CI / "action.yml").read_text()), place

    def run(self, inputs, event="pull_request"):
        given = {name: about.get("default", "") for name, about in self.action["inputs"].items()} | inputs
        temporary = self.place.folder / "runner"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        known = {f"inputs.{name}": value for name, value in given.items()}
        known |= {"github.token": "secret", "github.event.pull_request.number": "7"}
        environment = {"GITHUB_ACTION_PATH": str(CI), "RUNNER_TEMP": str(temporary),
                       "GITHUB_STEP_SUMMARY": str(temporary / "summary"), "GITHUB_OUTPUT": str(temporary / "output")}
        for step in self.action["runs"]["steps"]:
            if "if" in step and (event != "pull_request" or given["comment"] != "true"):
                continue
            own = {name: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: known[found[1]], value)
                   for name, value in step["env"].items()}
            done = self.place.run(step["run"], **environment, **own)
            if done.returncode:
                return done.returncode, "", done.stderr
        return 0, (temporary / "output").read_text().strip(), (temporary / "summary").read_text()


def judge_github(yaml, place):
    github = GitHub(yaml, place)
    common = {"profile": "app.prof", "program": "app", "command": "./app 1500000"}
    refresh, check = {**common, "mode": "refresh"}, {**common, "mode": "check"}
    place.build("before")
    expect("no expression is in the text of a step", not any("${{" in step["run"] for step in github.action["runs"]["steps"]))
    code, output, report = github.run(refresh)
    expect("a first profile is made", (code, output) == (0, "code=0"), (code, output, report))
    expect("and says where it comes from", len(place.show()["notes"]) == 1)
    expect("of no name that changes", "/tmp/" not in report + place.show()["notes"][0]["command"], report)
    expect("and leaves nothing else", not (place.folder / "app.prof.refresh").exists())
    expect("its report is a heading and a table", report.startswith("### Profile `") and "| density |" in report, report)
    said = (place.folder / "said").read_text().split("\n")
    expect("which is the comment", said[:4] == ["gh", "pr", "comment", "7"] and "--body-file" in said, said)

    code, output, report = github.run(check)
    expect("it fits its own build", (code, output) == (0, "code=0") and ": good" in report, (code, report))
    place.build("after")
    before = (place.folder / "app.prof").read_bytes()
    code, output, report = github.run(check)
    expect("and not the next one", (code, output) == (0, "code=3") and "BAD: stale" in report, (code, output, report))
    code, output, report = github.run(refresh)
    expect("which gets one of both", (code, output) == (0, "code=0") and len(place.show()["notes"]) == 2, (code, output, report))
    expect("by way of the newer build", "Matched to a newer build" in report and "Compared with" in report, report)
    expect("and another than before", (place.folder / "app.prof").read_bytes() != before)
    code, output, report = github.run(check)
    expect("which fits", output == "code=0", (code, output, report))

    kept = (place.folder / "app.prof").read_bytes()
    os.environ["MIN_DENSITY"] = "1000000000"
    code, output, report = github.run(refresh)
    del os.environ["MIN_DENSITY"]
    expect("a thin recording changes nothing", output == "code=3" and (place.folder / "app.prof").read_bytes() == kept, (code, output))
    code, _, report = github.run({**refresh, "command": "exit 9"})
    expect("nor one that fails", code not in (0, 3) and (place.folder / "app.prof").read_bytes() == kept, (code, report))
    expect("which says what failed", "ended with exit code 9" in report, report)
    environment = {"RECORD": "--exact", "SOURCE_DATE_EPOCH": "1700000000"}
    os.environ.update(environment)
    made = []
    for _ in range(2):
        (place.folder / "exact.prof").unlink(missing_ok=True)
        made.append((github.run({**refresh, "profile": "exact.prof"}), (place.folder / "exact.prof").read_bytes()))
    for name in environment:
        del os.environ[name]
    expect("exact recordings make the same profile and the same report twice", made[0] == made[1] and made[0][0][0] == 0, [run[0] for run in made])
    subprocess.run([place.pgokit, "record", "--exact", "-q", "-o", "app.perf", "--", "./app", "20000"], cwd=place.folder, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([place.pgokit, "generate", "-q", "app.perf", "-b", "app", "-o", "unnoted.prof"], cwd=place.folder, check=True)
    code, output, report = github.run({**check, "profile": "unnoted.prof"})
    expect("a profile without a note is checked", (code, output) == (0, "code=0") and "Its age is not known" in report, (code, output, report))
    shutil.copy(place.folder / "app", place.folder / "renamed")
    done = place.run("pgokit check unnoted.prof -b renamed --recording app.perf")
    expect("a recording is of a program that has another name now", done.returncode == 0 and "the program's" in done.stdout, (done.stdout, done.stderr))
    (place.folder / "app.prof.refresh").mkdir()
    code, _, report = github.run(refresh)
    expect("two refreshes of one profile do not meet", code == 1 and "remove it" in report, (code, report))
    (place.folder / "app.prof.refresh").rmdir()
    code, _, _ = github.run({**check, "profile": "nowhere.prof"})
    expect("a profile that is missing is a failure", code == 1, code)
    code, _, _ = github.run({**check, "profile": "$(touch hacked).prof"})
    expect("inputs are no commands", code == 1 and not (place.folder / "hacked").exists())


def judge_gitlab(yaml, place):
    jobs = yaml.safe_load((CI / "gitlab.yml").read_text())
    (place.folder / "ci").mkdir()
    (place.folder / "ci/pgokit").symlink_to(CI)
    (place.folder / "said").unlink()
    variables = {"PROFILE": "gitlab.prof", "PROGRAM": "app", "COMMAND": "./app 1500000", "COMMENT_TOKEN": "secret",
                 "CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "6"}

    def run(job):
        return place.run("\n".join(jobs[job]["script"]), **variables)

    done = run("profile-refresh")
    expect("GitLab: a profile is made", done.returncode == 0 and place.show("gitlab.prof")["samples"] > 0, done.stderr)
    done = run("profile-check")
    said = (place.folder / "said").read_text()
    expect("GitLab: it is checked", done.returncode == 0, done.stderr)
    expect("GitLab: the request gets a comment", "/projects/5/merge_requests/6/notes" in said and "body@profile.md" in said, said)
    place.build("before")
    done = run("profile-check")
    expect("GitLab: one that does not fit is exit code 3", done.returncode == 3, done.stderr)


def main():
    try:
        import yaml
    except ImportError:
        print("SKIPPED: no PyYAML")
        return 77
    pgokit = pathlib.Path(sys.argv[1]).resolve()
    doctor = subprocess.run([pgokit, "doctor", "--json"], capture_output=True, text=True, check=False)
    if not shutil.which("clang++-22") or '"software": true' not in doctor.stdout:
        print("SKIPPED: no clang 22, or ptrace is not permitted here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        place = Place(pathlib.Path(folder), pgokit)
        judge_github(yaml, place)
        judge_gitlab(yaml, place)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

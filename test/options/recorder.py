"""The options of `pgokit record`: a recording is different each time, so what it must hold is said for each of them."""
import json
import os
import signal
import subprocess
import time

from inputs import run

BUSY = """
__attribute__((noinline)) int work(int x) {
  int s = 0;
  for (int i = 0; i < 1000; i++) s += (i * x) % 7 ? i : x;
  return s;
}
__attribute__((noinline)) int twice(int x) { return work(x) + work(x + 1); }
int main(int argc, char **argv) {
  volatile long s = 0;
  for (int i = 0; argc > 1 || i < 100000; i++) s += twice(i);
}
"""


class Recorder:
    def __init__(self, files):
        self.files, self.pgokit = files, files.pgokit
        source = files.folder / "busy.c"
        source.write_text(BUSY)
        run("clang-22", "-O2", "-g", source, "-fuse-ld=lld-22", "-Wl,--build-id", "-o", files.new("busy"))
        machine = json.loads(subprocess.run([self.pgokit, "doctor", "--json"], check=True, capture_output=True).stdout)["machine"]
        self.software, self.hardware = machine["software"], machine["hardware"]
        self.plain = [event["event"] for event in machine["events"] if event["ok"] and not event["branch_stack"]]

    def record(self, *options, command=True):
        words = [self.pgokit, "record", "-o", str(self.files.new("recorded")), *options, *(["--", str(self.files["busy"])] if command else [])]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, cwd=self.files.folder)

    def shown(self, *options, **more):
        """What `show` tells about a recording that is made with these options."""
        done = self.record(*options, **more)
        assert done.returncode == 0, (options, done)
        return json.loads(subprocess.run([self.pgokit, "show", "--json", str(self.files["recorded"])], check=True, capture_output=True).stdout)

    def live(self):
        """A recording with build ids, of a program of which there is another build."""
        program, other = self.files["busy"], self.files.new("other-busy", "other/busy")
        build_id = bytes.fromhex(json.loads(subprocess.run([self.pgokit, "doctor", "--json", program], check=True,
                                                           capture_output=True).stdout)["program"]["build_id"])
        other.write_bytes(program.read_bytes().replace(build_id, bytes(255 - byte for byte in build_id)))
        assert self.record("--software").returncode == 0
        self.files.new("live").write_bytes(self.files["recorded"].read_bytes())

    def attached(self, *options):
        """Without an end of its own the program is recorded until the recorder stops."""
        with subprocess.Popen([self.files["busy"], "forever"]) as program:
            try:
                return self.shown("--software", "-p", str(program.pid), "--for", "0.3", *options, command=False)
            finally:
                program.kill()

    def refused(self, what, *options, **more):
        done = self.record(*options, **more)
        return done.returncode in (1, 2) and what in done.stderr

    def output(self):
        self.files["recorded"].unlink(missing_ok=True)
        return self.record("--software").returncode == 0 and self.files["recorded"].exists()

    def duration(self):
        return self.attached()["samples"] > 0

    def processes(self):
        """Several, and those that have been started by one."""
        words = [self.files["busy"], "forever"]
        with subprocess.Popen(words) as one, subprocess.Popen(words) as other:
            try:
                both = self.shown("--software", "-p", f"{one.pid},{other.pid}", "--slowdown", "100", "--for", "0.5", command=False)
            finally:
                one.kill(), other.kill()
        with subprocess.Popen(["sh", "-c", '"$0" forever & "$0" forever & wait', self.files["busy"]], start_new_session=True) as shell:
            try:
                time.sleep(0.2)
                tree = self.shown("--software", "-p", str(shell.pid), "--tree", "--slowdown", "100", "--for", "0.5", command=False)
            finally:
                os.killpg(shell.pid, signal.SIGKILL)
        return self.samples_of(both, one.pid, other.pid) and self.samples_of(tree, shell.pid, among=2)

    @staticmethod
    def samples_of(recording, *pids, among=0):
        """From these processes, or from as many others."""
        sampled = {process["pid"] for process in recording["processes"] if process["samples"]}
        return len(sampled) >= among if among else sampled == set(pids)

    def only(self):
        """Of a shell and what it starts, one; by a name that no process has, nothing."""
        script = ["sh", "-c", 'i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done; "$0"; true', self.files["busy"]]
        name = os.path.basename(self.files["busy"])
        told = [self.shown("--software", "--only", one, "--", *script, command=False) for one in (name, self.files["busy"], "sh")]
        ran = [{os.path.basename(program["path"]) for program in one["programs"] if program["samples"]} for one in told]
        return [name in one for one in ran] == [True, True, False] and ["dash" in one for one in ran] == [False, False, True] and all(
            self.refused(f"no process ran nobody, but sh, {name}", *way, "--only", "nobody", "--", *script, command=False) for way in ((), ("--exact",)))

    def frequency(self):
        often, seldom = (self.shown("--software", "-F", number)["events"][0]["period"] for number in ("2000", "500"))
        return 3 * often < seldom

    def slowdown(self):
        little, much = (json.loads(self.record("--software", "-q", "--stats", "--slowdown", number).stderr)["windows"]
                        for number in ("10", "200"))
        return (2 * little < much and self.refused("--slowdown", "--slowdown", "5", "-F", "50") and
                self.refused("--slowdown", "--slowdown", "0") and self.refused("--slowdown", "--exact", "--slowdown", "5"))

    def until_dense(self):
        return (json.loads(self.record("--software", "-q", "--stats", "--until-dense", "--slowdown", "50").stderr)["likeness"] > 0.9 and
                self.refused("--until-dense", "--exact", "--until-dense"))

    def depth(self):
        return (self.shown("--software", "--depth", "4")["branches"]["deepest"] == 4 and
                (not self.hardware or self.refused("--depth", "--hardware", "--depth", "4")))

    def callchain(self):
        chains = [self.shown("--software", *options)["call_chains"]["samples"] for options in ([], ["--no-callchain"])]
        return chains[0] > 0 == chains[1]

    def hardware_only(self):
        if self.hardware:
            return self.shown("--hardware")["branches"]["samples"] > 0
        return self.refused("cannot be used", "--hardware") and self.refused("exclude", "--hardware", "--software")

    def event(self):
        plain = all(self.shown("--event", name)["events"][0]["name"] == name.replace("-plain", "") for name in self.plain)
        return plain and self.refused("no event nonsense", "--event", "nonsense") and self.refused("--software", "--software", "--event", "x")

    def exact(self):
        whole = self.shown("--exact")
        return (whole["counted"]["whole_run"] and whole["samples"] == 0 and whole["programs"][0]["samples"] > 1_000_000 and
                self.refused("--frequency", "--exact", "-F", "50") and
                self.attached("--exact")["counted"]["part_of_run"])

    def contexts(self):
        return (self.shown("--exact", "--contexts")["counted"]["contexts"] > 0 and self.refused("--contexts", "--contexts"))

    def memory(self):
        return (json.loads(self.record("--software", "-q", "--stats", "--memory", "-F", "1000").stderr)["accesses"] > 0 and
                self.refused("--memory", "--exact", "--memory"))

    def cgroup(self):
        return (self.refused("no-such-group", "--cgroup", "no-such-group", command=False) and
                self.refused("--cgroup", "--cgroup", "no-such-group"))

    def all_cpus(self):
        return self.refused("--all-cpus", "--software", "--all-cpus")

    def stats(self):
        return json.loads(self.record("--software", "--stats", "-F", "1000").stderr)["samples"] > 0

    def quiet(self):
        return self.record("--software").stderr != "" == self.record("--software", "--quiet").stderr


CHECKS = {"--output": Recorder.output, "--pid": Recorder.processes, "--tree": Recorder.processes, "--for": Recorder.duration, "--frequency": Recorder.frequency,
          "--contexts": Recorder.contexts, "--memory": Recorder.memory, "--cgroup": Recorder.cgroup, "--all-cpus": Recorder.all_cpus,
          "--slowdown": Recorder.slowdown, "--only": Recorder.only, "--until-dense": Recorder.until_dense,
          "--depth": Recorder.depth, "--no-callchain": Recorder.callchain, "--software": Recorder.output,
          "--hardware": Recorder.hardware_only, "--event": Recorder.event, "--exact": Recorder.exact, "--stats": Recorder.stats, "--quiet": Recorder.quiet}


def check(recorder, options, wrong):
    for option in options:
        if option not in CHECKS:
            wrong(f"record: {option} is tried nowhere")
        elif not CHECKS[option](recorder):
            wrong(f"record: {option} does not do what it says")

"""The options of `cargo pgokit`: what each does is seen by the commands that are run, and by what they leave."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))
import rust_programs  # noqa: E402

MAIN = """fn main() {
    let times = std::env::args().nth(1).map_or(1000, |word| word.parse::<u32>().unwrap());
    println!("{} {}", cfg!(feature = "more"), (0..times).fold(1u32, |sum, i| if sum & 1023 == 7 { sum ^ i } else { sum.wrapping_add(3) }));
}
"""
MANIFEST = """[package]
name = "app"
version = "0.1.0"
edition = "2021"
[features]
default = ["usual"]
usual = []
more = []
[profile.thin]
inherits = "release"
lto = "thin"
"""


class Cargo:
    def __init__(self, files, rustc):
        self.folder, self.pgokit = files.folder / "crate", files.pgokit
        for name, text in {"Cargo.toml": MANIFEST, "src/main.rs": MAIN, "src/bin/other.rs": MAIN, "examples/short.rs": MAIN}.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        beside = [os.path.dirname(rustc)] if "/" in rustc else []
        self.probes = False
        self.environment = dict(os.environ, PATH=":".join([*beside, os.environ["PATH"]]), CARGO_HOME=str(self.folder / "home"))

    def run(self, verb, *options, folder="."):
        return subprocess.run([self.pgokit, "cargo-pgokit", verb, *options], capture_output=True, text=True, check=False, timeout=300,
                              cwd=self.folder / folder, env=self.environment)

    def told(self, verb, *options, folder="."):
        done = self.run(verb, "--json", *options, folder=folder)
        assert done.returncode == 0, (verb, options, done)
        return json.loads(done.stdout)

    def of_cargo(self, verb, *run):
        """Those that all verbs have."""
        info = self.told("info")
        host, self.probes = info["host"], info["probes"]
        many = ["--bin", "other", "--target", host, "--features", "more", "--no-default-features", "--config", "net.retry=1", "--jobs", "1",
                "--offline", "--package", "app", "--profile", "thin", "--manifest-path", "Cargo.toml", "--work", f"kept of {verb}"]
        told = self.told(verb, *many, *run)
        commands = "\n".join(told["commands"])
        for option, value in zip(many[::1], many[1:]):
            if option.startswith("--") and option not in ("--work", "--no-default-features", "--offline"):
                yield option, f"{option} {value}" in commands
        for option in ("--no-default-features", "--offline"):
            yield option, f" {option}" in commands
        yield "--work", told["program"] == f"kept of {verb}/release/other"
        again = self.told(verb, "--example", "short", "--all-features", "--locked", *([] if not self.probes else ["--by", "probes"]), *run)
        words = [word for build in again["builds"] for word in build["compile"]]
        yield "--example", again["program"].endswith("release/short")
        yield "--all-features", "--all-features" in "\n".join(again["commands"])
        yield "--locked", "--locked" in "\n".join(again["commands"])
        yield "--by", any("-Zllvm-plugins" in word for word in words) or "plugin" in self.run(verb, "--by", "probes", *run).stderr
        yield "--frozen", "--frozen" in "\n".join(self.told(verb, "--bin", "app", "--frozen", *run)["commands"])
        quiet = self.run(verb, "--quiet", "--bin", "app", *run)
        yield "--quiet", quiet.returncode == 0 and quiet.stderr == ""
        yield "--json", quiet.stdout[:1] != "{"

    def build(self):
        yield from self.of_cargo("build")

    def record(self):
        yield from self.of_cargo("run", "--", "20000")
        told = self.told("run", "--bin", "app", "--sampled", "--run", "target/pgokit/release/app 200000000")
        recorded = next(command for command in told["commands"] if command.startswith("pgokit record"))
        yield "--run", "release/app 200000000" in recorded
        yield "--sampled", "--exact" not in recorded

    def optimize(self):
        yield from self.of_cargo("optimize", "-n", "6", "--", "20000")
        (self.folder / "app.prof").write_bytes((self.folder / "target/pgokit/app.prof").read_bytes())
        used = self.told("optimize", "--bin", "app", "--use", "app.prof", "--counted")
        yield "--counted", any("accurate" in word for word in used["builds"][0]["compile"])
        yield "--use", self.told("optimize", "--bin", "app", "--use", "app.prof")["builds"][0]["profile"] == "app.prof"
        told = self.told("optimize", "--bin", "app", "--sampled", "--runs", "7", "--with", "layout", "--run", "target/pgokit/release/app 200000000",
                         "--measure", "target/pgokit/release/app 10")
        commands = "\n".join(told["commands"])
        yield "--run", "release/app 200000000" in commands
        yield "--sampled", "--exact" not in commands
        yield "--with", told["made_last"] == "layout"
        yield "--measure", "release/app 10" in json.dumps(told["measurement"])
        yield "--runs", len(told["measurement"]["commands"][0]["runs"]) == 7
        timed = self.told("optimize", "--bin", "app", "--for", "0.1", "--", "10")
        yield "--for", len(timed["measurement"]["commands"][0]["runs"]) >= 10 and timed["measurement"]["rounds"] < 200

    def info(self):
        inside = self.told("info", folder="src")
        yield "--work", self.told("info", "--work", "here")["folder"] == "here" != inside["folder"]
        yield "--manifest-path", self.told("info", "--manifest-path", str(self.folder / "Cargo.toml"), folder="..")["folder"].endswith("target/pgokit")
        yield "--json", self.run("info").stdout[:1] != "{"


def tries(files):
    """By command; none without cargo."""
    rustc = rust_programs.find_rustc()
    if not rustc or not rust_programs.works(rustc.replace("rustc", "cargo")):
        print("not tried: cargo and rustc are not installed")
        return {}
    made = []

    def of(what):
        def go(_):
            made[:] = made or [Cargo(files, rustc)]
            return what(made[0])
        return go
    return {f"cargo-pgokit {verb}": of(what) for verb, what in
            {"build": Cargo.build, "run": Cargo.record, "optimize": Cargo.optimize, "info": Cargo.info}.items()}

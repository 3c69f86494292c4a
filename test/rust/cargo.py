#!/usr/bin/env python3
"""cargo.py PGOKIT: `cargo pgokit` with programs of one crate and of a workspace, and what goes wrong on the way."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))
import rust_programs  # noqa: E402

PGOKIT = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77
checks = 0

MAIN = """
#[inline(never)]
fn rare(x: u32) -> u32 { x.wrapping_mul(2654435761) >> 3 }
#[inline(never)]
fn work(times: u32) -> u32 {
    let mut sum = 1u32;
    for _ in 0..times { sum = if sum & 1023 == 7 { rare(sum) } else { sum.wrapping_add(3) }; }
    sum
}
fn main() {
    let times = std::env::args().nth(1).map_or(3_000_000, |word| word.parse().expect("a number"));
    println!("{}", work(times));
}
"""
# Tells which options it is itself compiled with: none of pgokit's.
BUILD_SCRIPT = """
fn main() {
    let probe = std::env::var("OUT_DIR").unwrap() + "/probe.rs";
    std::fs::write(&probe, "#![feature(rustc_attrs)] fn main() {}").unwrap();
    let out = std::env::var("OUT_DIR").unwrap();
    let mut command = match std::env::var("RUSTC_WRAPPER") {
        Ok(wrapper) => { let mut c = std::process::Command::new(wrapper); c.arg(std::env::var("RUSTC").unwrap()); c }
        Err(_) => std::process::Command::new(std::env::var("RUSTC").unwrap()),
    };
    let nightly = command.args(["--crate-name", "probe", "--emit=metadata", "--out-dir", &out, &probe]).output().unwrap().status.success();
    println!("cargo:rustc-env=IS_NIGHTLY={nightly}");
}
"""
MANIFEST = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'


def check(what, holds, seen=""):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}: {seen}")


def cargo(*arguments, env=None):
    return subprocess.run(["cargo", "pgokit", *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, **(env or {})), check=False)


def works(*arguments, env=None):
    done = cargo(*arguments, env=env)
    check(arguments, done.returncode == 0, done.stderr + done.stdout)
    return done


def told(verb, *arguments, env=None):
    return json.loads(works(verb, "--json", *arguments, env=env).stdout)


def fails(what, text, *arguments, code=1, env=None):
    done = cargo(*arguments, env=env)
    last = done.stderr.splitlines()[-1:] if "-q" not in arguments else done.stderr.splitlines()
    check(what, done.returncode == code and len(last) == 1 and text in last[0] and not done.stdout, (done.returncode, done.stdout, done.stderr))


def project(name, files):
    folder = ROOT / name
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    os.chdir(folder)


def shown(*words):
    return subprocess.run([PGOKIT, *words], capture_output=True, text=True, check=True).stdout


def one_crate():
    project("one crate", {"Cargo.toml": MANIFEST.format("app"), "src/main.rs": MAIN})
    none = works("info").stdout
    check("info: nothing is there yet", "recording  none yet" in none and "cargo pgokit optimize -- ARGS" in none, none)
    fails("no profile", "there is no profile: record one with 'cargo pgokit run -- ARGS'", "optimize", "-q")

    built = told("build")
    check("build: the program is told", built["program"] == "target/pgokit/release/app" and os.access(built["program"], os.X_OK), built)
    recorded = told("run", "--", "400000")
    check("run: every branch was counted", any(c.startswith("pgokit record --exact") and c.endswith("release/app 400000")
                                               for c in recorded["commands"]), recorded["commands"])
    profile = recorded["builds"][0]["profile"]
    check("run: the profile is of it", "work" in shown("show", profile), profile)
    check("run: names are plain", "app::work" in shown("show", profile) and "17h" not in shown("show", profile), shown("show", profile))
    recorded_file = recorded["builds"][0]["file"]
    before = pathlib.Path(recorded_file).read_bytes()
    used = told("optimize")
    check("optimize: it is another program", pathlib.Path(used["program"]).read_bytes() != before)
    check("optimize: what was not counted is cold", any("accurate" in word for word in used["builds"][0]["compile"]), used)
    check("optimize: counts take the place of rustc's weights, and tell what is worth inlining", all(
        f"-Cllvm-args=-{option}" in used["builds"][0]["compile"]
        for option in ("overwrite-existing-weights", "inline-enable-cost-benefit-analysis")), used)
    check("optimize: with the profile", any("profile-sample-use=" in word for word in used["builds"][0]["compile"]), used)
    check("cargo's own folder is left alone", not pathlib.Path("target/release").exists())
    outputs = {subprocess.run([file, "1000"], capture_output=True, check=True).stdout for file in (used["program"], recorded_file)}
    check("both print the same", len(outputs) == 1, outputs)

    # Nothing is compiled again, unless the profile is another.
    log = pathlib.Path("target/pgokit/profile/log")
    works("optimize")
    check("what is up to date stays", "Compiling" not in log.read_text(), log.read_text())
    works("run", "--sampled", "--run", "target/pgokit/release/app 1500000000 > out")
    check("--run is a command", pathlib.Path("out").exists())
    check("what is recorded is not compiled again", "Compiling" not in (pathlib.Path(recorded_file).parent / "log").read_text())
    works("optimize")
    check("another profile, another build", "Compiling" in log.read_text(), log.read_text())
    check("samples are not all", not any("accurate" in word for word in told("optimize")["builds"][0]["compile"]))
    shutil.copy(profile, "kept.prof")
    kept = told("optimize", "--use", "kept.prof", "--counted")
    check("--use", kept["builds"][0]["profile"] == "kept.prof" and any("accurate" in word for word in kept["builds"][0]["compile"]), kept)
    info = told("info")
    if info["probes"]:
        probed = told("run", "--", "400000")["builds"][0]["file"]
        facts = json.loads(shown("doctor", "--json", probed))["program"]
        check("probes are in it", bool(facts["probes"]), facts)
        probes = json.loads(shown("probes", "stats", "--json", probed))
        check("those of code that rustc has inlined are of the function that it is in", probes["functions_without_descriptor"] == 0 and
              probes["unknown_call_sites"] * 20 <= probes["inlined_functions"], probes)
        check("the profile counts at them", "probe" in shown("show", "--summary", profile), shown("show", "--summary", profile))
        used = told("optimize")
        check("and is used", pathlib.Path(used["program"]).read_bytes() != pathlib.Path(probed).read_bytes())
        told("run", "--by", "lines", "--", "400000")
        check("--by lines", "probe" not in shown("show", "--summary", profile), shown("show", "--summary", profile))
        plugin = [any("plugins=" in word for word in told("optimize", *use)["builds"][0]["compile"])
                  for use in ([], ["--use", "kept.prof", "--counted"])]
        check("a profile tells whether it needs the plugin", plugin == [False, True], plugin)
    else:
        fails("no plugin", "does not load pgokit's plugin", "build", "-q", "--by", "probes")
    check("info tells what is there", info["profile_bytes"] > 0 and info["recording_bytes"] > 0 and info["llvm"] >= 13, info)


def all_in_one():
    project("all", {"Cargo.toml": MANIFEST.format("app"), "src/main.rs": MAIN, ".cargo/config.toml": '[build]\nrustflags = ["-Copt-level=2"]\n'})
    all_builds = ["layout"] if shutil.which("ld.lld") else []
    all_builds += ["instrument"] if told("info")["counters"] else []
    result = told("optimize", "-n", 8, *(["--with", ",".join(all_builds)] if all_builds else []), "--", "3000000")
    names = [build["name"] for build in result["builds"]]
    check("all builds are there", names == ["plain", "profile", *all_builds], names)
    outputs = {subprocess.run([build["file"], "1000"], capture_output=True, check=True).stdout for build in result["builds"]}
    check("all print the same", len(outputs) == 1, outputs)
    kept = next(build for build in result["builds"] if build["name"] == result["kept"])
    check("what was kept is in its place", pathlib.Path(result["program"]).read_bytes() == pathlib.Path(kept["file"]).read_bytes(), kept)
    check("every run is told", len(result["measurement"]["commands"][0]["runs"]) == 8)
    check("there is a page", pathlib.Path(result["report"]).exists(), result["report"])
    if "instrument" in all_builds:
        counts = told("optimize", "--use", "target/pgokit/app.profdata")
        check("counts of rustc's own are used as such", any("-Cprofile-use=" in word for word in counts["builds"][0]["compile"]), counts)
    text = works("optimize", "-n", 8, "--", "3000000")
    check("text tells it too", "CPU time" in text.stdout and "kept      target/pgokit/release/app is now" in text.stdout, text.stdout)
    # What a user wrote into cargo's configuration reaches rustc still.
    shown_options = subprocess.run(["cargo", "rustc", "--release", "-q", "--", "--print", "cfg"], capture_output=True, text=True, check=False)
    check("the configuration is taken", shown_options.returncode == 0, shown_options.stderr)


def workspace():
    files = {"Cargo.toml": '[workspace]\nmembers = ["one", "two", "shared"]\nresolver = "2"\n[profile.thin]\ninherits = "release"\nlto = "thin"\n',
             "shared/Cargo.toml": MANIFEST.format("shared"), "shared/src/lib.rs": MAIN.replace("fn work", "pub fn work").partition("fn main")[0]}
    for name in ("one", "two"):
        files[f"{name}/Cargo.toml"] = MANIFEST.format(name) + 'build = "build.rs"\n[dependencies]\nshared = { path = "../shared" }\n'
        files[f"{name}/build.rs"] = BUILD_SCRIPT
        files[f"{name}/src/main.rs"] = f"""fn main() {{
    let times = std::env::args().nth(1).map_or(3_000_000, |word| word.parse().expect("a number"));
    println!("{name} {{}} {{}}", env!("IS_NIGHTLY"), shared::work(times));
}}
"""
    project("workspace", files)
    fails("several programs", "there are several programs (one, two): --bin NAME says which", "build", "-q")
    fails("another program", "no bin target named `three`", "build", "-q", "--bin", "three")
    os.chdir("one")
    result = told("optimize", "-n", 8, "--bin", "two", "--profile", "thin", "--manifest-path", "../two/Cargo.toml", "-q", "--", "2000000")
    program = pathlib.Path(result["program"])
    check("the workspace has one folder", program.resolve() == (ROOT / "workspace/target/pgokit/release/two").resolve(), program)
    printed = subprocess.run([program, "5"], capture_output=True, check=True, text=True).stdout
    check("a build script finds the compiler that there is", printed.startswith("two false "), printed)
    check("functions of other crates are in the profile", "shared::work" in shown("show", result["builds"][1]["profile"]))
    host = told("info")["host"]
    result = told("run", "-q", "--bin", "one", "--target", host, "--work", "elsewhere", "--", "200000")
    check("--target and --work", result["program"] == "elsewhere/release/one" and pathlib.Path("elsewhere/cargo", result["builds"][0]["name"], host).is_dir(), result)


def bad_input():
    project("bad", {"Cargo.toml": MANIFEST.format("app"), "src/main.rs": MAIN})
    fails("another verb", "there is no verb 'bench'", "bench", code=2)
    fails("two programs", "exclude each other", "build", "-q", "--bin", "a", "--example", "b", code=2)
    fails("a run that is empty", "--run is a command", "run", "-q", "--run", " ", code=2)
    fails("arguments beside a command", "no arguments go with it", "run", "-q", "--run", "x", "--", "y", code=2)
    fails("measured without a run", "--measure is of a run that is recorded", "optimize", "-q", "--measure", "x", code=2)
    fails("another build", "there are layout, lines, bolt, instrument", "optimize", "-q", "--with", "propeller", "--", "1", code=2)
    fails("a run that fails", "ended with exit code 101", "run", "-q", "--", "none")
    fails("a profile of another kind", "Cargo.toml: it is no profile", "optimize", "-q", "--use", "Cargo.toml")
    fails("--counted of no profile", "--counted is of --use", "optimize", "-q", "--counted", code=2)
    fails("lines twice", "makes no other profile", "optimize", "-q", "--by", "lines", "--with", "lines", "--", "1", code=2)
    fails("no rustc", "rustc-99 is not installed", "build", "-q", env={"RUSTC": "rustc-99"})
    old = ROOT / "old/rustc"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'release: 1.40.0'; echo 'LLVM version: 22.0'\n")
    old.chmod(0o755)
    fails("an old rustc", "rustc 1.40.0 takes no profile of samples", "build", "-q", env={"RUSTC": str(old)})
    pathlib.Path("src/main.rs").write_text("fn main() { 1 }", encoding="utf-8")
    fails("a program that does not compile", "could not compile `app`", "build", "-q")
    os.chdir(ROOT)
    fails("no package", "could not find `Cargo.toml`", "build", "-q")
    direct = subprocess.run([PGOKIT, "cargo-pgokit", "info"], capture_output=True, text=True, check=False, env=dict(os.environ, CARGO="cargo-99"))
    check("no cargo", direct.returncode == 1 and "cargo-99 is not installed" in direct.stderr, direct)


def main():
    rustc = rust_programs.find_rustc()
    folder = os.path.dirname(rustc) if "/" in rustc else ""
    if folder:
        os.environ["PATH"] = folder + ":" + os.environ["PATH"]
    if not rustc or not shutil.which("cargo"):
        print("SKIPPED: cargo and rustc are not installed")
        return SKIPPED
    if '"software": true' not in shown("doctor", "--json"):
        print("SKIPPED: ptrace() is not permitted here")
        return SKIPPED
    (ROOT / "bin").mkdir()
    (ROOT / "bin/cargo-pgokit").symlink_to(PGOKIT)
    os.environ["PATH"] = f"{ROOT}/bin:" + os.environ["PATH"]
    os.environ["CARGO_HOME"] = str(ROOT / "home")
    for variable in ("CARGO_TARGET_DIR", "RUSTC", "RUSTFLAGS", "RUSTC_WRAPPER"):
        os.environ.pop(variable, None)
    one_crate()
    all_in_one()
    workspace()
    bad_input()
    print(f"{checks} checks passed")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        ROOT = pathlib.Path(scratch).resolve()
        status = main()
        os.chdir("/")
    sys.exit(status)
